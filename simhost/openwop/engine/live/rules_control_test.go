package live

import (
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/openwop/rules"
)

// The rules of bounds, of the loop's script and of control are asked: another one in its place shows on the log.
func TestTheEngineGoesByTheRulesOfBoundsAndControl(t *testing.T) {
	six := Create{WorkflowID: "conformance-cap-breach", Configurable: map[string]any{"recursionLimit": 3}}
	failing := Create{WorkflowID: "conformance-dispatch-deterministic-fail-child"}
	dispatching := Create{WorkflowID: "conformance-orchestrator-dispatch"}
	for _, c := range []struct {
		rule    string
		create  Create
		replace func(*rules.Set)
		honest  string // on the log without the change
		changed string // on the log with it
	}{
		{"Bounds.CountsTurns", Create{WorkflowID: "assay-loop"},
			func(s *rules.Set) { s.Bounds.CountsTurns = func(int) bool { return false } }, "loop-iterations 3<4", "#4 terminate"},
		{"Bounds.Turns", Create{WorkflowID: "assay-loop"},
			func(s *rules.Set) { s.Bounds.Turns = func(t rules.Turn, _ rules.Bound) int { return t.Iteration + 9 } },
			"loop-iterations 3<4", "loop-iterations 3<10"},
		{"Bounds.Rests", six, func(s *rules.Set) { s.Bounds.Rests = func(rules.Bound) bool { return false } }, "8 run.failed",
			"9 node.started @n4"},
		{"Loop.Numbers", dispatching, func(s *rules.Set) { s.Loop.Numbers = func(n, workers int) int { return n + workers } },
			"#2 terminate", "#3 terminate"},
		{"Loop.Script", dispatching, func(s *rules.Set) { s.Loop.Script = func([]any, bool) []any { return nil } }, "#2 terminate",
			"#1 terminate"},
		{"Control.Fails", failing, func(s *rules.Set) { s.Control.Fails = func(alone bool) bool { return !alone } }, "run.failed",
			"run.completed"},
	} {
		for _, faulty := range []bool{false, true} {
			set := rules.Honest()
			want := c.honest
			if faulty {
				c.replace(&set)
				want = c.changed
			}
			h := newStoreHost(t, version(5), func(o *Options) { o.Rules, o.Limits.MaxLoopIterations = set, 3 })
			id := h.begin(c.create)
			h.clock.Advance(2 * time.Second)
			if log := strings.Join(story(h.events(h.settled(id).RunID)), "\n") + "\n"; !strings.Contains(log, want) {
				t.Errorf("%s, faulty %v: no %q in\n%s", c.rule, faulty, want, log)
			}
		}
	}
}
