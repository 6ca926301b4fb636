package excerpt

import (
	"slices"

	"github.com/openassay/assay/gen/results"
)

// Cause groups scenarios that ended without a verdict for the same reason or with the same remedy.
type Cause struct {
	key       string
	Reasons   []string
	Remedies  []string // how to unblock them
	Scenarios []results.ScenarioResult
}

// Causes groups the scenarios of a verdict by a key, in order of first appearance.
func Causes(all []results.ScenarioResult, verdict results.Verdict, key func(results.ScenarioResult) string) []*Cause {
	var out []*Cause
	for _, s := range all {
		if s.Verdict != verdict {
			continue
		}
		k := key(s)
		i := slices.IndexFunc(out, func(c *Cause) bool { return c.key == k })
		if i < 0 {
			i = len(out)
			out = append(out, &Cause{key: k})
		}
		c := out[i]
		c.Scenarios = append(c.Scenarios, s)
		if !slices.Contains(c.Reasons, s.Reason) {
			c.Reasons = append(c.Reasons, s.Reason)
		}
		if s.Unblock != "" && !slices.Contains(c.Remedies, s.Unblock) {
			c.Remedies = append(c.Remedies, s.Unblock)
		}
	}
	return out
}

// Reason returns why a scenario did not pass.
func Reason(s results.ScenarioResult) string { return s.Reason }

// Remedy returns how to unblock a scenario, or else its reason: one remedy may serve many scenarios.
func Remedy(s results.ScenarioResult) string {
	if s.Unblock != "" {
		return s.Unblock
	}
	return s.Reason
}

// Finding is a deviation that changed no verdict, with the number of times it was found.
type Finding struct {
	results.Finding
	Times     int
	Scenarios []string // scenarios that found it; none if it comes from the discovery document
}

// Findings returns the distinct findings of a certification, in order of first appearance.
func Findings(doc results.Results) []*Finding {
	var out []*Finding
	at := map[results.Finding]*Finding{}
	add := func(f results.Finding, scenario string) {
		known := at[f]
		if known == nil {
			known = &Finding{Finding: f}
			at[f] = known
			out = append(out, known)
		}
		known.Times++
		if scenario != "" && !slices.Contains(known.Scenarios, scenario) {
			known.Scenarios = append(known.Scenarios, scenario)
		}
	}
	for _, f := range doc.Findings {
		add(f, "")
	}
	for _, s := range doc.Scenarios {
		for _, f := range s.Findings {
			add(f, s.ID)
		}
	}
	return out
}
