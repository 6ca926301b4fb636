// Package confidence asks what becomes of decisions with too little confidence.
package confidence

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite asks about decisions with too little confidence: below the
// floor of the execution model, or below the threshold of an agent.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "confidence", Title: "decisions below the confidence floor or an agent’s threshold: held, told, answered, and carried out once",
		Scenarios: []scenarios.Scenario{
			floorWellFormed, heldAndTold, kindAsAdvertised, floorPasses, noConfidencePasses, doubtfulEndHeld,
			carriedOutOnce, rejectedNever, untoldBelow2,
			unsureHeld, unsureDecidesOnce, unsureRejected, sureEnoughDecides,
		},
	}
}

// RFC 0039 A, RFC 0044 A.
var floorWellFormed = scenarios.Scenario{
	ID:     "openwop/confidence/floor-well-formed",
	Title:  "what is advertised of the floor and of its interrupt can be gone by",
	Proves: scenarios.IDs{openwop.OWPCNF1, openwop.OWPCNF2},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		j.Check(openwop.OWPCNF1, claims.Model(d).Key("confidenceEscalationFloor")).To(orAbsent("a number from 0.5 to 1", func(v any) bool {
			n, ok := host.AsNumber(v)
			return ok && n >= 0.5 && n <= 1
		}), "confidenceEscalationFloor")
		j.Check(openwop.OWPCNF2,
			claims.Model(d).Key("confidenceEscalationInterruptKind")).To(orAbsent("clarification, approval or x-host-<host>-<kind>",
			func(v any) bool {
				kind, _ := v.(string)
				return kind == string(dialect.InterruptKindClarification) || kind == string(dialect.InterruptKindApproval) || hostKind.MatchString(kind)
			}), "confidenceEscalationInterruptKind")
	}),
}

var hostKind = lazyregexp.New(`^x-host-[a-z][a-z0-9-]*-[a-z][a-z0-9-]*$`)

// orAbsent expects a value that fits, null, or no value.
func orAbsent(want string, fits func(any) bool) check.Matcher {
	return check.Seeing(want+", or none", func(s wire.Seen) (bool, string) {
		v, single := s.(wire.Value)
		return single && (!v.Present() || fits(v.Actual())), v.JSON()
	})
}

// RFC 0039 A. floor-passes, on the same drive, exposes a host that always holds. Either
// scenario exposes a host that compares with another floor.
var heldAndTold = scenarios.Scenario{
	ID:     "openwop/confidence/held-and-told",
	Title:  "a decision a little below the floor is held, and the log tells so before anybody is asked",
	Proves: scenarios.IDs{openwop.OWPINT5, openwop.OWPCNF3, openwop.OWPCNF4},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(loopsAroundTheFloor, func(o AroundFloorObservation, j *scenarios.Judge) {
		o.Below.checkStoodHeld(j, o.Floor)
		o.Below.checkTold(j, o.Floor)
	}),
}

// RFC 0044 A.
var kindAsAdvertised = scenarios.Scenario{
	ID:     "openwop/confidence/kind-as-advertised",
	Title:  "the interrupt of a held decision is of the kind that the host advertises",
	Proves: scenarios.IDs{openwop.OWPCNF8},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(loopsAroundTheFloor, func(o AroundFloorObservation, j *scenarios.Judge) {
		held := o.Below.Held
		held.Given(j)
		kinds := o.kinds()
		status := held.Suspended.Last.Key("status")
		if shown := interruptKinds(held); len(shown.Values) > 0 {
			j.Check(openwop.OWPCNF8, shown).To(check.Each(check.OneOf(kinds...)), "kind of the interrupt")
			if want := statusesOf(shown.Values[0].String()); len(want) > 0 && status.String() != want[0] {
				j.Find("", "the status of the run is %s; for this kind of interrupt it is %s", status.JSON(), want[0])
			}
			return
		}
		// Some hosts do not wait in the status that belongs to the kind. Any other status proves nothing.
		if !slices.ContainsFunc(kinds, func(kind any) bool { return slices.Contains(statusesOf(kind.(string)), status.String()) }) {
			j.Block("the host does not show the kind of the interrupt",
				"show the kind in node.suspended, in interrupt.requested or as interrupt.kind of the snapshot")
		}
		j.Check(openwop.OWPCNF8, status).To(check.OneOf("waiting-input", host.Slip, "waiting-approval"),
			"status of the run, of which no kind of interrupt is shown")
	}),
}

// kinds returns the interrupt kinds that the host may raise.
func (o AroundFloorObservation) kinds() []any {
	if o.Kind != "" {
		return []any{o.Kind}
	}
	return []any{string(dialect.InterruptKindClarification), string(dialect.InterruptKindApproval)}
}

// statusesOf returns the statuses in which a run waits for an interrupt of this kind, that of the schema first, or none if
// the protocol does not say.
func statusesOf(kind string) []string {
	switch dialect.InterruptKind(kind) {
	case dialect.InterruptKindClarification:
		return []string{"waiting-input", host.Slip}
	case dialect.InterruptKindApproval:
		return []string{"waiting-approval"}
	}
	return nil
}

// RFC 0039 A: equal to the floor is not below it.
var floorPasses = scenarios.Scenario{
	ID:     "openwop/confidence/floor-passes",
	Title:  "a decision at the floor, or a little above it, is carried out and nobody is asked",
	Proves: scenarios.IDs{openwop.OWPCNF5},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(loopsAroundTheFloor, func(o AroundFloorObservation, j *scenarios.Judge) {
		if o.At == nil && o.Above == nil {
			j.Block("no loop is on offer with a decision at the advertised floor or above it", fixture.Load)
		}
		if o.At != nil {
			j.Part(func() { o.At.checkFree(j, openwop.OWPCNF5, "a decision at the floor") })
		}
		if o.Above != nil {
			o.Above.checkFree(j, openwop.OWPCNF5, "a decision above the floor")
		}
	}),
}

var noConfidencePasses = scenarios.Scenario{
	ID:     "openwop/confidence/no-confidence-passes",
	Title:  "a decision without a confidence is carried out and nobody is asked",
	Proves: scenarios.IDs{openwop.OWPCNF6},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(loopsAroundTheFloor, func(o AroundFloorObservation, j *scenarios.Judge) {
		if o.Absent == nil {
			j.Block("no loop is on offer whose decisions state no confidence", fixture.Load)
		}
		o.Absent.checkFree(j, openwop.OWPCNF6, "no confidence given")
	}),
}

// RFC 0039 A: terminating is a decision as well.
var doubtfulEndHeld = scenarios.Scenario{
	ID:     "openwop/confidence/doubtful-end-held",
	Title:  "a decision to terminate that is below the floor does not end the run before somebody has answered",
	Proves: scenarios.IDs{openwop.OWPCNF3, openwop.OWPCNF4, openwop.OWPCNF5, openwop.OWPCNF7},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(loopsThatEndInDoubt, func(o HeldEndObservation, j *scenarios.Judge) {
		held := o.Held
		held.Held.Log.Exists(j, openwop.OWPCAP19)
		held.Held.Log.Readable(j)
		if !j.Check(openwop.OWPCNF7, held.Held.Log.Terminals().Each("/type")).To(check.Len(0),
			"ends of a run that terminates with confidence %v and a floor of %v, before an answer", *held.Confidence, o.Floor) {
			return
		}
		held.Held.Given(j)
		held.Lull.CheckWaiting(j, openwop.OWPCNF7, held.Held.Log, "while it was suspended")
		o.givenLastTurn(j)
		held.checkTold(j, o.Floor)
		held.Held.CheckAnswered(j)
		j.Check(openwop.OWPCNF7, held.Log.Ended).To(check.Reached(), "after the answer")
		j.Check(openwop.OWPCNF7, held.Log.Terminals()).To(check.Len(1), "ends of the run")
		if o.At == nil {
			j.Block("no loop is on offer that terminates with the advertised floor or more", fixture.Load)
		}
		o.At.checkFree(j, openwop.OWPCNF5, fmt.Sprintf("a decision to terminate with confidence %v and a floor of %v", *o.At.Confidence, o.Floor))
	}),
}

// givenLastTurn blocks the judge unless the loop was suspended in its last turn, which alone has a confidence. The
// event of a held decision before that turn shows that one without a confidence was held.
func (o HeldEndObservation) givenLastTurn(j *scenarios.Judge) {
	held := o.Held.Held
	if len(handedOver(held.Log).Values) >= held.Turn-1 {
		return
	}
	const why = "setup failed: the loop was suspended before its last turn"
	if told := escalations(held.Log); len(told.Values) > 0 && len(held.Log.Decided().Values) < held.Turn-1 {
		j.Violates(openwop.OWPCNF6, told, why+", although no decision before it has a confidence")
	}
	j.Block(why, "let a loop hand over its work until its last turn, and log each dispatch.began")
}

// OWP-R102 leaves open whether the host carries out an accepted decision. The host may not repeat it
// or do something else instead.
var carriedOutOnce = scenarios.Scenario{
	ID:     "openwop/confidence/carried-out-once",
	Title:  "after the answer the held decision is carried out once, and nothing in its place",
	Proves: scenarios.IDs{openwop.OWPCNF9, openwop.OWPCNF10},
	Claim:  claims.ExecutionModel2,
	Ask: scenarios.Ask(loopsAroundTheFloor, func(o AroundFloorObservation, j *scenarios.Judge) {
		held := o.Below
		held.Held.Given(j)
		held.Held.CheckAnswered(j)
		if !j.Check(openwop.OWPCNF9, held.Log.Ended).To(check.Reached(), "after the answer") {
			return
		}
		held.Log.Readable(j)
		j.Part(func() { held.checkCarriedOut(j, openwop.OWPCNF9, held.Workers) })
		j.Check(openwop.OWPCNF10, handedOver(held.Log)).To(check.Equal(held.Workers), "workers of the whole loop")
	}),
}

// OWP-R40 leaves open whether the run completes or fails. The control is a
// second loop whose decision is accepted.
var rejectedNever = scenarios.Scenario{
	ID:     "openwop/confidence/rejected-never",
	Title:  "a held decision that somebody rejects is never carried out; the run ends and shows who said no",
	Proves: scenarios.IDs{openwop.OWPCNF11, openwop.OWPCNF12},
	Claim:  claims.ApprovalEscalation,
	Ask: scenarios.Ask(loopsInDispute, func(o RejectedObservation, j *scenarios.Judge) {
		no, yes := o.Rejected, o.Agreed
		yes.Held.Given(j)
		yes.Held.CheckAnswered(j)
		no.Held.Given(j)
		no.Held.CheckAnswered(j)
		if !j.Check(openwop.OWPCNF12, no.Log.Ended).To(check.Reached(), "after the rejection") {
			return
		}
		no.Log.Readable(j)
		j.Part(func() { no.checkCarriedOut(j, openwop.OWPCNF11, no.without()) })
		j.Check(openwop.OWPCNF12, no.refusal()).NotTo(check.Len(0), "places in which the run shows the rejection")
		if !slices.Contains([]string{"completed", "failed"}, no.Log.Status().String()) {
			j.Find("", "the rejected run is %s; hosts use completed and failed (OWP-R40)", no.Log.Status().JSON())
		}
		if len(handedOver(yes.Log).Values) < len(yes.Workers) { // the control: a host that carries out none rejects none
			j.Block("setup failed: the accepted decision was not carried out either", "dispatch a decision that somebody has accepted")
		}
	}),
}

// refusal returns the places in which a held run shows that somebody rejected it.
func (o WeighedLoop) refusal() wire.Found {
	held := len(o.Held.Log.Events)
	f := o.Log.All()
	f.Values = append(slices.Clone(f.Values[min(held, len(f.Values)):]), o.Log.Ended.Last)
	return f.Where(func(v wire.Value) bool {
		return host.Holds(v.Actual(), "reject") || host.Holds(v.Actual(), o.Held.Marker)
	})
}

// RFC 0039 D.
var untoldBelow2 = scenarios.Scenario{
	ID:     "openwop/confidence/untold-below-2",
	Title:  "a host below version 2 writes no event of a decision that was held for its confidence",
	Proves: scenarios.IDs{openwop.OWPCNF13},
	Claim:  claims.ExecutionModelBelow2,
	Ask: scenarios.Ask(loopBelowVersion2, func(o WeighedLoop, j *scenarios.Judge) {
		l := o.Log
		l.Exists(j, openwop.OWPCAP19)
		settled(l, j)
		l.Readable(j)
		if len(l.Decided().Values) < o.Held.Turn-1 {
			j.Block("setup failed: the loop did not reach its decision with low confidence in turn "+wire.Compact(o.Held.Turn),
				"have a loop take the turns of its plan")
		}
		j.Check(openwop.OWPCNF13, escalations(l)).To(check.Len(0), "events of a held decision, of one with confidence %v in turn %d",
			*o.Confidence, o.Held.Turn)
	}),
}
