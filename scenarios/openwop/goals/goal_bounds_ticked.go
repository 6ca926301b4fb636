package goals

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// The scenarios of goal-bounds that need the tick seam: the protocol offers
// no other way to fire a run of a goal and to choose its verdict.

// RFC 0097 E, and the second example.
var stopsAtBound = scenarios.Scenario{
	ID:     "openwop/goal-bounds/stops-at-bound",
	Title:  "a goal that is never satisfied is active up to run N, exceeds its bound with it, and fires no run after it",
	Proves: scenarios.IDs{openwop.OWP0097E4, openwop.OWP0097G2},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalToItsBound, func(o GoalObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkEnd(j, goalRows{openwop.OWP0097G2, openwop.OWP0097E4, openwop.OWP0097E4}, dialect.GoalStateBoundExceeded)
		checkRuns(j, openwop.OWP0097E4, o.shown(), o.Runs)
	}),
}

// RFC 0097 D and E. The RFC implies that the event comes once.
var closedAtBound = scenarios.Scenario{
	ID:     "openwop/goal-bounds/closed-at-bound",
	Title:  "a goal that stops at its bound is closed once, as bound-exceeded, whatever it is asked after that",
	Proves: scenarios.IDs{openwop.OWP0097D3, openwop.OWP0097E7},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalToItsBound, func(o GoalObservation, j *scenarios.Judge) {
		o.given(j)
		o.ended(j, dialect.GoalStateBoundExceeded)
		seen(j, o.events(dialect.GoalClosed))
		o.checkClosed(j, openwop.OWP0097E7, dialect.GoalStateBoundExceeded)
	}),
}

// checkClosed expects exactly one closing event, with that state.
func (o GoalObservation) checkClosed(j *scenarios.Judge, as scenarios.RequirementID, state dialect.GoalState) {
	closed := o.events(dialect.GoalClosed)
	j.Check(openwop.OWP0097D3, closed).To(check.Len(1), "events that close the goal")
	j.Check(openwop.OWP0097D3, closed.Each("/payload/goalId")).To(check.Each(check.Equal(o.Goal.ID)), "goalId")
	j.Check(as, closed.Each("/payload/finalState")).To(check.Each(check.Equal(state)), "finalState")
}

// RFC 0097 C and E: an ended goal cannot be edited, and a bound once crossed stays crossed.
var exceededStaysExceeded = scenarios.Scenario{
	ID:     "openwop/goal-bounds/exceeded-stays-exceeded",
	Title:  "a goal that has exceeded its bound is neither changed by an edit nor brought back by resume",
	Proves: scenarios.IDs{openwop.OWP0097C4, openwop.OWP0097E4},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalToItsBound, func(o GoalObservation, j *scenarios.Judge) {
		o.given(j)
		o.ended(j, dialect.GoalStateBoundExceeded)
		o.Revival.check(j, openwop.OWP0097C4, openwop.OWP0097E4, o.Goal.Path, o.shown(), dialect.GoalStateBoundExceeded)
	}),
}

// RFC 0097 E: exactly at the bound, even if ticks race for the last run.
var tickedAtOnce = scenarios.Scenario{
	ID:     "openwop/goal-bounds/ticked-at-once",
	Title:  "ticks that come all at once fire exactly as many runs as the bound says",
	Proves: scenarios.IDs{openwop.OWP0097E4},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalTickedAtOnce, func(o GoalRaceObservation, j *scenarios.Judge) {
		given(o.Goal, j)
		showsRuns(j, o.Still.Later.Body)
		for _, t := range o.After {
			t.answered(j, o.Goal.Path)
		}
		if !o.namesItsRuns() {
			j.Block("setup failed: the goal shows none of the runs that its ticks name",
				"have the reply to a tick carry the id of the run (docs/seams.md)")
		}
		later := o.Still.Later
		j.Check(openwop.OWP0097E4, stateShown(later)).To(check.Equal(dialect.GoalStateBoundExceeded),
			"state after %d ticks at once with a bound of %d runs", len(o.AtOnce), o.Bound)
		checkRuns(j, openwop.OWP0097E4, later.Body, o.Bound)
		j.Check(openwop.OWP0097E4, o.Still.strays()).To(check.Len(0), "runs that a tick named and that the goal does not show")
	}),
}

// fireRuns unblocks a goal that shows no run after a tick. A run may take its time, and its judge as well.
const fireRuns = "have a tick fire a run of the goal at once (docs/seams.md)"

// namesItsRuns reports whether the goal lists a run by the id that a tick returned, if any tick returned one.
func (o GoalRaceObservation) namesItsRuns() bool {
	named := map[string]bool{}
	for _, t := range slices.Concat(o.AtOnce, o.After) {
		if id := t.RunID.String(); id != "" {
			named[id] = true
		}
	}
	return len(named) == 0 || slices.ContainsFunc(runsOf(o.Still.Later.Body).Items(), func(id wire.Value) bool { return named[id.String()] })
}

// RFC 0097 E with RFC 0084. The control: below the bound the goal stays active.
var costBound = scenarios.Scenario{
	ID:     "openwop/goal-bounds/cost-bound",
	Title:  "a goal goes on below its bound of cost, exceeds it with the run that crosses it, and fires no run after that",
	Proves: scenarios.IDs{openwop.OWP0097E5},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalToItsCost, func(o GoalCostObservation, j *scenarios.Judge) {
		o.checkCost(j)
		if len(o.Small.Ticks) > 0 {
			o.Small.checkCost(j)
		}
		if shown := o.Around.Last.Shown; runCount(shown.Last) > runCount(o.Around.Resumed.Body) {
			j.Check(openwop.OWP0097E5, stateOf(shown.Last)).To(check.Equal(dialect.GoalStateBoundExceeded),
				"state of a goal whose runs before and behind an escalation cost more than its bound")
		}
		if shown := o.Free.Shown; runCount(shown.Last) > 0 { // a host need not fire a run for nothing
			j.Check(openwop.OWP0097E5, stateOf(shown.Last)).To(check.Equal(dialect.GoalStateBoundExceeded),
				"state of a goal that may cost nothing, after a run with a cost")
		}
	}),
}

// RFC 0097 E. A host that checks the deadline only on a tick conforms too.
var deadlineBound = scenarios.Scenario{
	ID:     "openwop/goal-bounds/deadline",
	Title:  "a goal goes on before its deadline, has exceeded it when it has passed, and fires no run after that",
	Proves: scenarios.IDs{openwop.OWP0097E6},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalToItsDeadline, func(o GoalDeadlineObservation, j *scenarios.Judge) {
		if o.tooSlow() {
			j.Block("the host took "+o.EarlyBy.String()+" to make a goal and tick it, too long for a deadline of "+o.Deadline.String(),
				"certify it again when it answers faster")
		}
		early := func(goal wire.Value) bool {
			return j.Check(openwop.OWP0097E6, stateOf(goal)).To(check.Equal(dialect.GoalStateActive),
				"state within %s, with a deadline of %s", o.EarlyBy, o.Deadline)
		}
		exists(o.Goal, j)
		if !early(o.Goal.Fresh.Body) {
			return
		}
		o.Early.answered(j, o.Goal.Path)
		j.Reach(o.Early.Shown, fireRuns)
		showsRuns(j, o.Early.Shown.Last)
		if !early(o.Early.Shown.Last) || !j.Check(openwop.OWP0097E6, o.Ended).To(check.Reached()) {
			return
		}
		if o.Grace == host.CoarseGrace && !o.Long {
			j.Find("", "a goal with a deadline of less than a second ended early or continued late, as with a clock of "+
				"full seconds; judged with a deadline of %s and a grace of %s", o.Deadline, o.Grace)
		}
		if isActive(o.Passed.Body) {
			j.Find("", "the goal is shown as active a moment after its deadline, until it is ticked")
		}
		o.Still.check(j, openwop.OWP0097E6, o.Goal.Path, o.Early.Shown.Last, dialect.GoalStateBoundExceeded)
		if host.Succeeded(o.Paused.Paused.Status) && j.Check(openwop.OWP0097E6, o.Paused.Ended).To(check.Reached()) {
			j.Check(openwop.OWP0097E6, stateOf(o.Paused.Ended.Last)).To(check.Equal(dialect.GoalStateBoundExceeded),
				"state of a goal that was paused until its deadline had passed (OWP-R300)")
		}
		if isActive(o.AtOnce.Ended.Last) {
			j.Find("", "a goal with a runTimeoutMs of 0 goes on: the host takes 0 for no deadline (OWP-R301)")
		} else if o.AtOnce.Ended.What != "" {
			j.Check(openwop.OWP0097E6, stateOf(o.AtOnce.Ended.Last)).To(check.Equal(dialect.GoalStateBoundExceeded),
				"state of a goal whose deadline was when it was made (OWP-R301)")
		}
		for _, t := range o.Touched {
			t.check(j)
		}
	}),
}

// check expects the goal to have ended at its deadline all the same.
func (t GoalTouched) check(j *scenarios.Judge) {
	was := "a goal that was " + t.What + " shortly before its deadline"
	if !j.Check(openwop.OWP0097E6, t.Ended).To(check.Reached()) {
		return
	}
	j.Check(openwop.OWP0097E6, stateOf(t.Ended.Last)).To(check.Equal(dialect.GoalStateBoundExceeded), "state of %s (OWP-R300)", was)
	if !runsOf(t.Ended.Last).Present() { // there was none
		return
	}
	j.Check(openwop.OWP0097E6, runsOf(t.Ended.Last)).To(host.NoMoreThan(runCount(t.Before)), "contributing runs of %s", was)
}

// RFC 0097 E, and the first example.
var satisfiedDisarms = scenarios.Scenario{
	ID:     "openwop/goal-bounds/satisfied-disarms",
	Title:  "the verdict of the judge, and no earlier run, makes a goal satisfied; after that no run is fired",
	Proves: scenarios.IDs{openwop.OWP0097E1, openwop.OWP0097G1},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalUntilSatisfied, func(o GoalObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkEnd(j, goalRows{openwop.OWP0097E1, openwop.OWP0097E1, openwop.OWP0097G1}, dialect.GoalStateSatisfied)
		checkRuns(j, openwop.OWP0097G1, o.shown(), o.Runs)
	}),
}

// RFC 0097 D.
var evaluatedAndClosed = scenarios.Scenario{
	ID:     "openwop/goal-bounds/evaluated-and-closed",
	Title:  "each check of the judge is one event with its verdict and its count, and the end of a satisfied goal is one more",
	Proves: scenarios.IDs{openwop.OWP0097D1, openwop.OWP0097D3},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalUntilSatisfied, func(o GoalObservation, j *scenarios.Judge) {
		evaluated := o.events(dialect.GoalEvaluated)
		o.given(j)
		o.ended(j, dialect.GoalStateSatisfied)
		seen(j, evaluated, o.events(dialect.GoalClosed))
		verdicts := make([]any, o.Runs)
		for i := range verdicts {
			verdicts[i] = i == o.Runs-1
		}
		j.Check(openwop.OWP0097D1, evaluated.Each("/payload/satisfied")).To(check.Equal(verdicts), "verdicts in order")
		j.Check(openwop.OWP0097D1, evaluated.Each("/payload/iterations")).To(check.CountFromOne(o.Runs), "iterations in order")
		j.Check(openwop.OWP0097D1, evaluated.Each("/payload/goalId")).To(check.Each(check.Equal(o.Goal.ID)), "goalId")
		j.Check(openwop.OWP0097D1, evaluated.Each("/payload/runId")).To(check.Each(check.Text()), "runId")
		told := evaluated.Each("/payload/confidence").Where(func(v wire.Value) bool { return v.Present() })
		for i, e := range evaluated.Values[:min(len(evaluated.Values), len(o.Ticks))] {
			if len(told.Values) == 0 { // the schema does not require it
				break
			}
			verdict := o.Ticks[i].Shown.Last.At("/completion/lastVerdict")
			if of := verdict.Key("runId"); of.String() != "" && of.String() == e.At("/payload/runId").String() &&
				verdict.Key("confidence").Present() {
				j.Check(openwop.OWP0097D1, e.At("/payload/confidence")).To(check.SameAs(verdict.Key("confidence")), "confidence of evaluation %d", i+1)
			}
		}
		o.checkClosed(j, openwop.OWP0097D3, dialect.GoalStateSatisfied)
	}),
}

// RFC 0097 E.
var evaluationsAttributed = scenarios.Scenario{
	ID:     "openwop/goal-bounds/evaluations-attributed",
	Title:  "each evaluation names the contributing run that was judged, and the last verdict the last of them",
	Proves: scenarios.IDs{openwop.OWP0097E9},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalUntilSatisfied, func(o GoalObservation, j *scenarios.Judge) {
		evaluated, runs := o.events(dialect.GoalEvaluated), runsOf(o.shown())
		o.given(j)
		o.ended(j, dialect.GoalStateSatisfied)
		o.givenStill(j)
		seen(j, evaluated)
		j.Check(openwop.OWP0097E9, runs).To(check.Len(o.Runs), "contributing runs")
		j.Check(openwop.OWP0097E9, evaluated.Each("/payload/runId")).To(check.SameAs(runs), "runs that the evaluations name")
		last := wire.Found{Values: runs.Items(), In: runs.Ref()}.Last()
		j.Check(openwop.OWP0097E9, o.shown().At("/completion/lastVerdict/runId")).To(check.SameAs(last), "run that the last verdict names")
	}),
}

// RFC 0097 C and E.
var runsOfTheGoal = scenarios.Scenario{
	ID:     "openwop/goal-bounds/runs-of-the-goal",
	Title:  "a goal shows its runs, each of which is a run of the host, and the last verdict",
	Proves: scenarios.IDs{openwop.OWP0097C3, openwop.OWP0097E10},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalUntilSatisfied, func(o GoalObservation, j *scenarios.Judge) {
		o.driven(j)
		o.ended(j, dialect.GoalStateSatisfied)
		o.givenStill(j)
		g := o.shown()
		checkRuns(j, openwop.OWP0097C3, g, o.Runs)
		j.Check(openwop.OWP0097C3, g.At("/completion/lastVerdict/satisfied")).To(check.Equal(true), "completion.lastVerdict.satisfied")
		j.Check(openwop.OWP0097C3, g.At("/completion/lastVerdict/runId")).To(check.Text(), "completion.lastVerdict.runId")
		o.checkBare(j)
		j.Check(openwop.OWP0097E10, o.snapshots().Each("/runId")).To(check.SameAs(runsOf(g)),
			"runId of the contributing runs, read under their ids")
		for _, r := range o.Trail.Runs { // serving a snapshot takes no run, serving its events does
			j.Check(openwop.OWP0097E10, r.Log.All().Each("/runId")).To(check.Each(check.Equal(r.ID)),
				"run of every event in the log of run %s", r.ID)
		}
		j.Check(openwop.OWP0097E10, o.Trail.Stranger).To(check.Status(4), "a run id that was never given out")
	}),
}

// RFC 0097 D. Other parts of a run's log, such as its inputs, may state
// the purpose of the run.
var contentFree = scenarios.Scenario{
	ID:     "openwop/goal-bounds/content-free",
	Title:  "no event of a goal holds text of its objective",
	Proves: scenarios.IDs{openwop.OWP0097D2},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalUntilSatisfied, func(o GoalObservation, j *scenarios.Judge) {
		events := o.events(dialect.GoalEvaluated)
		o.given(j)
		o.ended(j, dialect.GoalStateSatisfied)
		seen(j, events)
		switch objective := o.Goal.Fresh.Body.Key("objective"); {
		case !objective.Present():
			j.Violates(openwop.OWP0097B1, objective, "setup failed: the goal is served without its objective")
		case !namedIn(o.Goal, objective.String()): // the control: the text is found in the goal
			j.Block("setup failed: the goal does not show its objective as requested: "+objective.JSON(), "serve an objective as it was sent")
		case len(events.Values) == 0: // they may stand where nobody looked
			j.Block("setup failed: no evaluation of the goal was seen", "put the events of a goal into its log, the logs of its runs, "+
				"or the replies to its ticks (docs/seams.md)")
		}
		for _, home := range o.homes() {
			j.Check(openwop.OWP0097D2, home.Found).To(withoutTextOf(o.Goal), "events of the goal")
		}
		for _, r := range o.Trail.Runs {
			i := slices.IndexFunc(r.Log.Events, func(e wire.Value) bool {
				ok, _ := withoutTextOf(o.Goal).Match(e.Actual())
				return !ok && !isGoalEvent(e)
			})
			if i >= 0 {
				j.Find("", "an event %s of run %s holds text of the objective", r.Log.Events[i].Key("type").JSON(), r.ID)
			}
		}
	}),
}

// RFC 0097 C. No field shows a pause, only the absence of runs (OWP-R43).
var pauseHalts = scenarios.Scenario{
	ID:     "openwop/goal-bounds/pause-halts",
	Title:  "a paused goal fires no run; it did before, and does again when it is resumed",
	Proves: scenarios.IDs{openwop.OWP0097C5},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalPaused, func(o GoalPauseObservation, j *scenarios.Judge) {
		given(o.Goal, j)
		o.Before.answered(j, o.Goal.Path)
		j.Reach(o.Before.Shown, fireRuns)
		showsRuns(j, o.Before.Shown.Last)
		permitted(o.Paused, j, "pause a goal")
		permitted(o.Resumed.Reply, j, "resume a goal")
		j.Check(openwop.OWP0097C5, o.Paused.Status).To(check.Status(2), "pause")
		if !o.Still.checkRuns(j, openwop.OWP0097C5, o.Goal.Path, o.Before.Shown.Last) {
			return
		}
		if !isActive(o.Still.Later.Body) {
			j.Find("", "the state of a paused goal is %s (OWP-R43)", stateShown(o.Still.Later).JSON())
		}
		j.Check(openwop.OWP0097C5, o.Resumed.Reply.Status).To(check.Status(2), "resume")
		if j.Check(openwop.OWP0097C5, stateShown(o.Resumed.After)).To(check.Equal(dialect.GoalStateActive), "state after resume") {
			o.After.answered(j, o.Goal.Path)
			j.Check(openwop.OWP0097C5, o.After.Shown).To(check.Reached())
		}
	}),
}

// RFC 0097 E with RFC 0044. The RFC does not say how a goal leaves escalated (OWP-R27).
var escalationHalts = scenarios.Scenario{
	ID:     "openwop/goal-bounds/escalation-halts",
	Title:  "a goal whose run asks a person is escalated, and fires no run while nobody has answered",
	Proves: scenarios.IDs{openwop.OWP0097E8},
	Claim:  claims.GoalsEscalation,
	Ask: scenarios.Ask(goalEscalated, func(o GoalEscalatedObservation, j *scenarios.Judge) {
		o.given(j)
		if !o.checkEnd(j, goalRows{openwop.OWP0097E8, openwop.OWP0097E8, openwop.OWP0097E8}, dialect.GoalStateEscalated) {
			return
		}
		if o.Stuck.ID == "" {
			j.Block("neither the goal nor the reply to its tick names the stuck run",
				"have the reply to the tick carry the runId (docs/seams.md)")
		}
		// A run escalates a goal, not the client that ticks it.
		j.Check(openwop.OWP0097E8, o.Stuck.Snapshot.Key("status")).To(host.Waiting(),
			"status of the run that asks a person")
	}),
}
