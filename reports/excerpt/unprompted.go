package excerpt

import (
	"fmt"

	"github.com/openassay/assay/gen/results"
)

// Unprompted sums up what a recording says of the target; "" if there is none.
func Unprompted(doc results.Results) string {
	if len(doc.Unprompted) == 0 {
		return ""
	}
	violated, otherwise := 0, 0
	for _, u := range doc.Unprompted {
		if u.Violations > 0 {
			violated++
		}
		if u.Otherwise {
			otherwise++
		}
	}
	words := fmt.Sprintf("what it did for others bears out %d requirements and violates %d", len(doc.Unprompted)-violated, violated)
	if otherwise > 0 {
		words += fmt.Sprintf("; for %d it behaves otherwise when it is asked", otherwise)
	}
	return words
}

// Otherwise says what a recording shows of a requirement, if it is violated there or came out otherwise when it was asked; else "".
func Otherwise(u results.Unprompted) string {
	switch {
	case u.Violations > 0 && u.Otherwise:
		return fmt.Sprintf("violated %d of %d times, and kept when it was asked: it behaves otherwise when it is asked", u.Violations, u.Times)
	case u.Violations > 0:
		return fmt.Sprintf("violated %d of %d times", u.Violations, u.Times)
	case u.Otherwise:
		return fmt.Sprintf("kept %d times, and violated when it was asked: it behaves otherwise when it is asked", u.Times)
	}
	return ""
}
