package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"

	"github.com/openassay/assay/gen/openwopv1"
)

// Replay is how a run is forked, and what a fork takes of the record.
type Replay struct {
	// Missing tells whether a fork of a run that is not there is refused for that, given where it was to begin; else it is
	// refused for its place.
	Missing func(fromSeq *int64) bool

	// Flaw is why a fork cannot be.
	Flaw func(ForkAsk) ForkFlaw

	// Through is the last event of the source that concerns its fork.
	Through func(ForkAsk) int64

	// Takes is an event of the source as the fork has it, given what the host makes of it: under an id of the fork's own, with
	// the fork's run and time.
	Takes func(own, source openwopv1.RunEvent, branch bool) openwopv1.RunEvent

	// Keeps tells whether a replay takes what is recorded of a node of this type, that may say of itself that nobody can
	// foresee it. If not, the node is run anew, and a replay that cannot do that fails.
	Keeps func(nodeType string, unforeseeable bool) bool

	// Lays is what a branch has of its source's options with others laid over them, key by key; nil is none.
	Lays func(below, above map[string]any) map[string]any

	// Differs is what is told of an answer of a model that was asked again in a replay.
	Differs func(Reanswer) Divergence

	// Recorded tells whether the replay goes on with what was recorded, and not with the other answer.
	Recorded func(Divergence) bool

	// ToolOrder is the order in which the tools of a request to a model stand in its cache key (RFC 0041).
	ToolOrder func(a, b Tool) int
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

// Tool is a tool that a request lets a model use. In JSON it is what the request says of it, its keys in order.
type Tool struct {
	Name string
	Text json.RawMessage
}

// MarshalJSON implements [json.Marshaler].
func (t Tool) MarshalJSON() ([]byte, error) { return t.Text, nil }

// byName orders tools by name and then by what else they are.
func byName(a, b Tool) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), bytes.Compare(a.Text, b.Text))
}

func honestReplay() Replay {
	return Replay{
		Missing:   func(*int64) bool { return true },
		Flaw:      flaw,
		Through:   through,
		Takes:     func(own, _ openwopv1.RunEvent, _ bool) openwopv1.RunEvent { return own },
		Keeps:     func(string, bool) bool { return true },
		Lays:      lay,
		Differs:   differs,
		Recorded:  func(Divergence) bool { return true },
		ToolOrder: byName,
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

// lay is a map with another one laid over it, key by key.
func lay(below, above map[string]any) map[string]any {
	if above == nil {
		return below
	}
	both := make(map[string]any, len(below)+len(above))
	maps.Copy(both, below)
	maps.Copy(both, above)
	return both
}

func differs(r Reanswer) Divergence {
	switch {
	case r.Refused != r.WasRefused:
		return AtRefusal
	case !r.Same:
		return OtherAnswer
	}
	return NoDivergence
}
