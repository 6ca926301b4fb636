package excerpt

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// Reach says how far a requirement was asked, "" if no check of it was made.
func Reach(r *results.Reach) string {
	if r == nil {
		return ""
	}
	words := textsafe.Count(int(r.Asked), "check")
	if r.Made > 0 {
		words += fmt.Sprintf(" of what %d runs or turns showed", r.Made)
	}
	var drawn []string
	for _, d := range r.Drawn {
		text := fmt.Sprintf("%s %d to %d", d.Name, d.Least, d.Most)
		if d.Narrowed != "" {
			text += " (no more, since " + d.Narrowed + ")"
		}
		drawn = append(drawn, text)
	}
	if len(drawn) > 0 {
		words += "; drawn: " + strings.Join(drawn, ", ")
	}
	return words
}
