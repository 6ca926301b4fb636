package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// Selection says which scenarios are asked. The zero Selection is all of them.
type Selection struct {
	Suites       []string
	Scenarios    []string // full ids, or the part after the protocol
	Requirements []string
	Filter       string                     // the expression, for the record
	Match        func(labels []string) bool // what the expression means; nil = everything
	ExpectClaims []string                   // claims whose scenarios run although the target does not claim them
}

// expects says whether the operator expects a claim of the target.
func (s Selection) expects(c Claim) bool { return slices.Contains(s.ExpectClaims, c.ID) }

// UsageError is a wrong choice of the operator's; it names the nearest right one.
type UsageError struct{ Kind, Name, Near string }

func (e *UsageError) Error() string {
	s := fmt.Sprintf("unknown %s %q", e.Kind, e.Name)
	if e.Near != "" {
		s += fmt.Sprintf(": did you mean %q?", e.Near)
	}
	return s + fmt.Sprintf(" (assay list %ss shows them all)", e.Kind)
}

// ErrNothingSelected means that no scenario fits the selection: nothing would be proved.
var ErrNothingSelected = errors.New("the selection holds no scenario")

// Selected is one scenario to be asked.
type Selected struct {
	Suite    Suite
	Scenario Scenario
	Labels   []string
}

// FilterLabels are what a filter expression can select s by: its labels, and the
// protocol, the scenario and the requirements it proves by their ids. Slashes
// enclose regular expressions there, so an id has dots in their place:
// protocol:openwop.v1, scenario:openwop.interrupts.quorum.
func (s Selected) FilterLabels() []string {
	dotted := func(id string) string { return strings.ReplaceAll(id, "/", ".") }
	labels := append(slices.Clip(s.Labels), "protocol:"+dotted(s.Suite.Protocol.ID), "scenario:"+dotted(string(s.Scenario.ID)))
	for _, id := range s.Scenario.Proves {
		labels = append(labels, "requirement:"+string(id))
	}
	return labels
}

// Pick applies a selection to suites, without asking anything. Every name must
// exist: the error is a [UsageError], or [ErrNothingSelected].
func (s Selection) Pick(suites ...Suite) ([]Selected, error) {
	if err := s.check(suites); err != nil {
		return nil, err
	}
	most := 0
	for _, suite := range suites {
		most += len(suite.Scenarios)
	}
	out := make([]Selected, 0, most)
	for _, suite := range suites {
		if len(s.Suites) > 0 && !slices.Contains(s.Suites, suite.ID) {
			continue
		}
		for _, sc := range suite.Scenarios {
			if picked := (Selected{suite, sc, sc.Labels(suite)}); s.wants(picked) {
				out = append(out, picked)
			}
		}
	}
	if len(out) == 0 {
		return nil, ErrNothingSelected
	}
	return out, nil
}

func (s Selection) wants(picked Selected) bool {
	sc, ledger := picked.Scenario, picked.Suite.Protocol.Ledger
	if len(s.Scenarios) > 0 && !slices.ContainsFunc(s.Scenarios, func(id string) bool { return isScenario(sc, id) }) {
		return false
	}
	if len(s.Requirements) > 0 && !slices.ContainsFunc(sc.Proves, func(p RequirementID) bool {
		return slices.ContainsFunc(s.Requirements, func(id string) bool {
			r, ok := ledger.Find(RequirementID(id))
			return ok && r.ID == string(p)
		})
	}) {
		return false
	}
	return s.Match == nil || s.Match(picked.FilterLabels())
}

// isScenario accepts the full id and the id without its protocol.
func isScenario(sc Scenario, id string) bool {
	full := string(sc.ID)
	return id == full || len(full) > len(id) && full[len(full)-len(id)-1:] == "/"+id
}

func (s Selection) check(suites []Suite) error {
	for _, c := range []struct {
		kind  string
		names []string
		known func(Suite) []string
		is    func(known, name string) bool
	}{
		{"suite", s.Suites, func(suite Suite) []string { return []string{suite.ID} }, func(k, n string) bool { return k == n }},
		{"scenario", s.Scenarios, scenarioIDs, func(k, n string) bool { return isScenario(Scenario{ID: ScenarioID(k)}, n) }},
		{"requirement", s.Requirements, requirementIDs, func(k, n string) bool { return k == n }},
		{"claim", s.ExpectClaims, claimIDs, func(k, n string) bool { return k == n }},
	} {
		if len(c.names) == 0 {
			continue
		}
		var known []string
		for _, suite := range suites {
			known = append(known, c.known(suite)...)
		}
		for _, name := range c.names {
			if !slices.ContainsFunc(known, func(k string) bool { return c.is(k, name) }) {
				return &UsageError{c.kind, name, nearest.Name(name, known)}
			}
		}
	}
	return nil
}

func scenarioIDs(suite Suite) (ids []string) {
	for _, sc := range suite.Scenarios {
		ids = append(ids, string(sc.ID))
	}
	return ids
}

func requirementIDs(suite Suite) (ids []string) {
	for _, r := range suite.Protocol.Ledger.Rows {
		ids = append(append(ids, r.ID), r.Aliases...)
	}
	return ids
}

func claimIDs(suite Suite) (ids []string) {
	for _, sc := range suite.Scenarios {
		ids = append(ids, sc.Claim.ID)
	}
	return ids
}
