package state

import (
	"encoding/json"
	"maps"

	"github.com/openassay/assay/gen/openwopv1"
)

// NodeView is a node in a snapshot.
type NodeView struct {
	Status  nodeStatus     `json:"status"`
	Starts  int            `json:"starts,omitzero"`
	Outputs map[string]any `json:"outputs,omitempty"`
}

// ChildView is a child in a snapshot, as of what its parent's log says.
type ChildView struct {
	RunID      string              `json:"runId"`
	WorkflowID string              `json:"workflowId"`
	Status     openwopv1.RunStatus `json:"status"`
}

// Snapshot is the state as the protocol shows it. It shares nothing with s that a fold changes.
func (s *State) Snapshot() openwopv1.RunSnapshot {
	snapshot := openwopv1.RunSnapshot{
		RunID:        s.RunID,
		WorkflowID:   s.Program.Definition.ID,
		Status:       s.Status,
		Owner:        (*openwopv1.RunOwner)(s.Owner),
		StartedAt:    s.StartedAt,
		CompletedAt:  s.endedAt,
		Inputs:       s.Inputs,
		Variables:    maps.Clone(s.Variables),
		Configurable: s.Created.Configurable,
		Tags:         s.Tags,
		Metadata:     s.Metadata,
		Error:        s.Err,
		Workspace:    s.View.Files,
		NodeStates:   make(map[string]any, len(s.Nodes)),
	}
	for i, n := range s.Nodes {
		if n.Status == "" {
			n.Status = NodePending
		}
		snapshot.NodeStates[s.Program.Nodes[i].ID] = NodeView{n.Status, n.starts, n.Outputs}
	}
	if parent := s.Created.Parent; parent != nil {
		snapshot.ParentRunID = &parent.RunID
	}
	for _, c := range s.Children {
		view, _ := json.Marshal(ChildView{c.runID, c.WorkflowID, c.status}) // three strings
		snapshot.ChildRuns = append(snapshot.ChildRuns, view)
	}
	s.showLoop(&snapshot)
	s.showInterrupt(&snapshot)
	return snapshot
}

// showLoop adds who supervises.
func (s *State) showLoop(snapshot *openwopv1.RunSnapshot) {
	if s.Program.Loop == len(s.Program.Nodes) {
		return
	}
	agent := s.Program.Agent
	if s.Loop.AgentID != "" {
		agent.AgentID = s.Loop.AgentID
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
	kind := string(a.Kind)
	snapshot.CurrentNodeID = new(id)
	snapshot.Interrupt = &openwopv1.PendingInterrupt{
		Kind: &kind, NodeID: &id, InterruptID: &a.InterruptID, Key: &a.Key, Data: a.Data,
	}
}
