// Package goals asks how standing goals are made, judged, continued, bounded and closed.
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

// BoundsSuite asks who may end a standing goal, and where the goal stops at the latest.
func BoundsSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "goal-bounds", Title: "standing goals: judged by the host alone, and stopped at their bounds",
		Scenarios: []scenarios.Scenario{
			goalsWellFormed, boundsRequired, createdAsAsked, misfitsNotKept, clientCannotSatisfy, abandonedStaysAbandoned,
			stopsAtBound, closedAtBound, exceededStaysExceeded, tickedAtOnce, costBound, deadlineBound,
			satisfiedDisarms, evaluatedAndClosed, evaluationsAttributed, runsOfTheGoal, contentFree,
			pauseHalts, escalationHalts,
		},
	}
}

// RFC 0097 A.
var goalsWellFormed = scenarios.Scenario{
	ID:     "openwop/goal-bounds/block-well-formed",
	Title:  "the advertised block says who judges a goal and by what it goes on",
	Proves: scenarios.IDs{openwop.OWP0097A1},
	Claim:  claims.Goals,
	Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
		block := claims.GoalsBlock(d)
		j.Check(openwop.OWP0097A1, block.Key("judge")).To(check.OneOf("verifier", "host"), "judge")
		j.Check(openwop.OWP0097A1, block.Key("continuation")).To(modes(), "continuation")
		if host.IsList(block.Key("continuation")) && len(block.Key("continuation").Items()) == 0 {
			j.Block("the list of continuations is empty, so it does not say by what a goal goes on", "list at least one continuation")
		}
	}),
}

// modes expects a list of continuation modes without duplicates.
func modes() check.Matcher {
	return check.That("a list of schedule, commitment, heartbeat and manual, none twice", func(v any) bool {
		list, ok := v.([]any)
		for i, e := range list {
			mode, isText := e.(string)
			ok = ok && isText && dialect.GoalContinuationMode(mode).Valid() && !slices.Contains(list[:i], e)
		}
		return ok
	})
}

// RFC 0097 C and E. An empty object of bounds declares none.
var boundsRequired = scenarios.Scenario{
	ID:     "openwop/goal-bounds/bounds-required",
	Title:  "a goal without a bound is refused with 422 and is not there after; with a bound it is made",
	Proves: scenarios.IDs{openwop.OWP0097A2, openwop.OWP0097C1, openwop.OWP0097E3},
	Claim:  claims.GoalsBounded,
	Ask: scenarios.Ask(goalsUnbounded, func(o GoalUnboundedObservation, j *scenarios.Judge) {
		given(o.Bounded, j)
		for _, refused := range []struct {
			what string
			made host.GoalMade
		}{{"a goal without bounds", o.Unbounded}, {"a goal with empty bounds", o.Empty}} {
			j.Check(openwop.OWP0097C1, refused.made.Created.Status).To(check.Status(422), "%s", refused.what)
			refused.made.Created.TellRefusal(j, "", refused.what)
		}
		readable(o.All, j)
		readable(o.Active, j)
		for _, goals := range []host.GoalReply{o.All, o.Active} {
			if len(listed(goals, o.Bounded).Values) == 0 {
				j.Block("setup failed: the goal with a bound is not listed, so the others may be hidden too",
					"list every goal, or the latest first")
			}
			j.Check(openwop.OWP0097A2, listed(goals, o.Unbounded, o.Empty)).To(check.Len(0), "goals in the list that were asked for without a bound")
		}
		j.Check(openwop.OWP0097E3, listed(o.Active, o.Bounded, o.Unbounded, o.Empty).Each("/bounds")).To(check.Each(boundedObject()),
			"bounds of our active goals")
		unbounded := active(o.Active).Where(func(goal wire.Value) bool { return !hasBound(goal.Key("bounds").Actual()) })
		j.Check(openwop.OWP0097E3, unbounded).To(check.Len(0), "active goals in the list without a bound, whoever made them")
	}),
}

// RFC 0097 B and C.
var createdAsAsked = scenarios.Scenario{
	ID:    "openwop/goal-bounds/created-as-asked",
	Title: "a goal is made as it was asked for, and is read and listed as what it is",
	Proves: scenarios.IDs{openwop.OWP0097B1, openwop.OWP0097B2, openwop.OWP0097B3, openwop.OWP0097B4,
		openwop.OWP0097C2, openwop.OWP0097C3},
	Claim: claims.Goals,
	Ask: scenarios.Ask(goalCreated, func(o GoalCreatedObservation, j *scenarios.Judge) {
		made, asked := o.Goal, o.Asked
		if !j.Check(openwop.OWP0097B1, made.Created.Status).To(check.Status(200, 201), "a goal with bounds") ||
			!j.Check(openwop.OWP0097B1, made.Created.Body.Key("id")).To(check.Text(), "id of the goal") ||
			!j.Check(openwop.OWP0097C3, made.Fresh.Status).To(check.Status(200), "the goal, read under its id") {
			return
		}
		g := made.Fresh.Body
		j.Check(openwop.OWP0097B1, g.Key("id")).To(check.Equal(made.ID), "id")
		j.Check(openwop.OWP0097B1, g.Key("objective")).To(check.Equal(asked.Objective), "objective")
		j.Check(openwop.OWP0097B1, g.Key("state")).To(check.Equal(dialect.GoalStateActive), "state")
		j.Check(openwop.OWP0097B1, g.At("/bounds/maxLoopIterations")).To(check.Equal(*asked.Bounds.MaxLoopIterations), "bounds.maxLoopIterations")
		j.Check(openwop.OWP0097B1, g.At("/bounds/maxCostUsd")).To(check.Equal(*asked.Bounds.MaxCostUSD), "bounds.maxCostUsd")
		j.Check(openwop.OWP0097B1, g.Key("createdAt")).To(host.Timestamp(), "createdAt")
		j.Check(openwop.OWP0097B2, g.At("/completion/check")).To(check.Equal(asked.Completion.Check), "completion.check")
		if continuation := g.Key("continuation"); continuation.Present() {
			j.Check(openwop.OWP0097B3, continuation.Key("mode")).To(check.Equal(asked.Continuation.Mode), "continuation.mode")
		} else { // OWP-R27
			j.Check(openwop.OWP0097B3, continuation).To(check.Absent())
			j.Find("", "the goal shows no continuation, which its schema requires (OWP-R27)")
		}
		j.Check(openwop.OWP0097B4, g.At("/owner/tenant")).To(check.Text(), "owner.tenant")
		for _, name := range []string{"id", "objective", "state", "bounds", "owner", "createdAt"} {
			if told := made.Created.Body.Key(name); told.Present() {
				j.Check(openwop.OWP0097C3, g.Key(name)).To(check.SameAs(told), "%s, read again", name)
			} else {
				j.Find("", "the reply that makes the goal does not show its %s", name)
			}
		}
		j.Check(openwop.OWP0097C3, iterationsOf(g)).To(check.Equal(0), "progress.iterations before the first run")
		j.Check(openwop.OWP0097C3, runsOf(g)).To(check.OneOf(nil, []any{}), "progress.contributingRunIds before the first run")
		j.Check(openwop.OWP0097C3, g.At("/completion/lastVerdict")).To(check.Equal(nil), "completion.lastVerdict before the first run")
		j.Check(openwop.OWP0097C3, o.Stranger).To(check.Status(4), "a goal id that was never given out")
		o.checkLists(j)
	}),
}

// RFC 0097 B does not require a host to refuse an invalid goal. It does forbid serving one.
var misfitsNotKept = scenarios.Scenario{
	ID:     "openwop/goal-bounds/misfits-not-kept",
	Title:  "no goal is served with a judge or a continuation that nobody knows, nor with bounds that cannot be, whatever was asked for",
	Proves: scenarios.IDs{openwop.OWP0097B2, openwop.OWP0097B3, openwop.OWP0097B5},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalMisfits, func(o GoalMisfitsObservation, j *scenarios.Judge) {
		given(o.Control, j)
		// OWP-R27: it may be omitted
		judges, modes := check.OneOf("verifier", "host"), check.OneOf(nil, "schedule", "commitment", "heartbeat", "manual")
		j.Check(openwop.OWP0097B2, o.Control.Fresh.Body.At("/completion/check")).To(judges, "completion.check of a goal as it can be")
		j.Check(openwop.OWP0097B3, o.Control.Fresh.Body.At("/continuation/mode")).To(modes, "continuation.mode of a goal as it can be")
		j.Check(openwop.OWP0097B5, o.Control.Fresh.Body.Key("bounds")).To(BoundsThatCanBe(), "bounds of a goal as it can be")
		for _, kind := range []struct {
			id      scenarios.RequirementID
			asked   []GoalMisfit
			pointer string
			fits    check.Matcher
		}{
			{openwop.OWP0097B2, o.Judges, "/completion/check", judges},
			{openwop.OWP0097B3, o.Modes, "/continuation/mode", modes},
			{openwop.OWP0097B5, o.Bounds, "/bounds", BoundsThatCanBe()},
		} {
			for _, m := range kind.asked {
				m.check(j, kind.id, kind.pointer, kind.fits)
			}
		}
	}),
}

// check expects a goal that was made despite its invalid member to be served with a valid one.
func (m GoalMisfit) check(j *scenarios.Judge, id scenarios.RequirementID, pointer string, fits check.Matcher) {
	if m.Made.ID == "" {
		m.Made.Created.TellRefusal(j, "", "a goal "+m.What)
		return
	}
	if host.Succeeded(m.Made.Fresh.Status) && j.Check(id, m.Made.Fresh.Body.At(pointer)).To(fits, "%s of a goal %s", pointer[1:], m.What) {
		j.Find("", "a goal %s is made, and served with %s (OWP-R27)", m.What, m.Made.Fresh.Body.At(pointer).JSON())
	}
}

// BoundsThatCanBe expects bounds that satisfy the schema of a goal.
func BoundsThatCanBe() check.Matcher {
	return check.That("bounds of at least 1 whole run, 0 ms and a cost of 0", func(v any) bool {
		bounds, ok := v.(map[string]any)
		for name, least := range map[string]int64{"maxLoopIterations": 1, "runTimeoutMs": 0, "maxCostUsd": 0} {
			bound, given := bounds[name]
			if !given {
				continue
			}
			whole, isWhole := bound.(int64)
			size, isSize := bound.(float64)
			ok = ok && (isWhole && whole >= least || isSize && name == "maxCostUsd" && size >= 0)
		}
		return ok
	})
}

func (o GoalCreatedObservation) checkLists(j *scenarios.Judge) {
	for _, in := range []struct {
		what  string
		reply host.GoalReply
		n     int
	}{{"all goals", o.All, 1}, {"the goals that are active", o.Active, 1}, {"the goals that are satisfied", o.Satisfied, 0}} {
		if j.Check(openwop.OWP0097C2, in.reply.Status).To(check.Status(200), "the list of %s", in.what) {
			j.Check(openwop.OWP0097C2, listed(in.reply, o.Goal)).To(check.Len(in.n), "the new goal among %s", in.what)
		}
	}
}

// RFC 0097 C and E: the judge's verdict completes a goal, never a client's word.
var clientCannotSatisfy = scenarios.Scenario{
	ID:     "openwop/goal-bounds/client-cannot-satisfy",
	Title:  "no create, edit or call of a client makes a goal satisfied; what may be edited can be",
	Proves: scenarios.IDs{openwop.OWP0097C4, openwop.OWP0097C7, openwop.OWP0097E2},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalByWord, func(o GoalWordObservation, j *scenarios.Judge) {
		given(o.Goal, j)
		switch asserted := o.Asserted; {
		case asserted.ID == "":
			asserted.Created.TellRefusal(j, "", "a goal that is to be satisfied from the start")
		case j.Check(openwop.OWP0097E2, stateShown(asserted.Fresh)).To(check.Equal(dialect.GoalStateActive),
			"state of a goal that was asked for as satisfied"):
			j.Find("", "a goal requested as satisfied is made as active: the host silently dropped the state")
		}
		j.Check(openwop.OWP0097E2, o.Claimed.Reply.Status).To(check.Status(4), "an edit of the state to satisfied")
		j.Check(openwop.OWP0097E2, stateShown(o.Claimed.After)).To(check.Equal(dialect.GoalStateActive), "state after that edit")
		o.Claimed.Reply.TellRefusal(j, "", "an edit of the state to satisfied")
		j.Part(func() {
			readable(o.Satisfied, j)
			in(o.Satisfied, j, dialect.GoalStateSatisfied)
			j.Check(openwop.OWP0097E2, listed(o.Satisfied, o.Goal, o.Asserted)).To(check.Len(0), "our goals among those that are satisfied")
		})
		j.Check(openwop.OWP0097C7, o.Completed.Reply.Status).NotTo(check.Status(2), "a call to complete the goal")
		j.Check(openwop.OWP0097C7, stateShown(o.Completed.After)).To(check.Equal(dialect.GoalStateActive), "state after that call")
		permitted(o.Reworded.Reply, j, "edit a goal")
		permitted(o.Restated.Reply, j, "edit a goal")
		j.Check(openwop.OWP0097C4, o.Reworded.Reply.Status).To(check.Status(2), "an edit of the objective")
		j.Check(openwop.OWP0097C4, o.Reworded.After.Body.Key("objective")).To(check.Equal(o.Objective), "objective after that edit")
		j.Check(openwop.OWP0097C4, o.Restated.Reply.Status).To(check.Status(2), "an edit of completion and continuation")
	}),
}

// RFC 0097 C. Reviving an abandoned goal is not safe (OWP-R27).
var abandonedStaysAbandoned = scenarios.Scenario{
	ID:     "openwop/goal-bounds/abandoned-stays-abandoned",
	Title:  "an abandoned goal is abandoned, and neither resume nor edit bring it back or change it",
	Proves: scenarios.IDs{openwop.OWP0097C4, openwop.OWP0097C6},
	Claim:  claims.Goals,
	Ask: scenarios.Ask(goalAbandoned, func(o GoalAbandonedObservation, j *scenarios.Judge) {
		given(o.Goal, j)
		permitted(o.Abandon.Reply, j, "abandon a goal")
		j.Check(openwop.OWP0097C6, o.Abandon.Reply.Status).To(check.Status(2), "abandon")
		j.Check(openwop.OWP0097C6, stateShown(o.Abandon.After)).To(check.Equal(dialect.GoalStateAbandoned), "state after abandon")
		o.Revival.check(j, openwop.OWP0097C4, openwop.OWP0097C6, o.Goal.Path, o.Abandon.After.Body, dialect.GoalStateAbandoned)
		o.Stuck.checkGivenUp(j)
	}),
}
