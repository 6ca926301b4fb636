package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The fault does what it says, end to end, and nothing else.
func TestIterationResetsOnResumeWithTheFault(t *testing.T) {
	set, err := fault.Rules("loop.iteration-resets-on-resume")
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, func(o *Options) { o.Rules = set })
	s := h.resolve(h.create(Create{WorkflowID: "assay-loop-ask-user"}).RunID, `{"answers":{"q1":"yes"}}`)
	var got []int64
	for _, e := range h.events(s.RunID) {
		if e.Type == event.Decided {
			got = append(got, *parse[event.DecidedPayload](t, string(e.Payload)).Iteration)
		}
	}
	if !slices.Equal(got, []int64{1, 2, 1, 2}) || s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("iterations %v, status %s", got, s.Status)
	}
}

// Every rule is asked: another one in its place shows on the log.
func TestTheEngineGoesByTheRules(t *testing.T) {
	const failing = `[{"kind":"next-worker","nextWorkerIds":["conformance-dispatch-deterministic-fail-child"]}]`
	for _, c := range []struct {
		rule    string
		version int
		create  Create
		replace func(*rules.Set)
		honest  string // on the log without the change
		changed string // on the log with it
	}{
		{"Loop.Next", 5, Create{WorkflowID: "conformance-orchestrator-dispatch"},
			func(s *rules.Set) { s.Loop.Next = func(int, rules.Past) int { return 3 } }, "#2 terminate", "#3 terminate"},
		{"Bounds.InForce", 5, Create{WorkflowID: "assay-loop", Configurable: map[string]any{"maxLoopIterations": 9}},
			func(s *rules.Set) { s.Bounds.InForce = func(w rules.Wanted) int64 { return w.Requested } }, "loop-iterations 3<4",
			"#4 terminate"},
		{"Bounds.Crosses, a turn", 5, Create{WorkflowID: "assay-loop"}, func(s *rules.Set) {
			s.Bounds.Crosses = func(u rules.Use, b rules.Bound) bool { return b.Limit > 0 && u.N >= b.Limit }
		}, "loop-iterations 3<4", "loop-iterations 3<3"},
		{"Bounds.Crosses, a node", 5, Create{WorkflowID: "conformance-cap-breach", Configurable: map[string]any{"recursionLimit": 3}},
			func(s *rules.Set) { s.Bounds.Crosses = func(rules.Use, rules.Bound) bool { return false } }, "node-executions 3<4",
			"node.completed @n6"},
		{"Bounds.Crosses, a time", 5, Create{WorkflowID: "conformance-delay", Configurable: map[string]any{"runTimeoutMs": 500}},
			func(s *rules.Set) { s.Bounds.Crosses = func(rules.Use, rules.Bound) bool { return false } }, "run-duration",
			"node.completed @wait"},
		{"Loop.Shows", 4, Create{WorkflowID: "conformance-orchestrator-terminate"},
			func(s *rules.Set) { s.Loop.Shows = func(int) bool { return true } }, "@supervisor terminate", "@supervisor #1 terminate"},
		{"Control.Fails", 5, Create{WorkflowID: "conformance-dispatch-deterministic-fail-child"},
			func(s *rules.Set) { s.Control.Fails = func(alone bool) bool { return !alone } }, "run.failed", "run.completed"},
		{"Confidence.Holds", 5, Create{WorkflowID: "conformance-orchestrator-terminate"},
			func(s *rules.Set) { s.Confidence.Holds = func(rules.Doubt) bool { return true } }, "run.completed", "confidence-escalated"},
	} {
		for _, faulty := range []bool{false, true} {
			set := rules.Honest()
			want := c.honest
			if faulty {
				c.replace(&set)
				want = c.changed
			}
			h := newStoreHost(t, version(c.version), func(o *Options) { o.Rules, o.Limits.MaxLoopIterations = set, 3 })
			id := h.begin(c.create)
			h.clock.Advance(2 * time.Second)
			if log := strings.Join(story(h.events(h.settled(id).RunID)), "\n"); !strings.Contains(log, want) {
				t.Errorf("%s, faulty %v: no %q in\n%s", c.rule, faulty, want, log)
			}
		}
	}
}
