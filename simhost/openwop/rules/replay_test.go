package rules

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
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
	differs := func(a Reanswer, want Divergence) bool {
		told, recorded := r.Differs(a)
		return told == want && recorded
	}
	own := event.Event{ID: "own", RunID: "fork"}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"an event is the fork's own", r.Takes(own, event.Event{RunID: "source"}, false).RunID == "fork"},
		{"what nobody can foresee is taken from the record", r.Keeps("core.noop", true)},
		{"the same answer is none to tell of", differs(Reanswer{Same: true}, NoDivergence)},
		{"another answer is", differs(Reanswer{}, OtherAnswer)},
		{"a refusal is", differs(Reanswer{Refused: true}, AtRefusal)},
		{"an answer after a refusal is", differs(Reanswer{WasRefused: true}, AtRefusal)},
		{"a refusal as before is not", differs(Reanswer{Refused: true, WasRefused: true, Same: true}, NoDivergence)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
