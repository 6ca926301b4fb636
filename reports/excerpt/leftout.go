package excerpt

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
)

// LeftOut says which parts of a profile a target is not asked for, since it does not claim them, like "left out, as not claimed: retry
// (2), workspace (7)"; "" for none. A target that claims less can be certified with less.
func LeftOut(p results.ProfileResult) string {
	if len(p.LeftOut) == 0 {
		return ""
	}
	parts := make([]string, 0, mostParts)
	for _, part := range p.LeftOut[:min(len(p.LeftOut), mostParts)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", textsafe.Clip(strings.Join(part.Claims, " or "), mostPart), len(part.Requirements)))
	}
	if more := len(p.LeftOut) - mostParts; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "left out, as not claimed: " + strings.Join(parts, ", ")
}

// Bounds on the parts that are named, and on the characters of each.
const (
	mostParts = 12
	mostPart  = 80
)
