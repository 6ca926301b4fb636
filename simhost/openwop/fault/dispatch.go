package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var dispatchFaults = []Fault{
	{
		ID:     "dispatch.question-before-decision",
		Title:  "a person is asked first, and the decision to ask comes with the answer",
		Looks:  "the run waits for an answer, and the log has no decision to ask",
		Breaks: []string{openwop.OWPDSP1, openwop.OWP0061D1},
		Replace: decidingLate(func(d rules.Doubt) bool {
			return d.Kind == askUser
		}),
	},
	{
		ID:     "dispatch.worker-before-decision",
		Title:  "the handoff to a worker that is new to the run begins while its supervisor still decides",
		Looks:  "dispatch.began stands on the log before the decision for its worker, and names no cause",
		Breaks: []string{openwop.OWPDSP1, openwop.OWPDSP3, openwop.OWP0037B3},
		Spots:  []int{15},
		Replace: decidingLate(func(d rules.Doubt) bool {
			return d.Newcomer && d.Confidence == nil
		}),
	},
	{
		ID:     "dispatch.person-takes-over",
		Title:  "who has answered is the agent of all decisions that follow",
		Looks:  "the agentId of runOrchestrator.decided changes after an answer",
		Breaks: []string{openwop.OWPDSP2},
		Replace: func(s *rules.Set) {
			agent := s.Dispatch.Agent
			s.Dispatch.Agent = func(agentID string, answered bool) string {
				if answered {
					return "human.operator"
				}
				return agent(agentID, answered)
			}
		},
	},
	{
		ID:     "dispatch.orchestrator-misnamed",
		Title:  "a run is shown with an orchestrator that decided nothing in it",
		Looks:  "runOrchestrator.agentId of the snapshot is none of those in the log",
		Breaks: []string{openwop.OWPDSP2},
		Reply: mutate.On("GET /v1/runs/{runId}", mutate.Succeeded(mutate.At("/runOrchestrator", func(a *openwopv1.AgentRef) {
			a.AgentID = "host." + a.AgentID
		}))),
	},
	{
		ID:     "dispatch.tells-its-own-workflow",
		Title:  "the dispatch node tells of a child of the workflow that it stands in itself",
		Looks:  "childWorkflowId of node.dispatched is the parent's workflow, and not the worker",
		Breaks: []string{openwop.OWPDSP3},
		Replace: dispatching(func(d *rules.Dispatched) {
			d.Payload.ChildWorkflowID = d.By
		}),
	},
	{
		ID:     "dispatch.caused-by-node-start",
		Title:  "the dispatch node chains its workers to the start of the supervisor",
		Looks:  "node.dispatched names node.started as its cause, and not the decision",
		Breaks: []string{openwop.OWPDSP4},
		Replace: dispatching(func(d *rules.Dispatched) {
			d.Cause = d.Started
		}),
	},
	{
		ID:     "dispatch.goes-on-behind-terminate",
		Title:  "a decision to terminate ends the run only where the script holds nothing more",
		Looks:  "decisions and handoffs follow a decision to terminate",
		Breaks: []string{openwop.OWPDSP5},
		Spots:  []int{4, 18},
		Replace: func(s *rules.Set) {
			ends := s.Dispatch.Ends
			s.Dispatch.Ends = func(left int) bool { return left == 0 && ends(left) }
		},
	},
	{
		ID:     "dispatch.fan-out-not-rejected",
		Title:  "a dispatch node that takes one worker at a time takes several",
		Looks:  "all workers of a decision are dispatched although fanOutPolicy is reject",
		Breaks: []string{openwop.OWPDSP6},
		Replace: func(s *rules.Set) {
			s.Dispatch.Takes = func(openwopv1.DispatchConfigFanOutPolicy, int) bool { return true }
		},
	},
	{
		ID:     "dispatch.undecided-passed-over",
		Title:  "a dispatch node that no decision came before has nothing to do and completes",
		Looks:  "the run of a dispatch node on its own is completed",
		Breaks: []string{openwop.OWPDSP7},
		Replace: func(s *rules.Set) {
			s.Dispatch.NeedsDecision = func() bool { return false }
		},
	},
}

// decidingLate has these decisions put on the log after what they bring about began.
func decidingLate(late func(rules.Doubt) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		first := s.Dispatch.DecidesFirst
		s.Dispatch.DecidesFirst = func(d rules.Doubt) bool { return !late(d) && first(d) }
	}
}

// dispatching changes how the dispatch node tells of a worker.
func dispatching(change func(*rules.Dispatched)) func(*rules.Set) {
	return func(s *rules.Set) {
		told := s.Dispatch.Told
		s.Dispatch.Told = func(d rules.Dispatched) rules.Dispatched {
			d = told(d)
			change(&d)
			return d
		}
	}
}
