package rules

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Replay is how a run is forked, and what a fork takes of the record.
type Replay struct {
	// Flaw is why a fork cannot be.
	Flaw func(ForkAsk) ForkFlaw

	// Through is the last event of the source that concerns its fork.
	Through func(ForkAsk) int64

	// Takes is an event of the source as the fork has it, given what the host makes of it: under an id of the fork's own, with
	// the fork's run and time.
	Takes func(own, source event.Event, branch bool) event.Event

	// Keeps tells whether a replay takes what is recorded of a node of this type, that may say of itself that nobody can
	// foresee it. If not, the node is run anew, and a replay that cannot do that fails.
	Keeps func(nodeType string, unforeseeable bool) bool

	// Differs is what is told of an answer of a model that was asked again in a replay, and whether the replay goes on
	// with what was recorded, and not with that answer.
	Differs func(Reanswer) (told Divergence, recorded bool)
}

// ForkAsk is a fork that is asked for.
type ForkAsk struct {
	SourceID string
	Mode     openwopv1.ForkMode
	FromSeq  *int64 // nil where the request does not say
	Overlaid bool   // it is to have other options than its source
	Next     int64  // sequence that the source's next event would have
}

// From is the first sequence that the fork runs itself.
func (a ForkAsk) From() int64 {
	if a.FromSeq == nil {
		return 0
	}
	return min(max(*a.FromSeq, 0), a.Next)
}

// Branch tells whether the fork is to go another way than its source.
func (a ForkAsk) Branch() bool { return a.Mode == openwopv1.ForkModeBranch }

// ForkFlaw is why a fork cannot be.
type ForkFlaw int

// The flaws of forks, in the order in which they are looked for.
const (
	NoFlaw        ForkFlaw = iota
	NoMode                 // it is in no mode that there is
	ReplayOverlay          // a replay takes the options of its source
	NoPlace                // a branch has to say where it leaves its source
	OutsideLog             // there is no such place
)

// Reanswer is how a model answered a replay that asked it again, beside what is recorded.
type Reanswer struct {
	Refused, WasRefused bool
	Same                bool
}

// Divergence is how a replay is not as its source.
type Divergence int

// The divergences of a model's answer.
const (
	NoDivergence Divergence = iota
	OtherAnswer
	AtRefusal // one of the two refused
)

func honestReplay() Replay {
	return Replay{
		Flaw:    flaw,
		Through: through,
		Takes:   func(own, _ event.Event, _ bool) event.Event { return own },
		Keeps:   func(string, bool) bool { return true },
		Differs: differs,
	}
}

func flaw(a ForkAsk) ForkFlaw {
	switch {
	case a.Mode != openwopv1.ForkModeReplay && !a.Branch():
		return NoMode
	case !a.Branch() && a.Overlaid:
		return ReplayOverlay
	case a.Branch() && a.FromSeq == nil:
		return NoPlace
	case a.FromSeq != nil && *a.FromSeq != a.From():
		return OutsideLog
	}
	return NoFlaw
}

// through is the source's last event for a replay. What a branch's source did from there on does not concern it.
func through(a ForkAsk) int64 {
	if a.Branch() {
		return a.From() - 1
	}
	return a.Next - 1
}

func differs(r Reanswer) (told Divergence, recorded bool) {
	switch {
	case r.Refused != r.WasRefused:
		return AtRefusal, true
	case !r.Same:
		return OtherAnswer, true
	}
	return NoDivergence, true
}
