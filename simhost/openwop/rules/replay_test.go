package rules

import (
	"maps"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestForks(t *testing.T) {
	const next = 5
	at := func(seq int64) *int64 { return &seq }
	for _, c := range []struct {
		what    string
		ask     ForkAsk
		want    ForkFlaw
		through int64
	}{
		{"a replay from the start", ForkAsk{Mode: openwopv1.ForkModeReplay}, NoFlaw, 4},
		{"a replay from behind the last event", ForkAsk{Mode: openwopv1.ForkModeReplay, FromSeq: at(5)}, NoFlaw, 4},
		{"a replay from beyond", ForkAsk{Mode: openwopv1.ForkModeReplay, FromSeq: at(6)}, OutsideLog, 4},
		{"a replay from before", ForkAsk{Mode: openwopv1.ForkModeReplay, FromSeq: at(-1)}, OutsideLog, 4},
		{"a replay with other options", ForkAsk{Mode: openwopv1.ForkModeReplay, Overlaid: true}, ReplayOverlay, 4},
		{"a branch from within", ForkAsk{Mode: openwopv1.ForkModeBranch, FromSeq: at(3), Overlaid: true}, NoFlaw, 2},
		{"a branch from the start", ForkAsk{Mode: openwopv1.ForkModeBranch, FromSeq: at(0)}, NoFlaw, -1},
		{"a branch from nowhere", ForkAsk{Mode: openwopv1.ForkModeBranch}, NoPlace, -1},
		{"a branch from beyond", ForkAsk{Mode: openwopv1.ForkModeBranch, FromSeq: at(6)}, OutsideLog, 4},
		{"no mode", ForkAsk{FromSeq: at(9)}, NoMode, 4},
		{"a mode that is none", ForkAsk{Mode: "again"}, NoMode, 4},
	} {
		c.ask.Next = next
		r := Honest().Replay
		if got := r.Flaw(c.ask); got != c.want {
			t.Errorf("%s has flaw %d, want %d", c.what, got, c.want)
		}
		if got := r.Through(c.ask); got != c.through {
			t.Errorf("%s is concerned by its source through %d, want %d", c.what, got, c.through)
		}
	}
}

func TestHonestReplays(t *testing.T) {
	r := Honest().Replay
	below, above := map[string]any{"a": 1, "b": 1}, map[string]any{"b": 2}
	own := openwopv1.RunEvent{EventID: "own", RunID: "fork"}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"a run that is not there is missing, whatever the place", r.Missing(nil) && r.Missing(new(int64(7)))},
		{"what is laid over goes key by key", maps.Equal(r.Lays(below, above), map[string]any{"a": 1, "b": 2})},
		{"what it lies on stays", maps.Equal(below, map[string]any{"a": 1, "b": 1})},
		{"nothing laid over changes nothing", maps.Equal(r.Lays(below, nil), below)},
		{"an event is the fork's own", r.Takes(own, openwopv1.RunEvent{RunID: "source"}, false).RunID == "fork"},
		{"what nobody can foresee is taken from the record", r.Keeps("core.noop", true)},
		{"the same answer is none to tell of", r.Differs(Reanswer{Same: true}) == NoDivergence},
		{"another answer is", r.Differs(Reanswer{}) == OtherAnswer},
		{"a refusal is", r.Differs(Reanswer{Refused: true}) == AtRefusal},
		{"an answer after a refusal is", r.Differs(Reanswer{WasRefused: true}) == AtRefusal},
		{"a refusal as before is not", r.Differs(Reanswer{Refused: true, WasRefused: true, Same: true}) == NoDivergence},
		{"the record stands", r.Recorded(OtherAnswer)},
		{"tools are ordered by name", r.ToolOrder(Tool{Name: "a", Text: []byte("2")}, Tool{Name: "b", Text: []byte("1")}) < 0},
		{"and then by what they are", r.ToolOrder(Tool{Name: "a", Text: []byte("2")}, Tool{Name: "a", Text: []byte("1")}) > 0},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
