package openwop

import (
	"encoding/json"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// goalCompletion looks at goals that live for a while: what fires their runs, who judges them, and what they give away.
func goalCompletion() scenarios.Suite {
	return scenarios.Suite{
		ID: "goal-completion", Title: "standing goals that go on by themselves, are judged by the host alone, and keep secrets", Protocol: Protocol,
		Scenarios: []scenarios.Scenario{onlyTheJudge, everyRunJudged, scheduleFires, heartbeatFires, secretRedacted, noGoalsUnclaimed},
	}
}

// RFC 0097 E: what a client does to a goal in the course of its life is no verdict.
var onlyTheJudge = scenarios.Scenario{
	ID:     "openwop/goal-completion/only-the-judge",
	Title:  "edits, pauses and verdicts against it, in any order, leave a goal active; one verdict for it makes it satisfied",
	Proves: ids{openwopv1.OWP0097E1},
	Claim:  goals,
	Ask: scenarios.Ask(goalLives, func(o GoalLifeObservation, j *scenarios.Judge) {
		if !o.ready(j) {
			return
		}
		for _, a := range o.Acts {
			if !a.Edit.Reply.permitted(j, a.What) {
				return
			}
			j.Check(openwopv1.OWP0097E1, a.Edit.After.state()).To(check.Equal(openwopv1.GoalStateActive), "state after: %s", a.What)
		}
		o.checkEnd(j, goalRows{openwopv1.OWP0097E1, openwopv1.OWP0097E1, openwopv1.OWP0097E1}, openwopv1.GoalStateSatisfied)
	}),
}

// RFC 0097 D and E, run by run.
var everyRunJudged = scenarios.Scenario{
	ID:     "openwop/goal-completion/every-run-judged",
	Title:  "after each run, the last verdict is the one on that run; and every evaluation names its run, also after edits and pauses",
	Proves: ids{openwopv1.OWP0097D1, openwopv1.OWP0097E9},
	Claim:  goals,
	Ask: scenarios.Ask(goalLives, func(o GoalLifeObservation, j *scenarios.Judge) {
		evaluated := o.events(openwopv1.RunEventTypeGoalEvaluated)
		if !o.ready(j) || !o.ended(j, openwopv1.OWP0097E1, openwopv1.GoalStateSatisfied) || !seen(j, evaluated) {
			return
		}
		for i, t := range o.Ticks {
			runs, verdict := runsOf(t.Shown.Last), t.Shown.Last.At("/completion/lastVerdict")
			if !j.Check(openwopv1.OWP0097E9, runs).To(check.Len(i+1), "contributing runs after run %d", i+1) {
				return
			}
			j.Check(openwopv1.OWP0097E9, verdict.Key("runId")).To(check.SameAs(runs.Items()[i]), "run that the verdict names after run %d", i+1)
			j.Check(openwopv1.OWP0097E9, verdict.Key("satisfied")).To(check.Equal(i == o.Runs-1), "verdict after run %d of %d", i+1, o.Runs)
		}
		j.Check(openwopv1.OWP0097E9, evaluated.Each("/payload/runId")).To(check.SameAs(runsOf(o.shown())), "runs that the evaluations name")
		j.Check(openwopv1.OWP0097D1, evaluated.Each("/payload/iterations")).To(check.CountFromOne(o.Runs), "iterations in order")
	}),
}

// RFC 0097 A, C and E, and the first example.
var scheduleFires = scenarios.Scenario{
	ID:     "openwop/goal-completion/schedule-fires",
	Title:  "a goal on a schedule fires its runs by itself, none while it is paused, and none beyond its bound",
	Proves: ids{openwopv1.OWP0097A3, openwopv1.OWP0097C5, openwopv1.OWP0097E4},
	Claim:  goalsSchedule,
	Ask: scenarios.Ask(goalOnSchedule, func(o GoalAloneObservation, j *scenarios.Judge) {
		o.check(j, openwopv1.OWP0097A3)
	}),
}

// RFC 0097 A, C and E, with RFC 0060.
var heartbeatFires = scenarios.Scenario{
	ID:     "openwop/goal-completion/heartbeat-fires",
	Title:  "a goal that goes on by a heartbeat fires a run for a change, none while it is paused, and none beyond its bound",
	Proves: ids{openwopv1.OWP0097A4, openwopv1.OWP0097C5, openwopv1.OWP0097E4},
	Claim:  goalsHeartbeat,
	Ask: scenarios.Ask(goalByHeartbeat, func(o GoalAloneObservation, j *scenarios.Judge) {
		o.check(j, openwopv1.OWP0097A4)
	}),
}

// check follows a goal that goes on by itself, through a pause and to its end.
func (o GoalAloneObservation) check(j *scenarios.Judge, fires scenarios.RequirementID) {
	if !o.Goal.ready(j) || !j.Check(fires, o.Going).To(check.Reached()) || !showsRuns(j, o.Going.Last) || !o.Paused.permitted(j, "pause a goal") {
		return
	}
	if o.outran() {
		j.Block("the goal was at its end before it could be paused", "certify it again when the host answers faster")
		return
	}
	j.Check(openwopv1.OWP0097C5, o.Paused.Status).To(check.Status(2), "pause")
	j.Check(openwopv1.OWP0097C5, runsOf(o.Held.Body)).To(check.SameAs(runsOf(o.Settled.Body)), "contributing runs of the paused goal after a quiet window of %s", o.Window)
	if !o.Resumed.Reply.permitted(j, "resume a goal") ||
		!j.Check(openwopv1.OWP0097C5, o.Resumed.After.state()).To(check.Equal(openwopv1.GoalStateActive), "state after resume") ||
		!j.Check(fires, o.Ended).To(check.Reached()) {
		return
	}
	j.Check(openwopv1.OWP0097E4, o.Later.state()).To(check.Equal(openwopv1.GoalStateBoundExceeded), "state at the end")
	checkRuns(j, openwopv1.OWP0097E4, o.Later.Body, o.Bound)
}

// RFC 0097 E (SR-1).
var secretRedacted = scenarios.Scenario{
	ID:     "openwop/goal-completion/secret-redacted",
	Title:  "a credential in an objective is not served again, neither with the goal nor in a list nor by its events",
	Proves: ids{openwopv1.OWP0097E11},
	Claim:  goals,
	Ask: scenarios.Ask(goalWithSecret, func(o GoalSecretObservation, j *scenarios.Judge) {
		if !o.List.readable(j) {
			return
		}
		for _, g := range o.List.listed(o.Goal).Values {
			j.Check(openwopv1.OWP0097E11, g).To(withoutSecret(), "the goal in the list")
		}
		if o.Goal.ID == "" {
			status, _ := o.Goal.Created.Status.Int()
			if status/100 != 4 {
				o.Goal.exists(j)
				return
			}
			j.Check(openwopv1.OWP0097E11, o.List.listed(o.Goal)).To(check.Len(0), "goals in the list that were refused")
			j.Find(openwopv1.OWP0097E11, "an objective that holds the credential is refused with HTTP %d", status)
			return
		}
		if !o.Goal.ready(j) || !j.Check(openwopv1.OWP0097E11, o.Goal.Fresh.Body.Key("objective")).To(check.Text(), "objective") {
			return
		}
		for _, place := range []struct {
			what string
			seen wire.Value
		}{
			{"the reply that made the goal", o.Goal.Created.Body}, {"the goal", o.Goal.Fresh.Body}, {"the goal after an edit", o.Edited.After.Body},
			{"the log of the goal", o.Trail.Events}, {"the events in the reply to a tick", o.Tick.Events},
		} {
			j.Check(openwopv1.OWP0097E11, place.seen).To(withoutSecret(), place.what)
		}
		if succeeded(o.Edited.Reply.Status) {
			j.Check(openwopv1.OWP0097E11, o.Edited.Reply.Body).To(withoutSecret(), "the reply to an edit")
		}
	}),
}

// withoutSecret expects that the placeholder of a secret stands nowhere inside.
func withoutSecret() check.Matcher {
	return check.That("no secret", func(v any) bool {
		var text strings.Builder
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		return e.Encode(v) == nil && !strings.Contains(text.String(), "<secret:")
	})
}

// RFC 0097, compatibility.
var noGoalsUnclaimed = scenarios.Scenario{
	ID:     "openwop/goal-completion/absent-without-claim",
	Title:  "a host that does not claim goals lists none and makes none",
	Proves: ids{openwopv1.OWP0097G3},
	Claim:  noGoals,
	Ask: scenarios.Ask(goalsUnclaimed, func(o GoalsUnclaimedObservation, j *scenarios.Judge) {
		for i, path := range o.Paths {
			for _, reply := range []struct {
				GoalReply
				what, proof string // proof is what only goals have in them
			}{{o.Lists[i], "list", "goals"}, {o.Makes[i], "make", "objective"}} {
				if !succeeded(reply.Status) {
					j.Check(openwopv1.OWP0097G3, reply.Status).NotTo(check.Status(2), "%s goals at %s", reply.what, path)
					continue
				}
				// A page that is served for every path is no endpoint of goals.
				j.Check(openwopv1.OWP0097G3, reply.Body.Key(reply.proof)).To(check.Absent(), "%s in the reply to: %s goals at %s", reply.proof, reply.what, path)
			}
		}
	}),
}
