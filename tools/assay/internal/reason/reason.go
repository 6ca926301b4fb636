// Package reason says why something of a report ended as it did, and which change would have it end otherwise. It goes by
// what the report says alone; nothing is asked of the target.
package reason

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// Answer says how a scenario, a requirement, a claim or a profile ended, why, and what would change that.
type Answer struct {
	Kind    string `json:"kind"` // scenario, requirement, claim, profile
	ID      string `json:"id"`
	Asks    string `json:"asks"`    // what it is about, in a sentence
	Verdict string `json:"verdict"` // or the standing of a claim or profile; "not asked" where the run left it out
	// Because are the reasons, in the order of the report, each once.
	Because []string `json:"because"`
	// Changes would have scenarios run, or pass, that did not; the one that helps the most comes first.
	Changes []Change `json:"changes"`
	// Scenarios are those that it rests on, with their verdicts.
	Scenarios []Ended `json:"scenarios"`
}

// Change is something to do, and the scenarios that it lets run, or that fail until it is done.
type Change struct {
	Do    string   `json:"do"`
	Flag  string   `json:"flag,omitempty"` // of assay certify, which has them run as the target is
	Helps []string `json:"helps"`
}

// Ended is a scenario of the report.
type Ended struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
}

// Report is what is asked about.
type Report struct {
	Results  results.Results
	Protocol *scenarios.Protocol // of the target
	Suites   []scenarios.Suite
}

// Answers explains an id, once for each kind of thing that is called so. A scenario may be called by the end of its id.
// Nothing is called so where it is empty.
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

// IDs are what can be asked about.
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
	if came, ok := r.came(string(s.ID)); ok {
		a.Verdict = string(came.Verdict)
	}
	r.rest(&a, []string{string(s.ID)})
	return a
}

func (r Report) requirement(row scenarios.Requirement) Answer {
	a := Answer{Kind: "requirement", ID: row.ID, Asks: row.Text, Verdict: notAsked}
	for _, came := range r.Results.Requirements {
		if came.ID == row.ID {
			a.Verdict = string(came.Verdict)
			if weak := weakness(row.Demands(), came); weak != "" {
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

// weakness words a requirement that was kept as far as was seen, where more is demanded.
func weakness(demands scenarios.Evidence, came results.RequirementResult) string {
	seen, err := scenarios.ParseEvidence(string(came.Evidence))
	if err != nil || came.Verdict != results.VerdictPassed || seen >= demands {
		return ""
	}
	return fmt.Sprintf("it was %s, and %s is demanded: a seam's word is not enough, so have the target show it on a public resource",
		seen, demands)
}

func (r Report) claim(c scenarios.Claim) Answer {
	a := Answer{Kind: "claim", ID: c.ID, Asks: c.Title + ": " + c.Pointer, Verdict: "not claimed, or nothing of it asked"}
	for _, came := range r.Results.Claims {
		if came.ID == c.ID {
			a.Verdict = string(came.Status)
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
	for _, came := range r.Results.Profiles {
		if came.ID == p.ID {
			a.Verdict = string(came.Status)
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

// weak adds the requirements that were seen too weakly, of those that these scenarios prove.
func (r Report) weak(a *Answer, on []string) {
	for _, came := range r.Results.Requirements {
		row, _ := r.Protocol.Ledger.Find(scenarios.RequirementID(came.ID))
		if !slices.ContainsFunc(on, func(id string) bool { s, ok := r.came(id); return ok && slices.Contains(s.Requirements, came.ID) }) {
			continue
		}
		if weak := weakness(row.Demands(), came); weak != "" {
			a.Because = append(a.Because, came.ID+": "+weak)
		}
	}
}

// proving are the scenarios that prove a requirement of these.
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

func (r Report) came(id string) (results.ScenarioResult, bool) {
	for _, s := range r.Results.Scenarios {
		if s.ID == id {
			return s, true
		}
	}
	return results.ScenarioResult{}, false
}

// rest fills in why the scenarios that something rests on ended as they did, and what would help.
func (r Report) rest(a *Answer, on []string) {
	a.Scenarios, a.Changes = []Ended{}, []Change{}
	if a.Because == nil {
		a.Because = []string{}
	}
	for _, id := range on {
		came, ok := r.came(id)
		ended := Ended{id, notAsked}
		if ok {
			ended.Verdict = string(came.Verdict)
		}
		a.Scenarios = append(a.Scenarios, ended)
		reasons, change := r.reasons(id, came, ok)
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

// reasons are why one scenario ended as it did, and what would help.
func (r Report) reasons(id string, s results.ScenarioResult, asked bool) ([]string, Change) {
	if !asked {
		return []string{"the run left it out: " + r.left()}, Change{Do: "ask it: select it, or nothing", Flag: "--scenario " + id}
	}
	switch s.Verdict {
	case results.VerdictPassed:
		return nil, Change{}
	case results.VerdictFailed:
		return violations(s), Change{Do: "have the target keep " + strings.Join(violated(s), ", ")}
	case results.VerdictInapplicable:
		return []string{s.Reason}, r.claimed(s)
	case results.VerdictBroken:
		return []string{s.Reason}, Change{Do: cmp.Or(s.Unblock, "report it: it is a fault of Assay's own")}
	}
	return []string{s.Reason}, Change{Do: cmp.Or(s.Unblock, "see that the target answers: assay doctor")}
}

// claimed is how a scenario comes to apply.
func (r Report) claimed(s results.ScenarioResult) Change {
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

// left says what a run was narrowed to.
func (r Report) left() string {
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
