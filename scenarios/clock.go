package scenarios

import (
	"fmt"
	"net/http"
	"time"
)

// mostApart is the difference between two clocks from which on it is a finding.
const mostApart = 5 * time.Minute

// clock returns a finding if the target's clock differs from ours. No verdict depends on that, but a reader of the
// transcripts needs to know.
func clock(date string, now time.Time) []Finding {
	theirs, err := http.ParseTime(date)
	if err != nil { // the header is optional
		return nil
	}
	switch apart := theirs.Sub(now).Round(time.Second); {
	case apart > mostApart:
		return []Finding{{Text: fmt.Sprintf("its clock is %s ahead of ours: its Date is %s", apart, rfc3339(theirs))}}
	case apart < -mostApart:
		return []Finding{{Text: fmt.Sprintf("its clock is %s behind ours: its Date is %s", -apart, rfc3339(theirs))}}
	}
	return nil
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
