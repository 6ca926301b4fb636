package ginkgosuite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/openassay/assay/scenarios"
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

// expected are the scenarios that Ginkgo is likely to run inside these
// containers, by the filters that it was given; all of them where none is. Only
// Ginkgo knows the text and the labels of the caller's RunSpecs, which its filters
// look at as well.
func expected(picked []scenarios.Selected, outer types.ConstructionNodeReport, config types.SuiteConfig) []scenarios.Selected {
	labels := types.MustParseLabelFilter(config.LabelFilter)
	focus, skip := anyOf(config.FocusStrings), anyOf(config.SkipStrings)
	will := slices.DeleteFunc(slices.Clone(picked), func(s scenarios.Selected) bool {
		text := strings.Join([]string{outer.FullText(), s.Suite.ID, nameOf(s)}, " ")
		return !labels(append(outer.Labels(), s.FilterLabels()...)) ||
			focus != nil && !focus.MatchString(text) || skip != nil && skip.MatchString(text)
	})
	if len(will) == 0 {
		return picked
	}
	return will
}

// anyOf is Ginkgo's reading of a flag that takes regular expressions; nil where there are none.
func anyOf(expressions []string) *regexp.Regexp {
	if len(expressions) == 0 {
		return nil
	}
	return regexp.MustCompile(strings.Join(expressions, "|"))
}
