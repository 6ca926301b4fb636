package scenarios

import (
	"path"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// everyClaim is the pattern of [Selection.ExpectClaims] that fits every claim.
const everyClaim = "all"

// expects reports whether the operator expects the claim.
func (s Selection) expects(c Claim) bool {
	return slices.ContainsFunc(s.ExpectClaims, func(pattern string) bool { return c.fits(pattern) })
}

// fits reports whether a pattern fits the claim: its id, a glob, or all. Globs and all leave out what only its id can expect:
// claims of which a target may rightly make the opposite. To expect those as well would accuse a host that has a feature of
// not being without it.
func (c Claim) fits(pattern string) bool {
	switch {
	case c.ID == "":
		return false
	case c.ID == pattern:
		return true
	case !isPattern(pattern) || c.Choice:
		return false
	}
	fits, err := path.Match(pattern, c.ID)
	return pattern == everyClaim || err == nil && fits
}

func isPattern(s string) bool { return s == everyClaim || strings.ContainsAny(s, "*?[") }

// mostNear bounds the names that a mistake suggests.
const mostNear = 3

// CheckClaims returns a [UsageError] if a pattern fits none of the claims of the suites.
func (s Selection) CheckClaims(suites []Suite) error {
	var known []Claim
	var ids []string
	for _, suite := range suites {
		for _, sc := range suite.Scenarios {
			if c := sc.Claim; c.ID != "" && !slices.Contains(ids, c.ID) {
				known, ids = append(known, c), append(ids, c.ID)
			}
		}
	}
	for _, pattern := range s.ExpectClaims {
		if !slices.ContainsFunc(known, func(c Claim) bool { return c.fits(pattern) }) {
			wrong := &UsageError{Kind: "claim", Name: pattern, Pattern: isPattern(pattern)}
			if near := nearest.Names(strings.Trim(pattern, "*?[]"), ids, mostNear); len(near) > 0 {
				wrong.Near, wrong.Others = near[0], near[1:]
			}
			return wrong
		}
	}
	return nil
}
