// Package loop asks whether an orchestrator loop decides, acts, counts its turns,
// suspends and resumes correctly.
package loop

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ExecutionSuite tests the effects of decisions, and their order.
func ExecutionSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "execution-loop", Title: "decide, carry out, decide again: what a decision brings about, and nothing before it or after the last",
		Scenarios: []scenarios.Scenario{
			decidedBeforeWorker, decidedBeforeQuestion, turnWaitsForWorker, effectOfItsDecision, dispatchNamesItsCause,
			oneAgent, sameAgentAfterAnswer, nothingAfterTerminate, fanOutRejected, dispatchUndecided,
		},
	}
}

// RFC 0006, CO-1: the worker and the end.
var decidedBeforeWorker = scenarios.Scenario{
	ID:     "openwop/execution-loop/decided-before-worker",
	Title:  "each decision is on the log before its worker is, and the last before the end of the run",
	Proves: scenarios.IDs{openwop.OWPDSP1},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(handoff.LoopOfWorkers, func(o handoff.WorkersObservation, j *scenarios.Judge) {
		o.Given(j)
		handoff.Told(o.Log, j)
		CheckDecidedFirst(o.Log, j, len(o.Workers)+1)
		decided := o.Log.Decided().Values
		for i, c := range o.Children {
			if i < len(decided) && len(c.Log.Events) > 0 {
				handoff.TellLate(j, fmt.Sprintf("decision %d", i+1), decided[i], "the first event of its worker's run",
					c.Log.Events[0])
			}
		}
	}),
}

// CheckDecidedFirst expects the decision before its worker, and all turns before
// the end.
func CheckDecidedFirst(l host.RunLog, j *scenarios.Judge, turns int) {
	for _, effect := range []func(wire.Value) bool{handoff.IsPhase(dialect.ChainPhaseDispatchBegan), host.IsA(dialect.NodeDispatched)} {
		marks := l.All().Where(func(e wire.Value) bool {
			return effect(e) || host.IsA(dialect.Decided, dialect.RunCompleted, dialect.RunFailed)(e)
		})
		j.Check(openwop.OWPDSP1, marks).To(decisionsFirst(turns), "decisions, workers and the end in order")
	}
}

// decisionsFirst expects each worker after the decision for it, and the end after
// all decisions.
func decisionsFirst(turns int) check.Matcher {
	return check.Seeing(fmt.Sprintf("each worker after its decision, and the end after %d", turns), func(s wire.Seen) (bool, string) {
		marks, _ := s.(wire.Found)
		types := wire.Compact(marks.Each("/type").Actual())
		decided, workers := 0, 0 // workers: decided on but not dispatched yet
		for _, e := range marks.Values {
			switch dialect.EventOf(e) {
			case dialect.Decided:
				decided++
				workers += len(e.At("/payload/decision/nextWorkerIds").Items())
			case dialect.RunCompleted, dialect.RunFailed:
				if decided < turns {
					return false, types
				}
			default:
				if workers--; workers < 0 {
					return false, types
				}
			}
		}
		return true, types
	})
}

// RFC 0006, CO-1: the question.
var decidedBeforeQuestion = scenarios.Scenario{
	ID:     "openwop/execution-loop/decided-before-question",
	Title:  "the decision to ask is on the log before the question, and while the run waits for the answer",
	Proves: scenarios.IDs{openwop.OWPDSP1},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(LoopThatAsks, func(o AskedObservation, j *scenarios.Judge) {
		if o.Seam != nil {
			j.Block("only the seam's word is on offer, and it shows no run", fixture.Load)
		}
		o.Held.Given(j)
		l := o.Held.Log
		j.Check(openwop.OWPDSP1, l.Kinds()).To(KindsOf(o.Kinds[:o.Held.Turn]), "decisions on the log while the run waits for an answer")
		asked := l.All().Where(host.IsA(dialect.Decided, dialect.NodeSuspended, dialect.InterruptRequested)).Each("/type")
		decided := o.Held.Log.Dialect().Word(dialect.Decided)
		j.Check(openwop.OWPDSP1, asked).To(check.That(fmt.Sprintf("%d decisions before the question", o.Held.Turn), func(v any) bool {
			list, _ := v.([]any)
			first := slices.IndexFunc(list, func(kind any) bool { return kind != decided })
			return first < 0 || first == o.Held.Turn
		}), "decisions and the question in order")
	}),
}

// RFC 0037 A, RFC 0006 CO-1: shown by a worker that waits for a person.
var turnWaitsForWorker = scenarios.Scenario{
	ID:     "openwop/execution-loop/turn-waits-for-worker",
	Title:  "while a worker waits, its decision is on the log and no other; the next one comes when the worker is done",
	Proves: scenarios.IDs{openwop.OWPDSP1, openwop.OWP0037A5},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(handoff.WorkerThatWaits, func(o handoff.WaitingWorkerObservation, j *scenarios.Judge) {
		o.Given(j)
		j.Check(openwop.OWPDSP1, o.Lull.Later.Kinds()).NotTo(check.Len(0), "decisions on the log while the worker of the first is at work")
		CheckDecidedFirst(o.Lull.Later, j, 1)
		j.Check(openwop.OWP0037A5, o.Lull.Later.Decided()).To(host.NoMoreThan(1),
			"turns while a worker waits for a person, when another run had ended and %s had gone by", o.Lull.Window)
		j.Check(openwop.OWP0037A5, o.Lull.Later.Terminals().Each("/type")).To(check.Len(0), "events that end the run while its worker waits")
		o.Answered(j)
		j.Check(openwop.OWP0037A5, o.Log.Decided()).To(check.Len(2), "turns when the worker was done")
	}),
}

// RFC 0007 D: not the effect of another decision.
var effectOfItsDecision = scenarios.Scenario{
	ID:     "openwop/execution-loop/effect-of-its-decision",
	Title:  "between a decision and the next one the worker of this decision is dispatched, and no other",
	Proves: scenarios.IDs{openwop.OWPDSP3},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(handoff.LoopOfWorkers, func(o handoff.WorkersObservation, j *scenarios.Judge) {
		o.Given(j)
		handoff.Told(o.Log, j)
		all := host.Dispatched(o.Log)
		j.Check(openwop.OWPDSP3, all.Each("/type")).To(check.Len(len(o.Workers)), "workers of all decisions")
		for i, worker := range o.Workers {
			of := handoff.Turn(o.Log, i)
			if told := of.Where(host.IsA(dialect.NodeDispatched)); len(told.Values) > 0 || host.IsA(dialect.NodeDispatched)(all.Values[0]) {
				j.Check(openwop.OWPDSP3, told.Each("/payload/childWorkflowId")).To(check.Equal([]any{worker}),
					"workers of whom the dispatch node tells in turn %d", i+1)
			}
			if host.IsA(dialect.NodeDispatched)(all.Values[0]) {
				continue
			}
			j.Check(openwop.OWPDSP3, of.Where(handoff.IsPhase(dialect.ChainPhaseDispatchBegan)).Each("/payload/workerId")).
				To(check.Equal([]any{worker}), "workers that were dispatched in turn %d", i+1)
			j.Check(openwop.OWPDSP3, of.Where(host.IsA(dialect.HandedOver)).Each("/payload/workerId")).
				To(check.Each(check.Equal(worker)), "workers of whom turn %d tells", i+1)
		}
	}),
}

// RFC 0007 E.
var dispatchNamesItsCause = scenarios.Scenario{
	ID:     "openwop/execution-loop/dispatch-names-its-cause",
	Title:  "what the dispatch node tells of a worker is caused by the decision of its turn, where it names a cause",
	Proves: scenarios.IDs{openwop.OWPDSP4},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(handoff.LoopOfWorkers, func(o handoff.WorkersObservation, j *scenarios.Judge) {
		o.Given(j)
		told := o.Log.OfType(dialect.NodeDispatched)
		if len(told.Values) == 0 {
			j.Block("the log has no node.dispatched", "log node.dispatched for every child run")
		}
		for i, d := range o.Log.Decided().Values {
			of := handoff.Turn(o.Log, i)
			causes := of.Where(host.IsA(dialect.NodeDispatched)).Each("/causationId")
			id := d.Key("eventId").String()
			accepted := []any{nil, id} // or the handoff steps, which RFC 0037 chains
			for _, step := range of.Where(host.IsA(dialect.HandedOver)).Values {
				accepted = append(accepted, step.Key("eventId").String())
			}
			j.Check(openwop.OWPDSP4, causes).To(check.That(id+", a step of its handoff, or nothing", func(v any) bool {
				list, ok := v.([]any)
				return ok && !slices.ContainsFunc(list, func(cause any) bool { return !slices.Contains(accepted, cause) })
			}), "causes of node.dispatched in turn %d", i+1)
			for _, cause := range causes.Values {
				if cause.String() != id {
					j.Find("", "node.dispatched in turn %d does not name the decision as its cause, but %s: OWP-R11", i+1, cause.JSON())
				}
			}
		}
	}),
}

// RFC 0006, CO-2.
var oneAgent = scenarios.Scenario{
	ID:     "openwop/execution-loop/one-agent",
	Title:  "all decisions of a run are by one agent, the one that the run names as its orchestrator",
	Proves: scenarios.IDs{openwop.OWPDSP2},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(handoff.LoopOfWorkers, func(o handoff.WorkersObservation, j *scenarios.Judge) {
		o.Given(j)
		CheckAgent(o.Log, j)
	}),
}

// RFC 0006, CO-2: answering does not make anybody the deciding agent.
var sameAgentAfterAnswer = scenarios.Scenario{
	ID:     "openwop/execution-loop/same-agent-after-answer",
	Title:  "the agent that decides is the same before and after a person has answered",
	Proves: scenarios.IDs{openwop.OWPDSP2},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(LoopThatAsks, func(o AskedObservation, j *scenarios.Judge) {
		switch {
		case o.Seam != nil:
			j.Block("only the seam's word is on offer, and it shows no run", fixture.Load)
		default:
			o.Held.Given(j)
			givenProgress(o.SuspendedLoop, j)
			CheckAgent(o.Log, j)
		}
	}),
}

func CheckAgent(l host.RunLog, j *scenarios.Judge) {
	agents := l.Decided().Each("/payload/agentId")
	j.Check(openwop.OWPDSP2, agents).To(handoff.OneAndTheSame(), "agentId of the decisions")
	shown := l.Ended.Last.At("/runOrchestrator/agentId")
	if !shown.Present() {
		j.Find("", "the run's snapshot does not name its runOrchestrator: OWP-R38")
		return
	}
	j.Check(openwop.OWPDSP2, shown).To(check.SameAs(agents.Last()), "runOrchestrator of the run's snapshot")
}
