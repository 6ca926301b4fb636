// Package verifier asks what verdicts on results and on the ends of runs bring about.
package verifier

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite asks whether verdicts (RFC 0090) come before their target takes
// effect, and whether they decide on it.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "verifier", Title: "verdicts on what a worker brings back and on the end of a run, and what follows from them",
		Scenarios: []scenarios.Scenario{
			verdictTold, passedCounts, failedNotMerged, failedEndHeld, revisedGoesOn, revisedInBound, toldHoldsNothing,
			criteriaKept, unclaimedUnverified, noCriteriaBelow6, seamVerdictsAgree, inAnyOrder,
		},
	}
}

// The verdicts, their criteria and their confidences are drawn for each run.
var verdictTold = scenarios.Scenario{
	ID:     "openwop/verifier/verdict-told",
	Title:  "each verdict stands on the log before what it is about counts, as it was given, and holds nothing of what was judged",
	Proves: scenarios.IDs{openwop.OWPVER1, openwop.OWPVER2, openwop.OWPVER3, openwop.OWPVER4},
	Claim:  claims.Verifier,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		l := o.Passed.Log
		l.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		told := l.OfType(dialect.Verified)
		if len(told.Values) > 0 && len(l.Phase(dialect.ChainPhaseOutputHarvested).Values)+len(l.OfType(dialect.RunCompleted).Values) < 2 {
			o.Passed.uncounted(j, "setup failed: a result or an end that passed does not count")
		}
		j.Check(openwop.OWPVER1, steps(l)).To(dialect.Types(dialect.Verified, harvested, dialect.Verified, dialect.RunCompleted),
			"verdicts, and what counts, in order")
		for _, field := range []struct {
			name string
			want func(Verdict) any
		}{
			{"verdict", func(v Verdict) any { return v.Verdict }},
			{"criteria", func(v Verdict) any { return v.Criteria }},
		} {
			var want []any
			for _, v := range o.Passed.Verdicts {
				want = append(want, field.want(v))
			}
			j.Check(openwop.OWPVER2, told.Each("/payload/"+field.name)).To(check.Equal(want), "%s of each verdict", field.name)
		}
		j.Check(openwop.OWPVER2, told.Each("/payload/confidence")).To(confidences(o.Passed.Verdicts), "confidence of each verdict")
		j.Check(openwop.OWPVER2, told.Each("/payload/agentId")).To(check.Each(check.Text()), "agent of each verdict")
		for _, e := range told.Values[:min(len(told.Values), len(o.Passed.Verdicts))] {
			j.Check(openwop.OWPVER2, e.At("/payload/target")).To(known(l, host.Sequence(e)), "what the verdict at %d is about", host.Sequence(e))
			j.Check(openwop.OWPVER3, e.Key("payload")).To(without(o.Passed.Said), "what the verdict at %d holds", host.Sequence(e))
			dialect.FindSlips(j, openwop.OWPEVT8, e)
		}
		l.Decides(j)
		CheckOther(j, told, l.Decided().Last().At("/payload/agentId"))
	}),
}

// CheckOther checks that each verdict is by another agent than the one that decided.
func CheckOther(j *scenarios.Judge, verdicts wire.Found, decider wire.Value) {
	j.Check(openwop.OWPVER4, verdicts.Each("/payload/agentId")).To(check.Each(check.That("another agent than "+decider.JSON(),
		func(v any) bool { return v != decider.Actual() })), "agent of each verdict")
}

// confidences expects the numbers that the verdicts have, however they are written: 1 is 1.0.
func confidences(of []Verdict) check.Matcher {
	want := make([]float64, len(of))
	for i, v := range of {
		want[i] = v.Confidence
	}
	return check.That(wire.Compact(want), func(v any) bool {
		list, _ := v.([]any)
		return slices.EqualFunc(list, want, func(v any, want float64) bool {
			n, is := host.AsNumber(v)
			return is && n == want
		})
	})
}

// harvested represents a handoff in this phase among the event types.
const harvested = dialect.Event(dialect.ChainPhaseOutputHarvested)

// steps returns the types of verdicts, merges and run ends, in order.
func steps(l host.RunLog) wire.Found {
	found := wire.Found{In: l.All().In}
	for _, e := range l.Events {
		switch dialect.EventOf(e) {
		case dialect.Verified, dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled:
			found.Values = append(found.Values, e.Key("type"))
		case dialect.HandedOver:
			if phase := e.At("/payload/phase"); phase.String() == string(dialect.ChainPhaseOutputHarvested) {
				found.Values = append(found.Values, phase)
			}
		}
	}
	return found
}

// known expects the id of a possible target of the event at this place: an earlier event,
// a child run, or the event's own run.
func known(l host.RunLog, place int64) check.Matcher {
	known := map[string]bool{l.RunID: true}
	for _, e := range l.Events {
		if host.Sequence(e) >= place {
			break
		}
		for _, id := range []string{e.Key("eventId").String(), e.At("/payload/childRunId").String()} {
			known[id] = id != ""
		}
	}
	return check.That("the id of an event before it, of a child run or of its own run", func(v any) bool {
		id, ok := v.(string)
		return ok && known[id]
	})
}

// without expects a document that does not hold the text.
func without(text string) check.Matcher {
	return check.That("nothing with "+text+" in it", func(v any) bool { return v != nil && !host.Holds(v, text) })
}

// checkMerged checks the number of merges of the worker's result, and the variable that takes it.
func (v VerifiedRun) checkMerged(j *scenarios.Judge, id scenarios.RequirementID, times int, heard string) {
	merges := v.Log.Phase(dialect.ChainPhaseOutputHarvested).Where(func(e wire.Value) bool {
		return e.At("/payload/workerId").String() != fixture.Noop // the worker of the turns before
	})
	j.Check(id, merges).To(check.Len(times), "merges of what the worker brought back")
	if got := v.Log.Ended.Last.At("/variables/heard"); got.Present() {
		j.Check(id, got).To(check.Equal(heard), "the variable that takes it")
	}
}

// givenVerdict blocks the judge unless the log shows the verdict.
func (v VerifiedRun) givenVerdict(j *scenarios.Judge, verdict string) {
	v.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	told := v.Log.OfType(dialect.Verified)
	if slices.Contains(v.found(), any(verdict)) {
		return
	}
	reason := "setup failed: the log shows no verdict " + verdict
	if len(told.Values) == 0 && len(steps(v.Log).Values) > 0 && v.Log.Status().String() == "completed" {
		j.Violates(openwop.OWPVER1, steps(v.Log), reason+", and its end counts")
	}
	j.Block(reason, "have the verifier of the fixture follow its script, and log what it finds")
}

// found returns the verdicts on the log.
func (v VerifiedRun) found() []any {
	list, _ := v.Log.OfType(dialect.Verified).Each("/payload/verdict").Actual().([]any)
	return list
}

// uncounted blocks the judge: the worker's result, or the end, does not count. It is a violation if the run completed with a
// verdict for each, and all passed.
func (v VerifiedRun) uncounted(j *scenarios.Judge, reason string) {
	harvests := v.Log.Phase(dialect.ChainPhaseOutputHarvested)
	if slices.Equal(v.found(), []any{verdictPass, verdictPass}) && v.Log.Status().String() == "completed" && len(harvests.Values) == 0 {
		j.Violates(openwop.OWPVER9, harvests, reason)
	}
	j.Block(reason, "have what passed count")
}

var passedCounts = scenarios.Scenario{
	ID:     "openwop/verifier/passed-counts",
	Title:  "what passed is merged, and a run whose end passed is completed",
	Proves: scenarios.IDs{openwop.OWPVER9},
	Claim:  claims.Verifier,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		o.Passed.givenVerdict(j, verdictPass)
		o.Passed.checkMerged(j, openwop.OWPVER9, 1, o.Passed.Said)
		j.Check(openwop.OWPVER9, o.Passed.Log.Status()).To(check.Equal("completed"), "status of the run")
	}),
}

// The control is the run with the verdict pass, whose result is merged.
var failedNotMerged = scenarios.Scenario{
	ID:     "openwop/verifier/failed-not-merged",
	Title:  "what failed is not merged, whether the run goes on or not",
	Proves: scenarios.IDs{openwop.OWPVER5},
	Claim:  claims.VerifierGating,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		o.Passed.givenVerdict(j, verdictPass)
		o.Failed.givenVerdict(j, verdictFail)
		if len(o.Passed.Log.Phase(dialect.ChainPhaseOutputHarvested).Values) == 0 {
			o.Passed.uncounted(j, "setup failed: a result that passed is not merged either")
		}
		o.Failed.checkMerged(j, openwop.OWPVER5, 0, o.Failed.Kept)
	}),
}

// The verifier fails every end, in every turn that a host may take after the first.
var failedEndHeld = scenarios.Scenario{
	ID:     "openwop/verifier/failed-end-held",
	Title:  "a run whose end failed is not completed, whatever else becomes of it",
	Proves: scenarios.IDs{openwop.OWPVER6},
	Claim:  claims.VerifierGating,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		o.FailedEnd.givenVerdict(j, verdictFail)
		l := o.FailedEnd.Log
		j.Check(openwop.OWPVER6, l.OfType(dialect.RunCompleted)).To(check.Len(0), "%s", dialect.RunCompleted)
		j.Check(openwop.OWPVER6, l.Status()).NotTo(check.Equal("completed"), "status of the run")
	}),
}

var revisedGoesOn = scenarios.Scenario{
	ID:     "openwop/verifier/revised-goes-on",
	Title:  "what is to be revised does not count, another turn follows, and what passes then counts",
	Proves: scenarios.IDs{openwop.OWPVER7},
	Claim:  claims.VerifierGating,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		for _, r := range []struct {
			what string
			run  VerifiedRun
			want []dialect.Event
		}{
			{"a result", o.Revised, []dialect.Event{dialect.Verified, dialect.Verified, harvested, dialect.Verified, dialect.RunCompleted}},
			{"an end", o.Again, []dialect.Event{dialect.Verified, dialect.Verified, dialect.RunCompleted}},
		} {
			r.run.givenVerdict(j, verdictRevise)
			j.Check(openwop.OWPVER7, steps(r.run.Log)).To(dialect.Types(r.want...), "verdicts, and what counts, where %s is to be revised", r.what)
			j.Check(openwop.OWPVER7, r.run.Log.Decided()).To(check.Len(len(r.run.Plan)), "turns where %s is to be revised", r.what)
		}
	}),
}

var revisedInBound = scenarios.Scenario{
	ID:     "openwop/verifier/revised-in-bound",
	Title:  "a run whose end is to be revised for ever stops at its bound",
	Proves: scenarios.IDs{openwop.OWPVER8},
	Claim:  claims.VerifierGating,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		o.Forever.givenVerdict(j, verdictRevise)
		l := o.Forever.Log
		if len(l.Decided().Values) < 2 {
			j.Block("setup failed: no turn follows the verdict to revise an end", "take another turn where an end is to be revised")
		}
		l.CheckBreach(j, openwop.OWPVER8, dialect.CapKindLoopIterations, o.Forever.Bound, check.Equal(o.Forever.Bound+1))
		j.Check(openwop.OWPVER8, l.Decided()).To(check.Len(o.Forever.Bound), "turns of a run with a bound of %d", o.Forever.Bound)
		j.Check(openwop.OWPVER8, l.Status()).To(check.Equal("failed"), "status of the run")
	}),
}

var toldHoldsNothing = scenarios.Scenario{
	ID:     "openwop/verifier/told-holds-nothing",
	Title:  "where the verifier does not gate, what failed is merged and a run whose end failed is completed",
	Proves: scenarios.IDs{openwop.OWPVER10},
	Claim:  claims.VerifierTold,
	Ask: scenarios.Ask(verifiedResults, func(o VerifiedObservation, j *scenarios.Judge) {
		o.Failed.givenVerdict(j, verdictFail)
		o.FailedEnd.givenVerdict(j, verdictFail)
		o.Forever.givenVerdict(j, verdictRevise)
		o.Failed.checkMerged(j, openwop.OWPVER10, 1, o.Failed.Said)
		for _, r := range []VerifiedRun{o.FailedEnd, o.Forever} {
			j.Check(openwop.OWPVER10, r.Log.Decided()).To(check.Len(1), "turns of a run that terminates in its first")
			j.Check(openwop.OWPVER10, r.Log.Status()).To(check.Equal("completed"), "status of the run")
		}
	}),
}

// The control is the run that met all criteria and is completed.
var criteriaKept = scenarios.Scenario{
	ID:     "openwop/verifier/criteria-kept",
	Title:  "the last decision of a loop says which criteria of success are met and which are not, as they were judged",
	Proves: scenarios.IDs{openwop.OWPVER11},
	Claim:  claims.ExecutionModel6,
	Ask: scenarios.Ask(criteriaOfSuccess, func(o CriteriaObservation, j *scenarios.Judge) {
		for _, r := range []struct {
			what string
			run  Judged
			ends []any
		}{{"a loop that gave up", o.GaveUp, []any{"completed", "failed"}}, {"a loop that met all", o.Met, []any{"completed"}}} {
			r.run.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
			r.run.Log.Takes(j, r.run.Turns, openwop.OWP0037A2)
			j.Check(openwop.OWPVER11, r.run.Log.Decided().Last().At("/payload/decision/successCriteria")).To(check.Equal(r.run.Criteria),
				"criteria of %s", r.what)
			j.Check(openwop.OWPVER11, r.run.Log.Status()).To(check.OneOf(r.ends...), "status of %s", r.what)
		}
	}),
}

var unclaimedUnverified = scenarios.Scenario{
	ID:     "openwop/verifier/unclaimed-unverified",
	Title:  "a host that offers no verifier records no verdict, also where some are scripted",
	Proves: scenarios.IDs{openwop.OWPVER13},
	Claim:  claims.NoVerifier,
	Ask: scenarios.Ask(unverifiedResults, func(o UnverifiedObservation, j *scenarios.Judge) {
		o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		o.Log.Decides(j)
		j.Check(openwop.OWPVER13, o.Log.OfType(dialect.Verified)).To(check.Len(0), "verdicts")
	}),
}

var noCriteriaBelow6 = scenarios.Scenario{
	ID:     "openwop/verifier/no-criteria-below-6",
	Title:  "below version 6 a decision to terminate says nothing of criteria of success",
	Proves: scenarios.IDs{openwop.OWPVER14},
	Claim:  claims.ExecutionModelBelow6,
	Ask: scenarios.Ask(criteriaOfSuccess, func(o CriteriaObservation, j *scenarios.Judge) {
		for _, r := range []Judged{o.GaveUp, o.Met} {
			if status, _ := r.Log.Created.Int(); status == 400 || status == 422 {
				j.Check(openwop.OWPVER14, r.Log.Created).To(check.Status(400, 422), "a loop with criteria of success")
				continue
			}
			r.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
			r.Log.Decides(j)
			r.Log.Takes(j, r.Turns, openwop.OWP0037A2) // the last turn has them, if any
			j.Check(openwop.OWPVER14, r.Log.Decided().Each("/payload/decision/successCriteria")).To(check.Absent(), "criteria of success")
		}
	}),
}

// The RFC leaves open the seam's reply for revise, except for the verdict itself.
var seamVerdictsAgree = scenarios.Scenario{
	ID:      "openwop/verifier/seam-verdicts",
	Title:   "the seam records the verdict that it was asked for, and says of what passed that it counts and of what failed that it does not",
	Proves:  scenarios.IDs{openwop.OWPVER5, openwop.OWPVER9},
	Claim:   claims.VerifierGating,
	Reaches: scenarios.Attested,
	Ask: scenarios.Ask(seamVerdicts, func(o SeamVerdicts, j *scenarios.Judge) {
		for _, a := range o.Answers {
			host.SeamAnswered(j, a.Status, o.Path)
			id := openwop.OWPVER9
			if a.Asked != verdictPass {
				id = openwop.OWPVER5
			}
			verdicts := wire.Found{Values: a.Body.Key("events").Items(), In: a.Body.Ref()}.Where(func(e wire.Value) bool {
				return dialect.EventOf(e) == dialect.Verified
			})
			j.Check(scenarios.RequirementID(id), told(verdicts, a.Asked).Each("/verdict")).To(check.Each(check.Equal(a.Asked)),
				"verdicts recorded, asked for %s", a.Asked) // OWP-R107
			if a.Asked != verdictRevise {
				j.Check(scenarios.RequirementID(id), a.Body.Key("committed")).To(check.Equal(a.Asked == verdictPass),
					"committed, asked for %s", a.Asked)
			}
		}
		if j.Check(openwop.OWPVER9, o.Strange.Status).To(check.Status(2, 400, 422), "a verdict that there is not") {
			if status, _ := o.Strange.Status.Int(); status/100 == 2 {
				j.Check(openwop.OWPVER9, o.Strange.Body.Key("committed")).To(check.OneOf(nil, false),
					"committed, asked for a verdict that there is not")
			}
		}
	}),
}

// told returns the verdicts that the seam was asked for: all, since the host may have another turn judged likewise, but
// of revise the first, since a host gives up at some time (OWP-R107).
func told(verdicts wire.Found, asked string) wire.Found {
	if asked == verdictRevise && len(verdicts.Values) > 1 {
		verdicts.Values = verdicts.Values[:1]
	}
	return verdicts
}
