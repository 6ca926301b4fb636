package live

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/statetest"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// world is a host that anything may happen to.
type world struct {
	*host
	rt      *rapid.T
	version int
	runs    []string       // that were asked for, forks included
	checked map[string]int // appends of a run when it was checked last
}

// TestAnythingMayHappen does random things to random runs, and kills the host now and then. Whatever comes of it, every
// log is lawful, the state that is served is the fold of the log, and in the end everything ends.
func TestAnythingMayHappen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{rt: rt, version: rapid.IntRange(0, 6).Draw(rt, "version"), checked: map[string]int{}}
		cut := rapid.SampledFrom([]int{0, 0, 1, 900}).Draw(rt, "cut")
		w.host = newHost(t, version(w.version), tree("assay-loop-ask-user"), func(o *Options) {
			delete(o.Workflows, "assay-loop-endless")
			o.cut = cut
			o.Limits = Limits{MaxLoopIterations: 6, MaxNodeExecutions: 40, MaxRunDuration: time.Minute}
			o.Verifies, o.Gates = true, rapid.Bool().Draw(rt, "gates")
			o.EscalationKind = rapid.SampledFrom([]event.Interrupt{event.Clarification,
				event.Approval}).Draw(rt, "escalation")
		})
		defer w.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"create":  w.create,
			"resolve": w.resolve,
			"cancel":  w.cancel,
			"pause":   w.pauseAny,
			"go on":   w.goOnAny,
			"wait": func(rt *rapid.T) {
				w.clock.Advance(time.Duration(rapid.IntRange(1, 30_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"fork": w.fork,
			"kill": w.kill,
			"":     w.check,
		})
		w.finish()
	})
}

func anyDecision() *rapid.Generator[map[string]any] {
	workers := []any{"conformance-noop", "conformance-multi-agent-handoff-child", "conformance-dispatch-deterministic-fail-child",
		"conformance-delay", "no-such-workflow", "assay-loop-ask-user", "branch"}
	return rapid.Custom(func(rt *rapid.T) map[string]any {
		d := map[string]any{}
		switch rapid.IntRange(0, 5).Draw(rt, "kind") {
		case 0:
			d["kind"], d["prompt"] = workflow.AskUser, "go on?"
		case 1:
			d["kind"] = workflow.Terminate
		default:
			d["kind"], d["nextWorkerIds"] = workflow.NextWorker, rapid.SliceOfN(rapid.SampledFrom(workers), 1, 3).Draw(rt, "workers")
		}
		if d["kind"] != workflow.AskUser && rapid.IntRange(0, 3).Draw(rt, "unsure") == 0 {
			d["confidence"] = rapid.SampledFrom([]any{0.0, 0.49, 0.5, 1.0}).Draw(rt, "confidence")
		}
		return d
	})
}

func (w *world) create(rt *rapid.T) {
	c := Create{WorkflowID: "harvesting"}
	definition := harvesting(w.t)
	scriptVerdicts(rt, definition)
	c.Definition = definition
	if rapid.IntRange(0, 4).Draw(rt, "other") == 0 {
		c.Definition = nil
		c.WorkflowID = rapid.SampledFrom([]string{"trunk", "conformance-cap-breach", "conformance-orchestrator-low-confidence",
			"conformance-cancellable",
			"assay-approval", "assay-quorum", "assay-questions", "conformance-interrupt-external-event"}).Draw(rt, "workflow")
	} else {
		var decisions []any
		for _, d := range rapid.SliceOfN(anyDecision(), 0, 6).Draw(rt, "plan") {
			decisions = append(decisions, d)
		}
		raw, _ := json.Marshal(append([]any{}, decisions...)) // never null
		c.Inputs = plan(w.t, string(raw))
	}
	if rapid.Bool().Draw(rt, "bounded") {
		key := rapid.SampledFrom([]string{step.KeyTurns, step.KeyNodes, step.KeyDuration}).Draw(rt, "bound")
		c.Configurable = map[string]any{key: rapid.IntRange(1, 8).Draw(rt, "value")}
	}
	s, err := w.Create(soon(w.t), c)
	if err != nil {
		rt.Fatalf("create: %v", err)
	}
	w.runs = append(w.runs, s.RunID)
	w.quiet()
}

// family is a run and all below it.
func (w *world) family(id string) []openwopv1.RunSnapshot {
	s := w.snapshot(id)
	all := []openwopv1.RunSnapshot{s}
	for n := range s.ChildRuns {
		child := parse[state.ChildView](w.t, string(s.ChildRuns[n])).RunID
		all = append(all, w.family(child)...)
	}
	return all
}

func (w *world) anyRun(rt *rapid.T) openwopv1.RunSnapshot {
	if len(w.runs) == 0 {
		rt.Skip("no run yet")
	}
	all := w.family(rapid.SampledFrom(w.runs).Draw(rt, "run"))
	return all[rapid.IntRange(0, len(all)-1).Draw(rt, "member")]
}

func (w *world) resolve(rt *rapid.T) {
	s := w.anyRun(rt)
	value := rapid.SampledFrom([]string{`{"answers":{"q1":"yes"}}`, `{"action":"accept"}`, `{"action":"reject"}`,
		`{"answers":{}}`}).Draw(rt, "value")
	open, node := s.CurrentNodeID != nil, "supervisor"
	if open {
		node = *s.CurrentNodeID
	}
	ctx := As(soon(w.t), rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(rt, "who"))
	_, err := w.Resolve(ctx, s.RunID, node, json.RawMessage(value))
	switch code(err) {
	case "<nil>":
		if !open {
			rt.Fatalf("an interrupt was resolved that nobody saw")
		}
	case codes.Validation, codes.InterruptNotFound, codes.InterruptResolved, codes.InterruptGone, codes.InterruptExpired,
		codes.Forbidden, codes.RunPaused:
	default:
		rt.Fatalf("resolve: %v", err)
	}
	w.quiet()
}

func (w *world) cancel(rt *rapid.T) {
	s := w.anyRun(rt)
	after, err := w.Cancel(soon(w.t), s.RunID, "enough")
	if err != nil || !state.Ended(after.Status) && after.Status != openwopv1.RunStatusCancelling {
		rt.Fatalf("cancel leaves %s, %v", after.Status, err)
	}
	if state.Ended(s.Status) && s.Status != after.Status {
		rt.Fatalf("cancel made a %s run %s", s.Status, after.Status)
	}
	w.quiet()
}

func (w *world) fork(rt *rapid.T) {
	s := w.anyRun(rt)
	from := rapid.Int64Range(0, int64(len(w.events(s.RunID)))).Draw(rt, "from")
	how := Fork{Mode: rapid.SampledFrom([]string{"replay", "branch"}).Draw(rt, "mode"), FromSeq: &from}
	f, err := w.Fork(soon(w.t), s.RunID, how)
	if code(err) == codes.RunActive {
		return
	}
	if err != nil {
		rt.Fatalf("fork: %v", err)
	}
	w.runs = append(w.runs, f.RunID)
	w.quiet()
	source, fork := w.events(s.RunID), w.events(f.RunID)
	if how.Mode == "branch" {
		source = source[:from]
	}
	for i := range source {
		if i >= len(fork) || fork[i].Type != source[i].Type || fork[i].NodeID != source[i].NodeID {
			rt.Fatalf("the fork from %d leaves its source at %d", from, i)
		}
	}
}

// kill lets the host die within its next appends, while something goes on, and starts another.
func (w *world) kill(rt *rapid.T) {
	w.log.kill(rapid.IntRange(0, 5).Draw(rt, "appends left"))
	if len(w.runs) > 0 {
		s := w.anyRun(rt)
		if s.CurrentNodeID != nil {
			_, _ = w.Resolve(soon(w.t), s.RunID, *s.CurrentNodeID, json.RawMessage(`{"answers":{"q1":"yes"},"action":"accept"}`))
		} else if s, err := w.Create(soon(w.t), Create{WorkflowID: "trunk"}); err == nil {
			w.runs = append(w.runs, s.RunID)
		}
	}
	w.quiet()
	w.Close()
	w.log = w.log.survivor()
	w.o.Log = w.log
	w.start()
	w.quiet()
}

// quiet waits until nothing moves by itself.
func (w *world) quiet() {
	deadline := time.Now().Add(testenv.Patience(20 * time.Second))
	for busy := true; busy; {
		busy = slices.ContainsFunc(w.lives(), func(r *liveRun) bool { return r.wakes.Load() > 0 })
		if time.Now().After(deadline) {
			w.t.Fatal("the host does not come to rest")
		}
		runtime.Gosched()
	}
}

// check holds every run to the law, and what is served to what the log says.
func (w *world) check(rt *rapid.T) {
	w.quiet()
	for _, id := range w.log.grown(w.checked) {
		s := w.snapshot(id)
		records, events := w.records(rt, id), w.events(id)
		for now := w.snapshot(id); show(now) != show(s); now = w.snapshot(id) { // an alarm may ring at any time
			s, records, events = now, w.records(rt, id), w.events(id)
		}
		if problems := unlawful(s, events, w.version); len(problems) > 0 {
			rt.Fatalf("%v in\n%s", problems, fmt.Sprint(story(events)))
		}
		w.expectFolded(rt, s, records)
	}
}

// grown are the runs that have more appends than is known.
func (l *memoryLog) grown(known map[string]int) (ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, entries := range l.logs {
		if workflow.IsRunID(id) && known[id] != len(entries) {
			known[id] = len(entries)
			ids = append(ids, id)
		}
	}
	return ids
}

// expectFolded checks that a snapshot is the fold of the log, and that folding never changes a state it began with.
func (w *world) expectFolded(rt *rapid.T, served openwopv1.RunSnapshot, records []state.Record) {
	p, err := w.programs.program(soon(w.t), createdIn(records[0]).Definition)
	if err != nil {
		rt.Fatal(err)
	}
	folded, err := statetest.New(served.RunID, p.Definition)
	if err != nil {
		rt.Fatal(err)
	}
	for _, r := range records {
		before := show(folded.Snapshot())
		next, err := statetest.Fold(folded, r)
		if err != nil {
			rt.Fatal(err)
		}
		if show(folded.Snapshot()) != before {
			rt.Fatal("folding changed the state it began with")
		}
		folded = next
	}
	if got, want := show(served), show(folded.Snapshot()); got != want {
		rt.Fatalf("served is\n%s\nthe fold is\n%s", got, want)
	}
}

func (w *world) records(rt *rapid.T, id string) []state.Record {
	records, _, err := w.read(soon(w.t), id)
	if err != nil {
		rt.Fatal(err)
	}
	return records
}

func show(s openwopv1.RunSnapshot) string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// finish answers and waits until everything has ended.
func (w *world) finish() {
	for range 1000 {
		open := 0
		for _, id := range w.runs {
			for _, s := range w.family(id) {
				if state.Ended(s.Status) {
					continue
				}
				open++
				_, _ = w.Continue(soon(w.t), s.RunID) // which is paused, or is not
				if s.CurrentNodeID != nil {
					_, _ = w.Resolve(soon(w.t), s.RunID, *s.CurrentNodeID, json.RawMessage(`{"answers":{"q1":"yes"},"action":"accept"}`))
				}
			}
		}
		w.quiet()
		if open == 0 {
			break
		}
		w.clock.Advance(time.Second)
		w.quiet()
	}
	w.check(w.rt)
	for _, id := range w.runs {
		for _, s := range w.family(id) {
			if !state.Ended(s.Status) {
				w.rt.Fatalf("run %s is left %s", s.RunID, s.Status)
			}
		}
	}
	w.Close()
	if ids, _ := w.log.Pending(soon(w.t)); len(ids) > 0 {
		w.rt.Fatalf("pending: %v", ids)
	}
}
