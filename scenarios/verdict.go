package scenarios

import (
	"encoding/json"
	"fmt"
)

// Verdict is how a scenario ended.
type Verdict string

const (
	// Passed: each of its requirements had a check on something the target sent, and all held.
	Passed Verdict = "passed"
	// Failed: a requirement is violated.
	Failed Verdict = "failed"
	// Inapplicable: the target does not claim the feature, or lacks it if the claim is open (see [Claim.Open]).
	Inapplicable Verdict = "inapplicable"
	// Blocked: claimed, but it cannot be tested.
	Blocked Verdict = "blocked"
	// Inconclusive: the target stopped answering, or the drive ran out of time.
	Inconclusive Verdict = "inconclusive"
	// Broken: a bug in Assay.
	Broken Verdict = "broken"
)

// Verdicts lists all verdicts in the order of reports.
var Verdicts = []Verdict{Passed, Failed, Inapplicable, Blocked, Inconclusive, Broken}

// Evidence is how something was seen, weakest first.
type Evidence int

const (
	// Unseen: nothing was seen.
	Unseen Evidence = iota
	// Attested: read from a seam's reply.
	Attested
	// Observed: read from a public resource or log.
	Observed
	// Survived: observed across a kill and restart of the target.
	Survived
)

var evidenceNames = [...]string{"", "attested", "observed", "survived"}

func (e Evidence) String() string { return evidenceNames[e] }

// ParseEvidence reads the name of an evidence.
func ParseEvidence(name string) (Evidence, error) {
	for i, n := range evidenceNames {
		if n == name {
			return Evidence(i), nil
		}
	}
	return Unseen, fmt.Errorf("evidence %q: use attested, observed or survived", name)
}

// MarshalJSON encodes the name.
func (e Evidence) MarshalJSON() ([]byte, error) { return json.Marshal(e.String()) }

// UnmarshalJSON decodes the name.
func (e *Evidence) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	var err error
	*e, err = ParseEvidence(name)
	return err
}
