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
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Lists reports whether the host lists all these workflows under /fixtures. The list is a claim, not a proof: a listed
// fixture may still fail.
func (h Host) Lists(workflows ...string) bool {
	var listed []string
	for _, f := range claims.Family(h.Discovery, "fixtures").Items() {
		listed = append(listed, f.String())
	}
	return !slices.ContainsFunc(workflows, func(w string) bool { return !slices.Contains(listed, w) })
}

// Offers reports whether drives can use all these workflows: the published ones that the host lists, those that it runs
// although it does not list them, and ours only if its engine obeys them.
func (h Host) Offers(workflows ...string) bool {
	return !slices.ContainsFunc(workflows, func(w string) bool { return unfit(h, w) != "" })
}

// AnyOf returns the first of these workflows that the host lists, else the first that it runs, "" if there is none.
func (h Host) AnyOf(workflows ...string) string {
	listed := func(w string) bool { return h.Lists(w) && h.Offers(w) }
	for _, fit := range []func(string) bool{listed, func(w string) bool { return h.Offers(w) }} {
		if i := slices.IndexFunc(workflows, fit); i >= 0 {
			return workflows[i]
		}
	}
	return ""
}

// Lacks ends the drive, because the host offers none of the workflows that would do. It says what is wrong with those that the host
// has.
func (h Host) Lacks(what string, workflows ...string) {
	for _, w := range workflows {
		if why := unfit(h, w); why != "" && why != absent {
			scenarios.End(scenarios.Block(what+": "+why, "teach the engine what "+w+" needs (docs/seams.md), or leave it out of /fixtures"))
		}
	}
	scenarios.End(scenarios.Block(what, fixture.Load))
}

const (
	// absent is why a workflow cannot be used that the host does not know.
	absent = "the host does not have it"

	own        = "assay-" // begins the id of each fixture of ours
	supervisor = "core.orchestrator.supervisor"
	planPort   = "mockDispatchPlan"
)

// unfit returns why drives cannot use a workflow, "" if they can. A control run of it says so, once for the target: a host may list
// what its engine understands otherwise, and run what it does not list. A published fixture that is listed needs no control. One of
// ours that is not listed is used only if it takes nothing from what the run is given.
func unfit(h Host, workflow string) string {
	listed, ours := h.Lists(workflow), strings.HasPrefix(workflow, own)
	f, known := knownTo(h, workflow)
	switch {
	case listed && !ours:
		return ""
	case !known || !listed && ours && f.ported:
		return absent
	}
	return h.Learn("fixture "+workflow, func(ctx context.Context) string { return trial{h, f}.control(ctx) })
}

func knownTo(h Host, workflow string) (Fixture, bool) {
	all := knownFixtures(h)
	i := slices.IndexFunc(all, func(f Fixture) bool { return f.id == workflow })
	if i < 0 {
		return Fixture{}, false
	}
	return all[i], true
}

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
		l, why := t.run(ctx, t.shownAtGate())
		return cmp.Or(why, t.gateObeys(l), t.timeoutObeyed(l), t.scriptObeyed(l))
	}
	ceiling, _ := t.Ceiling()
	short, long := min(3, ceiling), min(5, ceiling)
	first, why := t.run(ctx, map[string]any{"plan": t.plan(short)})
	if why != "" || t.obeys(first, short) || short == long {
		return why
	}
	second, why := t.run(ctx, map[string]any{"plan": t.plan(long)})
	one, other := len(first.Decided().Values), len(second.Decided().Values)
	if why != "" || t.obeys(second, long) || one != other {
		return why
	}
	return fmt.Sprintf("its engine does not read the port %s of %s: plans of %d turns and of %d both gave %d", planPort, supervisor,
		short, long, one)
}

// controlVotes is the number of votes that a control asks for, which nobody takes as a default.
const controlVotes = 7

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

// Timeout returns the ms after which the interrupt of a fixture ends by itself.
func (h Host) Timeout(workflow string) int64 {
	f, _ := knownTo(h, workflow)
	return f.timeout
}

// timeoutObeyed returns why the interrupt of a control run does not end when the fixture says, "" if it shows that time.
func (f Fixture) timeoutObeyed(l RunLog) string {
	if f.timeout == 0 || !strings.HasPrefix(f.id, own) || slices.ContainsFunc(shownOf(l), func(v wire.Value) bool {
		n, _ := v.Key("timeoutMs").Int()
		return n == f.timeout
	}) {
		return ""
	}
	return fmt.Sprintf("its engine does not read the config timeoutMs of %s: the interrupt does not show it", f.types[0])
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

// obeys reports whether a log shows that the engine read a control plan of this many turns.
func (t trial) obeys(l RunLog, turns int) bool {
	return len(l.Decided().Values) == turns ||
		slices.ContainsFunc(l.Decided().Values, func(e wire.Value) bool { return Holds(e.Actual(), t.marker()) })
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

// tryOut follows a control run until it ends, waits, or has begun its last node: that may take a while.
func (r *Run) tryOut(ctx context.Context, f Fixture) RunLog {
	var l RunLog
	turns := f.planned || len(f.script) > 0 && !slices.Contains(f.Needs, fixture.Wait) // all are looked at
	settled := r.AwaitWhile(ctx, "the control run has ended, waits, or is at its last node", func(ctx context.Context) (wire.Value, bool) {
		look := r.look(ctx, "control run of "+f.id)
		status := look.Text("/status")
		l = r.ReadLog(ctx, "control run of "+f.id)
		return look.Value(""), IsTerminal(status) || IsWaiting(status) || !turns && f.begun(l) == len(f.nodes)
	}, r.length)
	l.Ended = settled
	return l
}

// begun counts the nodes of the fixture that a log shows as started.
func (f Fixture) begun(l RunLog) int {
	started := map[string]bool{}
	for _, e := range l.OfType(dialect.NodeStarted).Values {
		if node := FirstText(e.Key("nodeId"), e.At("/payload/nodeId")); f.nodes[node] != "" {
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
	node := FirstText(failed.Key("nodeId"), failed.At("/payload/nodeId"))
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
		return FirstText(e.Key("nodeId"), e.At("/payload/nodeId")) == node
	})
}

// unknownCodes are parts of the codes with which hosts fail a run whose nodes they do not know.
var unknownCodes = []string{"unsupported", "unknown", "not_found", "not_implemented", "unimplemented", "unregistered"}
