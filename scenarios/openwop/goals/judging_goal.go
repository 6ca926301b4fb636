package goals

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// given blocks a judge that needs an active goal as its setup.
func given(m host.GoalMade, j *scenarios.Judge) {
	exists(m, j)
	switch state := stateShown(m.Fresh); {
	case madeActive(m):
	case m.Fresh.Body.Key("id").Present() && state.String() == "":
		j.Violates(openwop.OWP0097B1, state, "setup failed: the new goal is served without a state: it is "+state.JSON())
	default:
		j.Block("setup failed: the new goal is not active: its state is "+state.JSON(), "have a goal that is made be active")
	}
}

// exists is like given, but ignores the state of the goal. A host may refuse a goal, for want of room or of what its
// continuation needs.
func exists(m host.GoalMade, j *scenarios.Judge) {
	switch {
	case !host.Succeeded(m.Created.Status) || m.ID == "":
		j.Block("setup failed: making the goal was answered with HTTP "+m.Created.Status.JSON()+" and id "+m.Created.Body.Key("id").JSON(),
			"make goals of the judge and the continuations that are advertised, and answer with their ids")
	case !host.Succeeded(m.Fresh.Status):
		j.Violates(openwop.OWP0097C3, m.Fresh.Status, "setup failed: the goal cannot be read by its id: HTTP "+m.Fresh.Status.JSON())
	}
}

// answered blocks the judge if the seam failed or refused to tick an active goal.
func (t GoalTick) answered(j *scenarios.Judge, path string) {
	host.SeamAnswered(j, t.Status, path+"/{id}/tick")
}

// given blocks the judge unless the ticks took effect.
func (o GoalObservation) given(j *scenarios.Judge) {
	o.driven(j)
	showsRuns(j, o.shown())
}

// driven is like given, but ignores the listed runs.
func (o GoalObservation) driven(j *scenarios.Judge) {
	given(o.Goal, j)
	for _, t := range o.Ticks {
		t.answered(j, o.Goal.Path)
	}
}

// showsRuns blocks a judge that counts runs unless the goal lists them. It accepts a goal without runs.
func showsRuns(j *scenarios.Judge, goal wire.Value) {
	n, counts := iterationsOf(goal).Int()
	progress := goal.Key("progress")
	switch why := "setup failed: the goal does not show its contributing runs, progress is " + progress.JSON(); {
	case host.IsList(runsOf(goal)) || counts && n == 0:
	case stateOf(goal).Present() && !progress.Present():
		j.Violates(openwop.OWP0097C3, progress, why)
	default: // a goal need not list them
		j.Block(why, "have a goal show its contributing runs, as progress.contributingRunIds")
	}
}

// shown returns the goal as last read.
func (o GoalObservation) shown() wire.Value {
	if o.Still.Later.Body.Present() {
		return o.Still.Later.Body
	}
	if len(o.Ticks) > 0 {
		return o.Ticks[len(o.Ticks)-1].Shown.Last
	}
	return o.Goal.Fresh.Body
}

// ended blocks a judge that needs an ended goal as its setup. A host whose seam decides by itself how a run is judged
// violates nothing: only the goal's own words do.
func (o GoalObservation) ended(j *scenarios.Judge, state dialect.GoalState) {
	goal := o.shown()
	got, verdict := stateOf(goal), goal.At("/completion/lastVerdict/satisfied").Actual()
	if got.String() == string(state) && len(o.Ticks) == o.Runs {
		return
	}
	why := fmt.Sprintf("setup failed: the goal should become %s with run %d: after run %d its state is %s", state, o.Runs, len(o.Ticks),
		got.JSON())
	switch {
	case isActive(goal) && verdict == true:
		j.Violates(openwop.OWP0097G1, got, why+", and its last verdict that it is satisfied")
	case got.String() == string(dialect.GoalStateSatisfied) && verdict == false && runCount(goal) == len(o.Ticks):
		j.Violates(openwop.OWP0097E1, got, why+", and its last verdict that it is not satisfied")
	case isActive(goal) && state == dialect.GoalStateBoundExceeded && runCount(goal) >= o.Runs:
		j.Violates(openwop.OWP0097E4, got, why+", and it counts the runs of its bound")
	}
	j.Block(why, "have the seam that ticks a goal take the verdict, or the escalation, that it is sent (docs/seams.md)")
}

// givenStill blocks a judge of the runs of a satisfied goal if that continued after its end. A goal may list its last
// run a moment after it has ended.
func (o GoalObservation) givenStill(j *scenarios.Judge) {
	runs := runsOf(o.shown())
	before, after := len(runsOf(o.Ticks[len(o.Ticks)-1].Shown.Last).Items()), len(runs.Items())
	if after > max(before, o.Runs) {
		j.Violates(openwop.OWP0097G1, runs, fmt.Sprintf("setup failed: the goal continued after its end: it had %d runs and now shows %d",
			before, after))
	}
}

// goalRows holds the requirement for each phase of a goal.
type goalRows struct{ active, end, still scenarios.RequirementID }

// checkEnd checks the end of a goal: active up to its last run, ended by that run,
// and still afterwards.
func (o GoalObservation) checkEnd(j *scenarios.Judge, rows goalRows, state dialect.GoalState) bool {
	return o.checkTicks(j, rows.active, rows.end, state) &&
		o.Still.check(j, rows.still, o.Goal.Path, o.Ticks[len(o.Ticks)-1].Shown.Last, state)
}

// checkTicks expects the goal to be active up to its last run and ended by it.
func (o GoalObservation) checkTicks(j *scenarios.Judge, active, end scenarios.RequirementID, state dialect.GoalState) bool {
	for i, t := range o.Ticks {
		id, want := active, dialect.GoalStateActive
		if i == o.Runs-1 {
			id, want = end, state
		}
		if !j.Check(id, t.Shown).To(check.Reached()) || !j.Check(id, stateOf(t.Shown.Last)).To(check.Equal(want),
			"state after run %d of %d", i+1, o.Runs) {
			return false
		}
	}
	return true
}

// check expects an unchanged goal in the given state after the ticks.
func (s GoalStill) check(j *scenarios.Judge, id scenarios.RequirementID, path string, before wire.Value, state dialect.GoalState) bool {
	ok := j.Check(id, stateShown(s.Later)).To(check.Equal(state), "state after more ticks and a quiet window of %s", s.Window)
	return s.checkRuns(j, id, path, before) && ok
}

// checkRuns expects no runs while the goal had to stay still.
func (s GoalStill) checkRuns(j *scenarios.Judge, id scenarios.RequirementID, path string, before wire.Value) bool {
	after := s.Later.Body
	ok := j.Check(id, runsOf(after)).To(check.SameAs(runsOf(before)), "contributing runs after more ticks and a quiet window of %s", s.Window)
	ok = j.Check(id, iterationsOf(after)).To(check.SameAs(iterationsOf(before)), "iterations after more ticks") && ok
	ok = j.Check(id, s.strays()).To(check.Len(0), "runs that a tick named and that the goal does not show") && ok
	for _, t := range s.Ticks {
		if code, _ := t.Status.Int(); code >= 500 && !host.NotThere(int(code)) { // a refusal is right, a crash proves nothing
			j.Part(func() { t.answered(j, path) })
			return false
		}
	}
	return ok
}

func (s GoalStill) strays() wire.Found {
	f := wire.Found{In: runsOf(s.Later.Body).Ref()}
	for _, c := range s.Strays {
		f.Values = append(f.Values, c.Snapshot)
	}
	return f
}

// check expects an ended goal not to continue.
func (r GoalRevival) check(j *scenarios.Judge, edit, still scenarios.RequirementID, path string, before wire.Value,
	state dialect.GoalState) {
	after := r.Still.Later.Body
	j.Check(edit, after.Key("objective")).To(check.SameAs(before.Key("objective")), "objective after an edit")
	r.Still.check(j, still, path, before, state)
	for _, ask := range []struct {
		name  string
		reply host.GoalReply
	}{{"edit", r.Edited}, {"resume", r.Resumed}} {
		if host.Succeeded(ask.reply.Status) {
			j.Find("", "the %s of a goal that is %s is answered HTTP %s (OWP-R27)", ask.name, state, ask.reply.Status.JSON())
		}
		ask.reply.TellRefusal(j, "", "the "+ask.name+" of a goal that has ended")
	}
}

// permitted blocks the judge if the credential may not make the call.
func permitted(r host.GoalReply, j *scenarios.Judge, what string) {
	if r.Forbidden() {
		j.Block("the host does not permit us to "+what+": HTTP "+r.Status.JSON(), host.GiveGoalsKey)
	}
}

// listed returns the entries of a list that are one of these goals: by id, or by a word of
// the objective if the host issued no id.
func listed(r host.GoalReply, goals ...host.GoalMade) wire.Found {
	in := r.Body.Key("goals")
	return wire.Found{Values: in.Items(), In: in.Ref()}.Where(func(g wire.Value) bool {
		return slices.ContainsFunc(goals, func(m host.GoalMade) bool {
			return m.ID != "" && g.Key("id").String() == m.ID || namedIn(m, g.Key("objective").String())
		})
	})
}

// active returns the entries of a list that are active goals, whoever made them.
func active(r host.GoalReply) wire.Found {
	in := r.Body.Key("goals")
	return wire.Found{Values: in.Items(), In: in.Ref()}.Where(isActive)
}

// readable blocks the judge unless the list can be read.
func readable(r host.GoalReply, j *scenarios.Judge) {
	switch why := "setup failed: the goals cannot be listed: HTTP " + r.Status.JSON() + " with " + r.Body.JSON(); {
	case !host.Succeeded(r.Status):
		j.Violates(openwop.OWP0097C2, r.Status, why)
	case !host.IsList(r.Body.Key("goals")): // the text does not say what a list looks like
		j.Block(why, "list the goals as the member goals of an object")
	}
}

// in blocks the judge if the list of goals in one state holds a goal in another.
func in(r host.GoalReply, j *scenarios.Judge, state dialect.GoalState) {
	for _, g := range r.Body.Key("goals").Items() {
		if got := stateOf(g); got.Present() && got.String() != string(state) {
			j.Violates(openwop.OWP0097C2, got, "setup failed: the list of goals in state "+string(state)+" holds one in state "+got.JSON())
		}
	}
}

// words returns the words of the objective that only this drive knows.
func words(m host.GoalMade) []string {
	return slices.DeleteFunc(strings.Fields(m.Objective), func(w string) bool { return len(w) < 12 })
}

func namedIn(m host.GoalMade, text string) bool {
	return slices.ContainsFunc(words(m), func(w string) bool { return strings.Contains(text, w) })
}

// withoutTextOf expects no word of the objective anywhere in the value.
func withoutTextOf(m host.GoalMade) check.Matcher {
	return check.That("no text of the objective", func(v any) bool {
		raw, err := json.Marshal(v)
		return err == nil && !namedIn(m, string(raw))
	})
}

// boundedObject expects at least one bound in an object of bounds.
func boundedObject() check.Matcher {
	return check.That("at least one bound", hasBound)
}

// hasBound reports whether the bounds of a goal hold one.
func hasBound(v any) bool {
	bounds, _ := v.(map[string]any)
	return bounds["maxLoopIterations"] != nil || bounds["runTimeoutMs"] != nil || bounds["maxCostUsd"] != nil
}

// seen blocks the judge unless the events can be read somewhere, and records
// the weakest evidence for them.
func seen(j *scenarios.Judge, all ...goalEvents) {
	weakest := slices.MinFunc(all, func(a, b goalEvents) int { return cmp.Compare(a.Evidence, b.Evidence) }).Evidence
	if weakest == scenarios.Unseen {
		j.Block("no log of the goal, no log of its runs and no reply to its ticks shows the events of the goal",
			"serve the log of a goal, or put its events into the replies to its ticks (docs/seams.md)")
	}
	j.SeenAs(weakest)
}

// checkRuns expects the goal to list n runs and to count them.
func checkRuns(j *scenarios.Judge, id scenarios.RequirementID, goal wire.Value, n int) {
	j.Check(id, iterationsOf(goal)).To(check.Equal(n), "progress.iterations")
	j.Check(id, runsOf(goal)).To(check.Len(n), "contributing runs")
	j.Check(id, runsOf(goal)).To(check.Distinct(), "ids of the contributing runs")
}

// checkCost expects the last run of the goal, and none before it, to cross its bound of cost.
func (o GoalObservation) checkCost(j *scenarios.Judge) {
	o.given(j)
	o.checkEnd(j, goalRows{openwop.OWP0097E5, openwop.OWP0097E5, openwop.OWP0097E5}, dialect.GoalStateBoundExceeded)
	j.Check(openwop.OWP0097E5, runsOf(o.shown())).To(check.Len(o.Runs), "contributing runs")
}

// checkBare expects a verdict without a confidence not to be shown with that of the verdict before it.
func (o GoalObservation) checkBare(j *scenarios.Judge) {
	if o.Bare == 0 || o.Bare > len(o.Ticks) {
		return
	}
	verdict := func(run int) wire.Value { return o.Ticks[run-1].Shown.Last.At("/completion/lastVerdict") }
	before, now := verdict(o.Bare-1), verdict(o.Bare)
	if before.Key("confidence").Present() && now.Key("confidence").Present() && now.Key("runId").JSON() != before.Key("runId").JSON() {
		was := before.Key("confidence").JSON()
		j.Check(openwop.OWP0097C3, now.Key("confidence")).To(check.That("not that of the verdict before it, which is "+was, func(v any) bool {
			return wire.Compact(v) != was
		}), "confidence of a verdict that has none, after run %d", o.Bare)
	}
}
