package challenge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// frames changes which events the streams have that a look is at. It reports whether to go on.
func (s *scene) frames(kind Kind, l look, yield func(edit) bool) bool {
	for _, p := range s.places(l) {
		what, number, _ := strings.Cut(p.ref.Part, ":")
		n, err := strconv.Atoi(number)
		if err != nil || !slices.Contains([]string{"event", "id", "type"}, what) || len(p.path) > 0 {
			continue
		}
		all := make([]int, s.transcript.Events(p.ref.Exchange))
		for i := range all {
			all[i] = i
		}
		if n > len(all) {
			continue
		}
		for _, order := range orders(kind, all, n-1) {
			if e, ok := s.sending(p, order, kind); ok && !yield(e) {
				return false
			}
		}
	}
	return true
}

// orders returns the indexes of a list of events after changes of a kind to the event at i.
func orders(kind Kind, all []int, i int) (out [][]int) {
	switch kind {
	case LeftOut:
		out = append(out, slices.Delete(slices.Clone(all), i, i+1))
	case Repeated:
		out = append(out, slices.Insert(slices.Clone(all), i+1, i), append(slices.Clone(all), i))
	case AfterTheEnd, Inserted:
		out = append(out, append(slices.Clone(all), i))
	case Reordered:
		for _, k := range []int{i + 1, i - 1} {
			if k >= 0 && k < len(all) {
				order := slices.Clone(all)
				order[i], order[k] = k, i
				out = append(out, order)
			}
		}
	}
	return out
}

// sending has a stream send the events at these indexes. One that is sent twice is new the second time.
func (s *scene) sending(p place, order []int, kind Kind) (edit, bool) {
	entry, ok := s.transcript.Entry(p.ref.Exchange).Sending(order)
	had := s.transcript.Events(p.ref.Exchange)
	stream := wire.Ref{Exchange: p.ref.Exchange, Part: "event"}
	c := wire.Change{Entries: map[int]wire.Entry{p.ref.Exchange: entry}, Moves: &wire.Moves{Array: stream, Had: had}}
	sent := map[int]bool{}
	for _, from := range order {
		if sent[from] {
			from = -1
		}
		sent[from] = true
		c.Moves.From = append(c.Moves.From, from)
	}
	return edit{c, p.ref, string(kind) + " in the stream " + stream.String()}, ok
}
