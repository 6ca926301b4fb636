package reports

import (
	"fmt"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// seen lists the unclaimed features of the target. They are no verdict: the target did not promise them.
func (t *text) seen() {
	if len(t.doc.NotClaimed) == 0 {
		return
	}
	t.heading(yellow, "NOT CLAIMED, BUT SEEN", "what the target does without saying so; no verdict rests on it")
	for _, s := range t.doc.NotClaimed {
		t.line("  %s", textsafe.Clip(s.What, mostReason))
		t.line("    would be claimed by  %s", textsafe.Clip(s.ClaimPointer, mostReason))
		t.line("    seen in              %s", textsafe.Clip(sightingPlace(s), mostReason))
	}
}

// sightingPlace describes for people where a sighting was made.
func sightingPlace(s results.Sighting) string {
	words := fmt.Sprintf("%s #%d %s", s.Drive, s.Exchange, s.Pointer)
	if s.Replies > 1 {
		words += fmt.Sprintf(", and in %s more", counts(int(s.Replies)-1, "reply", "replies"))
	}
	return words
}

func counts(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
