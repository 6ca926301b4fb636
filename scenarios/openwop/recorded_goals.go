package openwop

import (
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// aiming is a request for goals, or for one, and what the host claims.
type aiming struct {
	asked
	bounded bool // goals have to have bounds
}

// aimings are the rules about single requests for goals.
var aimings = struct{ made, listed rule[aiming] }{
	rule[aiming]{"goal-made", scenarios.IDs{openwop.OWP0097A2, openwop.OWP0097C1, openwop.OWP0097E2},
		func(a aiming, j *scenarios.Judge) {
			members, ok := a.members()
			objective, _ := members["objective"].(string)
			completion, _ := members["completion"].(map[string]any)
			if a.op != dialect.CreateGoal || !ok || a.keyed() || objective == "" || completion == nil {
				return // there are other goals than those of the protocol
			}
			if bounds, isObject := members["bounds"].(map[string]any); a.bounded && len(bounds) == 0 && (isObject || members["bounds"] == nil) &&
				(a.Ok() || a.Code == http.StatusUnprocessableEntity) { // else it may be refused for something else
				j.Check(openwop.OWP0097C1, a.Status).To(check.Status(http.StatusUnprocessableEntity), "a goal without bounds, where they are required")
				j.Check(openwop.OWP0097A2, a.Body.Key("state")).NotTo(check.Equal("active"), "state of a goal without bounds")
			}
			if members["state"] == string(dialect.GoalStateSatisfied) {
				j.Check(openwop.OWP0097E2, a.Body.Key("state")).NotTo(check.Equal("satisfied"), "state of a goal that was asked for as satisfied")
			}
		}},
	rule[aiming]{"goals-listed", scenarios.IDs{openwop.OWP0097C2}, func(a aiming, j *scenarios.Judge) {
		state, list := a.Query["state"], a.Body.Key("goals")
		if a.op != dialect.ListGoals || !a.Ok() || len(state) != 1 || state[0] == "" || len(list.Items()) == 0 {
			return
		}
		shown := wire.Found{Values: list.Items(), In: list.Ref()}.Where(func(g wire.Value) bool { return g.Key("objective").Present() })
		if len(shown.Values) > 0 {
			j.Check(openwop.OWP0097C2, shown.Each("/state")).To(check.Each(check.Equal(state[0])),
				"state of the goals in a list of those that are %s", state[0])
		}
	}},
}

// aims is the rule about goals as they are read, and what logs tell of them.
var aims = rule[aimed]{"goal-told", scenarios.IDs{openwop.OWP0097D2, openwop.OWP0097E3, openwop.OWP0097E4, openwop.OWP0097E7,
	openwop.OWP0097E9}, func(g aimed, j *scenarios.Judge) {
	for _, shown := range g.shown {
		if bounds := shown.Body.Key("bounds"); g.bounded && shown.Body.Key("state").String() == "active" && bounds.Present() {
			j.Check(openwop.OWP0097E3, bounds).To(check.That("one or more", func(v any) bool {
				members, _ := v.(map[string]any)
				return len(members) > 0
			}), "bounds of an active goal, where they are required")
		}
		runs := shown.Body.At("/progress/contributingRunIds")
		if most, known := shown.Body.At("/bounds/maxLoopIterations").Int(); known && host.IsList(runs) && len(runs.Items()) > 0 {
			j.Check(openwop.OWP0097E4, runs).To(host.NoMoreThan(int(most)), "contributing runs of a goal with a bound of %d", most)
		}
	}
	last := g.shown[len(g.shown)-1]
	if text := last.Body.Key("objective").String(); len(text) >= leastObjective && !strings.Contains(text, "secret:") {
		for _, e := range append(slices.Clone(g.evaluated), g.closed...) {
			j.Check(openwop.OWP0097D2, e.Key("payload")).To(check.That("no text of the objective", func(v any) bool { return !host.Holds(v, text) }),
				"an event of a goal")
		}
	}
	// What is escalated may go on, and the log that tells how the goal was closed in the end may not be here.
	if closed := g.closed; last.Body.Key("state").String() == "bound-exceeded" && len(closed) > 0 &&
		closed[len(closed)-1].At("/payload/finalState").String() != "escalated" {
		j.Check(openwop.OWP0097E7, closed[len(closed)-1].At("/payload/finalState")).To(check.Equal("bound-exceeded"),
			"finalState of a goal that is so")
	}
	runs := last.Body.At("/progress/contributingRunIds")
	judged := map[string]bool{}
	for _, e := range g.evaluated {
		judged[e.At("/payload/runId").String()] = true
	}
	if known := runs.Items(); len(known) > 0 && len(known) >= len(judged) { // a goal may list a run a moment later
		for _, e := range g.evaluated {
			if g.before(e, last) {
				j.Check(openwop.OWP0097E9, e.At("/payload/runId")).To(check.That("one of the contributing runs", func(v any) bool {
					return slices.ContainsFunc(known, func(run wire.Value) bool { return run.String() == v })
				}), "run of goal.evaluated")
			}
		}
	}
}}

// leastObjective is the length from which on a text is not there by chance.
const leastObjective = 16

// aimed is a goal as it was read, and the events that logs of runs have of it.
type aimed struct {
	*traffic
	shown             []asked
	evaluated, closed wire.Values
	bounded           bool
}

func (t *traffic) judgeAims() {
	_, bounded := claims.GoalsBounded.Look(t.discovery)
	bounded = bounded && t.discovery.Document.Present()
	for _, x := range t.of(dialect.CreateGoal, dialect.ListGoals) {
		if x.decided() {
			aimings.made.hold(t.sights, x.Path, aiming{x, bounded})
			aimings.listed.hold(t.sights, x.Path, aiming{x, bounded})
		}
	}
	goals, order := map[string]*aimed{}, []string{}
	for _, x := range t.of(dialect.ReadGoal) {
		id := x.ids[1]
		if x.Code != http.StatusOK || x.Body.Key("id").String() != id || !x.Body.Key("completion").Present() {
			continue
		}
		if goals[id] == nil {
			goals[id], order = &aimed{traffic: t, bounded: bounded}, append(order, id)
		}
		goals[id].shown = append(goals[id].shown, x)
	}
	for _, run := range t.order {
		if t.runs[run].forked {
			continue
		}
		for _, e := range t.runs[run].last.OfType(dialect.GoalEvaluated, dialect.GoalClosed).Values {
			goals[e.At("/payload/goalId").String()].tell(e)
		}
	}
	for _, x := range t.of(dialect.ReadTrail) { // OWP-R104
		for _, e := range x.Body.Key("events").Items() {
			goals[e.At("/payload/goalId").String()].tell(e)
		}
	}
	for _, id := range order {
		aims.hold(t.sights, id, *goals[id])
	}
}

// tell adds an event of the goal. It does nothing for a goal that nobody read.
func (g *aimed) tell(e wire.Value) {
	switch {
	case g == nil:
	case host.IsA(dialect.GoalClosed)(e):
		g.closed = append(g.closed, e)
	case host.IsA(dialect.GoalEvaluated)(e):
		g.evaluated = append(g.evaluated, e)
	}
}
