package openwop

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/bounds"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/verifier"
	"github.com/openassay/assay/scenarios/wire"
)

// Recorded returns rules for runs that others made. In a certification scenarios ask the same, with plans that they know.
func Recorded() []Invariant {
	return slices.Concat(recordedRuns(), recordedLoops(), []Invariant{
		{"breach-told", scenarios.IDs{openwop.OWPBND2, openwop.OWPBND3, openwop.OWPBND7, openwop.OWPBND8, openwop.OWPBND12, openwop.OWPBND13,
			openwop.OWP0061E2, openwop.OWPBND1, openwop.OWPBND5, openwop.OWPBND6, openwop.OWPBND10, openwop.OWP0061E5}, false, false,
			Standing.checkBreachTold},
		{"agent-named", scenarios.IDs{openwop.OWP0061B5}, true, false, Standing.checkAgentNamed},
		{"handed-over", scenarios.IDs{openwop.OWP0037A3, openwop.OWP0037A5, openwop.OWP0037B1, openwop.OWP0037B2, openwop.OWP0037B4,
			openwop.OWPDSP4, openwop.OWPDSP10, openwop.OWPDSP11}, false, false, Standing.checkHandedOver},
		{"doubted", scenarios.IDs{openwop.OWPCNF3, openwop.OWPCNF4, openwop.OWPCNF5, openwop.OWPCNF13}, true, false, Standing.checkDoubted},
		{"verified", scenarios.IDs{openwop.OWPVER2, openwop.OWPVER4}, true, false, Standing.checkVerified},
		{"remembered", scenarios.IDs{openwop.OWPMEM14, openwop.OWPMEM15}, true, false, Standing.checkRemembered},
		{"wrote", scenarios.IDs{openwop.OWPWSP27, openwop.OWPWSP28}, true, false, Standing.checkWrote},
		{"pursued", scenarios.IDs{openwop.OWP0097D1, openwop.OWP0097D3}, true, false, Standing.checkPursued},
	})
}

// checkBreachTold checks what the log of a run says that crossed a bound. How often a log may say so is said elsewhere.
func (s Standing) checkBreachTold(j *scenarios.Judge) {
	breaches := s.Log.Breaches().Values
	if len(breaches) != 1 {
		return
	}
	breach := breaches[0].Key("payload")
	s.checkCeiling(j, breach)
	limit, known := breach.Key("limit").Int()
	observed, one := breach.Key("observed"), check.Equal(limit+1)
	switch dialect.CapKind(breach.Key("kind").String()) {
	case dialect.CapKindNodeExecutions:
		j.Check(openwop.OWPBND2, observed).To(one, "nodes observed, and the bound is %s", breach.Key("limit").JSON())
		s.checkFailed(j, openwop.OWPBND3, dialect.RecursionLimitExceeded)
	case dialect.CapKindRunDuration:
		if known {
			bounds.CheckSpan(s.Log, j, limit)
		}
		j.Check(openwop.OWPBND7, observed).To(check.That(fmt.Sprintf("%d or more (OWP-R13)", limit), func(v any) bool {
			n, isNumber := host.AsNumber(v)
			return known && isNumber && n >= float64(limit)
		}), "time observed")
		s.checkFailed(j, openwop.OWPBND8, dialect.RunTimeout)
	case dialect.CapKindLoopIterations:
		j.Check(openwop.OWP0061E2, observed).To(one, "turns observed, and the bound is %s", breach.Key("limit").JSON())
		return
	default:
		return
	}
	bounds.CheckOver(s.Log, j, openwop.OWPBND12)
	bounds.CheckCause(s.Log, j, openwop.OWPBND13)
}

func (s Standing) checkFailed(j *scenarios.Judge, id scenarios.RequirementID, code dialect.Code) {
	j.Check(id, s.Log.OfType(dialect.RunFailed).Each("/payload/error/code")).To(dialect.EachCoded(code), "code of the failure")
	j.Check(id, host.BreachesAndEnds(s.Log)).To(dialect.Types(dialect.Breached, dialect.RunFailed), "breach and end in order")
}

func (s Standing) checkAgentNamed(j *scenarios.Judge) {
	if s.turns() > 0 {
		j.Check(openwop.OWP0061B5, s.Log.Decided().Each("/payload/agentId")).To(check.Each(check.Text()), "agentId")
		j.Check(openwop.OWP0061B5, s.Log.Kinds()).To(check.Each(check.Text()), "kind of the decision")
	}
}

// The phases in which a worker has settled.
var settled = handoff.IsPhase(dialect.ChainPhaseChildCompleted, dialect.ChainPhaseChildFailed, dialect.ChainPhaseChildCancelled,
	dialect.ChainPhaseDispatchFailed)

// checkHandedOver checks the steps of each handoff in each turn. A decision may name a worker twice: then they are not told apart.
func (s Standing) checkHandedOver(j *scenarios.Judge) {
	turns, between := s.Log.Decided().Values, handoff.Turns(s.Log)
	for i, decided := range turns {
		all := between[i].Where(host.IsA(dialect.HandedOver))
		var workers []string
		for _, w := range decided.At("/payload/decision/nextWorkerIds").Items() {
			workers = append(workers, w.String())
		}
		for n, worker := range workers {
			steps := all.Where(func(e wire.Value) bool { return e.At("/payload/workerId").String() == worker })
			if slices.Contains(workers[:n], worker) || slices.Contains(workers[n+1:], worker) || len(steps.Values) == 0 {
				continue
			}
			// What a loop waits for that dispatches several at once hangs on its policy, which no log shows (OWP-R16).
			s.checkSteps(j, decided, steps, worker, i+1 < len(turns) && len(workers) == 1)
		}
	}
}

func (s Standing) checkSteps(j *scenarios.Judge, decided wire.Value, steps wire.Found, worker string, goesOn bool) {
	first := steps.Values[0]
	if first.Key("causationId").Present() && !first.Key("causationHostId").Present() {
		j.Check(openwop.OWPDSP4, first.Key("causationId")).To(check.Equal(decided.Key("eventId").String()),
			"cause of the handoff to %s: its decision", worker)
	}
	made := steps.Where(handoff.IsPhase(dialect.ChainPhaseDispatchSucceeded))
	if len(made.Values) > 0 {
		j.Check(openwop.OWP0037A3, made.Each("/payload/childRunId")).To(check.Each(check.Text()), "run of the worker %s", worker)
		handoff.CheckNamed(j, steps, worker)
	}
	if lost := steps.Where(handoff.IsPhase(dialect.ChainPhaseDispatchFailed)); len(lost.Values) > 0 {
		j.Check(openwop.OWP0037B4, steps.Last().At("/payload/phase")).To(check.Equal(dialect.ChainPhaseDispatchFailed),
			"last step of the handoff to %s, which could not be created", worker)
		handoff.CheckError(j, steps, worker)
	}
	if lost := steps.Where(handoff.IsPhase(dialect.ChainPhaseChildFailed, dialect.ChainPhaseChildCancelled)); len(lost.Values) > 0 {
		j.Check(openwop.OWP0037B2, steps.Where(handoff.IsPhase(dialect.ChainPhaseOutputHarvested))).To(check.Len(0),
			"harvests of %s, which did not complete", worker)
	}
	for _, harvested := range steps.Where(handoff.IsPhase(dialect.ChainPhaseOutputHarvested)).Values {
		completed := steps.Where(handoff.IsPhase(dialect.ChainPhaseChildCompleted)).Where(func(e wire.Value) bool { return behind(e)(harvested) })
		j.Check(openwop.OWP0037B1, completed.Each("/type")).To(check.Each(check.Text()), "completions of %s before it is harvested", worker)
	}
	if goesOn {
		j.Check(openwop.OWP0037A5, steps.Where(settled)).To(check.Len(1), "ends of the handoff to %s before the next turn", worker)
	}
}

// checkDoubted checks what is told of decisions that were held. The one that was held stands before that on the log only where its
// confidence does: some hosts write it when somebody has answered (OWP-R9).
func (s Standing) checkDoubted(j *scenarios.Judge) {
	held := s.Log.OfType(dialect.ConfidenceEscalated)
	if s.Version == 1 && s.turns() > 0 {
		j.Check(openwop.OWPCNF13, held).To(check.Len(0), "events of a held decision")
		return
	}
	for _, e := range held.Values {
		told := e.Key("payload")
		floor, known := host.AsNumber(check.Plain(told.Key("floor").Actual()))
		number := check.That("a number", func(v any) bool { _, is := host.AsNumber(v); return is })
		j.Check(openwop.OWPCNF3, told.Key("confidence")).To(number, "confidence of a held decision")
		j.Check(openwop.OWPCNF3, told.Key("floor")).To(number, "floor of a held decision")
		j.Check(openwop.OWPCNF3, told.Key("escalationKind")).To(check.OneOf("clarify", "escalate"), "escalationKind")
		j.Check(openwop.OWPCNF3, told.Key("parentRunId")).To(check.Equal(s.Log.RunID), "parentRunId")
		if known {
			j.Check(openwop.OWPCNF5, told.Key("confidence")).To(check.That(fmt.Sprintf("below the floor of %v", floor), func(v any) bool {
				n, is := host.AsNumber(v)
				return !is || n < floor // that it is none is said above
			}), "confidence of a held decision")
		}
		var decided wire.Value
		for _, d := range s.Log.Decided().Values {
			if host.Sequence(d) < host.Sequence(e) {
				decided = d
			}
		}
		if decided.Present() && decided.At("/payload/decision/confidence").JSON() == told.Key("confidence").JSON() && !s.heldBefore(decided) {
			between := s.Log.All().Where(func(other wire.Value) bool {
				n := host.Sequence(other)
				return n > host.Sequence(decided) && n < host.Sequence(e) && (handoff.IsPhase(dialect.ChainPhaseDispatchBegan)(other) ||
					host.IsA(dialect.NodeSuspended, dialect.InterruptRequested)(other))
			})
			j.Check(openwop.OWPCNF4, between).To(check.Len(0), "handoffs and interrupts between a decision and that it is held")
		}
	}
}

// heldBefore reports whether a decision may be written behind the event that told of it, since somebody answered (OWP-R9).
func (s Standing) heldBefore(decided wire.Value) bool {
	told := false
	for _, e := range s.Log.OfType(dialect.ConfidenceEscalated, dialect.Decided).Values {
		if host.Sequence(e) >= host.Sequence(decided) {
			return told
		}
		told = host.IsA(dialect.ConfidenceEscalated)(e)
	}
	return told
}

func (s Standing) checkVerified(j *scenarios.Judge) {
	told := s.Log.OfType(dialect.Verified)
	for _, e := range told.Values {
		j.Check(openwop.OWPVER2, e.At("/payload/verdict")).To(check.OneOf("pass", "fail", "revise"), "verdict")
		j.Check(openwop.OWPVER2, e.At("/payload/agentId")).To(check.Text(), "agent of a verdict")
		j.Check(openwop.OWPVER2, e.At("/payload/target")).To(check.Text(), "what a verdict is about")
	}
	if decider := s.Log.Decided().Last().At("/payload/agentId"); len(told.Values) > 0 && decider.String() != "" {
		verifier.CheckOther(j, told, decider)
	}
}

// checkContent checks payloads that hold a member content. What another one holds nobody knows, so none is said to be without.
func checkContent(j *scenarios.Judge, id scenarios.RequirementID, told wire.Found) {
	for _, e := range told.Values {
		if content := e.At("/payload/content"); content.Actual() != nil {
			j.Check(id, content).To(check.OneOf(nil), "content of what is told of")
		}
	}
}

func (s Standing) checkRemembered(j *scenarios.Judge) {
	if told := s.Log.OfType(dialect.MemoryWritten); len(told.Values) > 0 {
		j.Check(openwop.OWPMEM14, told.Each("/payload/memoryId")).To(check.Distinct(), "memoryId of each entry")
		j.Check(openwop.OWPMEM14, told.Each("/payload/memoryRef")).To(check.Each(check.Text()), "memoryRef of each entry")
		checkContent(j, openwop.OWPMEM15, told)
	}
}

func (s Standing) checkWrote(j *scenarios.Judge) {
	if told := s.Log.OfType(dialect.WorkspaceUpdated); len(told.Values) > 0 {
		j.Check(openwop.OWPWSP27, told.Each("/payload/path")).To(check.Each(check.Text()), "path in each workspace.updated")
		j.Check(openwop.OWPWSP27, told.Each("/payload/version")).To(check.Each(check.Integer(1, 0)), "version in each workspace.updated")
		checkContent(j, openwop.OWPWSP28, told)
	}
}

func (s Standing) checkPursued(j *scenarios.Judge) {
	for _, e := range s.Log.OfType(dialect.GoalEvaluated).Values {
		for _, name := range []string{"goalId", "runId"} {
			j.Check(openwop.OWP0097D1, e.At("/payload/"+name)).To(check.Text(), "%s of goal.evaluated", name)
		}
		j.Check(openwop.OWP0097D1, e.At("/payload/satisfied")).To(check.Boolean(), "satisfied of goal.evaluated")
		j.Check(openwop.OWP0097D1, e.At("/payload/iterations")).To(check.Integer(0, 0), "iterations of goal.evaluated")
	}
	for _, e := range s.Log.OfType(dialect.GoalClosed).Values {
		j.Check(openwop.OWP0097D3, e.At("/payload/goalId")).To(check.Text(), "goalId of goal.closed")
		j.Check(openwop.OWP0097D3, e.At("/payload/finalState")).To(check.OneOf(string(dialect.GoalStateSatisfied),
			string(dialect.GoalStateAbandoned), string(dialect.GoalStateBoundExceeded), string(dialect.GoalStateEscalated)),
			"finalState of goal.closed")
	}
}
