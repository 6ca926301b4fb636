package challenge

import (
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/wire"
)

// mostEchoes is the number of places of a look whose words are changed everywhere.
const mostEchoes = 4

// drawnWord matches a word that is long enough to be drawn.
var drawnWord = lazyregexp.New(`[A-Za-z0-9][A-Za-z0-9-]{11,}`)

// everywhere changes a word that the drive sent, and that the target gave back, in all that the target sent: a check may
// be content with one of several places. It reports whether to go on.
func (s *scene) everywhere(l look, yield func(edit) bool) bool {
	var echoes []place
	for _, p := range s.leaves(l) {
		if word := drawnWord.FindString(p.text); isJSON(p.ref.Part) && strings.ContainsAny(word, "0123456789") && s.wasSent(word) {
			echoes = append(echoes, p)
		}
	}
	for _, p := range shuffled(s.random, echoes, mostEchoes) {
		word := drawnWord.FindString(p.text)
		if e, ok := s.renamed(p, word, alike(s.random, word)); ok && !yield(e) {
			return false
		}
	}
	return true
}

func (s *scene) wasSent(word string) bool {
	for n := 1; n <= s.transcript.Len(); n++ {
		for _, text := range s.transcript.Entry(n).Sent() {
			if strings.Contains(text, word) {
				return true
			}
		}
	}
	return false
}

// renamed puts one word in the place of another in the body of each reply. ok is false if the word stands only once.
func (s *scene) renamed(p place, from, to string) (edit, bool) {
	c := wire.Change{Entries: map[int]wire.Entry{}}
	places := 0
	for n := 1; n <= s.transcript.Len(); n++ {
		text, ok := s.transcript.Text(n, "")
		if !ok || !strings.Contains(text, from) {
			continue
		}
		entry, ok := s.transcript.Entry(n).With("", strings.ReplaceAll(text, from, to))
		if !ok {
			continue
		}
		places += strings.Count(text, from)
		c.Entries[n] = entry
		c.Touched = append(c.Touched, wire.Ref{Exchange: n}, wire.Ref{Exchange: n, Part: "output"})
	}
	return edit{c, p.ref, clip(from + " → " + to + " everywhere")}, places > 1
}
