package engine

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Snapshot returns the run as it is now. Refusal: not_found.
func (e *Engine) Snapshot(ctx context.Context, runID string) (snapshot openwopv1.RunSnapshot, err error) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	return e.look(ctx, runID)
}

func (e *Engine) look(ctx context.Context, runID string) (snapshot openwopv1.RunSnapshot, err error) {
	err = e.with(ctx, runID, func(r *liveRun) error {
		snapshot = r.state.Snapshot()
		if snapshot.ParentRunID != nil {
			snapshot = e.o.Rules.Handoff.Child(snapshot)
		}
		if o := snapshot.RunOrchestrator; o != nil {
			o.AgentID = e.o.Rules.Dispatch.Orchestrator(o.AgentID)
		}
		return nil
	})
	return snapshot, err
}

// nodeView is a node in a snapshot.
type nodeView struct {
	Status  nodeStatus     `json:"status"`
	Starts  int            `json:"starts,omitzero"`
	Outputs map[string]any `json:"outputs,omitempty"`
}

// childView is a child in a snapshot, as of what its parent's log says.
type childView struct {
	RunID      string              `json:"runId"`
	WorkflowID string              `json:"workflowId"`
	Status     openwopv1.RunStatus `json:"status"`
}

// Snapshot is the state as the protocol shows it. It shares nothing with s that a fold changes.
func (s *State) Snapshot() openwopv1.RunSnapshot {
	snapshot := openwopv1.RunSnapshot{
		RunID:        s.runID,
		WorkflowID:   s.program.definition.ID,
		Status:       s.status,
		Owner:        s.owner,
		StartedAt:    s.startedAt,
		CompletedAt:  s.endedAt,
		Inputs:       s.inputs,
		Variables:    maps.Clone(s.variables),
		Configurable: s.created.Configurable,
		Tags:         s.tags,
		Metadata:     s.metadata,
		Error:        s.err,
		Workspace:    s.view.Files,
		NodeStates:   make(map[string]any, len(s.nodes)),
	}
	for i, n := range s.nodes {
		if n.status == "" {
			n.status = nodePending
		}
		snapshot.NodeStates[s.program.nodes[i].ID] = nodeView{n.status, n.starts, n.outputs}
	}
	if parent := s.created.Parent; parent != nil {
		snapshot.ParentRunID = &parent.RunID
	}
	for _, c := range s.children {
		view, _ := json.Marshal(childView{c.runID, c.workflowID, c.status}) // three strings
		snapshot.ChildRuns = append(snapshot.ChildRuns, view)
	}
	s.showLoop(&snapshot)
	s.showInterrupt(&snapshot)
	return snapshot
}

// showLoop adds who supervises.
func (s *State) showLoop(snapshot *openwopv1.RunSnapshot) {
	if s.program.loop == len(s.program.nodes) {
		return
	}
	agent := s.program.agent
	if s.loop.agentID != "" {
		agent.AgentID = s.loop.agentID
	}
	snapshot.RunOrchestrator = &agent
}

// showInterrupt adds what the run waits for.
func (s *State) showInterrupt(snapshot *openwopv1.RunSnapshot) {
	if !s.Waiting() {
		return
	}
	pending, n := s.pending()
	a, id := *pending, n.ID
	kind := string(a.kind)
	shown := rules.Waiting{Kind: a.kind, Status: s.status, NodeID: id}
	if s.openGate() != nil {
		shown = s.rules.Gates.Shows(shown)
	}
	if snapshot.Status = shown.Status; shown.NodeID != "" {
		snapshot.CurrentNodeID = &shown.NodeID
	}
	snapshot.Interrupt = &openwopv1.PendingInterrupt{
		Kind: &kind, NodeID: &id, InterruptID: &a.interruptID, Key: &a.key, Data: a.data,
	}
}
