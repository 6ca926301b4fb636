package live

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Every rule of forks is asked: another one in its place shows on the log of the fork.
func TestForksGoByTheRules(t *testing.T) {
	for _, c := range []struct {
		rule            string
		workflow        string
		fork            Fork
		replace         func(*rules.Set)
		honest, changed string // what the log of the fork says of its source: "same", "other" or a refusal
	}{
		{"Flaw", "conformance-noop", Fork{Mode: "again"}, func(s *rules.Set) {
			s.Replay.Flaw = func(rules.ForkAsk) rules.ForkFlaw { return rules.NoFlaw }
		}, "validation_error", "same"},
		{"Through", "assay-random", Fork{Mode: "branch", FromSeq: new(int64(1))}, func(s *rules.Set) {
			s.Replay.Through = func(a rules.ForkAsk) int64 { return a.Next - 1 }
		}, "other", "same"},
		{"Takes", "assay-random", Fork{Mode: "replay"}, func(s *rules.Set) {
			s.Replay.Takes = func(own, _ event.Event, _ bool) event.Event { own.NodeID = "x"; return own }
		}, "same", "other"},
		{"Keeps", "assay-random", Fork{Mode: "replay"}, func(s *rules.Set) {
			s.Replay.Keeps = func(nodeType string, _ bool) bool { return nodeType != workflow.TypeRandom }
		}, "same", "other"},
	} {
		for _, faulty := range []bool{false, true} {
			set, want := rules.Honest(), c.honest
			if faulty {
				c.replace(&set)
				want = c.changed
			}
			h := newHost(t, version(5), func(o *Options) { o.Rules = set })
			source := h.create(Create{WorkflowID: c.workflow}).RunID
			got := "other"
			made, err := h.Fork(soon(t), source, c.fork)
			switch {
			case err != nil:
				got = err.Error()
			case slices.Equal(told(h.events(source)), told(h.events(h.settled(made.RunID).RunID))):
				got = "same"
			}
			if !strings.Contains(got, want) {
				t.Errorf("Replay.%s, faulty %v: %s, want %s", c.rule, faulty, got, want)
			}
		}
	}
}

// told are events as far as a fork has them of its source, but for what children are called.
func told(events []event.Event) []string {
	var out []string
	for _, e := range events {
		payload := string(e.Payload)
		if e.Type == event.Handoff || e.Type == event.NodeDispatched ||
			strings.Contains(payload, "childRunId") {
			payload = ""
		}
		out = append(out, string(e.Type)+" "+e.NodeID+" "+payload)
	}
	return out
}
