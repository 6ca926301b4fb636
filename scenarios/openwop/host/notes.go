package host

import (
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

func (h Host) TurnsFrom(least int) int {
	ceiling, why := h.Ceiling()
	if ceiling < least {
		scenarios.End(scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified"))
	}
	return h.Between(least, min(least+4, ceiling))
}

// A turn looks when it begins, before it writes, and again when it is over.
const (
	AtBegin = "begin"
	AtEnd   = "end"
)

// look is one look of a turn at its files.
type Look struct {
	Turn int64
	At   string
}

func (l Look) String() string { return fmt.Sprintf("turn %d at its %s", l.Turn, l.At) }

// notes are what the turns of a loop noted, by the look.
type Notes struct {
	in     wire.Ref
	ByLook map[Look]wire.Values // entries: {path, version, content} of files; no look has one where nothing was noted
}

// A loop of ours has 8 turns and 4 files at most. What is several times that
// long was not noted but made to be read.
const (
	mostNotes   = 100
	mostEntries = 40
)

// ReadSeen are the notes of what the turns saw of one of the things they look at.
func ReadSeen(l RunLog, thing string) Notes {
	seen := l.Ended.Last.At("/variables/seen")
	if list, _ := seen.Actual().([]any); len(list) == 0 {
		changes := l.OfType(dialect.VariableChanged).Where(func(e wire.Value) bool { return e.At("/payload/name").String() == "seen" })
		seen = changes.Last().At("/payload/next")
	}
	n := Notes{in: seen.Ref(), ByLook: map[Look]wire.Values{}}
	for _, note := range AtMost(mostNotes, seen) {
		turn, _ := note.Key("iteration").Int()
		at := Look{turn, note.Key("at").String()}
		if list, ok := note.Key(thing).Actual().([]any); ok && len(list) <= mostEntries {
			n.ByLook[at] = append(n.ByLook[at], note.Key(thing).Items()...)
		}
	}
	return n
}

// AtMost are the elements of a list, none of one that is longer.
func AtMost(n int, list wire.Value) wire.Values {
	if elements, _ := list.Actual().([]any); len(elements) > n {
		return nil
	}
	return list.Items()
}

// Entries are what a look showed, of all files.
func (n Notes) Entries(l Look) wire.Found { return wire.Found{Values: n.ByLook[l], In: n.in} }
