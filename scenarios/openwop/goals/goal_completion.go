package goals

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// CompletionSuite asks of long-lived goals what fires their runs, who judges them, and what they disclose.
func CompletionSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "goal-completion", Title: "standing goals that go on by themselves, are judged by the host alone, and keep secrets",
		Scenarios: []scenarios.Scenario{onlyTheJudge, everyRunJudged, replayNotJudged, goesOnAfterAnswer, scheduleFires, heartbeatFires,
			commitmentFires,
			abandonedDisarms, satisfiedScheduleDisarms, secretRedacted, noGoalsUnclaimed},
	}
}

// RFC 0097 E: a client's acts on a goal are no verdict.
var onlyTheJudge = scenarios.Scenario{
	ID:     "openwop/goal-completion/only-the-judge",
	Title:  "edits, pauses and verdicts against it, in any order, leave a goal active; one verdict for it makes it satisfied",
	Proves: scenarios.IDs{openwop.OWP0097E1},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalLives, func(o GoalLifeObservation, j *scenarios.Judge) {
		o.given(j)
		for _, a := range o.Acts {
			permitted(a.Edit.Reply, j, a.What)
			j.Check(openwop.OWP0097E1, stateShown(a.Edit.After)).To(check.Equal(dialect.GoalStateActive), "state after: %s", a.What)
		}
		if o.checkTicks(j, openwop.OWP0097E1, openwop.OWP0097E1, dialect.GoalStateSatisfied) {
			j.Check(openwop.OWP0097E1, stateShown(o.Still.Later)).To(check.Equal(dialect.GoalStateSatisfied), "state after more ticks")
		}
	}),
}

// RFC 0097 D and E, run by run.
var everyRunJudged = scenarios.Scenario{
	ID:     "openwop/goal-completion/every-run-judged",
	Title:  "after each run, the last verdict is the one on that run; and every evaluation names its run, also after edits and pauses",
	Proves: scenarios.IDs{openwop.OWP0097D1, openwop.OWP0097E9},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalLives, func(o GoalLifeObservation, j *scenarios.Judge) {
		evaluated := o.events(dialect.GoalEvaluated)
		o.given(j)
		o.ended(j, dialect.GoalStateSatisfied)
		o.givenStill(j)
		seen(j, evaluated)
		for i, t := range o.Ticks {
			runs, verdict := runsOf(t.Shown.Last), t.Shown.Last.At("/completion/lastVerdict")
			if !j.Check(openwop.OWP0097E9, runs).To(check.Len(i+1), "contributing runs after run %d", i+1) {
				return
			}
			j.Check(openwop.OWP0097E9, verdict.Key("runId")).To(check.SameAs(runs.Items()[i]), "run that the verdict names after run %d", i+1)
			j.Check(openwop.OWP0097E9, verdict.Key("satisfied")).To(check.Equal(i == o.Runs-1), "verdict after run %d of %d", i+1, o.Runs)
		}
		j.Check(openwop.OWP0097E9, evaluated.Each("/payload/runId")).To(check.SameAs(runsOf(o.shown())), "runs that the evaluations name")
		j.Check(openwop.OWP0097D1, evaluated.Each("/payload/iterations")).To(check.CountFromOne(o.Runs), "iterations in order")
	}),
}

// RFC 0097 E with RFC 0044. The RFC says that a goal leaves escalated, but not how (OWP-R27).
var goesOnAfterAnswer = scenarios.Scenario{
	ID:      "openwop/goal-completion/goes-on-after-answer",
	Title:   "a goal that was escalated goes on, or ends, when the run that got stuck was answered; what it was judged by up to then stays",
	Proves:  scenarios.IDs{openwop.OWP0097E4, openwop.OWP0097E9, openwop.OWP0097E12},
	Watches: scenarios.IDs{openwop.OWP0097D1},
	Claim:   claims.GoalsEscalation,
	Ask: scenarios.Ask(goalEscalated, func(o GoalEscalatedObservation, j *scenarios.Judge) {
		o.given(j)
		o.ended(j, dialect.GoalStateEscalated)
		switch {
		case o.Stuck.ID == "":
			j.Block("neither the goal nor the reply to its tick names the stuck run",
				"have the reply to the tick carry the runId (docs/seams.md)")
		case !host.Succeeded(o.Answered):
			j.Block("the stuck run accepts no answer: HTTP "+o.Answered.JSON(),
				"let the interrupt of a contributing run be answered by its node")
		}
		j.Check(openwop.OWP0097E12, o.Freed).To(check.Reached())
		before, now := runsOf(o.shown()).Items(), o.Freed.Last
		if isActive(now) {
			j.Part(func() {
				o.Again.answered(j, o.Goal.Path)
				j.Check(openwop.OWP0097E12, o.Again.Shown).To(check.Reached())
				now = o.Again.Shown.Last
			})
		}
		for i, id := range before { // a contribution stays one
			j.Check(openwop.OWP0097E9, at(runsOf(now), i)).To(check.SameAs(id), "contributing run %d after the answer", i+1)
		}
		if verdict := now.At("/completion/lastVerdict/runId"); verdict.Present() {
			j.Check(openwop.OWP0097E9, verdict).To(oneOf(runsOf(now)), "run that the last verdict names after the answer")
		}
		checkWithin(j, now, o.Bound)
		o.checkTold(j)
		o.LastRun.checkEnded(j)
	}),
}

// checkTold expects an evaluation of the run that got stuck, if the last verdict of the goal shows that it was judged after the
// answer.
func (o GoalEscalatedObservation) checkTold(j *scenarios.Judge) {
	judged := o.Freed.Last.At("/completion/lastVerdict/runId").String() == o.Stuck.ID
	evaluated := o.events(dialect.GoalEvaluated)
	named := evaluated.Each("/payload/runId")
	if !judged || len(named.Values) == 0 || evaluated.Evidence != scenarios.Observed { // replies to ticks need not tell of it
		return
	}
	j.Check(openwop.OWP0097D1, named).To(check.That("one that is "+o.Stuck.ID, func(any) bool {
		return slices.ContainsFunc(named.Values, func(id wire.Value) bool { return id.String() == o.Stuck.ID })
	}), "runs that the evaluations name, of which one got stuck, was answered and judged")
}

// checkWithin expects a goal, a run of which got stuck and was answered, to have had no more runs judged than its bound allows.
func checkWithin(j *scenarios.Judge, goal wire.Value, bound int) {
	j.Check(openwop.OWP0097E4, iterationsOf(goal)).To(check.That(fmt.Sprintf("at most %d", bound), func(v any) bool {
		n, counted := v.(int64)
		return v == nil || counted && n <= int64(bound)
	}), "runs that were judged, with a bound of %d, behind an answer to one of them", bound)
}

// checkEnded expects the goal to have ended, since it could not go on, with no run beyond its bound. An answered run may satisfy the judge.
func (o GoalFreed) checkEnded(j *scenarios.Judge) {
	if !host.Succeeded(o.Answered) || !host.Succeeded(o.Still.Later.Status) {
		return
	}
	goal := o.Still.Later.Body
	checkWithin(j, goal, o.Bound)
	if isActive(goal) && runCount(goal) < o.Bound { // the run that got stuck need not count
		return
	}
	j.Check(openwop.OWP0097E12, stateOf(goal)).To(check.OneOf(dialect.GoalStateBoundExceeded, dialect.GoalStateSatisfied),
		"state after the answer to run %d of %d, and more ticks", o.Bound, o.Bound)
	j.Check(openwop.OWP0097E12, runsOf(goal)).To(host.NoMoreThan(o.Bound), "contributing runs with a bound of %d", o.Bound)
}

// checkGivenUp expects a goal that was abandoned to stay so. No text says that one which is escalated can be.
func (o GoalFreed) checkGivenUp(j *scenarios.Judge) {
	if !host.Succeeded(o.GaveUp.Reply.Status) || !host.Succeeded(o.Still.Later.Status) ||
		stateShown(o.GaveUp.After).String() != string(dialect.GoalStateAbandoned) {
		return
	}
	j.Check(openwop.OWP0097C6, stateShown(o.Still.Later)).To(check.Equal(dialect.GoalStateAbandoned),
		"state of a goal that was abandoned while a run of it was stuck, when that was answered and the goal resumed")
}

// isOwn reports whether an event says that it is one of this goal.
func (o GoalObservation) isOwn(e wire.Value) bool {
	return e.At("/payload/goalId").String() == o.Goal.ID
}

func inList(list, item wire.Value) bool {
	return slices.ContainsFunc(list.Items(), func(v wire.Value) bool { return v.String() == item.String() })
}

// at returns an item of a list, absent if the list is too short.
func at(list wire.Value, i int) wire.Value { return list.At("/" + strconv.Itoa(i)) }

// oneOf expects one of the items of a list.
func oneOf(list wire.Value) check.Matcher {
	items, _ := list.Actual().([]any)
	return check.OneOf(items...)
}

// The agent runtime on standing goals: a replay is not judged.
var replayNotJudged = scenarios.Scenario{
	ID:     "openwop/goal-completion/replay-not-judged",
	Title:  "the replay of a contributing run is no run of the goal, and no verdict is recorded for it or changed by it",
	Proves: scenarios.IDs{openwop.OWPGOAL1},
	Claim:  claims.GoalsReplay,
	Ask: scenarios.Ask(goalReplayed, func(o GoalReplayObservation, j *scenarios.Judge) {
		evaluated := o.events(dialect.GoalEvaluated)
		o.given(j)
		for _, t := range o.Ticks {
			j.Reach(t.Shown, fireRuns)
		}
		if !host.Succeeded(o.Fork.Log.Created) {
			j.Block("a contributing run cannot be replayed: HTTP "+o.Fork.Log.Created.JSON(), "let the runs of a goal be forked in mode replay")
		}
		j.Reach(o.Fork.Log.Ended, "have a replay of a contributing run end")
		seen(j, evaluated)
		runs := runsOf(o.shown())
		if named := evaluated.Each("/payload/runId").Values; len(named) > 0 && !slices.ContainsFunc(named, func(id wire.Value) bool {
			return id.String() == o.Fork.Log.RunID || inList(runs, id)
		}) {
			why := "setup failed: no evaluation names a run of the goal"
			if own := evaluated.Where(o.isOwn); len(own.Values) > 0 && host.IsList(runs) {
				j.Violates(openwop.OWP0097E9, own.Each("/payload/runId"), why)
			}
			j.Block(why, "have the evaluations of a goal name it and their runs")
		}
		j.Check(openwop.OWPGOAL1, iterationsOf(o.shown())).To(check.Equal(o.Runs), "iterations, with a replay before the last of %d runs", o.Runs)
		j.Check(openwop.OWPGOAL1, runs).To(check.Len(o.Runs), "contributing runs, with a replay before the last of them")
		for _, id := range runs.Items() {
			j.Check(openwop.OWPGOAL1, id).NotTo(check.Equal(o.Fork.Log.RunID), "contributing run")
		}
		j.Check(openwop.OWPGOAL1, evaluated.Each("/payload/runId")).To(check.SameAs(runs), "runs that the evaluations name")
	}),
}

// RFC 0097 E (SR-1).
var secretRedacted = scenarios.Scenario{
	ID:     "openwop/goal-completion/secret-redacted",
	Title:  "a secret of the host in an objective is not served again, neither with the goal nor in a list nor by its events",
	Proves: scenarios.IDs{openwop.OWP0097E11},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalWithSecret, func(o GoalSecretObservation, j *scenarios.Judge) {
		readable(o.List, j)
		for _, g := range listed(o.List, o.Goal).Values {
			j.Check(openwop.OWP0097E11, g).To(host.WithoutSecret(), "the goal in the list")
		}
		if o.Goal.ID == "" {
			status, _ := o.Goal.Created.Status.Int()
			if status/100 != 4 {
				exists(o.Goal, j)
				return
			}
			j.Check(openwop.OWP0097E11, listed(o.List, o.Goal)).To(check.Len(0), "goals in the list that were refused")
			j.Find("", "an objective that holds a secret of the host is refused with HTTP %d", status)
			return
		}
		given(o.Goal, j)
		if !j.Check(openwop.OWP0097E11, o.Goal.Fresh.Body.Key("objective")).To(check.Text(), "objective") {
			return
		}
		for _, place := range []struct {
			what string
			seen wire.Value
		}{
			{"the reply that made the goal", o.Goal.Created.Body}, {"the goal", o.Goal.Fresh.Body}, {"the goal after an edit", o.Edited.After.Body},
			{"the log of the goal", o.Trail.Events}, {"the events in the reply to a tick", o.Tick.Events},
		} {
			j.Check(openwop.OWP0097E11, place.seen).To(host.WithoutSecret(), place.what)
		}
		if host.Succeeded(o.Long.Reply.Status) { // an objective may be too long for a host
			j.Check(openwop.OWP0097E11, o.Long.Reply.Body).To(host.WithoutSecret(), "the reply to an edit to a long objective")
			j.Check(openwop.OWP0097E11, o.Long.After.Body).To(host.WithoutSecret(), "the goal after an edit to a long objective")
		}
		if host.Succeeded(o.Edited.Reply.Status) {
			j.Check(openwop.OWP0097E11, o.Edited.Reply.Body).To(host.WithoutSecret(), "the reply to an edit")
		}
	}),
}

// RFC 0097, compatibility.
var noGoalsUnclaimed = scenarios.Scenario{
	ID:     "openwop/goal-completion/absent-without-claim",
	Title:  "a host that does not claim goals lists none and makes none",
	Proves: scenarios.IDs{openwop.OWP0097G3},
	Claim:  claims.NoGoals,
	Ask: scenarios.Ask(goalsUnclaimed, func(o GoalsUnclaimedObservation, j *scenarios.Judge) {
		for i, path := range o.Paths {
			for _, reply := range []struct {
				host.GoalReply
				what, proof string // proof is a member that only goals have
			}{{o.Lists[i], "list", "goals"}, {o.Makes[i], "make", "objective"}} {
				if !host.Succeeded(reply.Status) {
					j.Check(openwop.OWP0097G3, reply.Status).NotTo(check.Status(2), "%s goals at %s", reply.what, path)
					continue
				}
				// A page served for every path is not a goal endpoint.
				j.Check(openwop.OWP0097G3, reply.Body.Key(reply.proof)).To(check.Absent(), "%s in the reply to: %s goals at %s", reply.proof,
					reply.what, path)
			}
		}
	}),
}
