// Package replay asks whether a replay repeats its record and a branch departs from it.
package replay

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Suite asks what forks inherit, what they take from the record, and
// what they do anew. iteration-monotonic covers the count of a replayed loop,
// execution-bounds covers its bound.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "replay", Title: "forks: a replay takes what was recorded, a branch goes another way",
		Scenarios: []scenarios.Scenario{prefixKept, drawnOnce, forksRefused, branchDraws, branchBounded, branchesRefused,
			refusalDiverges, otherAnswerTold, toolKept, cacheKeys},
	}
}

// This exposes a fork that is merely another run of the workflow, and one that ignores fromSeq.
var prefixKept = scenarios.Scenario{
	ID:     "openwop/replay/prefix-kept",
	Title:  "a replay from anywhere is a run of its own, has the events of its source below that place, and leaves the source as it was",
	Proves: scenarios.IDs{openwop.OWPRPL1, openwop.OWPRPL2, openwop.OWPRPL3},
	Claim:  claims.ForkReplay,
	Ask: scenarios.Ask(replaysFromAnywhere, func(o PrefixObservation, j *scenarios.Judge) {
		o.Source.Over(j)
		forked := false
		for _, f := range o.Forks {
			if PassedOver(f, j, o.Source) {
				continue
			}
			CheckMade(f, j, openwop.OWPRPL1, o.Source)
			forked = true
			CheckReply(f, j, o.Source, dialect.ForkModeReplay)
			CheckPrefix(f, j, openwop.OWPRPL3, o.Source)
		}
		if !forked {
			j.Block("the host made no fork from behind the first event", "let a replay begin at any event")
		}
		o.Later.Readable(j)
		j.Check(openwop.OWPRPL2, o.Later.All()).To(check.SameAs(o.Source.All()), "log of the source when the forks had ended")
		j.Check(openwop.OWPRPL2, o.Later.Status()).To(check.SameAs(o.Source.Status()), "status of the source when the forks had ended")
	}),
}

// checkReply checks the reply that made the fork.
func CheckReply(f host.Forked, j *scenarios.Judge, source host.RunLog, mode dialect.ForkMode) {
	j.Check(openwop.OWPRPL1, f.Reply.Key("sourceRunId")).To(check.Equal(source.RunID), "sourceRunId of the fork")
	j.Check(openwop.OWPRPL1, f.Reply.Key("mode")).To(check.Equal(string(mode)), "mode of the fork")
	j.Check(openwop.OWPRPL1, f.Log.All().Each("/runId")).To(check.Each(check.Equal(f.Log.RunID)), "run of every event of the fork")
	if from := f.Reply.Key("fromSeq"); from.Present() {
		j.Check(openwop.OWPRPL1, from).To(check.Equal(f.FromSeq), "fromSeq of the fork")
	}
	j.Check(openwop.OWPRPL1, f.Reply.Key("eventsUrl")).To(notOf(source.RunID, f.Log.RunID), "eventsUrl of the fork")
}

// notOf expects an address that names the fork if it names the source. It may name neither.
func notOf(source, fork string) check.Matcher {
	return check.That("does not lead to the source "+source, func(v any) bool {
		address, _ := v.(string)
		parts := strings.FieldsFunc(address, func(r rune) bool { return strings.ContainsRune("/?&=", r) })
		return !slices.Contains(parts, source) || slices.Contains(parts, fork)
	})
}

// The control is another run of the workflow, which draws other values.
var drawnOnce = scenarios.Scenario{
	ID:     "openwop/replay/drawn-once",
	Title:  "a replay has the values that the nodes of its source drew; another run of the workflow has others",
	Proves: scenarios.IDs{openwop.OWPRPL4},
	Claim:  claims.ForkReplay,
	Ask: scenarios.Ask(replaysOfDrawnValues, func(o DrawnObservation, j *scenarios.Judge) {
		o.givenDraws(j)
		forked := false
		for _, f := range o.Forks {
			if PassedOver(f, j, o.Source) {
				continue
			}
			CheckMade(f, j, openwop.OWPRPL4, o.Source)
			forked = true
			j.Check(openwop.OWPRPL4, values(draws(f.Log))).To(check.SameAs(values(draws(o.Source))), "values in the replay from %d", f.FromSeq)
			j.Check(openwop.OWPRPL4, f.Log.OfType(dialect.RunCompleted).Each("/payload/outputs")).
				To(check.SameAs(o.Source.OfType(dialect.RunCompleted).Each("/payload/outputs")), "outputs of the replay from %d", f.FromSeq)
		}
		if !forked {
			j.Block("the host made no fork of a run that drew values", "fork runs that have ended, or claim no replay")
		}
	}),
}

var forksRefused = scenarios.Scenario{
	ID:     "openwop/replay/forks-refused",
	Title:  "a replay from outside the log, of a run that never was, with other run options or in no mode is refused",
	Proves: scenarios.IDs{openwop.OWPRPL5, openwop.OWPRPL6, openwop.OWPRPL7, openwop.OWPRPL8, openwop.OWPRPL9},
	Claim:  claims.ForkReplay,
	Ask: scenarios.Ask(forksThatCannotBe, func(o ForkRefusals, j *scenarios.Judge) {
		o.Source.Over(j)
		givenFork(o.Control, j)
		j.Check(openwop.OWPRPL5, o.Edge.Status).To(check.Status(2, http.StatusBadRequest, http.StatusUnprocessableEntity,
			http.StatusNotImplemented), "%s", o.Edge.Asked) // OWP-R108
		j.Check(openwop.OWPRPL5, o.Beyond.Status).To(check.Status(http.StatusUnprocessableEntity, http.StatusNotImplemented), "%s",
			o.Beyond.Asked)
		refused := o.Beyond.HTTPStatus() == http.StatusUnprocessableEntity
		if code := o.Beyond.Code(); refused && dialect.CodeOf(code) != dialect.InvalidFromSequence {
			j.Find(openwop.OWPERR5, "the code for %s is %s", o.Beyond.Asked, code.JSON())
		}
		malformed := check.Status(http.StatusBadRequest, http.StatusUnprocessableEntity)
		j.Check(openwop.OWPRPL6, o.Before.Status).To(malformed, "%s", o.Before.Asked)
		for _, a := range []host.Answered{o.Unknown, o.Nowhere} {
			j.Check(openwop.OWPRPL7, a.Status).To(check.Status(http.StatusNotFound, http.StatusForbidden), "%s", a.Asked)
		}
		j.Check(openwop.OWPRPL8, o.Overlay.Status).To(malformed, "%s", o.Overlay.Asked)
		for _, a := range []host.Answered{o.Strange, o.NoMode} {
			j.Check(openwop.OWPRPL9, a.Status).To(malformed, "%s", a.Asked)
		}
	}),
}

// givenFork blocks a judge of refusals if the host refuses a valid fork. No
// sentence says that a host takes each.
func givenFork(a host.Answered, j *scenarios.Judge) {
	if a.HTTPStatus()/100 != 2 {
		j.Block("setup failed: the host refused "+a.Asked+": HTTP "+a.Status.JSON(), "fork runs that have ended, or claim no replay")
	}
}

var branchDraws = scenarios.Scenario{
	ID:     "openwop/replay/branch-draws",
	Title:  "a branch has what its source drew below its first event, and draws the rest anew",
	Proves: scenarios.IDs{openwop.OWPRPL10, openwop.OWPRPL11},
	Claim:  claims.ForkBranch,
	Ask: scenarios.Ask(branchesOfDrawnValues, func(o DrawnObservation, j *scenarios.Judge) {
		o.givenDraws(j)
		for _, f := range o.Forks {
			CheckMade(f, j, openwop.OWPRPL11, o.Source)
			CheckPrefix(f, j, openwop.OWPRPL10, o.Source, IdsOfOthers...)
			after := draws(f.Log).Where(atOrAfter(f.FromSeq))
			j.Check(openwop.OWPRPL11, values(after)).To(none(values(draws(o.Source))), "values that the branch from %d drew", f.FromSeq)
		}
	}),
}

// IdsOfOthers lists the fields in which an event names a child run or an
// interrupt. A branch that starts one again gives it a new id.
var IdsOfOthers = []string{"childRunId", "interruptId"}

// The control is a branch without the bound, which takes all turns.
var branchBounded = scenarios.Scenario{
	ID:     "openwop/replay/branch-bounded",
	Title:  "a branch with a bound that is one turn too low crosses it, and one without ends by itself",
	Proves: scenarios.IDs{openwop.OWPRPL10, openwop.OWPRPL12},
	Claim:  claims.ForkBranchLoop,
	Ask: scenarios.Ask(branchesOfALoop, func(o OverlayObservation, j *scenarios.Judge) {
		o.Source.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		var beyond scenarios.RequirementID
		if o.Way == fixture.Loop { // the plan of a published fixture is not every host's
			beyond = openwop.OWP0037A2
		}
		o.Source.Takes(j, o.Turns, beyond)
		for _, f := range []host.Forked{o.Free, o.Capped} {
			CheckMade(f, j, openwop.OWPRPL12, o.Source)
			CheckPrefix(f, j, openwop.OWPRPL10, o.Source, IdsOfOthers...)
		}
		j.Part(func() {
			if o.Marked.Log.Ended.Reached { // no text says that tags and metadata may be laid over others
				o.Marked.Log.Readable(j)
				CheckPrefix(o.Marked, j, openwop.OWPRPL10, o.Source, IdsOfOthers...)
			}
		})
		j.Check(openwop.OWPRPL12, o.Free.Log.Decided()).To(check.Len(o.Turns), "turns of the branch without another bound")
		o.Free.Log.CheckUntouched(j, openwop.OWPRPL12)
		j.Check(openwop.OWPRPL12, o.Capped.Log.Decided()).To(check.Len(o.Bound), "turns of the branch with a bound of %d", o.Bound)
		o.Capped.Log.CheckBreach(j, openwop.OWPRPL12, dialect.CapKindLoopIterations, o.Bound, check.Equal(o.Bound+1))
		j.Check(openwop.OWPRPL12, o.Capped.Log.Status()).To(check.Equal("failed"), "status of the branch with a bound of %d", o.Bound)
	}),
}

var branchesRefused = scenarios.Scenario{
	ID:     "openwop/replay/branches-refused",
	Title:  "a branch from nowhere, or from beyond the log, is refused",
	Proves: scenarios.IDs{openwop.OWPRPL13},
	Claim:  claims.ForkBranch,
	Ask: scenarios.Ask(branchesThatCannotBe, func(o BranchRefusals, j *scenarios.Judge) {
		o.Source.Over(j)
		givenFork(o.Control, j)
		for _, a := range []host.Answered{o.Open, o.Beyond} {
			j.Check(openwop.OWPRPL13, a.Status).To(check.Status(http.StatusBadRequest, http.StatusUnprocessableEntity), "%s", a.Asked)
		}
	}),
}
