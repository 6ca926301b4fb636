package openwop

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// recordedLoops returns rules for the loops that others ran.
func recordedLoops() []Invariant {
	return []Invariant{
		{"effects", scenarios.IDs{openwop.OWPDSP3, openwop.OWPDSP6, openwop.OWPDSP7, openwop.OWPDSP23}, false, false, Standing.checkEffects},
		{"closed", scenarios.IDs{openwop.OWP0061E1}, false, false, Standing.checkClosed},
		{"turns-named", scenarios.IDs{openwop.OWP0061B4}, false, false, Standing.checkTurnsNamed},
		{"resumed", scenarios.IDs{openwop.OWP0061D1}, false, false, Standing.checkResumed},
		{"own-causes", scenarios.IDs{openwop.OWPCAU9}, false, false, Standing.checkOwnCauses},
		{"unsure", scenarios.IDs{openwop.OWPINT5, openwop.OWPCNF7, openwop.OWPCNF8}, true, false, Standing.checkUnsure},
		{"below-threshold", scenarios.IDs{openwop.OWPCNF15, openwop.OWPCNF17}, true, false, Standing.checkBelowThreshold},
		{"judged-first", scenarios.IDs{openwop.OWPVER1, openwop.OWPVER5, openwop.OWPVER6}, false, false, Standing.checkJudgedFirst},
	}
}

// checkEffects checks what is dispatched in each turn.
func (s Standing) checkEffects(j *scenarios.Judge) {
	turns, between := s.Log.Decided().Values, handoff.Turns(s.Log)
	var workers []any
	several := false // an earlier decision named more than one
	for i, decided := range turns {
		began := between[i].Where(handoff.IsPhase(dialect.ChainPhaseDispatchBegan)).Each("/payload/workerId")
		named := decided.At("/payload/decision/nextWorkerIds").Items()
		if !several {
			workers = nil
		}
		for _, w := range named {
			workers = append(workers, w.String())
		}
		several = several || len(named) > 1 // its policy says which of them a loop waits for; the others may come later (OWP-R16)
		if len(began.Values) > 0 {
			j.Check(openwop.OWPDSP3, began).To(check.Each(check.OneOf(workers...)), "workers that were dispatched in turn %d", i+1)
		}
	}
	failed := s.Log.OfType(dialect.RunFailed).Last().At("/payload/error/code")
	switch dialect.CodeOf(failed) {
	case dialect.FanOutUnsupported:
		if len(turns) > 0 && len(turns[len(turns)-1].At("/payload/decision/nextWorkerIds").Items()) > 1 {
			j.Check(openwop.OWPDSP6, between[len(turns)-1].Where(dispatches)).To(check.Len(0),
				"workers of a decision that the dispatch node rejects")
		}
	case dialect.NoPendingDecision:
		if len(turns) == 0 {
			j.Check(openwop.OWPDSP7, s.Log.All().Where(dispatches)).To(check.Len(0), "workers of a run without a decision")
		}
	}
	if cancelled := s.Log.OfType(dialect.RunCancelled).Values; len(cancelled) == 1 && len(turns) > 0 {
		j.Check(openwop.OWPDSP23, handoff.Work(s.Log).Where(behind(cancelled[0])).Each("/type")).To(check.Len(0),
			"steps of a run behind the event that it was cancelled")
	}
}

func dispatches(e wire.Value) bool {
	return handoff.IsPhase(dialect.ChainPhaseDispatchBegan)(e) || host.IsA(dialect.NodeDispatched)(e)
}

// behind returns a predicate that reports whether an event stands behind another one on the log.
func behind(e wire.Value) func(wire.Value) bool {
	return func(other wire.Value) bool { return host.Sequence(other) > host.Sequence(e) }
}

// checkClosed checks what follows a decision to terminate that nobody held and no verifier judged.
func (s Standing) checkClosed(j *scenarios.Judge) {
	between := handoff.Turns(s.Log)
	for i, d := range s.Log.Decided().Values {
		held := between[i].Where(host.IsA(dialect.NodeSuspended, dialect.InterruptRequested, dialect.ConfidenceEscalated,
			dialect.Verified))
		if d.At("/payload/decision/kind").String() == string(dialect.TerminateDecisionKindTerminate) && len(held.Values) == 0 {
			j.Check(openwop.OWP0061E1, s.Log.Decided().Where(behind(d))).To(check.Len(0), "turns behind a decision to terminate")
		}
	}
}

// checkTurnsNamed checks that no decision names a turn that the run did not take.
func (s Standing) checkTurnsNamed(j *scenarios.Judge) {
	if n := s.turns(); s.Version >= 5 && n > 0 {
		j.Check(openwop.OWP0061B4, s.Log.Iterations()).To(check.Each(check.Integer(1, int64(n))), "turns named by a run of %d turns", n)
	}
}

// answers are the events by which a log tells that a run goes on (OWP-R17).
var answers = host.IsA(dialect.InterruptResolved, dialect.NodeResumed, dialect.RunResumed, dialect.ApprovalGranted,
	dialect.ApprovalReceived, dialect.ApprovalRejected, dialect.ApprovalOverridden, dialect.ClarificationResolved)

// suspends are the events by which it tells that it waits.
var suspends = host.IsA(dialect.NodeSuspended, dialect.InterruptRequested, dialect.ApprovalRequested, dialect.ClarificationRequested,
	dialect.ConversationOpened, dialect.ConversationExchanged)

// checkResumed checks the first turn behind each suspension that was answered.
func (s Standing) checkResumed(j *scenarios.Judge) {
	if s.Version < 5 {
		return
	}
	var before wire.Value
	waited, answered := false, false
	for _, e := range s.Log.Events {
		switch {
		case host.IsA(dialect.Decided)(e):
			last, known := before.At("/payload/iteration").Int()
			if waited && answered && known {
				j.Check(openwop.OWP0061D1, e.At("/payload/iteration")).To(check.Equal(last+1), "iteration behind a suspension in turn %d", last)
			}
			before, waited, answered = e, false, false
		case suspends(e):
			waited = true
		case answers(e):
			answered = true
		}
	}
}

// checkOwnCauses checks events whose cause stands on the same log.
func (s Standing) checkOwnCauses(j *scenarios.Judge) {
	own := claims.Model(s.Advertised).At("/crossHostCausation/hostId").String()
	if s.Version < 3 || own == "" {
		return
	}
	ids := map[string]bool{}
	for _, e := range s.Log.Events {
		ids[e.Key("eventId").String()] = true
	}
	for _, e := range s.Log.Events {
		if cause := e.Key("causationId").String(); cause != "" && ids[cause] {
			j.Check(openwop.OWPCAU9, e.Key("causationHostId")).To(check.OneOf(nil, "", own), "host of a cause on the same log")
		}
	}
}

// checkUnsure checks that a decision below the floor is not carried out at once. A host may write the decision when somebody has
// answered (OWP-R9).
func (s Standing) checkUnsure(j *scenarios.Judge) {
	if s.Version < 2 || !s.Advertised.Document.Present() {
		return
	}
	floor, given := host.AsNumber(check.Plain(claims.Model(s.Advertised).Key("confidenceEscalationFloor").Actual()))
	if !given {
		floor = 0.5
	}
	between := handoff.Turns(s.Log)
	for i, d := range s.Log.Decided().Values {
		confidence, sure := host.AsNumber(check.Plain(d.At("/payload/decision/confidence").Actual()))
		if !sure || confidence >= floor || s.askedBefore(d) {
			continue
		}
		seen := false // something says that somebody was asked
		for _, e := range between[i].Values {
			seen = seen || suspends(e) || answers(e) || host.IsA(dialect.ConfidenceEscalated)(e)
			id := scenarios.RequirementID("")
			switch {
			case handoff.IsPhase(dialect.ChainPhaseDispatchBegan)(e):
				id = openwop.OWPINT5
			case host.IsA(dialect.RunCompleted)(e) && d.At("/payload/decision/kind").String() == string(dialect.TerminateDecisionKindTerminate):
				id = openwop.OWPCNF7
			}
			if id != "" {
				j.Check(id, d.At("/payload/decision/confidence")).To(check.That(fmt.Sprintf("%v or more, or somebody is asked", floor),
					func(any) bool { return seen }), "confidence of a decision that was carried out")
				break
			}
		}
	}
	s.checkKindOfHeld(j)
}

// askedBefore reports whether somebody may have been asked before a decision was written, and behind the one before it.
func (s Standing) askedBefore(decided wire.Value) (asked bool) {
	for _, e := range s.Log.Events {
		if host.Sequence(e) >= host.Sequence(decided) {
			break
		}
		asked = !host.IsA(dialect.Decided)(e) && (asked || suspends(e) || host.IsA(dialect.ConfidenceEscalated)(e))
	}
	return asked
}

// checkKindOfHeld checks which kind of interrupt a held decision raises.
func (s Standing) checkKindOfHeld(j *scenarios.Judge) {
	kinds := []any{string(dialect.InterruptKindClarification), string(dialect.InterruptKindApproval)}
	if kind := claims.Model(s.Advertised).Key("confidenceEscalationInterruptKind").String(); kind != "" {
		kinds = []any{kind}
	}
	for i, e := range s.Log.Events {
		if !host.IsA(dialect.ConfidenceEscalated)(e) {
			continue
		}
		for _, next := range s.Log.Events[i+1:] {
			if host.IsA(dialect.ConfidenceEscalated, dialect.Decided)(next) || answers(next) {
				break
			}
			if kind := next.At("/payload/kind"); host.IsA(dialect.NodeSuspended, dialect.InterruptRequested)(next) && kind.Present() {
				j.Check(openwop.OWPCNF8, kind).To(check.OneOf(kinds...), "kind of the interrupt of a held decision")
				break
			}
		}
	}
}

// checkBelowThreshold checks what a log says of an agent that was not sure.
func (s Standing) checkBelowThreshold(j *scenarios.Judge) {
	for _, e := range s.Log.OfType(dialect.NodeSuspended, dialect.InterruptRequested).Values {
		const unsure = "low-confidence"
		told := e.Key("payload")
		if told.Key("reason").String() != unsure && told.Key("kind").String() != unsure {
			continue
		}
		if agent := told.Key("agentId"); agent.Present() {
			j.Check(openwop.OWPCNF15, agent).To(check.Text(), "agentId of the suspension")
		}
		threshold, known := host.AsNumber(check.Plain(told.Key("threshold").Actual()))
		if _, isNumber := host.AsNumber(check.Plain(told.Key("observed").Actual())); known && isNumber {
			j.Check(openwop.OWPCNF17, told.Key("observed")).To(check.That(fmt.Sprintf("below the threshold of %v", threshold), func(v any) bool {
				n, _ := host.AsNumber(v)
				return n < threshold
			}), "confidence of an agent that somebody is asked about")
		}
	}
}

// checkJudgedFirst checks verdicts on child runs and on decisions to terminate against what becomes of them.
func (s Standing) checkJudgedFirst(j *scenarios.Judge) {
	_, gates := claims.VerifierGating.Look(s.Advertised)
	gates = gates && s.Advertised.Document.Present()
	verdicts := s.Log.OfType(dialect.Verified)
	for _, e := range s.Log.Phase(dialect.ChainPhaseOutputHarvested).Values {
		child := e.At("/payload/childRunId")
		on := verdicts.Where(func(v wire.Value) bool {
			return child.String() != "" && v.At("/payload/target").String() == child.String()
		})
		before := on.Where(func(v wire.Value) bool { return behind(v)(e) })
		if len(on.Values) > 0 {
			j.Check(openwop.OWPVER1, before.Each("/type")).To(check.Each(check.Text()), "verdicts before the harvest of what they are about")
		}
		if gates && len(before.Values) > 0 {
			j.Check(openwop.OWPVER5, before.Last().At("/payload/verdict")).NotTo(check.Equal("fail"), "verdict on what is harvested")
		}
	}
	ends := s.Log.OfType(dialect.RunCompleted).Values
	turns := s.Log.Decided()
	if len(ends) != 1 || len(turns.Values) == 0 {
		return
	}
	targets := []string{s.Log.RunID, turns.Last().Key("eventId").String()}
	on := verdicts.Where(func(v wire.Value) bool {
		return slices.Contains(targets, v.At("/payload/target").String()) && behind(turns.Last())(v)
	})
	if len(on.Values) > 0 {
		j.Check(openwop.OWPVER1, on.Where(func(v wire.Value) bool { return behind(v)(ends[0]) }).Each("/type")).To(check.Each(check.Text()),
			"verdicts before the end that they are about")
		if gates {
			j.Check(openwop.OWPVER6, on.Last().At("/payload/verdict")).NotTo(check.Equal("fail"), "verdict on the end of a run that completed")
		}
	}
}
