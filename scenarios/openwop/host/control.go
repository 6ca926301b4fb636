package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// A trial is a fixture in a control run.
type trial struct {
	Host
	Fixture
}

// marker is a text that only a control run was given.
func (t trial) marker() string { return "control-of-" + t.Label() }

// control runs a fixture, and a second time if it does not show that the engine reads its plan. It returns why drives cannot use it.
func (t trial) control(ctx context.Context) string {
	if !t.planned {
		l, why := t.run(ctx, t.shown())
		return cmp.Or(why, t.gateObeys(l), t.sayingObeyed(l), t.settingsObeyed(l), t.scriptObeyed(l))
	}
	ceiling, _ := t.Ceiling()
	short, long := min(3, ceiling), min(5, ceiling)
	run := t.run
	first, why := run(ctx, t.planOf(short))
	if why == "" && t.id == fixture.LoopWorkspace && len(first.Decided().Values) == 0 {
		run = t.besideFile
		first, why = run(ctx, t.planOf(short))
	}
	if why != "" || short == long || t.tellsEnd(first) {
		return cmp.Or(why, t.writesObeyed(ctx, first))
	}
	second, why := run(ctx, t.planOf(long))
	one, other := len(first.Decided().Values), len(second.Decided().Values)
	if why != "" || t.tellsEnd(second) || one != other {
		return cmp.Or(why, t.writesObeyed(ctx, first))
	}
	return fmt.Sprintf("its engine does not read the port %s of %s: plans of %d turns and of %d both gave %d", planPort, supervisor,
		short, long, one)
}

// besideFile is like run, with a file in the workspace: some engines treat an empty workspace as a missing one.
func (t trial) besideFile(ctx context.Context, inputs map[string]any) (RunLog, string) {
	f := t.Files()
	f.Text(ctx, f.Path("control"), t.marker())
	l, why := t.run(ctx, inputs)
	f.Tidy(ctx)
	return l, why
}

// controlVotes is the number of votes that a control asks for, which nobody takes as a default.
const controlVotes = 7

// shown returns the inputs of a control run that it shows where the engine reads the ports, nil if it need not show any.
func (t trial) shown() map[string]any {
	switch t.id {
	case fixture.Steps:
		return map[string]any{"delayMs": 1, "said": t.marker()}
	default:
		return t.shownAtGate()
	}
}

// sayingObeyed returns why the last node of a control run does not put out what the run was given, "" if it does or puts out nothing.
func (t trial) sayingObeyed(l RunLog) string {
	if t.id != fixture.Steps {
		return ""
	}
	outputs := l.OfType(dialect.NodeCompleted).Each("/payload/outputs").Where(wire.Value.Present)
	if len(outputs.Values) == 0 || Holds(outputs.Last().Actual(), t.marker()) || l.Status().String() != "completed" {
		return ""
	}
	return fmt.Sprintf("its engine does not read the port said of core.identity: the outputs of %s do not show it", t.id)
}

// shownAtGate returns the inputs of a control run that the interrupt of a fixture shows where the engine reads its ports, nil if the
// fixture has no interrupt.
func (t trial) shownAtGate() map[string]any {
	switch t.id {
	case fixture.Approval:
		return map[string]any{"title": t.marker()}
	case fixture.Questions:
		return map[string]any{"questions": []any{map[string]any{"id": "q1", "question": t.marker()}}}
	case fixture.Event:
		return map[string]any{"eventType": t.marker()}
	case fixture.Quorum:
		return map[string]any{"requiredApprovals": controlVotes}
	}
	return nil
}

// gateObeys returns why the interrupt of a control run does not show what the run was given, "" if it does.
func (t trial) gateObeys(l RunLog) string {
	given := t.shownAtGate()
	if given == nil || !IsWaiting(l.Status().String()) { // one that does not wait is for the drive to see
		return ""
	}
	places := shownOf(l)
	if slices.ContainsFunc(places, func(v wire.Value) bool {
		return Holds(v.Actual(), t.marker()) || votesOf(v) == controlVotes || votesOf(v.Key("data")) == controlVotes
	}) {
		return ""
	}
	port := slices.Sorted(maps.Keys(given))[0]
	return fmt.Sprintf("its engine does not read the port %s of %s: the interrupt does not show it", port, t.types[0])
}

// shownOf returns the places in which hosts show an interrupt.
func shownOf(l RunLog) wire.Values {
	return append(l.OfType(dialect.NodeSuspended, dialect.InterruptRequested).Each("/payload").Values, l.Ended.Last.Key("interrupt"))
}

// settingsObeyed returns why the interrupt of a control run does not show what the fixture's config says, "" if it does. It is asked of
// ours that take nothing from what the run is given.
func (f Fixture) settingsObeyed(l RunLog) string {
	if f.ported || !strings.HasPrefix(f.id, own) {
		return ""
	}
	places := shownOf(l)
	for _, setting := range slices.Sorted(maps.Keys(f.gate)) {
		if !slices.ContainsFunc(places, func(v wire.Value) bool { return hasMember(v.Actual(), setting, f.gate[setting]) }) {
			return fmt.Sprintf("its engine does not read the config %s of %s: the interrupt does not show it", setting, f.types[0])
		}
	}
	return ""
}

// hasMember reports whether a member of this name, at any depth, covers a value.
func hasMember(v any, name string, value any) bool {
	switch v := v.(type) {
	case map[string]any:
		if have, ok := v[name]; ok && covers(have, value) {
			return true
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), func(v any) bool { return hasMember(v, name, value) })
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return hasMember(v, name, value) })
	}
	return false
}

// covers reports whether have is want, or has more members than that.
func covers(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		members, ok := have.(map[string]any)
		for name, value := range want {
			ok = ok && covers(members[name], value)
		}
		return ok
	case []any:
		list, ok := have.([]any)
		ok = ok && len(list) == len(want)
		for i := range want {
			ok = ok && covers(list[i], want[i])
		}
		return ok
	}
	return wire.Compact(have) == wire.Compact(want)
}

// scriptObeyed returns why the turns of a control run are not those of the fixture's own script, "" if they are.
func (f Fixture) scriptObeyed(l RunLog) string {
	switch {
	case len(f.script) == 0:
		return ""
	case len(l.Decided().Values) == 0 && l.Status().String() == "completed":
		return fmt.Sprintf("its engine does not read the config %s of %s: %s completed without a turn", planPort, supervisor, f.id)
	}
	for i, d := range l.Decided().Each("/payload/decision").Values {
		if i >= len(f.script) || !sameDecision(f.script[i], d) {
			return fmt.Sprintf("its engine does not read the config %s of %s: turn %d of %s decided %s", planPort, supervisor, i+1, f.id, d.JSON())
		}
	}
	return ""
}

// sameDecision reports whether a decision is of the planned kind, with the planned workers or words.
func sameDecision(planned map[string]any, d wire.Value) bool {
	for _, member := range []string{"kind", "nextWorkerIds", "prompt", "reason"} {
		want, ok := planned[member]
		if have := d.Key(member); ok && have.Present() && !reflect.DeepEqual(have.Actual(), want) {
			return false
		}
	}
	return d.Key("kind").Present()
}

func votesOf(v wire.Value) int64 {
	n, _ := v.Key("requiredApprovals").Int()
	return n
}

// plan is one of n turns whose end nobody else has.
func (t trial) plan(n int) Plan {
	return append(slices.Repeat(Plan{NextWorker(fixture.Noop)}, n-1), Terminate(t.marker()))
}

// planOf returns the inputs of a control run with such a plan. The first turn of a loop that writes files writes one.
func (t trial) planOf(turns int) map[string]any {
	inputs := map[string]any{"plan": t.plan(turns)}
	if t.id == fixture.LoopWorkspace {
		inputs["reads"] = map[string]any{"workspace": []string{t.file()}}
		inputs["writes"] = []any{[]any{map[string]any{"path": t.file(), "content": t.marker()}}}
	}
	return inputs
}

// file is the path that the control of a loop that writes files has it write.
func (t trial) file() string { return t.marker() + ".md" }

// tellsEnd reports whether a log shows the end of a control plan, which no other plan has.
func (t trial) tellsEnd(l RunLog) bool {
	return slices.ContainsFunc(l.Decided().Values, func(e wire.Value) bool { return Holds(e.Actual(), t.marker()) })
}

// writesObeyed returns why a control run did not write the file that it was told to, "" if the file is there or the log tells of it:
// whether both hold is for scenarios to see.
func (t trial) writesObeyed(ctx context.Context, l RunLog) string {
	if t.id != fixture.LoopWorkspace || l.Status().String() != "completed" {
		return ""
	}
	f := t.Files()
	f.LeaveFile(t.file())
	told := slices.ContainsFunc(l.OfType(dialect.WorkspaceUpdated).Values, func(e wire.Value) bool { return Holds(e.Actual(), t.file()) })
	there := told || f.Await(ctx, "the file of the control run is there", func(ctx context.Context) (wire.Value, bool) {
		read := f.LookAt(ctx, t.file(), "")
		status, _ := read.Status.Int()
		return read.Status, !NotThere(int(status))
	}).Reached
	reply := t.Do(ctx, wire.Call{Operation: dialect.DeleteFile.Of(t.file()), Label: "control: the file is not needed any more"})
	if reply.Success() || IsGone(reply.Status) {
		f.Left[t.file()]()
	}
	if there {
		return ""
	}
	return fmt.Sprintf("its engine does not read the port mockWrites of %s: a turn of %s did not write its file", supervisor, t.id)
}

// run runs the fixture until it ends or waits. why says that the host does not have it, or does not know a node of it.
func (t trial) run(ctx context.Context, inputs map[string]any) (l RunLog, why string) {
	r := t.Create(ctx, "control run of "+t.id, dialect.CreateRunRequest{WorkflowID: t.id, Inputs: inputs})
	switch status := r.Created.Status; {
	case r.Created.Success():
	case (status/100 == 4 || NotThere(status)) && !t.Lists(t.id):
		return l, absent
	case status/100 == 4:
		return l, fmt.Sprintf("the host lists %s and refuses a run of it with HTTP %d: %s", t.id, status, r.Created.Value("/error").JSON())
	default:
		return l, "" // the drive will see, and say so
	}
	if r.ID == "" {
		return l, ""
	}
	l = r.tryOut(ctx, t.Fixture)
	if !IsTerminal(l.Status().String()) {
		r.endControl(ctx)
	}
	why = t.misunderstood(l)
	if why == "" && !t.Lists(t.id) && !t.began(l) {
		why = absent // what was run is something else
	}
	return l, why
}

// interrupts reports whether a node of the fixture waits for somebody.
func (f Fixture) interrupts() bool {
	return slices.ContainsFunc([]string{"core.approvalGate", "core.clarificationGate", "core.interrupt"}, f.Has)
}

// tryOut follows a control run until it ends or waits. One that need do neither soon is left when it has begun its last node.
func (r *Run) tryOut(ctx context.Context, f Fixture) RunLog {
	var l RunLog
	turns := f.planned || len(f.script) > 0 && !slices.Contains(f.Needs, fixture.Wait) // all are looked at
	whole := turns || f.interrupts() || f.id == fixture.Steps
	settled := r.AwaitWhile(ctx, "the control run has ended, waits, or is at its last node", func(ctx context.Context) (wire.Value, bool) {
		look := r.look(ctx, "control run of "+f.id)
		status := look.Text("/status")
		l = r.ReadLog(ctx, "control run of "+f.id)
		return look.Value(""), IsTerminal(status) || IsWaiting(status) || !whole && f.begun(l) == len(f.nodes)
	}, r.length)
	l.Ended = settled
	return l
}

// begun counts the nodes of the fixture that a log shows as started.
func (f Fixture) begun(l RunLog) int {
	started := map[string]bool{}
	for _, e := range l.OfType(dialect.NodeStarted).Values {
		if node := NodeOf(e); f.nodes[node] != "" {
			started[node] = true
		}
	}
	return len(started)
}

// began reports whether a log shows nodes of the fixture: all, if its run completed. Turns are compared with its script instead.
func (f Fixture) began(l RunLog) bool {
	n := f.begun(l)
	return len(f.script) > 0 && len(l.Decided().Values) > 0 || n == len(f.nodes) || n > 0 && l.Status().String() != "completed"
}

// endControl cancels a control run that waits or goes on.
func (r *Run) endControl(ctx context.Context) {
	if err := scenarios.Try(func() { r.Cancel(ctx, "the control is over") }); err == nil {
		r.Gone()
	} else if errors.Is(err, context.Canceled) {
		scenarios.End(err)
	}
}

// misunderstood returns which node of the fixture the engine does not know, "" if that is not why the run failed.
func (f Fixture) misunderstood(l RunLog) string {
	if l.Status().String() != "failed" {
		return ""
	}
	failed := l.OfType(dialect.NodeFailed).Last()
	code := FirstText(l.Ended.Last.At("/error/code"), failed.At("/payload/error/code"), failed.At("/payload/code"))
	if !slices.ContainsFunc(unknownCodes, func(part string) bool { return strings.Contains(code, part) }) {
		return ""
	}
	node := NodeOf(failed)
	if l.completedOnce(node) || f.nodes[node] == "core.dispatch" && len(l.OfType(dialect.HandedOver).Values) > 0 {
		return "" // a node that has worked is known: what it refused is its decision, such as one for too many workers
	}
	if node == "" && len(l.OfType(dialect.NodeStarted).Values) == 0 { // it has not begun: the workflow is unknown
		return absent
	}
	if of := f.nodes[node]; of != "" {
		return fmt.Sprintf("its engine does not know the node type %s of %s: %s", of, f.id, code)
	}
	return fmt.Sprintf("its engine does not know a node of %s: %s", f.id, code)
}

// completedOnce reports whether a log shows that a node completed.
func (l RunLog) completedOnce(node string) bool {
	return node != "" && slices.ContainsFunc(l.OfType(dialect.NodeCompleted).Values, func(e wire.Value) bool {
		return NodeOf(e) == node
	})
}

// unknownCodes are parts of the codes with which hosts fail a run whose nodes they do not know.
var unknownCodes = []string{"unsupported", "unknown", "not_found", "not_implemented", "unimplemented", "unregistered"}
