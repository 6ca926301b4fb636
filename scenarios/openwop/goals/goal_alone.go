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

// The scenarios of goal-completion for goals that fire their own runs.

// RFC 0097 A, C and E, and the first example.
var scheduleFires = scenarios.Scenario{
	ID:     "openwop/goal-completion/schedule-fires",
	Title:  "a goal on a schedule fires its runs by itself, none while it is paused, and none beyond its bound",
	Proves: scenarios.IDs{openwop.OWP0097A3, openwop.OWP0097C5, openwop.OWP0097E4},
	Claim:  claims.GoalsSchedule,
	Ask: scenarios.Ask(goalOnSchedule, func(o GoalScheduleObservation, j *scenarios.Judge) {
		if given(o.Goal, j); !o.Going.Reached && host.Succeeded(o.AnyArm) { // OWP-R109
			j.Block("the host keeps an armRef that names no schedule, so it need not be able to read ours", takeArms)
		}
		o.fires(j)
		o.check(j, openwop.OWP0097A3)
		if o.Moved.What != "" { // it was waited for
			j.Check(openwop.OWP0097A3, o.Moved).To(check.Reached())
		}
		if o.Freed.What != "" {
			j.Check(openwop.OWP0097A3, o.Freed).To(check.Reached())
		}
	}),
}

// RFC 0097 A, C and E, with RFC 0060.
var heartbeatFires = scenarios.Scenario{
	ID:     "openwop/goal-completion/heartbeat-fires",
	Title:  "a goal that goes on by a heartbeat fires a run for a change, none while it is paused, and none beyond its bound",
	Proves: scenarios.IDs{openwop.OWP0097A4, openwop.OWP0097C5, openwop.OWP0097E4}, Watches: scenarios.IDs{openwop.OWP0097E8},
	Claim: claims.GoalsHeartbeat,
	Ask: scenarios.Ask(goalByHeartbeat, func(o GoalAloneObservation, j *scenarios.Judge) {
		o.check(j, openwop.OWP0097A4)
		o.Stuck.check(j)
	}),
}

// RFC 0097 A, C and E, with RFC 0068.
var commitmentFires = scenarios.Scenario{
	ID:     "openwop/goal-completion/commitment-fires",
	Title:  "a goal that goes on by a commitment fires a run when that is fired, none while it is paused, and none beyond its bound",
	Proves: scenarios.IDs{openwop.OWP0097A5, openwop.OWP0097C5, openwop.OWP0097E4}, Watches: scenarios.IDs{openwop.OWP0097E8},
	Claim: claims.GoalsCommitment,
	Ask: scenarios.Ask(goalByCommitment, func(o GoalAloneObservation, j *scenarios.Judge) {
		o.check(j, openwop.OWP0097A5)
		o.Stuck.check(j)
	}),
}

// RFC 0097 C.
var abandonedDisarms = scenarios.Scenario{
	ID:     "openwop/goal-completion/abandoned-disarms",
	Title:  "a goal that was given up fires no run any more, while others on its schedule do",
	Proves: scenarios.IDs{openwop.OWP0097C8},
	Claim:  claims.GoalsSchedule,
	Ask: scenarios.Ask(goalOnSchedule, func(o GoalScheduleObservation, j *scenarios.Judge) {
		status, _ := o.GivenUp.Asked.Int()
		given(o.GivenUp.Goal, j)
		permitted((host.GoalReply{Status: o.GivenUp.Asked}), j, "abandon a goal")
		o.givenOthersActive(j)
		switch why := "setup failed: abandon is answered HTTP " + o.GivenUp.Asked.JSON(); {
		case host.NotThere(int(status)) && isActive(o.GivenUp.Settled.Body):
			j.Violates(openwop.OWP0097C6, o.GivenUp.Asked, why)
		case status/100 != 2:
			j.Block(why, "let a goal that is active be abandoned")
		}
		o.GivenUp.check(j, openwop.OWP0097C8, dialect.GoalStateAbandoned)
	}),
}

// The first example of RFC 0097.
var satisfiedScheduleDisarms = scenarios.Scenario{
	ID:     "openwop/goal-completion/satisfied-disarms-schedule",
	Title:  "a goal on a schedule that its judge finds satisfied fires no run any more, while others on its schedule do",
	Proves: scenarios.IDs{openwop.OWP0097G1},
	Claim:  claims.GoalsSchedule,
	Ask: scenarios.Ask(goalOnSchedule, func(o GoalScheduleObservation, j *scenarios.Judge) {
		given(o.Satisfied.Goal, j)
		host.SeamAnswered(j, o.Satisfied.Asked, o.Satisfied.Goal.Path+"/{id}/tick")
		o.givenOthersActive(j)
		o.Satisfied.check(j, openwop.OWP0097G1, dialect.GoalStateSatisfied)
	}),
}

// What unblocks a goal that does not move. A host may keep an armRef that it cannot read, and may be slow to fire for
// want of room.
const (
	takeArms = "take this form of armRef (docs/seams.md)"
	goOn     = "let a goal go on beside others that have the same armRef"
)

// fires blocks the judge if the goals go on by the host's own schedule, and seldom.
func (o GoalScheduleObservation) fires(j *scenarios.Judge) {
	if o.TooSlow {
		j.Block("a goal of mode schedule with an armRef of ours is refused, and the host's own schedule fires too seldom to be watched", takeArms)
	}
}

// givenOthersActive blocks the judge unless the goals beside the ended ones moved on.
func (o GoalScheduleObservation) givenOthersActive(j *scenarios.Judge) {
	given(o.Beside, j)
	o.fires(j)
	j.Reach(o.Going, takeArms)
	if o.outran() {
		o.blockOutran(j)
	}
	j.Reach(o.After, goOn)
}

func (d GoalDisarmed) check(j *scenarios.Judge, id scenarios.RequirementID, state dialect.GoalState) {
	if !j.Check(id, d.Ended).To(check.Reached()) {
		return
	}
	showsRuns(j, d.Settled.Body)
	j.Check(id, stateShown(d.Later)).To(check.Equal(state), "state when others had gone on")
	j.Check(id, runsOf(d.Later.Body)).To(check.SameAs(runsOf(d.Settled.Body)), "contributing runs when others had gone on")
}

// check follows a goal that fires its own runs through a pause and to its end.
func (o GoalAloneObservation) check(j *scenarios.Judge, fires scenarios.RequirementID) {
	given(o.Goal, j)
	given(o.Beside, j)
	if !j.Check(fires, o.Going).To(check.Reached()) {
		return
	}
	if o.Along.What != "" && !j.Check(fires, o.Along).To(check.Reached()) {
		return
	}
	showsRuns(j, o.Going.Last)
	permitted(o.Paused, j, "pause a goal")
	if o.outran() {
		o.blockOutran(j)
		return
	}
	j.Check(openwop.OWP0097C5, o.Paused.Status).To(check.Status(2), "pause")
	j.Reach(o.Meanwhile, goOn)
	j.Check(openwop.OWP0097C5, runsOf(o.Held.Body)).To(check.SameAs(runsOf(o.Settled.Body)),
		"contributing runs of the paused goal after two runs of another one")
	permitted(o.Resumed.Reply, j, "resume a goal")
	if !j.Check(openwop.OWP0097C5, stateShown(o.Resumed.After)).To(check.Equal(dialect.GoalStateActive), "state after resume") ||
		!j.Check(o.ends(fires), o.Ended).To(check.Reached()) {
		return
	}
	j.Reach(o.After, goOn)
	j.Check(openwop.OWP0097E4, stateShown(o.Later)).To(check.Equal(dialect.GoalStateBoundExceeded), "state at the end")
	checkRuns(j, openwop.OWP0097E4, o.Later.Body, o.Bound)
}

// check expects no run of a goal that is escalated, whatever moved another one. Its stuck run may be listed a moment later.
func (o GoalArmedStuck) check(j *scenarios.Judge) {
	if !o.Others.Reached || !host.Succeeded(o.Later.Status) {
		return
	}
	const when = "of a goal that waits for a person, after two runs of another one"
	before, later := runsOf(o.Before).Items(), runsOf(o.Later.Body)
	most := len(before)
	if !slices.ContainsFunc(before, func(id wire.Value) bool { return id.String() == o.Child.ID }) {
		most++
	}
	j.Check(openwop.OWP0097E8, stateShown(o.Later)).To(check.Equal(dialect.GoalStateEscalated), "state %s", when)
	if later.Present() { // a goal need not list them
		j.Check(openwop.OWP0097E8, later).To(host.NoMoreThan(most), "contributing runs %s", when)
	}
}

// ends returns the requirement that a goal violates by not ending: the bound, if the goal has reached it.
func (o GoalAloneObservation) ends(fires scenarios.RequirementID) scenarios.RequirementID {
	if runCount(o.Ended.Last) < o.Bound {
		return fires
	}
	return openwop.OWP0097E4
}

func (o GoalAloneObservation) blockOutran(j *scenarios.Judge) {
	j.Block("the goal ended before it could be paused", "run again when the host answers faster")
}
