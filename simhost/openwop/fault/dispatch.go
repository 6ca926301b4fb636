package fault

import (
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
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
		Remembers: func() mutate.Changes {
			var answered sync.Map // ids of runs
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.InterruptResolved), func(e *mutate.Event) { answered.Store(e.RunID, true) }),
				mutate.OfType(string(event.Decided), func(e *mutate.Event) {
					if _, was := answered.Load(e.RunID); was {
						e.Payload["agentId"] = "human.operator"
					}
				}),
			}}
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
		Remembers: func() mutate.Changes {
			var workflows sync.Map // by the id of the run
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.RunStarted), func(e *mutate.Event) {
					workflows.Store(e.RunID, e.Payload["workflowId"])
				}),
				mutate.OfType(string(event.NodeDispatched), func(e *mutate.Event) {
					if own, known := workflows.Load(e.RunID); known {
						e.Payload["childWorkflowId"] = own
					}
				}),
			}}
		},
	},
	{
		ID:     "dispatch.caused-by-node-start",
		Title:  "the dispatch node chains its workers to the start of the supervisor",
		Looks:  "node.dispatched names node.started as its cause, and not the decision",
		Breaks: []string{openwop.OWPDSP4},
		Replace: func(s *rules.Set) {
			retold(s, func(e *event.Event, r rules.Listing) {
				if e.Type == event.NodeDispatched {
					e.CausationID = lastBefore(r.Events, *e, func(e event.Event) bool {
						return isOf(&e, event.NodeStarted, "supervisor")
					})
				}
			})
		},
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
			takes := s.Dispatch.Takes
			s.Dispatch.Takes = func(o rules.Order) bool { return o.Decided || takes(o) }
		},
	},
	{
		ID:     "dispatch.undecided-passed-over",
		Title:  "a dispatch node that no decision came before has nothing to do and completes",
		Looks:  "the run of a dispatch node on its own is completed",
		Breaks: []string{openwop.OWPDSP7},
		Replace: func(s *rules.Set) {
			takes := s.Dispatch.Takes
			s.Dispatch.Takes = func(o rules.Order) bool { return !o.Decided || takes(o) }
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
