package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// moved reports whether a turn takes its run anywhere.
func moved(t told) bool {
	switch t.seen.Did {
	case model.Asked, model.Completed, model.Escalated:
		return true
	case model.Retried:
		return t.host.Runs().Present() // else it is as the gateway has it (AL-R14)
	}
	return false
}

// resulting reports whether a turn was handed the result that is pending, and did not refuse it.
func resulting(t told) bool {
	return t.Rule == model.Matching || t.Rule == model.Fruitless && t.seen.Did != model.Refused
}

// run returns the id of the run that a turn is about.
func (t told) run() string {
	if t.Rule == nil {
		return t.seen.Run
	}
	return t.Before.ID
}

// goalOf matches the goal of a run. Blanks around it are no words.
func goalOf(t told) check.Matcher {
	want := strings.TrimSpace(t.Goal)
	return check.That(wire.Compact(t.Goal), func(v any) bool { text, is := v.(string); return is && strings.TrimSpace(text) == want })
}

// checkState compares the run that a turn leaves with what it did.
func (t told) checkState(j *scenarios.Judge) {
	name := t.host.Name
	if t.Rule == nil && t.seen.Did != model.Asked {
		t.checkOverAtOnce(j)
		return
	}
	run := t.host.Run(t.run())
	for _, id := range (scenarios.IDs{agenticloop.RFC103T8, agenticloop.RFC103P5}) {
		j.Check(id, run).To(host.AnObject(), "%s: the run, in state_updates", name)
	}
	if !run.Present() {
		return
	}
	switch t.seen.Did {
	case model.Asked, model.Retried:
		for _, e := range t.host.Requests().Values {
			for _, id := range (scenarios.IDs{agenticloop.RFC103S6, agenticloop.RFC103I3}) {
				j.Check(id, run.Key("pending_step")).To(check.SameAs(e.At("/payload/step")), "%s: pending_step", name)
				j.Check(id, run.Key("pending_tool")).To(check.SameAs(e.At("/payload/tool")), "%s: pending_tool", name)
			}
		}
		j.Check(agenticloop.RFC103S2, run.Key("status")).To(check.Equal("running"), "%s: status", name)
		j.Check(agenticloop.RFC103S2, run.Key("step")).To(check.Integer(t.Next-1, t.Next), "%s: step", name)
		j.Check(agenticloop.RFC103S2, run.Key("max_steps")).To(check.Integer(1, 0), "%s: max_steps", name)
		j.Check(agenticloop.RFC103E1, run.Key("goal")).To(goalOf(t), "%s: goal", name)
	case model.Completed:
		j.Check(agenticloop.RFC103S8, run.Key("status")).To(check.Equal("done"), "%s: status", name)
		for _, field := range []string{"pending_step", "pending_tool"} {
			j.Check(agenticloop.RFC103S7, run.Key(field)).To(host.NothingPending(), "%s: %s", name, field)
		}
	case model.Escalated:
		j.Check(agenticloop.RFC103S8, run.Key("status")).To(check.Equal("escalated"), "%s: status", name)
	}
	if t.seen.Did == model.Asked && t.Rule != nil {
		j.Check(agenticloop.RFC103S7, run.Key("pending_step")).To(check.Equal(t.Next), "%s: pending_step", name)
	}
	if last := t.host.Answer.At("/state_updates/last_run_id"); t.Rule == nil {
		j.Check(agenticloop.RFC103S3, last).To(check.Equal(t.run()), "%s: last_run_id", name)
	} else if last.Present() { // the text does not say that a result leaves it
		may := []any{t.run()}
		for _, id := range t.last {
			may = append(may, id)
		}
		j.Check(agenticloop.RFC103S3, last).To(check.OneOf(may...), "%s: last_run_id", name)
	}
}

// checkOverAtOnce checks that a run which ends in its first turn is over. There need be no such run (AL-R10, AL-R25).
func (t told) checkOverAtOnce(j *scenarios.Judge) {
	for _, e := range t.host.Ends().Values {
		if run := t.host.Run(e.At("/payload/run_id").String()); run.Present() {
			want := map[string]string{host.Completed: "done", host.Escalated: "escalated"}[e.Key("type").String()]
			j.Check(agenticloop.RFC103S8, run.Key("status")).To(check.Equal(want), "%s: status", t.host.Name)
		}
	}
}

// checkUnwritten checks that an ignored result leaves artifacts alone, and that its text is not in the files that the agent reads. The
// agent may log it.
func (t told) checkUnwritten(j *scenarios.Judge, id scenarios.RequirementID) {
	if t.Move.Kind != model.SameAgain { // the same event may write its own files again
		host.CheckArtifactsKept(j, id, t.before, t.files, t.host.Name+": ", "which was there before a result that is ignored")
	}
	body, _ := t.Move.Body.(host.Object)
	if within, nested := body["value"].(host.Object); nested && body["excerpt"] == nil {
		body = within
	}
	said, _ := body["excerpt"].(string)
	if said == "" || !t.files.Present() || t.Move.Kind == model.SameAgain || t.Delivery.Status == "error" {
		return
	}
	for _, file := range []string{"context.md", "memory.md", "plan.md"} {
		if now := t.files.Key(file).Key("text"); now.Present() && !strings.Contains(t.before.Key(file).Key("text").String(), said) {
			j.Check(id, now).To(check.That("nothing of the result that is ignored", func(v any) bool {
				text, _ := v.(string)
				return !strings.Contains(text, said)
			}), "%s: %s", t.host.Name, file)
		}
	}
}

// attempt returns the attempt of the run before a turn, if it has one.
func (t told) attempt() (n int64, known bool) {
	run, _ := t.host.RunsBefore()[t.Before.ID].(host.Object)
	if number, is := run["attempt"].(json.Number); is {
		return wire.Integer(number)
	}
	return 0, false
}

// meetsBudget reports whether a turn is to end its run for want of budget, or ends it and may do so for that, or ends it early. A plugin
// may have a bound of its own below max_steps: it is one only if no run goes further.
func meetsBudget(t told) bool {
	if t.beginsAmiss() {
		return true
	}
	if t.Over || t.AtOnce || t.Rule != nil && t.Rule != model.Matching && t.Rule != model.Fruitless {
		return false
	}
	if t.seen.Did == model.Escalated {
		return t.MayEnd || t.decided && t.plain() && t.Next <= t.furthest
	}
	return t.MustEnd && (t.seen.Did == model.Asked || t.Decision != nil && t.Decision.Kind == model.Call)
}

// beginsAmiss reports whether a run begins with a budget that is not the config's, although its start asked for none and the plugin has no
// bound of its own.
func (t told) beginsAmiss() bool {
	n, whole := t.host.Run(t.run()).Key("max_steps").Int()
	if t.Rule != nil || t.seen.Did != model.Asked || !whole || t.lower > 0 && n == int64(t.lower) {
		return false
	}
	return n > int64(t.Budget) || n < min(int64(t.Budget), t.furthest)
}

// lowered reports whether the start of a run asked for a lower budget than the config's and its state shows that budget (AL-R11).
func (t told) lowered() bool { return t.lower > 0 && t.after.High == t.lower }

// checkBudget compares where a run is given up with its budget.
func (t told) checkBudget(j *scenarios.Judge) {
	if t.beginsAmiss() {
		j.Check(agenticloop.RFC103G7, t.host.Run(t.run()).Key("max_steps")).To(check.Equal(t.Budget), "%s: max_steps of the run", t.host.Name)
		return
	}
	if !t.MayEnd {
		j.Check(agenticloop.RFC103G7, t.host.OfType(host.Escalated)).To(check.Len(0),
			"%s: ends of a run that has asked for %d steps, with max_steps %s, where another run went as far as step %d", t.host.Name,
			t.Next-1, t.budgets(), t.furthest)
	}
	ids := scenarios.IDs{agenticloop.RFC103F7, agenticloop.RFC103G7}
	if t.lowered() { // the budget of the config is not used up
		ids = ids[:1]
	}
	for _, id := range ids {
		j.Check(id, t.host.Events().Each("/type")).To(check.Equal([]string{host.Escalated}),
			"%s: events of a run that has asked for %d steps, with max_steps %s", t.host.Name, t.Next-1, t.budgets())
	}
}

// budgets tells the budgets that the turns of a run were handed.
func (t told) budgets() string {
	if t.lowered() {
		return fmt.Sprintf("%d, which its state has from its start, and %d in the config", t.lower, t.Budget)
	}
	if low, high := min(t.after.Low, t.Budget), max(t.after.High, t.Budget); low != high {
		return fmt.Sprintf("%d to %d", low, high)
	}
	return fmt.Sprint(t.Budget)
}

// reframes reports whether a planner was to give up its plan once more than it may, or its run was given up where it was to give up its
// plan. A budget may end a run as well, and so may a second plan that is given up in one turn.
func (t told) reframes() bool {
	own := t.Move.Own && t.Move.Left // another scenario says that it is no failure
	ends := t.Over || t.seen.Did == model.Escalated && t.Plans == 1
	return t.decided && t.Plans > 0 && t.Rule == model.Matching && !t.MayEnd && !own && ends
}

// checkReframes compares how often a run has given up its plan with how often it may. The reframe that would be one too many may count
// (AL-R12).
func (t told) checkReframes(j *scenarios.Judge) {
	j.Check(agenticloop.RFC103F8, t.host.Events().Each("/type")).To(check.Equal([]string{host.Escalated}),
		"%s: events where the plan is given up once more than %d times", t.host.Name, t.most)
	counts := []any{t.most, t.most + 1}
	if t.seen.Did != model.Escalated {
		counts = counts[:1]
	}
	j.Check(agenticloop.RFC103G8, t.host.Run(t.Before.ID).Key("reframes")).To(check.OneOf(counts...), "%s: reframes", t.host.Name)
}

// plain reports whether a planner that is asked for the next step has no reason of its own to give up: it is to call a tool that it may
// have, with few arguments, after a result like any other.
func (t told) plain() bool {
	_, isObject := t.Move.Body.(host.Object)
	d := t.Decision
	if !isObject || t.Move.Own || t.Rule != model.Matching || d == nil || d.Kind != model.Call || d.Command != "" || d.Anew ||
		host.SizeOf(d.Arguments) > 200 {
		return false
	}
	return !slices.ContainsFunc(reserved, func(name string) bool { _, there := d.Arguments[name]; return there })
}

// showsArguments reports whether a request has the arguments that its planner was to choose: the plain one among them comes through,
// and where the request is made again, it came through before.
func showsArguments(t told) bool {
	shown := t.payload()
	switch {
	case t.Planned == nil || t.seen.Left:
		return false
	case t.seen.Did == model.Retried:
		shown = t.asked
	case t.seen.Did != model.Asked:
		return false
	}
	return len(t.Planned.Arguments) == 0 || argument(shown, control).Actual() == t.Planned.Arguments[control]
}

func (t told) payload() wire.Value { return t.host.Requests().Last().Key("payload") }

// checkArguments compares the arguments of a request with those that its planner was to choose.
func (t told) checkArguments(j *scenarios.Judge) {
	j.Check(agenticloop.RFC103E9, t.payload()).To(host.OneVersion(), "%s: payload", t.host.Name)
	if nested := t.payload().Key("tool_payload"); nested.Present() {
		j.Check(agenticloop.RFC103E9, nested).To(host.AnObject(), "%s: tool_payload", t.host.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Planned.Arguments)) {
		if slices.Contains(reserved, name) && !t.payload().Key("tool_payload").Key(name).Present() {
			continue
		}
		j.Check(agenticloop.RFC103E9, argument(t.payload(), name)).To(exactly(t.Planned.Arguments[name]), "%s: argument %s",
			t.host.Name, name)
	}
}

// argument returns an argument of a request, which stands in tool_payload or beside the correlation.
func argument(payload wire.Value, name string) wire.Value {
	if nested := payload.Key("tool_payload").Key(name); nested.Present() {
		return nested
	}
	return payload.Key(name)
}

// exactly matches this value, however its numbers are written. An argument that is null may as well be absent.
func exactly(want any) check.Matcher {
	want = numbers(host.Clone(want))
	return check.Seeing(wire.Compact(want), func(s wire.Seen) (bool, string) {
		return reflect.DeepEqual(numbers(host.Clone(s.Actual())), want), wire.Compact(s.Actual())
	})
}

// numbers returns a decoded document with its numbers as numbers.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case host.Object:
		for name, e := range v {
			v[name] = numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbers(e)
		}
	}
	return v
}

// keeps matches what a turn does that keeps the rules.
func (t told) keeps() check.Matcher {
	return check.Seeing("what would come of a result", func(s wire.Seen) (bool, string) {
		why := departs(t.Turn, t.host)
		return why == "", cmp.Or(why, wire.Compact(s.Actual()))
	})
}

// ofNoOther matches run ids of requests if none of them belongs to a run from before the turn.
func (t told) ofNoOther() check.Matcher {
	return check.That("of no run that was there before", func(v any) bool {
		ids, _ := v.([]any)
		return !slices.ContainsFunc(ids, func(id any) bool { text, _ := id.(string); return t.host.RunsBefore()[text] != nil })
	})
}
