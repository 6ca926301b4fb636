package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Finding is a deviation that changes no verdict.
type Finding struct {
	Requirement RequirementID `json:"requirement,omitempty"`
	Text        string        `json:"text"`
}

// Judge collects the checks and findings of a scenario's judge. It offers no clock, no network and no randomness.
type Judge struct {
	ledger   *Ledger
	tally    check.Tally
	findings []Finding
	stop     *Stop
	evidence Evidence
	firm     bool                      // see Firm
	proves   []RequirementID           // of its scenario
	watches  []RequirementID           // likewise
	tale     func(check.Result) string // see Tell
}

// Proves are the requirements that the scenario proves.
func (j *Judge) Proves() []RequirementID { return j.proves }

// Checked reports whether there was a check of a requirement.
func (j *Judge) Checked(id RequirementID) bool {
	return slices.ContainsFunc(j.tally.Results(), func(c check.Result) bool { return c.Requirement == string(id) })
}

// Check starts an expectation about something the target sent. A failed check of a SHOULD is a finding, one of a MAY
// nothing.
func (j *Judge) Check(requirement RequirementID, seen wire.Seen) check.Assertion {
	return j.tally.Check(string(requirement), seen)
}

// Find notes a deviation that changes no verdict: of a SHOULD, or of none (""). A deviation from a MUST is no finding but
// a failed check; where a reading accepts it, the text names the reading. A judge that finds a MUST is Broken.
func (j *Judge) Find(requirement RequirementID, format string, args ...any) {
	if row, known := j.ledger.Find(requirement); known && row.Level == Must {
		panic(fmt.Sprintf("a finding about %s, which is a MUST", requirement))
	}
	j.findings = append(j.findings, Finding{requirement, fmt.Sprintf(format, args...)})
}

// Need blocks the scenario and ends the judge unless wait was reached: a target that answers other requests meanwhile
// violates requirement. See the function [Violates].
func (j *Judge) Need(requirement RequirementID, wait wire.Wait) {
	if !wait.Reached {
		_, actual := check.Reached().MatchSeen(wait)
		j.Violates(requirement, wait, "setup failed: "+actual)
	}
}

// Require ends the judge unless ok, like End.
func (j *Judge) Require(ok bool) {
	if !ok {
		j.End()
	}
}

// End ends the judge. The checks made by then decide.
func (j *Judge) End() { panic(judged{}) }

// judged is the panic of a judge that ends from inside.
type judged struct{}

// Violates blocks the scenario and ends the judge, since the target violated requirement in a step of the setup: see the
// function [Violates]. If the scenario watches the requirement, it fails.
func (j *Judge) Violates(requirement RequirementID, shown wire.Seen, reason string) {
	if slices.Contains(j.watches, requirement) {
		j.Check(requirement, shown).To(check.Seeing("no breach of it", func(wire.Seen) (bool, string) { return false, reason }))
		j.End()
	}
	j.stopBy(Violates(requirement, shown, reason))
}

// Reach blocks the scenario and ends the judge unless wait was reached. It is for what no sentence demands; see Need.
func (j *Judge) Reach(wait wire.Wait, unblock string) {
	if !wait.Reached {
		_, actual := check.Reached().MatchSeen(wait)
		j.Block("setup failed: "+actual, unblock)
	}
}

// Block blocks the scenario and ends the judge.
func (j *Judge) Block(reason, unblock string) { j.stopBy(Block(reason, unblock)) }

// NotThere ends the judge, since the target lacks the feature: see the function [NotThere].
func (j *Judge) NotThere(shown wire.Seen, what string) { j.stopBy(NotThere(shown, what)) }

// NeedThere is like Need, but if the claim is open, the scenario is inapplicable (see [NotThere]).
func (j *Judge) NeedThere(requirement RequirementID, wait wire.Wait, what string) {
	if wait.Reached || j.firm {
		j.Need(requirement, wait)
		return
	}
	j.NotThere(wait, what)
}

// NotOffered ends the judge, since the target need not have the operation: see the function [NotOffered].
func (j *Judge) NotOffered(shown string) { j.stopBy(NotOffered(shown)) }

// Firm reports whether the target makes the claim explicitly or the operator expects it.
func (j *Judge) Firm() bool { return j.firm }

// Unmet ends the judge, since what was drawn did not come to what the scenario is about: see the function [Unmet].
func (j *Judge) Unmet(reason string) { j.stopBy(Unmet(reason)) }

func (j *Judge) stopBy(err error) {
	if j.stop == nil { // the first of several parts counts
		errors.As(err, &j.stop) // err is always a Stop
	}
	j.End()
}

// Part runs a part of a judge, which may end without ending the others. If a part is blocked and no check fails, the
// scenario is blocked.
func (j *Judge) Part(part func()) {
	defer func() {
		if p := recover(); p != nil && p != (judged{}) {
			panic(p)
		}
	}()
	part()
}

// Take has another scenario judge an observation as a part of this one: its checks and findings count here, and so does what this one
// watches and it sees violated. What else blocks the part blocks nothing here. It reports whether the part came to a check.
func (j *Judge) Take(s Scenario, observation any) bool {
	part := &Judge{ledger: j.ledger, evidence: j.evidence, firm: j.firm, watches: j.watches}
	part.Part(func() { s.Ask.judge(observation, part) })
	for _, r := range part.tally.Results() {
		j.tally.Note(r)
	}
	j.findings = append(j.findings, part.findings...)
	return len(part.tally.Results()) > 0
}

// Tell sets what tells of a failed check how the target came there, in lines. The failure of the scenario shows it.
func (j *Judge) Tell(tale func(check.Result) string) { j.tale = tale }

// SeenAs sets how strong the observation is.
func (j *Judge) SeenAs(e Evidence) { j.evidence = e }

// Failure is the first violated expectation of a scenario.
type Failure struct {
	Requirement RequirementID `json:"requirement"`
	Expected    string        `json:"expected"`
	Actual      string        `json:"actual"`
}

// Outcome is how a scenario ended, and why.
type Outcome struct {
	Scenario Scenario
	Suite    string
	Verdict  Verdict
	Evidence Evidence
	Reason   string
	Unblock  string
	// BlockedOn is the requirement that the target violated in a step of the setup, "" if there is none; BlockedAt is the
	// place that shows it.
	BlockedOn RequirementID
	BlockedAt wire.Ref
	Drive     string // "" if no drive was asked
	Seconds   float64
	Checks    []check.Result
	Findings  []Finding
	Failure   *Failure
	Labels    []string
	Level     string
	// insensitive are the requirements whose pass no change that their row names turned: see [Report.Challenged].
	insensitive []RequirementID
	// unrepeated: it passed, and came to no verdict or to no question when it was asked again.
	unrepeated bool
}

// Conclude judges an observation of a drive, or of a test that wrote it by hand, as if the target made the claim. A
// panic in the judge is Broken.
func Conclude(s Scenario, ledger *Ledger, observation any) Outcome {
	return conclude(s, ledger, observation, true)
}

// ConcludeOpen is like [Conclude] if the claim is open (see [Claim.Open]).
func ConcludeOpen(s Scenario, ledger *Ledger, observation any) Outcome {
	return conclude(s, ledger, observation, false)
}

func conclude(s Scenario, ledger *Ledger, observation any, firm bool) Outcome {
	judge := func(observation any) Outcome {
		return (&Judge{ledger: ledger, evidence: Observed, firm: firm}).conclude(s, observation)
	}
	all, several := observation.(rounds)
	if !several {
		return judge(observation)
	}
	o := judge(all[0])
	for _, later := range all[1:] {
		o.take(judge(later))
	}
	return o
}

func (j *Judge) conclude(s Scenario, observation any) (o Outcome) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case judged:
			o = j.outcome(s)
		default:
			o = Outcome{Scenario: s, Verdict: Broken, Reason: fmt.Sprintf("the judge panicked: %v", p), Checks: j.tally.Results()}
		}
	}()
	j.watches = s.Watches
	j.proves = s.Proves
	s.Ask.judge(observation, j)
	return j.outcome(s)
}

// lacks returns the outcome of a scenario whose drive found that the target lacks the feature.
func lacks(s Scenario, ledger *Ledger, stop *Stop, firm bool) Outcome {
	j := &Judge{ledger: ledger, stop: stop, firm: firm, evidence: Observed}
	return j.outcome(s)
}

// outcome decides how the scenario ended.
func (j *Judge) outcome(s Scenario) Outcome {
	if j.stop != nil && j.stop.Missing != "" && j.firm {
		for _, id := range s.Proves {
			j.tally.Note(check.Result{Requirement: string(id), Expected: j.stop.Missing, Actual: "not there", Where: j.stop.Where})
		}
	}
	o := Outcome{Scenario: s, Evidence: j.evidence, Checks: j.tally.Results(), Findings: j.findings}
	if j.stop != nil {
		o.BlockedOn, o.BlockedAt = j.stop.violation()
	}
	checked := map[RequirementID]bool{}
	for _, c := range o.Checks {
		id := RequirementID(c.Requirement)
		checked[id] = true
		if !slices.Contains(s.Proves, id) && !slices.Contains(s.Watches, id) {
			o.Verdict, o.Evidence = Broken, Unseen
			o.Reason = fmt.Sprintf("it checks %s, which it does not say it proves or watches", id)
			return o
		}
		if c.OK {
			continue
		}
		switch r, _ := j.ledger.Find(id); r.Level {
		case May:
		case Should:
			o.Findings = append(o.Findings, Finding{id, fmt.Sprintf("expected %s, got %s", c.Expected, c.Actual)})
		default:
			if o.Failure == nil {
				o.Failure = &Failure{id, c.Expected, c.Actual}
				if j.tale != nil {
					o.Failure.Expected += ", where\n" + j.tale(c)
				}
			}
		}
	}
	switch {
	case o.Failure != nil:
		o.Verdict = Failed
		o.Reason = fmt.Sprintf("%s: expected %s, got %s", o.Failure.Requirement, o.Failure.Expected, o.Failure.Actual)
	case j.stop != nil:
		o.Verdict, o.Reason, o.Unblock, o.Evidence = j.stop.Verdict, j.stop.Reason, j.stop.Unblock, Unseen
	case len(o.Checks) == 0:
		o.Verdict, o.Evidence, o.Reason = Broken, Unseen, "it would pass without a check of "+join(s.Proves)
	default:
		o.Verdict = Passed
		for _, id := range s.Proves {
			if !checked[id] {
				o.Verdict, o.Evidence = Broken, Unseen
				o.Reason = fmt.Sprintf("it would pass without a check of %s", id)
			}
		}
		if o.Verdict == Passed && o.Evidence > s.Reach() {
			o.Reason = fmt.Sprintf("it passed as %s, and says that it reaches no more than %s", o.Evidence, s.Reach())
			o.Verdict, o.Evidence = Broken, Unseen
		}
	}
	return o
}

func join(ids []RequirementID) string {
	if len(ids) == 0 {
		return "anything"
	}
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = string(id)
	}
	return strings.Join(words, ", ")
}
