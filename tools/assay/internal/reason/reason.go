// Package reason explains why a part of a report ended as it did, and which changes would lead to another result. It
// reads only the report; it never contacts the target.
package reason

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// Answer explains how a scenario, a requirement, a claim or a profile ended, and what would change that.
type Answer struct {
	Kind    string `json:"kind"` // scenario, requirement, claim, profile
	ID      string `json:"id"`
	Asks    string `json:"asks"`    // its subject, in a sentence
	Verdict string `json:"verdict"` // or the standing of a claim or profile; "not asked" if the run left it out
	// Because lists the reasons in the order of the report, without duplicates.
	Because []string `json:"because"`
	// Changes lists changes that let scenarios run or pass. The change that helps the most scenarios comes first.
	Changes []Change `json:"changes"`
	// Scenarios lists the scenarios that the result rests on, with their verdicts.
	Scenarios []Ended `json:"scenarios"`
}

// Change is an action, and the scenarios that it lets run or pass.
type Change struct {
	Do    string   `json:"do"`
	Flag  string   `json:"flag,omitempty"` // flag of assay certify that runs them without changing the target
	Helps []string `json:"helps"`
}

// Ended is a scenario of the report.
type Ended struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
}

// Report is a report to explain.
type Report struct {
	Results  results.Results
	Protocol *scenarios.Protocol // protocol of the target
	Suites   []scenarios.Suite
}

// Answers explains everything that has an id: a scenario, a requirement, a claim, a profile, or several of them. The
// end of a scenario's id is enough. The result is empty for an unknown id.
func (r Report) Answers(id string) []Answer {
	var out []Answer
	for _, suite := range r.Suites {
		if suite.Protocol != r.Protocol {
			continue
		}
		for _, s := range suite.Scenarios {
			if string(s.ID) == id || strings.HasSuffix(string(s.ID), "/"+id) {
				out = append(out, r.scenario(s))
			}
		}
	}
	if row, ok := r.Protocol.Ledger.Find(scenarios.RequirementID(id)); ok {
		out = append(out, r.requirement(row))
	}
	if claim, ok := r.Protocol.Claim(id); ok {
		out = append(out, r.claim(claim))
	}
	for _, p := range r.Protocol.Profiles {
		if p.ID == id {
			out = append(out, r.profile(p))
		}
	}
	return out
}

// IDs returns the ids that Answers knows.
func (r Report) IDs() []string {
	var out []string
	for _, suite := range r.Suites {
		if suite.Protocol == r.Protocol {
			for _, s := range suite.Scenarios {
				out = append(out, string(s.ID))
			}
		}
	}
	for _, row := range r.Protocol.Ledger.Rows {
		out = append(out, row.ID)
	}
	for _, c := range r.Protocol.Claims {
		out = append(out, c.ID)
	}
	for _, p := range r.Protocol.Profiles {
		out = append(out, p.ID)
	}
	return out
}

const notAsked = "not asked"

func (r Report) scenario(s scenarios.Scenario) Answer {
	a := Answer{Kind: "scenario", ID: string(s.ID), Asks: "whether " + s.Title, Verdict: notAsked}
	if result, ok := r.result(string(s.ID)); ok {
		a.Verdict = string(result.Verdict)
	}
	r.rest(&a, []string{string(s.ID)})
	return a
}

func (r Report) requirement(row scenarios.Requirement) Answer {
	a := Answer{Kind: "requirement", ID: row.ID, Asks: row.Text, Verdict: notAsked}
	for _, result := range r.Results.Requirements {
		if result.ID == row.ID {
			a.Verdict = string(result.Verdict)
			a.Because = append(a.Because, r.insensitive(row.ID)...)
			if weak := weakness(row.Demands(), result); weak != "" {
				a.Because = append(a.Because, weak)
			}
		}
	}
	proving := r.proving(func(id scenarios.RequirementID) bool { return string(id) == row.ID })
	if len(proving) == 0 {
		a.Because = append(a.Because, strings.TrimSuffix("no scenario asks it, "+row.Reason+": "+row.Why, ": "))
	}
	r.rest(&a, proving)
	return a
}

// weakness describes a requirement that passed with weaker evidence than it demands. It returns "" for any other.
func weakness(demands scenarios.Evidence, result results.RequirementResult) string {
	seen, err := scenarios.ParseEvidence(string(result.Evidence))
	if err != nil || result.Verdict != results.RequirementVerdictPassed || seen >= demands {
		return ""
	}
	return fmt.Sprintf("it was %s, and %s is demanded: a seam's word is not enough, so have the target show it on a public resource",
		seen, demands)
}

// insensitive describes the passes of a requirement that were not shown able to fail.
func (r Report) insensitive(id string) (because []string) {
	if r.Results.Sensitivity == nil {
		return nil
	}
	for _, p := range r.Results.Sensitivity.Insensitive {
		if p.Requirement == id {
			because = append(because, fmt.Sprintf("the pass of %s on %s was not shown able to fail: %s", p.Scenario, id, p.Why))
		}
	}
	return because
}

func (r Report) claim(c scenarios.Claim) Answer {
	a := Answer{Kind: "claim", ID: c.ID, Asks: c.Title + ": " + c.Pointer, Verdict: "not claimed, or nothing of it asked"}
	for _, result := range r.Results.Claims {
		if result.ID == c.ID {
			a.Verdict = string(result.Status)
		}
	}
	var on []string
	for _, suite := range r.Suites {
		for _, s := range suite.Scenarios {
			if suite.Protocol == r.Protocol && (s.Claim.ID == c.ID || slices.ContainsFunc(s.Proves, func(id scenarios.RequirementID) bool {
				row, _ := r.Protocol.Ledger.Find(id)
				return row.Claim == c.ID
			})) {
				on = append(on, string(s.ID))
			}
		}
	}
	r.rest(&a, on)
	r.weak(&a, on)
	return a
}

func (r Report) profile(p scenarios.Profile) Answer {
	a := Answer{Kind: "profile", ID: p.ID, Asks: p.Title, Verdict: notAsked}
	for _, result := range r.Results.Profiles {
		if result.ID == p.ID {
			a.Verdict = string(result.Status)
		}
	}
	var on []string
	for _, required := range p.Requires {
		for _, id := range required.Scenarios {
			if !slices.Contains(on, string(id)) {
				on = append(on, string(id))
			}
		}
	}
	r.rest(&a, on)
	r.weak(&a, on)
	return a
}

// weak adds the weaknesses of the requirements that these scenarios prove.
func (r Report) weak(a *Answer, on []string) {
	for _, result := range r.Results.Requirements {
		row, _ := r.Protocol.Ledger.Find(scenarios.RequirementID(result.ID))
		if !slices.ContainsFunc(on, func(id string) bool { s, ok := r.result(id); return ok && slices.Contains(s.Requirements, result.ID) }) {
			continue
		}
		if result.Verdict == results.RequirementVerdictInsensitive {
			a.Because = append(a.Because, r.insensitive(result.ID)...)
		}
		if weak := weakness(row.Demands(), result); weak != "" {
			a.Because = append(a.Because, result.ID+": "+weak)
		}
	}
}

// proving returns the scenarios that prove a requirement for which is reports true.
func (r Report) proving(is func(scenarios.RequirementID) bool) (out []string) {
	for _, suite := range r.Suites {
		for _, s := range suite.Scenarios {
			if suite.Protocol == r.Protocol && slices.ContainsFunc(s.Proves, is) {
				out = append(out, string(s.ID))
			}
		}
	}
	return out
}

// result returns the result of a scenario.
func (r Report) result(id string) (results.ScenarioResult, bool) {
	for _, s := range r.Results.Scenarios {
		if s.ID == id {
			return s, true
		}
	}
	return results.ScenarioResult{}, false
}

// rest adds the scenarios that an answer rests on, the reasons for their verdicts, and the changes that would help.
func (r Report) rest(a *Answer, on []string) {
	a.Scenarios, a.Changes = []Ended{}, []Change{}
	if a.Because == nil {
		a.Because = []string{}
	}
	for _, id := range on {
		result, ok := r.result(id)
		ended := Ended{id, notAsked}
		if ok {
			ended.Verdict = string(result.Verdict)
		}
		a.Scenarios = append(a.Scenarios, ended)
		reasons, change := r.reasons(id, result, ok)
		for _, reason := range reasons {
			if !slices.Contains(a.Because, reason) {
				a.Because = append(a.Because, reason)
			}
		}
		if change.Do != "" {
			a.add(change, id)
		}
	}
	slices.SortStableFunc(a.Changes, func(x, y Change) int { return cmp.Compare(len(y.Helps), len(x.Helps)) })
}

func (a *Answer) add(c Change, helps string) {
	i := slices.IndexFunc(a.Changes, func(known Change) bool { return known.Do == c.Do && known.Flag == c.Flag })
	if i < 0 {
		i, a.Changes = len(a.Changes), append(a.Changes, c)
	}
	a.Changes[i].Helps = append(a.Changes[i].Helps, helps)
}

// reasons returns why one scenario ended as it did, and the change that would help.
func (r Report) reasons(id string, s results.ScenarioResult, asked bool) ([]string, Change) {
	if !asked {
		return []string{"the run left it out: " + r.narrowing()}, Change{Do: "ask it: select it, or nothing", Flag: "--scenario " + id}
	}
	switch s.Verdict {
	case results.VerdictPassed:
		return nil, Change{}
	case results.VerdictFailed:
		return violations(s), Change{Do: "have the target keep " + strings.Join(violated(s), ", ")}
	case results.VerdictInapplicable:
		return []string{s.Reason}, r.makeApplicable(s)
	case results.VerdictBroken:
		return []string{s.Reason}, Change{Do: cmp.Or(s.Unblock, "report it: it is a fault of Assay's own")}
	}
	return []string{s.Reason}, Change{Do: cmp.Or(s.Unblock, "see that the target answers: assay doctor")}
}

// makeApplicable returns the change that makes an inapplicable scenario apply.
func (r Report) makeApplicable(s results.ScenarioResult) Change {
	claim, ok := r.Protocol.Claim(s.Claim)
	flag := "--expect-claim '" + s.Claim + "'"
	switch {
	case !ok || strings.HasPrefix(s.Reason, "not there: "):
		return Change{Do: "have the target offer it: there is no word to claim it by"}
	case strings.Contains(s.Reason, ", since "):
		_, since, _ := strings.Cut(s.Reason, ", since ")
		return Change{Do: fmt.Sprintf("have the target say something else there: %s, on which the claim %s rests", since, claim.ID), Flag: flag}
	case strings.HasPrefix(claim.Pointer, "/fixtures "):
		return Change{Do: "load the fixtures into the host (assay fixtures export DIR writes them) and list them: " + claim.Pointer, Flag: flag}
	}
	return Change{Do: fmt.Sprintf("have the target make the claim %s, where it keeps it: %s in %s", claim.ID, claim.Pointer,
		r.Protocol.DiscoveryPath), Flag: flag}
}

func violations(s results.ScenarioResult) (out []string) {
	for _, c := range s.Checks {
		if !c.Ok {
			out = append(out, fmt.Sprintf("%s: expected %s, got %s, at exchange %d %s", c.Requirement, c.Expected, c.Actual, c.Exchange,
				cmp.Or(c.Part, c.Pointer)))
		}
	}
	if len(out) == 0 && s.Reason != "" {
		out = append(out, s.Reason)
	}
	return out
}

func violated(s results.ScenarioResult) (out []string) {
	for _, c := range s.Checks {
		if !c.Ok && !slices.Contains(out, c.Requirement) {
			out = append(out, c.Requirement)
		}
	}
	if len(out) == 0 {
		return s.Requirements
	}
	return out
}

// narrowing describes the selection of the run.
func (r Report) narrowing() string {
	f := r.Results.Filter
	if f == nil {
		return "it was not among the scenarios of the Assay that wrote the report"
	}
	var said []string
	for flag, values := range map[string][]string{"--suite": f.Suites, "--scenario": f.Scenarios, "--requirement": f.Requirements} {
		if len(values) > 0 {
			said = append(said, flag+" "+strings.Join(values, ","))
		}
	}
	slices.Sort(said)
	if f.Filter != "" {
		said = append(said, "--filter "+f.Filter)
	}
	return "it was narrowed to " + strings.Join(said, " ")
}
