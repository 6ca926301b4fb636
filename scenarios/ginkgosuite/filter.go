package ginkgosuite

import (
	"fmt"

	"github.com/onsi/ginkgo/v2/types"
)

// ParseFilter reads a Ginkgo label filter (suite:version5-shape && level:MUST,
// /claim:execution-model>=5/ and so on) into a predicate over labels.
func ParseFilter(expression string) (func(labels []string) bool, error) {
	filter, err := types.ParseLabelFilter(expression)
	if err != nil {
		return nil, fmt.Errorf("filter %q: %w: write label expressions like \"suite:version5-shape && !level:SHOULD\"", expression, err)
	}
	return filter, nil
}
