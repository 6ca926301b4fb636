package expectations

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
)

// Judgement is what came of a list in one certification.
type Judgement struct {
	Known    map[scenarios.ScenarioID]results.Known // the scenarios that failed as expected, in all that they violate
	Problems []results.ExpectationProblem           // what is wrong with the list now, in its order

	stale []int               // entries whose failures do not occur any more
	fresh []scenarios.Outcome // failures that nobody expects, with the checks that show them
}

// Judge compares a list with a report. every are the suites of all protocols: a list may serve several targets. Of what
// was not asked, or did not end, nothing is said. A list of nothing knows nothing.
func (l *List) Judge(r *scenarios.Report, every []scenarios.Suite, now time.Time) *Judgement {
	j := &judging{list: l, report: r, every: every, now: now, used: make([]bool, len(l.Entries)),
		Judgement: Judgement{Known: map[scenarios.ScenarioID]results.Known{}}}
	for _, o := range r.Outcomes {
		j.outcome(o)
	}
	for i, e := range l.Entries {
		if problem := j.problem(i, e); problem != "" {
			j.Problems = append(j.Problems, results.ExpectationProblem{Line: int64(e.Line), Text: problem})
		}
	}
	return &j.Judgement
}

type judging struct {
	Judgement
	list   *List
	report *scenarios.Report
	every  []scenarios.Suite
	now    time.Time
	used   []bool // entries that met a failure
}

// outcome finds out whether all that a scenario violates is expected.
func (j *judging) outcome(o scenarios.Outcome) {
	var reasons, issues, unmet []string
	expires := ""
	fresh := o
	fresh.Checks = nil
	for _, failure := range o.Failures(j.report.Protocol.Ledger) {
		met, valid := j.meet(o.Scenario.ID, failure)
		switch {
		case met == nil:
			fresh.Checks = append(fresh.Checks, failure)
			unmet = append(unmet, failure.Requirement)
		case !valid:
			unmet = append(unmet, failure.Requirement)
		default:
			reasons, issues = add(reasons, met.Reason), add(issues, met.Issue)
			if met.Expires != "" && (expires == "" || met.Expires < expires) {
				expires = met.Expires
			}
		}
	}
	if len(fresh.Checks) > 0 {
		j.fresh = append(j.fresh, fresh)
	}
	if len(unmet) > 0 || len(reasons) == 0 {
		return
	}
	known := results.Known{Reason: strings.Join(reasons, "; "), Issue: strings.Join(issues, " ")}
	if expires != "" {
		known.Expires = &expires
	}
	j.Known[o.Scenario.ID] = known
}

func add(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// meet finds the first expectation of a failure that is not over; where all of them are, the first.
func (j *judging) meet(id scenarios.ScenarioID, failure check.Result) (met *Expectation, valid bool) {
	for i := range j.list.Entries {
		e := &j.list.Entries[i]
		if !j.names(*e, id, failure.Requirement) || !e.describes(id, failure) {
			continue
		}
		j.used[i] = true
		switch over := e.expired(j.now); {
		case !over && !valid:
			met, valid = e, true
		case met == nil:
			met = e
		}
	}
	return met, valid
}

// names says whether e is about a requirement of a scenario.
func (j *judging) names(e Expectation, id scenarios.ScenarioID, requirement string) bool {
	if !e.isAbout(id) {
		return false
	}
	row, known := j.report.Protocol.Ledger.Find(scenarios.RequirementID(e.Requirement))
	return e.Requirement == "" || e.Requirement == requirement || known && row.ID == requirement
}

// isAbout says whether e names a scenario.
func (e Expectation) isAbout(id scenarios.ScenarioID) bool {
	_, short, _ := strings.Cut(string(id), "/")
	return fits(e.Scenario, string(id)) || fits(e.Scenario, short)
}

func (e Expectation) describes(id scenarios.ScenarioID, failure check.Result) bool {
	return (e.Signature == "" || e.Signature == scenarios.Signature(id, failure)) && fits(e.Expected, failure.Expected) &&
		fits(e.Actual, failure.Actual)
}

// problem says what is to be mended about an expectation, and notes those that are out of date.
func (j *judging) problem(i int, e Expectation) string {
	if problem := j.nobody(e); problem != "" {
		return problem
	}
	asked, settled, failing := j.asked(e)
	switch {
	case j.used[i] && e.expired(j.now):
		return fmt.Sprintf("%s is expected until %s, and still fails: mend the target, or give another day", e.Scenario, e.Expires)
	case j.used[i] && e.unexplained() && !j.list.Draft:
		return fmt.Sprintf("nobody has said why %s is known to fail: write its reason and its issue", e.Scenario)
	case j.used[i], !settled, asked == 0:
		return ""
	}
	j.stale = append(j.stale, i)
	const mend = ": remove it, or let --update-expectations do so"
	switch {
	case failing != "":
		return fmt.Sprintf("%s fails otherwise now, %s%s", e.Scenario, failing, mend)
	case asked > 1:
		return fmt.Sprintf("none of the %d scenarios of %s fails so any more%s", asked, e.Scenario, mend)
	}
	return fmt.Sprintf("%s passes now%s", e.Scenario, mend)
}

// nobody says why an expectation is about nothing that there is, in any protocol.
func (j *judging) nobody(e Expectation) string {
	var all, requirements []string
	named := false
	for _, suite := range j.every {
		for _, s := range suite.Scenarios {
			all = append(all, string(s.ID))
			if !e.isAbout(s.ID) {
				continue
			}
			named = true
			row, _ := suite.Protocol.Ledger.Find(scenarios.RequirementID(e.Requirement))
			if e.Requirement == "" || slices.Contains(s.Proves, scenarios.RequirementID(row.ID)) {
				return ""
			}
			for _, id := range s.Proves {
				requirements = append(requirements, string(id))
			}
		}
	}
	if named {
		return fmt.Sprintf("%s is not about %s%s", e.Scenario, e.Requirement, meant(e.Requirement, requirements))
	}
	return fmt.Sprintf("no scenario is called %s%s", e.Scenario, meant(e.Scenario, all))
}

func meant(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ": remove it, or name another"
}

// asked looks at the scenarios that an expectation is about: how many were asked, whether each of them was and ended with a
// verdict on the target, and how one fails that fails otherwise. What is not claimed was not asked, and settles nothing.
func (j *judging) asked(e Expectation) (n int, settled bool, failing string) {
	settled = true
	for _, suite := range j.every {
		if suite.Protocol.ID != j.report.Protocol.ID {
			continue
		}
		for _, s := range suite.Scenarios {
			row, _ := suite.Protocol.Ledger.Find(scenarios.RequirementID(e.Requirement))
			if !e.isAbout(s.ID) || e.Requirement != "" && !slices.Contains(s.Proves, scenarios.RequirementID(row.ID)) {
				continue
			}
			i := slices.IndexFunc(j.report.Outcomes, func(o scenarios.Outcome) bool { return o.Scenario.ID == s.ID })
			if i < 0 {
				return n, false, failing
			}
			switch o := j.report.Outcomes[i]; o.Verdict {
			case scenarios.Inapplicable:
			case scenarios.Passed:
				n++
			case scenarios.Failed:
				n++
				f := o.Failures(suite.Protocol.Ledger)
				if len(f) > 0 {
					failing = fmt.Sprintf("with the signature %s of %s", scenarios.Signature(s.ID, f[0]), f[0].Requirement)
				}
			default:
				settled = false
			}
		}
	}
	return n, settled, failing
}
