package excerpt

import (
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// noticed is from how many seconds on a reply feels slow.
const noticed = 0.1

// Pace says how slow the target was found to be, and what patience followed; "" if it was as quick as most.
func Pace(p *results.Pace) string {
	if p == nil || p.Reply < noticed && p.Turn == 0 && p.Behind == 0 && p.Patience == p.Asked {
		return ""
	}
	words := []string{span(p.Reply) + " a reply"}
	for _, seen := range []struct {
		took float64
		what string
	}{{p.Run, " a run"}, {p.Turn, " a turn"}, {p.Behind, " behind with what other routes show"}} {
		if seen.took > 0 {
			words = append(words, span(seen.took)+seen.what)
		}
	}
	patience := fmt.Sprintf("patience stayed %s", span(p.Patience))
	if p.Patience != p.Asked {
		patience = fmt.Sprintf("patience grew from %s to %s", span(p.Asked), span(p.Patience))
	}
	return fmt.Sprintf("the target took %s: %s, at most %s", strings.Join(words, ", "), patience, span(p.MaxPatience))
}

// Load says how the target held Assay back; "" if it did not.
func Load(l *results.Load) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("the target refused %s for load and was obeyed: %s waited, down to %.3g requests a second and %d at once",
		textsafe.Count(int(l.Refused), "request"), span(l.Waited), l.Rate, l.AtOnce)
}

// span is a number of seconds as people write it, to about two digits.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
