package live

import (
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/openwop/rules"
)

// The rules of bounds, of the loop's script and of control are asked: another one in its place shows on the log.
func TestTheEngineGoesByTheRulesOfBoundsAndControl(t *testing.T) {
	failing := Create{WorkflowID: "conformance-dispatch-deterministic-fail-child"}
	dispatching := Create{WorkflowID: "conformance-orchestrator-dispatch"}
	for _, c := range []struct {
		rule    string
		create  Create
		replace func(*rules.Set)
		honest  string // on the log without the change
		changed string // on the log with it
	}{
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
