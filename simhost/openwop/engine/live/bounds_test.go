package live

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

func decidedOn(events []event.Event) (n int) {
	for _, e := range events {
		if e.Type == event.Decided {
			n++
		}
	}
	return n
}

func TestLoopBound(t *testing.T) {
	// assay-loop takes four turns.
	for _, c := range []struct {
		requested  any
		advertised int
		version    int
		turns      int // that run
		limit      int // that is breached, 0 none
	}{
		{nil, 0, 5, 4, 0},
		{3, 0, 5, 3, 3}, {4, 0, 5, 4, 0}, {5, 0, 5, 4, 0}, {1, 0, 5, 1, 1},
		{nil, 3, 5, 3, 3}, {nil, 4, 5, 4, 0},
		{2, 3, 5, 2, 2}, {100, 3, 5, 3, 3}, {math.MaxFloat64, 3, 5, 3, 3},
		{2.0, 0, 1, 2, 2}, {2, 0, 4, 2, 2},
		{2, 2, 0, 4, 0}, // without execution model there is no such bound
	} {
		t.Run(fmt.Sprintf("%v of %d at version %d", c.requested, c.advertised, c.version), func(t *testing.T) {
			h := newHost(t, version(c.version), func(o *Options) { o.Limits.MaxLoopIterations = c.advertised })
			create := Create{WorkflowID: "assay-loop"}
			if c.requested != nil {
				create.Configurable = map[string]any{"maxLoopIterations": c.requested}
			}
			s := h.create(create)
			events := h.events(s.RunID)
			expectLawful(t, s, events, c.version)
			if n := decidedOn(events); n != c.turns {
				t.Errorf("%d turns, want %d", n, c.turns)
			}
			if c.limit == 0 {
				if s.Status != openwopv1.RunStatusCompleted {
					t.Errorf("status is %s: %v", s.Status, s.Error)
				}
				return
			}
			last := len(events) - 2
			expectStory(t, events[last:],
				fmt.Sprintf("%d cap.breached loop-iterations %d<%d", last, c.limit, c.limit+1),
				fmt.Sprintf("%d run.failed loop_limit_exceeded <-%d", last+1, last))
			if s.Error == nil || s.Error.Code != codes.LoopLimit || s.Error.Details["iteration"] != float64(c.limit+1) {
				t.Errorf("error is %v", s.Error)
			}
			breach := parse[event.BreachedPayload](t, string(events[last].Payload))
			if breach.NodeID != nil || events[last].NodeID != "" {
				t.Error("a bound on the run names a node")
			}
		})
	}
}

func TestEndlessLoopEndsAtTheBound(t *testing.T) {
	h := newHost(t, func(o *Options) { o.Limits.MaxLoopIterations = 50 })
	s := h.create(Create{WorkflowID: "assay-loop-endless"})
	expectLawful(t, s, h.events(s.RunID), 5)
	if n := decidedOn(h.events(s.RunID)); n != 50 || s.Error == nil || len(s.ChildRuns) != 50 {
		t.Errorf("%d turns, %d children, error %v", n, len(s.ChildRuns), s.Error)
	}
}

func TestChildLoopsHaveBoundsOfTheirOwn(t *testing.T) {
	h := newHost(t, func(o *Options) { o.Limits.MaxLoopIterations = 10 })
	s := h.create(Create{
		WorkflowID:   "assay-loop",
		Inputs:       plan(t, `[{"kind":"next-worker","nextWorkerIds":["assay-loop"]},{"kind":"terminate"}]`),
		Configurable: map[string]any{"maxLoopIterations": 2},
	})
	if child := h.child(s, 0); child.Status != openwopv1.RunStatusCompleted || decidedOn(h.events(child.RunID)) != 4 {
		t.Errorf("the child is %s after %d turns", child.Status, decidedOn(h.events(child.RunID)))
	}
}

func TestNodeBound(t *testing.T) {
	for _, c := range []struct{ requested, advertised, runs, limit int }{
		{3, 0, 3, 3}, {5, 0, 5, 5}, {6, 0, 6, 0}, {7, 0, 6, 0}, {1, 0, 1, 1}, {0, 4, 4, 4}, {9, 4, 4, 4},
	} {
		h := newHost(t, func(o *Options) { o.Limits.MaxNodeExecutions = c.advertised })
		create := Create{WorkflowID: "conformance-cap-breach"}
		if c.requested > 0 {
			create.Configurable = map[string]any{"recursionLimit": float64(c.requested)}
		}
		s := h.create(create)
		events := h.events(s.RunID)
		expectLawful(t, s, events, 5)
		started := 0
		for _, e := range events {
			if e.Type == event.NodeStarted {
				started++
			}
		}
		if started != c.runs || (s.Error != nil) != (c.limit > 0) {
			t.Errorf("%+v: %d nodes started, error %v", c, started, s.Error)
		}
		if c.limit == 0 {
			continue
		}
		last := len(events) - 2
		expectStory(t, events[last:],
			fmt.Sprintf("%d cap.breached @n%d node-executions %d<%d", last, c.limit+1, c.limit, c.limit+1),
			fmt.Sprintf("%d run.failed recursion_limit_exceeded <-%d", last+1, last))
		if breach := parse[event.BreachedPayload](t, string(events[last].Payload)); breach.NodeID == nil ||
			*breach.NodeID != fmt.Sprintf("n%d", c.limit+1) {
			t.Errorf("the breach names %v", breach.NodeID)
		}
	}
}

func TestNodeBoundCountsTheLoopsNodes(t *testing.T) {
	h := newHost(t)
	for limit, want := range map[int]string{2: "@supervisor node-executions 2<3", 3: "@dispatch node-executions 3<4"} {
		s := h.create(Create{WorkflowID: "assay-loop", Configurable: map[string]any{"recursionLimit": limit}})
		expectLawful(t, s, h.events(s.RunID), 5)
		if log := strings.Join(story(h.events(s.RunID)), "\n"); !strings.Contains(log, want) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
}

func TestRunDuration(t *testing.T) {
	delaying := Create{WorkflowID: "conformance-run-duration-breach"}
	waiting := Create{WorkflowID: "assay-loop", Inputs: plan(t, `[{"kind":"next-worker","nextWorkerIds":["conformance-cancellable"]}]`)}
	asking := Create{WorkflowID: "assay-loop-ask-user"}
	for _, c := range []struct {
		name   string
		create Create
		before []string // the last events before the breach, less their sequence
	}{
		{"in a delay", delaying, []string{"node.cancelled @wait"}},
		{"while a child runs", waiting, []string{"child.cancelled", "node.cancelled @dispatch"}},
		{"while suspended", asking, []string{"interrupt.requested @supervisor", "node.cancelled @supervisor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, func(o *Options) { o.Limits.MaxRunDuration = 2 * time.Second })
			c.create.Configurable = map[string]any{"runTimeoutMs": 1000.0}
			id := h.begin(c.create)
			h.until(id, func(e event.Event) bool {
				return e.Type == event.InterruptRequested || e.Type == event.NodeDispatched || e.NodeID == "wait"
			})
			h.clock.Advance(time.Second) // exactly the bound is not over it
			if s := h.snapshot(id); state.Ended(s.Status) {
				t.Fatalf("after exactly the bound the run is %s", s.Status)
			}
			h.clock.Advance(time.Millisecond)
			h.until(id, func(e event.Event) bool { return e.Type == event.RunFailed })
			s, events := h.snapshot(id), h.events(id)
			expectLawful(t, s, events, 5)
			last := len(events) - 2
			expectStory(t, events[last:], fmt.Sprintf("%d cap.breached run-duration 1000<1001", last),
				fmt.Sprintf("%d run.failed run_timeout <-%d", last+1, last))
			lines := story(events)[:last]
			for i, want := range c.before {
				if line := lines[len(lines)-len(c.before)+i]; !strings.Contains(line, want) {
					t.Errorf("%q stands where %q belongs", line, want)
				}
			}
			if s.Error == nil || s.Error.Code != codes.Timeout || s.Error.Details["elapsedMs"] != 1001.0 {
				t.Errorf("error is %v", s.Error)
			}
			for n := range s.ChildRuns {
				child := h.child(s, n)
				if child.WorkflowID == "conformance-noop" {
					continue // it had ended before
				}
				log := story(h.events(child.RunID))
				if child.Status != openwopv1.RunStatusCancelled || !strings.HasSuffix(log[len(log)-1], "run.cancelled parent-cancelled") {
					t.Errorf("the child is %s:\n%s", child.Status, strings.Join(log, "\n"))
				}
			}
			if _, err := h.Resolve(soon(t), id, "supervisor", []byte(`{"answers":{"q1":"late"}}`)); c.name == "while suspended" &&
				code(err) != codes.InterruptGone {
				t.Errorf("an answer after the end: %v", err)
			}
		})
	}
}

func TestRunDurationLeavesTheQuickAlone(t *testing.T) {
	h := newHost(t, func(o *Options) { o.Limits.MaxRunDuration = 2 * time.Second })
	id := h.begin(Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 1000.0},
		Configurable: map[string]any{"runTimeoutMs": 9e15}})
	h.clock.Advance(time.Second)
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("status is %s: %v", s.Status, s.Error)
	}
	id = h.begin(Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 5000.0},
		Configurable: map[string]any{"runTimeoutMs": 9e15}})
	h.clock.Advance(3 * time.Second)
	if s := h.settled(id); s.Error == nil || s.Error.Code != codes.Timeout || s.CompletedAt.Sub(s.StartedAt) > 3*time.Second {
		t.Errorf("a request above the limit is not clamped: %v", s.Error)
	}
}

func TestAnswerAfterTheTime(t *testing.T) {
	// The clock stands beyond the bound before the alarm was heard: the answer must not win.
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-loop-ask-user", Configurable: map[string]any{"runTimeoutMs": 10}})
	h.clock.Advance(time.Minute)
	_, err := h.Resolve(soon(t), s.RunID, "supervisor", []byte(`{"answers":{"q1":"late"}}`))
	if code(err) != codes.InterruptGone {
		t.Errorf("the late answer: %v", err)
	}
	s = h.settled(s.RunID)
	expectLawful(t, s, h.events(s.RunID), 5)
	if s.Error == nil || s.Error.Code != codes.Timeout {
		t.Errorf("error is %v", s.Error)
	}
}

func TestWrongConfigurables(t *testing.T) {
	h := newHost(t)
	for _, key := range []string{"maxLoopIterations", "recursionLimit", "runTimeoutMs"} {
		for _, value := range []any{0, -1, 0.0, -3.0, 1.5, "3", true, nil, []any{1.0}, map[string]any{}, math.Inf(1), math.NaN()} {
			_, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop", Configurable: map[string]any{key: value}})
			refusal := refusalOf(err)
			if refusal == nil || refusal.Code != codes.Validation || refusal.Details["field"] != "configurable."+key {
				t.Errorf("%s %v: %v", key, value, err)
			}
		}
	}
	for _, value := range []any{-0.1, 1.1, "0.5", nil} {
		_, err := h.Create(soon(t), Create{WorkflowID: "conformance-noop", Configurable: map[string]any{"escalationThreshold": value}})
		if code(err) != codes.Validation {
			t.Errorf("escalationThreshold %v: %v", value, err)
		}
	}
}
