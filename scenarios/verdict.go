package scenarios

import (
	"encoding/json"
	"fmt"
)

// Verdict is how a scenario ended.
type Verdict string

const (
	// Passed: every requirement it names had a check on what the target sent, and all held.
	Passed Verdict = "passed"
	// Failed: a requirement is violated.
	Failed Verdict = "failed"
	// Inapplicable: the target does not claim it. Where there is no word to claim
	// it by, the target does not have it (see [NotOffered]).
	Inapplicable Verdict = "inapplicable"
	// Blocked: claimed, but it cannot be looked at.
	Blocked Verdict = "blocked"
	// Inconclusive: the target stopped answering, or the drive's deadline struck.
	Inconclusive Verdict = "inconclusive"
	// Broken: a fault of Assay's own.
	Broken Verdict = "broken"
)

// Verdicts lists every verdict in the order reports count them.
var Verdicts = []Verdict{Passed, Failed, Inapplicable, Blocked, Inconclusive, Broken}

// Evidence is how something was seen, weakest first.
type Evidence int

const (
	// Unseen: nothing was looked at.
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

// MarshalJSON writes the name.
func (e Evidence) MarshalJSON() ([]byte, error) { return json.Marshal(e.String()) }

// UnmarshalJSON reads the name.
func (e *Evidence) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	var err error
	*e, err = ParseEvidence(name)
	return err
}
