package excerpt

import (
	"fmt"

	"github.com/openassay/assay/gen/results"
)

// Recognisable says how many requirements were shown by published fixtures alone; "" for none.
func Recognisable(doc results.Results) string {
	n, proved := 0, 0
	for _, r := range doc.Requirements {
		if r.Verdict == results.RequirementVerdictPassed {
			proved++
		}
		if r.Recognisable != nil {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d proved requirements are recognisable: published fixtures alone showed them, and a host can know those "+
		"(--salt draws other names)", n, proved)
}
