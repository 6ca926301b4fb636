package reports

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// inconsistent says what a document contradicts itself in, "" if in nothing that shows without the transcripts. assay verify
// holds a bundle to them.
func inconsistent(doc results.Results) string {
	if got := countedVerdicts(doc.Scenarios); got != doc.Totals {
		return "its totals are not those of its scenarios"
	}
	if doc.Partial != nil && len(doc.Profiles) > 0 {
		return "it is a part, and judges the profile " + doc.Profiles[0].ID
	}
	if doc.Schema == results.ResultsSchemaAssayResults1 { // it says less, and what it says stands
		return ""
	}
	passed, violated := 0, map[string]bool{}
	for _, r := range doc.Requirements {
		switch r.Verdict {
		case results.RequirementVerdictPassed:
			passed++
		case results.RequirementVerdictFailed:
			violated[r.ID] = true
		}
	}
	if why := oddSensitivity(doc); why != "" {
		return why
	}
	for _, v := range doc.Violations {
		violated[v.Requirement] = true
	}
	for _, s := range doc.Scenarios {
		if s.Verdict != results.VerdictFailed {
			continue
		}
		shown := s.Failure != nil && violated[s.Failure.Requirement]
		if !shown && !slices.ContainsFunc(s.Requirements, func(id string) bool { return violated[id] }) {
			return s.ID + " failed, and none of its requirements did"
		}
		if doc.ExitCode == scenarios.ExitProved && s.Known == nil {
			return s.ID + " failed, and the exit code is 0"
		}
	}
	for _, v := range doc.Violations {
		if doc.ExitCode == scenarios.ExitProved && v.By != results.ViolationByScenario && v.Known == nil {
			return v.Requirement + " was seen violated, and the exit code is 0"
		}
	}
	for _, p := range doc.Profiles {
		if p.Status != results.ProfileStatusCertified && p.Status != results.ProfileStatusAttested {
			continue
		}
		frozen := slices.IndexFunc(results.Profiles, func(f results.Profile) bool { return f.ID == p.ID })
		switch {
		case frozen < 0:
			return fmt.Sprintf("it says that the profile %s is %s, which this Assay does not have", p.ID, p.Status)
		case p.Required == 0 || p.Proved != p.Required || p.Proved > int64(passed):
			return fmt.Sprintf("it says that the profile %s is %s, with %d of %d requirements, and %d passed in all", p.ID, p.Status, p.Proved,
				p.Required, passed)
		}
		for _, r := range results.Profiles[frozen].Requirements {
			if violated[r.ID] {
				return fmt.Sprintf("it says that the profile %s is %s, and that %s is violated", p.ID, p.Status, r.ID)
			}
		}
	}
	return ""
}

// oddSensitivity says what the figure of the passes that could have failed contradicts, "" if nothing.
func oddSensitivity(doc results.Results) string {
	s := doc.Sensitivity
	switch {
	case s == nil:
	case doc.Partial != nil:
		return "it is a part, and says which of its passes could have failed"
	case s.Passes != s.Sensitive+int64(len(s.Insensitive)):
		return fmt.Sprintf("it says that %d of %d passes were shown able to fail, and lists %d that were not", s.Sensitive, s.Passes,
			len(s.Insensitive))
	}
	for _, r := range doc.Requirements {
		if r.Verdict == results.RequirementVerdictInsensitive && (s == nil || !slices.ContainsFunc(s.Insensitive,
			func(p results.InsensitivePass) bool { return p.ByRow && p.Requirement == r.ID })) {
			return r.ID + " is insensitive, and no pass of it is"
		}
	}
	return ""
}

func countedVerdicts(list []results.ScenarioResult) (t results.Totals) {
	for _, s := range list {
		switch s.Verdict {
		case results.VerdictPassed:
			t.Passed++
		case results.VerdictFailed:
			t.Failed++
		case results.VerdictInapplicable:
			t.Inapplicable++
		case results.VerdictBlocked:
			t.Blocked++
		case results.VerdictInconclusive:
			t.Inconclusive++
		case results.VerdictBroken:
			t.Broken++
		}
	}
	return t
}
