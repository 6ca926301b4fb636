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

// Judgement is the result of comparing a list with one certification.
type Judgement struct {
	Known     map[scenarios.ScenarioID]results.Known // scenarios whose violations are all expected
	Elsewhere map[string]results.Known               // expected violations that something else saw, by their signatures
	Problems  []results.ExpectationProblem           // mistakes in the list, in its order

	stale     []int               // indexes of entries whose failures no longer occur
	fresh     []scenarios.Outcome // unexpected failures, with only the checks that show them
	elsewhere []scenarios.Breach  // unexpected violations that something else saw, one of each signature
}

// Judge compares a list with a report. every holds the suites of all protocols, because a list may serve several
// targets. An expectation about scenarios that were not asked, or got no verdict on the target, is not judged.
func (l *List) Judge(r *scenarios.Report, every []scenarios.Suite, now time.Time) *Judgement {
	j := &judging{list: l, report: r, every: every, now: now, used: make([]bool, len(l.Entries)),
		Judgement: Judgement{Known: map[scenarios.ScenarioID]results.Known{}, Elsewhere: map[string]results.Known{}}}
	for _, o := range r.Outcomes {
		j.outcome(o)
	}
	for _, b := range r.Breaches {
		// What comes only at times is not known: an expectation of it would not hold the next time.
		if b.By != scenarios.ByJudge && b.By != scenarios.ByRepetition {
			j.breach(b)
		}
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
	used   []bool // by index: whether the entry matched a failure
}

// outcome records whether everything that a scenario violates is expected.
func (j *judging) outcome(o scenarios.Outcome) {
	var reasons, issues, unmet []string
	expires := ""
	fresh := o
	fresh.Checks = nil
	for _, failure := range o.Failures(j.report.Protocol.Ledger) {
		met, valid := j.match(o.Scenario.ID, failure)
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

// breach records whether a violation that no scenario failed for is expected. An expectation of the same requirement at
// another place does not cover it.
func (j *judging) breach(b scenarios.Breach) {
	met, valid := j.first(func(e *Expectation) bool {
		return e.isAt(b) && j.names(e.Setup+e.Invariant, b.Requirement) && e.describes(b.Scenario, b.Check())
	})
	switch {
	case met == nil:
		if !slices.ContainsFunc(j.elsewhere, func(o scenarios.Breach) bool { return o.Signature() == b.Signature() }) {
			j.elsewhere = append(j.elsewhere, b)
		}
	case valid:
		known := results.Known{Reason: met.Reason, Issue: met.Issue}
		if met.Expires != "" {
			known.Expires = new(met.Expires)
		}
		j.Elsewhere[b.Signature()] = known
	}
}

// isAt reports whether e is about the place of a breach: a step of the setup of its scenario, or all that is read.
func (e Expectation) isAt(b scenarios.Breach) bool {
	if b.By == scenarios.BySetup {
		return e.Setup != "" && e.isAbout(b.Scenario)
	}
	return e.Invariant != ""
}

// names reports whether an id, perhaps a former one, is that of a requirement.
func (j *judging) names(id string, requirement scenarios.RequirementID) bool {
	row, known := j.report.Protocol.Ledger.Find(scenarios.RequirementID(id))
	return id == string(requirement) || known && row.ID == string(requirement)
}

func add(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// match returns the first expectation of a failure that has not expired, or the first expired one. valid
// reports whether the result has not expired.
func (j *judging) match(id scenarios.ScenarioID, failure check.Result) (met *Expectation, valid bool) {
	return j.first(func(e *Expectation) bool {
		return j.covers(*e, id, failure.Requirement) && e.describes(id, failure)
	})
}

// first is match for the expectations that meet a condition. It records them as used.
func (j *judging) first(meets func(*Expectation) bool) (met *Expectation, valid bool) {
	for i := range j.list.Entries {
		e := &j.list.Entries[i]
		if !meets(e) {
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

// covers reports whether e is about a requirement of a scenario.
func (j *judging) covers(e Expectation, id scenarios.ScenarioID, requirement string) bool {
	return e.Setup == "" && e.isAbout(id) && (e.Requirement == "" || j.names(e.Requirement, scenarios.RequirementID(requirement)))
}

// isAbout reports whether e names a scenario.
func (e Expectation) isAbout(id scenarios.ScenarioID) bool {
	if e.Invariant != "" {
		return false
	}
	_, short, _ := strings.Cut(string(id), "/")
	return fits(e.Scenario, string(id)) || fits(e.Scenario, short)
}

// describes reports whether a failure has the signature and the words of e.
func (e Expectation) describes(id scenarios.ScenarioID, failure check.Result) bool {
	return (e.Signature == "" || e.Signature == scenarios.Signature(id, failure)) && fits(e.Expected, failure.Expected) &&
		fits(e.Actual, failure.Actual)
}

// problem returns the mistake in an expectation, or "". It records stale expectations.
func (j *judging) problem(i int, e Expectation) string {
	if problem := j.unmatched(e); problem != "" {
		return problem
	}
	asked, settled, failing := j.asked(e)
	switch {
	case j.used[i] && e.expired(j.now):
		return fmt.Sprintf("%s is expected until %s, and still fails: mend the target, or give another day", e.name(), e.Expires)
	case j.used[i] && e.unexplained() && !j.list.Draft:
		return fmt.Sprintf("nobody has said why %s is known to fail: write its reason and its issue", e.name())
	case j.used[i], !settled, asked == 0:
		return ""
	}
	j.stale = append(j.stale, i)
	const mend = ": remove it, or let --update-expectations do so"
	switch {
	case e.Setup+e.Invariant != "":
		return fmt.Sprintf("%s shows no such violation any more%s", e.name(), mend)
	case failing != "":
		return fmt.Sprintf("%s fails otherwise now, %s%s", e.Scenario, failing, mend)
	case asked > 1:
		return fmt.Sprintf("none of the %d scenarios of %s fails so any more%s", asked, e.Scenario, mend)
	}
	return fmt.Sprintf("%s passes now%s", e.Scenario, mend)
}

// unmatched returns the mistake in an expectation that names no scenario or requirement of any protocol, or "".
func (j *judging) unmatched(e Expectation) string {
	if e.Invariant != "" && !j.isRequirement(e.Invariant) {
		return fmt.Sprintf("no requirement is called %s: remove it, or name another", e.Invariant)
	}
	if e.Invariant != "" {
		return ""
	}
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
			if e.Requirement == "" && (e.Setup == "" || j.isRequirement(e.Setup)) || slices.Contains(s.Proves, scenarios.RequirementID(row.ID)) {
				return ""
			}
			for _, id := range s.Proves {
				requirements = append(requirements, string(id))
			}
		}
	}
	if named && e.Setup != "" {
		return fmt.Sprintf("no requirement is called %s: remove it, or name another", e.Setup)
	}
	if named {
		return fmt.Sprintf("%s is not about %s%s", e.Scenario, e.Requirement, suggestion(e.Requirement, requirements))
	}
	return fmt.Sprintf("no scenario is called %s%s", e.Scenario, suggestion(e.Scenario, all))
}

// isRequirement reports whether a protocol has a requirement.
func (j *judging) isRequirement(id string) bool {
	return slices.ContainsFunc(j.every, func(s scenarios.Suite) bool {
		_, known := s.Protocol.Ledger.Find(scenarios.RequirementID(id))
		return known
	})
}

// suggestion returns the hint for an unknown name.
func suggestion(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ": remove it, or name another"
}

// asked examines the scenarios that an expectation is about. n counts those that passed or failed; settled reports
// whether the report has an outcome for each, and none of them is blocked, inconclusive or broken; failing describes
// one that fails, if any does. Inapplicable scenarios do not count.
func (j *judging) asked(e Expectation) (n int, settled bool, failing string) {
	if e.Invariant != "" {
		return len(j.report.Outcomes), j.readAll(e.Invariant), ""
	}
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

// readAll reports whether a whole certification read all that a rule for a requirement is about.
func (j *judging) readAll(requirement string) bool {
	_, known := j.report.Protocol.Ledger.Find(scenarios.RequirementID(requirement))
	return known && !j.report.Select.Narrows() && !slices.ContainsFunc(j.report.Outcomes, func(o scenarios.Outcome) bool {
		return o.Verdict == scenarios.Inconclusive || o.Verdict == scenarios.Broken
	})
}
