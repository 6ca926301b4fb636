package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
)

// Selection selects scenarios. The zero Selection selects all.
type Selection struct {
	Suites       []string
	Scenarios    []string // full ids, or the part after the protocol
	Requirements []string
	Filter       string                     // the expression, for the record
	Match        func(labels []string) bool // the expression as a function; nil matches everything
	ExpectClaims []string                   // claims whose scenarios run even if the target does not make them: ids, globs, or all
}

// Narrows reports whether the selection may leave scenarios out. The certification is partial then: it certifies nothing.
func (s Selection) Narrows() bool {
	return len(s.Suites)+len(s.Scenarios)+len(s.Requirements) > 0 || s.Match != nil || s.Filter != ""
}

// UsageError is an unknown name that the operator gave. It suggests the nearest known ones.
type UsageError struct {
	Kind, Name, Near string
	Others           []string // further names that are near
	Pattern          bool     // Name is a pattern, which fits nothing
}

func (e *UsageError) Error() string {
	s := fmt.Sprintf("unknown %s %q", e.Kind, e.Name)
	if e.Pattern {
		s = fmt.Sprintf("no %s fits %q", e.Kind, e.Name)
	}
	if e.Near != "" {
		s += fmt.Sprintf(": did you mean %q", e.Near)
		for i, other := range e.Others {
			between := ", "
			if i == len(e.Others)-1 {
				between = " or "
			}
			s += fmt.Sprintf("%s%q", between, other)
		}
		s += "?"
	}
	return s + fmt.Sprintf(" (assay list %ss shows them all)", e.Kind)
}

// ErrNothingSelected means that no scenario fits the selection.
var ErrNothingSelected = errors.New("the selection holds no scenario")

// scenariosAt are the scenarios of suites that are asked at this depth.
func scenariosAt(suites []Suite, d Depth) (all []Scenario) {
	for _, suite := range suites {
		for _, s := range suite.Scenarios {
			if s.Depth <= d {
				all = append(all, s)
			}
		}
	}
	return all
}

// countDrives returns how many drives scenarios take.
func countDrives(all []Scenario) int {
	ids := map[string]bool{}
	for _, s := range all {
		if meta, driven := s.Ask.Drive(); driven {
			ids[meta.ID] = true
		}
	}
	return len(ids)
}

// Selected is a selected scenario.
type Selected struct {
	Suite    Suite
	Scenario Scenario
	Labels   []string
}

// FilterLabels are what a filter expression can select s by: its labels, and the
// protocol, the scenario and the requirements it proves by their ids. Slashes
// enclose regular expressions there, so an id has dots in their place:
// protocol:acme.v1, scenario:acme.interrupts.quorum.
func (s Selected) FilterLabels() []string {
	dotted := func(id string) string { return strings.ReplaceAll(id, "/", ".") }
	labels := append(slices.Clip(s.Labels), "protocol:"+dotted(s.Suite.Protocol.ID), "scenario:"+dotted(string(s.Scenario.ID)))
	for _, id := range s.Scenario.Proves {
		labels = append(labels, "requirement:"+string(id))
	}
	return labels
}

// Pick returns the scenarios of suites that the selection selects. Every name must exist: the error is a [UsageError],
// or [ErrNothingSelected].
func (s Selection) Pick(suites ...Suite) ([]Selected, error) {
	if err := s.check(suites); err != nil {
		return nil, err
	}
	out := make([]Selected, 0, len(scenariosAt(suites, Deep)))
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

// PickAt returns those of the scenarios that are asked at this depth. Its errors are those of [Selection.Pick].
func (s Selection) PickAt(d Depth, suites ...Suite) ([]Selected, error) {
	all, err := s.Pick(suites...)
	if err != nil {
		return nil, err
	}
	picked := slices.DeleteFunc(slices.Clone(all), func(p Selected) bool { return p.Scenario.Depth > d })
	if len(picked) == 0 {
		first := all[0].Scenario
		return nil, fmt.Errorf("%w that is asked at depth %s: %s is asked from depth %s on", ErrNothingSelected, d, first.ID, first.Depth)
	}
	return picked, nil
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

// isScenario reports whether id is the id of sc, with or without the protocol.
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
				return &UsageError{Kind: c.kind, Name: name, Near: nearest.Name(name, known)}
			}
		}
	}
	return s.CheckClaims(suites)
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
