package model

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// stays is the sentence by which a goal in a state fires no run and keeps its state.
func (g Goal) stays() scenarios.RequirementID {
	switch g.State {
	case GoalSatisfied:
		return openwop.OWP0097G1
	case GoalExceeded:
		return openwop.OWP0097E4
	case GoalAbandoned:
		return openwop.OWP0097C6
	case GoalEscalated:
		return openwop.OWP0097E8
	}
	if g.Paused {
		return openwop.OWP0097C5
	}
	return openwop.OWP0097G2
}

// blame is the sentence that is broken where a goal shows this state in place of its own.
func (g Goal) blame(got string) scenarios.RequirementID {
	switch {
	case g.Last == CompleteGoal:
		return openwop.OWP0097C7
	case g.Last == ForceGoal:
		return openwop.OWP0097E2
	case g.Last == ForeignGoal && got == string(GoalAbandoned):
		return openwop.OWPISO4
	case got == string(GoalSatisfied), g.State == GoalSatisfied && g.Last == TickGoal:
		return openwop.OWP0097E1
	case g.State == GoalExceeded && g.Last != ResumeGoal && g.MaxCost > 0 && g.Cost > g.MaxCost:
		return openwop.OWP0097E5
	}
	return g.stays()
}

// read compares a read with the goal.
func (g Goal) read(s goalStep) (out []history.Miss) {
	if out = success(s.Out.Status, "the goal"); out != nil {
		return out
	}
	goal := s.Out.Body
	out = append(g.shown(s, goal), g.runsShown(goal)...)
	verdict := goal.At("/completion/lastVerdict")
	said, has := verdict.Key("satisfied").Actual().(bool)
	of := verdict.Key("runId")
	switch {
	case g.Runs == 0:
		return append(out, whether(!verdict.Key("runId").Present() && !has, openwop.OWP0097C3, verdict, "no verdict before the first run")...)
	case g.Runs > mostGoalRuns:
		return out
	case !has:
		return append(out, missOf(openwop.OWP0097C3, verdict, "the last verdict"))
	case said != g.Verdict:
		out = append(out, missOf(openwop.OWP0097E1, verdict, "the verdict satisfied %t", g.Verdict))
	}
	// A judge may be as sure as it likes, most likely of a round number, but not just as it was of an earlier run.
	sure := verdict.Key("confidence")
	stale := g.Sure < 0 && g.FormerSure%5 != 0 && dollars(sure) == float64(g.FormerSure)/100
	out = append(out, whether(!stale, openwop.OWP0097C3, sure, "no confidence: it is that of an earlier verdict")...)
	return append(out, whether(g.names(g.Runs-1, of), openwop.OWP0097E9, of, "the run %s, which was judged last", g.Named[g.Runs-1])...)
}

// shown compares what lists and reads show of a goal.
func (g Goal) shown(s goalStep, goal wire.Value) (out []history.Miss) {
	state := goal.Key("state")
	// No text says in which state a goal is that was escalated and resumed: it fires no run until somebody has answered.
	if got := state.String(); got != string(g.State) && (g.State != GoalEscalated || got != string(GoalActive)) {
		out = append(out, missOf(g.blame(got), state, "the state %s", g.State))
	}
	if objective := goal.Key("objective"); objective.String() != s.Out.Objectives[g.Objective] {
		of := scenarios.RequirementID(openwop.OWP0097C4)
		if text := objective.String(); text != "" && text == s.Out.Objectives[ForeignObjective] {
			of = openwop.OWPISO4
		}
		out = append(out, missOf(of, objective, "the objective %q", s.Out.Objectives[g.Objective]))
	}
	bounds := goal.Key("bounds")
	if n, _ := bounds.Key("maxLoopIterations").Int(); n != int64(g.MaxRuns) {
		out = append(out, missOf(openwop.OWP0097B1, bounds, "a bound of %d runs", g.MaxRuns))
	}
	if dollars(bounds.Key("maxCostUsd")) != float64(g.MaxCost)/1000 {
		out = append(out, missOf(openwop.OWP0097B1, bounds, "a bound of $%g", float64(g.MaxCost)/1000))
	}
	if check := goal.At("/completion/check"); check.String() != s.Out.Check {
		out = append(out, missOf(openwop.OWP0097B2, check, "the judge %s", s.Out.Check))
	}
	if mode := goal.At("/continuation/mode"); mode.Present() && mode.String() != s.Out.Mode {
		out = append(out, missOf(openwop.OWP0097B3, mode, "the mode %s", s.Out.Mode))
	}
	if tenant := goal.At("/owner/tenant"); tenant.String() == "" {
		out = append(out, missOf(openwop.OWP0097B4, tenant, "the tenant that owns it"))
	}
	return out
}

// dollars reads an amount; none is 0.
func dollars(v wire.Value) float64 {
	n, _ := v.Actual().(json.Number)
	f, _ := n.Float64()
	return f
}

// runsShown compares the runs that a goal shows. The run that got stuck was not judged, and may be one of them.
func (g Goal) runsShown(goal wire.Value) (out []history.Miss) {
	list, count := goal.At("/progress/contributingRunIds"), goal.At("/progress/iterations")
	if n, ok := count.Int(); ok && n != int64(g.Runs) && !(g.wasStuck() && n == int64(g.Runs)+1) {
		out = append(out, missOf(g.stays(), count, "%d iterations", g.Runs))
	}
	if !list.Present() && g.Runs == 0 {
		return out
	}
	ids := list.Items()
	if len(ids) != g.Runs && !(g.wasStuck() && len(ids) == g.Runs+1) {
		of := g.stays()
		if !list.Present() {
			of = openwop.OWP0097C3
		}
		return append(out, missOf(of, list, "%d runs", g.Runs))
	}
	for _, named := range g.Named[:min(g.Runs, mostGoalRuns)] {
		if named != "" && !slices.ContainsFunc(ids, func(v wire.Value) bool { return v.String() == named }) {
			return append(out, missOf(openwop.OWP0097E10, list, "the run %s, which the tick named", named))
		}
	}
	return out
}

// names reports whether a value is the i-th of the runs that were judged. Of a tick whose reply was lost nobody knows the run.
func (g Goal) names(i int, run wire.Value) bool {
	return g.Named[i] == "" && run.Present() || run.String() == g.Named[i]
}

// wasStuck reports whether a run of the goal got stuck, which nobody answers here.
func (g Goal) wasStuck() bool { return g.State == GoalEscalated || g.State == GoalAbandoned }

// listed compares a list with the goal.
func (g Goal) listed(s goalStep) (out []history.Miss) {
	if out = success(s.Out.Status, "the list"); out != nil {
		return out
	}
	list := s.Out.Body.Key("goals")
	asked := GoalState("")
	if s.In.N > 0 {
		asked = GoalStates[s.In.N-1]
	}
	found := false
	for _, e := range list.Items() {
		if state := e.Key("state"); asked != "" && state.Present() && state.String() != string(asked) {
			return []history.Miss{missOf("", state, "goals that are %s", asked)}
		}
		if e.Key("id").String() == s.Out.ID {
			found = true
			for _, m := range g.shown(s, e) {
				out = append(out, m)
			}
		}
	}
	if want := asked == "" || asked == g.State; g.State != GoalEscalated && want != found {
		of := scenarios.RequirementID("")
		if got := s.Out.Now.Key("state").String(); got != "" && got != string(g.State) { // the list is right about that
			of = g.blame(got)
		}
		out = append(out, missOf(of, list, "the goal in it: %t", want))
	}
	return out
}

// trail compares the events of a goal, where they can be read.
func (g Goal) trail(s goalStep) (out []history.Miss) {
	if s.Out.Silent {
		return nil
	}
	if now := g.read(goalStep{In: s.In, Out: GoalSaw{Status: s.Out.Status, Body: s.Out.Now, Objectives: s.Out.Objectives, Check: s.Out.Check,
		Mode: s.Out.Mode}}); len(now) > 0 && s.Out.Now.Present() {
		return now // it is the goal that is otherwise
	}
	for i, e := range s.Out.Evaluated {
		if n, ok := e.At("/payload/iterations").Int(); !ok || n != int64(i+1) {
			out = append(out, missOf(openwop.OWP0097D1, e, "evaluation %d", i+1))
		}
		if run := e.At("/payload/runId"); i < min(g.Runs, mostGoalRuns) && !g.names(i, run) {
			out = append(out, missOf(openwop.OWP0097E9, run, "the run %s", g.Named[i]))
		}
	}
	if n := len(s.Out.Evaluated); n == 0 { // they may stand elsewhere (OWP-R104)
	} else if n != g.Runs {
		out = append(out, missOf(openwop.OWP0097D1, s.Out.Body, "%d evaluations", g.Runs))
	} else {
		last := s.Out.Evaluated[n-1].At("/payload/satisfied")
		out = append(out, whether(last.Actual() == g.Verdict, openwop.OWP0097D1, last, "the verdict satisfied %t", g.Verdict)...)
	}
	return append(out, g.closedAs(s)...)
}

// closedAs compares how the end of the goal is told. That an escalated or an abandoned one is told as closed, no text says.
func (g Goal) closedAs(s goalStep) (out []history.Miss) {
	closed := s.Out.Closed
	switch g.State {
	case GoalActive:
		return whether(len(closed) == 0, openwop.OWP0097D3, s.Out.Body, "no end of an active goal")
	case GoalSatisfied, GoalExceeded:
		switch len(closed) {
		case 0: // it may stand elsewhere (OWP-R104)
			return nil
		case 1:
		default:
			return []history.Miss{missOf(openwop.OWP0097D3, s.Out.Body, "one end")}
		}
		of := scenarios.RequirementID(openwop.OWP0097D3)
		if g.State == GoalExceeded {
			of = openwop.OWP0097E7
		}
		final := closed[0].At("/payload/finalState")
		return whether(final.String() == string(g.State), of, final, "the end %s", g.State)
	}
	return nil
}

// conflicts: a host may take one tick at a time.
func conflicts(_ Goal, s goalStep) []history.Miss {
	if !s.Out.Beside {
		return []history.Miss{missOf("", s.Out.Status, "success: no other tick is under way")}
	}
	return refusal(s.Out.Status, 409, 429)
}
