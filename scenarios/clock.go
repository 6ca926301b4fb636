package scenarios

import (
	"fmt"
	"net/http"
	"time"
)

// mostApart is how far two clocks may be apart before it is worth a word.
const mostApart = 5 * time.Minute

// clock tells of a target whose clock is not ours. Nothing is concluded from what time it is, so no verdict depends on
// it; but who reads the transcripts looks for it there.
func clock(date string, now time.Time) []Finding {
	theirs, err := http.ParseTime(date)
	if err != nil { // it need not tell the time
		return nil
	}
	switch apart := theirs.Sub(now).Round(time.Second); {
	case apart > mostApart:
		return []Finding{{Text: fmt.Sprintf("its clock is %s ahead of ours: its Date is %s", apart, theirs.UTC().Format(time.RFC3339))}}
	case apart < -mostApart:
		return []Finding{{Text: fmt.Sprintf("its clock is %s behind ours: its Date is %s", -apart, theirs.UTC().Format(time.RFC3339))}}
	}
	return nil
}
