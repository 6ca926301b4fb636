package playback

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// pairs say what a client sends in place of what was recorded, such as its own key in place of <secret:1>. Each recorded value has one
// value of the client, and the reverse.
type pairs struct {
	sent     map[string]string // recorded -> sent
	recorded map[string]string // sent -> recorded
}

func newPairs() pairs { return pairs{map[string]string{}, map[string]string{}} }

// pair is a recorded value with the one that a client sends in its place.
type pair struct{ recorded, sent string }

// fitting collects the pairs that a recorded request needs in order to fit one of the client. They hold once add is called.
type fitting struct {
	known pairs
	more  []pair
}

// pair reports whether a value may stand for a recorded one.
func (f *fitting) pair(recorded, sent string) bool {
	was, isRecorded := f.known.sent[recorded]
	is, isSent := f.known.recorded[sent]
	if isRecorded || isSent {
		return isRecorded && isSent && was == sent && is == recorded
	}
	for _, p := range f.more {
		if p.recorded == recorded || p.sent == sent {
			return p == pair{recorded, sent}
		}
	}
	f.more = append(f.more, pair{recorded, sent})
	return true
}

// copied returns a fitting that collects further pairs by itself.
func (f *fitting) copied() fitting { return fitting{f.known, slices.Clone(f.more)} }

// add has the pairs hold from now on.
func (f *fitting) add() {
	for _, p := range f.more {
		p.recorded, p.sent = strings.Clone(p.recorded), strings.Clone(p.sent)
		f.known.sent[p.recorded], f.known.recorded[p.sent] = p.sent, p.recorded
	}
}

// text reports whether a text that the client sends fits a recorded one. A placeholder fits the credential that stands for it, and
// itself: the client knows it from a reply.
func (f *fitting) text(recorded, sent string) bool { return f.within(recorded, sent, "") }

// within is text for parts that end at any of these characters, which no credential holds there.
func (f *fitting) within(recorded, sent, ends string) bool {
	switch {
	case recorded == sent:
		return true
	case recorded == wire.Secret: // one that was too short to tell it from others
		return sent != ""
	case !wire.HoldsSecret(recorded), wire.HoldsSecret(sent):
		return false
	}
	for {
		before, placeholder, after, found := cutSecret(recorded)
		if !found {
			return recorded == sent
		}
		rest, is := strings.CutPrefix(sent, before)
		if !is {
			return false
		}
		behind, _, _, more := cutSecret(after)
		n := len(rest) - len(behind)
		if more {
			n = strings.Index(rest, behind)
		}
		if n <= 0 || strings.ContainsAny(rest[:n], ends) || !f.pair(placeholder, rest[:n]) {
			return false
		}
		recorded, sent = after, rest[n:]
	}
}

// cutSecret cuts a text around its first placeholder.
func cutSecret(text string) (before, placeholder, after string, found bool) {
	at := strings.Index(text, "<secret:")
	if at < 0 {
		return text, "", "", false
	}
	n := strings.IndexByte(text[at:], '>') + 1
	if n == 0 {
		return text, "", "", false
	}
	return text[:at], text[at : at+n], text[at+n:], true
}
