package host

import (
	"fmt"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

func (h Host) TurnsFrom(least int) int {
	ceiling, why := h.Ceiling()
	if ceiling < least {
		TooFewTurns(why)
	}
	return h.Between(least, min(least+4, ceiling))
}

// A turn notes its files at the beginning, before it writes, and again at the end.
const (
	AtBegin = "begin"
	AtEnd   = "end"
)

// Look is the moment at which a turn notes its files.
type Look struct {
	Turn int64
	At   string
}

func (l Look) String() string { return fmt.Sprintf("turn %d at its %s", l.Turn, l.At) }

// Notes holds what the turns of a loop noted, by look.
type Notes struct {
	in     wire.Ref
	lists  map[Look]wire.Ref    // the first list of a look
	ByLook map[Look]wire.Values // entries are {path, version, content} of files; a look without notes is absent
}

// A loop of ours has at most 8 turns and 4 files. Anything several times longer was made up to exhaust the reader.
const (
	mostNotes   = 100
	mostEntries = 40
)

// ReadSeen returns the turns' notes about one thing, such as their workspace.
func ReadSeen(l RunLog, thing string) Notes {
	seen := l.Ended.Last.At("/variables/seen")
	if list, _ := seen.Actual().([]any); len(list) == 0 {
		changes := l.OfType(dialect.VariableChanged).Where(func(e wire.Value) bool { return e.At("/payload/name").String() == "seen" })
		seen = changes.Last().At("/payload/next")
	}
	n := Notes{in: seen.Ref(), lists: map[Look]wire.Ref{}, ByLook: map[Look]wire.Values{}}
	for _, note := range AtMost(mostNotes, seen) {
		turn, _ := note.Key("iteration").Int()
		at := Look{turn, note.Key("at").String()}
		if list, ok := note.Key(thing).Actual().([]any); ok && len(list) <= mostEntries {
			if _, had := n.lists[at]; !had {
				n.lists[at] = note.Key(thing).Ref()
			}
			n.ByLook[at] = append(n.ByLook[at], note.Key(thing).Items()...)
		}
	}
	return n
}

// AtMost returns the elements of a list, or none if it has more than n.
func AtMost(n int, list wire.Value) wire.Values {
	if elements, _ := list.Actual().([]any); len(elements) > n {
		return nil
	}
	return list.Items()
}

// Entries returns all entries noted at a look.
func (n Notes) Entries(l Look) wire.Found {
	in, noted := n.lists[l]
	if !noted {
		in = n.in
	}
	return wire.Found{Values: n.ByLook[l], In: in}
}
