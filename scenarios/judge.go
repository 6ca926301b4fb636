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

// Judge collects what a scenario's judge decides. It has no clock, no network
// and no randomness to offer.
type Judge struct {
	ledger   *Ledger
	tally    check.Tally
	findings []Finding
	stop     *Stop
	evidence Evidence
	firm     bool // the claim is made by name, or expected
}

// Check starts an expectation about something the target sent. A failed check
// of a SHOULD becomes a finding, one of a MAY nothing.
func (j *Judge) Check(requirement RequirementID, seen wire.Seen) check.Assertion {
	return j.tally.Check(string(requirement), seen)
}

// Find notes a deviation that changes no verdict.
func (j *Judge) Find(requirement RequirementID, format string, args ...any) {
	j.findings = append(j.findings, Finding{requirement, fmt.Sprintf(format, args...)})
}

// Need ends the judge, and blocks the scenario, unless what it was set up for happened; requirement is the sentence that the
// set-up rests on.
func (j *Judge) Need(requirement RequirementID, wait wire.Wait) {
	if !wait.Reached {
		_, actual := check.Reached().MatchSeen(wait)
		j.stopBy(BlockOn(requirement, "set-up: "+actual))
	}
}

// Require ends the judge unless ok. The scenario ends as what was checked by then has it.
func (j *Judge) Require(ok bool) {
	if !ok {
		j.End()
	}
}

// End ends the judge. The scenario ends as what was checked by then has it.
func (j *Judge) End() { panic(judged{}) }

// judged is what a judge panics with that ends from inside.
type judged struct{}

// BlockOn ends the judge, and blocks the scenario on another requirement: the target got a step wrong that rests on it.
func (j *Judge) BlockOn(requirement RequirementID, reason string) {
	j.stopBy(BlockOn(requirement, reason))
}

// Block ends the judge, and blocks the scenario.
func (j *Judge) Block(reason, unblock string) { j.stopBy(Block(reason, unblock)) }

// NotThere ends the judge, since the target has nothing of what it is about: see the function of this name.
func (j *Judge) NotThere(shown wire.Seen, what string) { j.stopBy(NotThere(shown, what)) }

// NeedThere is like Need, but where nobody claims what was waited for, the scenario is inapplicable.
func (j *Judge) NeedThere(requirement RequirementID, wait wire.Wait, what string) {
	if wait.Reached || j.firm {
		j.Need(requirement, wait)
		return
	}
	j.NotThere(wait, what)
}

// NotOffered ends the judge, since the target does not have what it is about, and need not: see the function of this name.
func (j *Judge) NotOffered(shown string) { j.stopBy(NotOffered(shown)) }

// Firm reports whether the target makes the claim explicitly or the operator expects it.
func (j *Judge) Firm() bool { return j.firm }

func (j *Judge) stopBy(err error) {
	if j.stop == nil { // of several parts the first says why
		errors.As(err, &j.stop) // all of them make a Stop
	}
	j.End()
}

// Part runs a part of a judge that may end without the others. Where one is blocked, so is the scenario, unless something is
// found broken.
func (j *Judge) Part(part func()) {
	defer func() {
		if p := recover(); p != nil && p != (judged{}) {
			panic(p)
		}
	}()
	part()
}

// SeenAs overrides how strong the observation is.
func (j *Judge) SeenAs(e Evidence) { j.evidence = e }

// Failure is the first violated expectation of a scenario.
type Failure struct {
	Requirement RequirementID `json:"requirement"`
	Expected    string        `json:"expected"`
	Actual      string        `json:"actual"`
}

// Outcome is how one scenario ended, and why.
type Outcome struct {
	Scenario Scenario
	Suite    string
	Verdict  Verdict
	Evidence Evidence
	Reason   string
	Unblock  string
	// BlockedOn is the requirement that a set-up step rests on which the target got wrong; "" where it is blocked for
	// another cause.
	BlockedOn RequirementID
	Drive     string // "" when only the discovery document was looked at
	Seconds   float64
	Checks    []check.Result
	Findings  []Finding
	Failure   *Failure
	Labels    []string
	Level     string
}

// Conclude judges one observation, without a target: a drive returned it, or a
// test wrote it by hand. A panic in the judge is Assay's own fault. The claim of
// the scenario is taken for made.
func Conclude(s Scenario, ledger *Ledger, observation any) Outcome {
	return conclude(s, ledger, observation, true)
}

// ConcludeOpen is [Conclude] for a target that has no word for the claim (see [Claim.Open]).
func ConcludeOpen(s Scenario, ledger *Ledger, observation any) Outcome {
	return conclude(s, ledger, observation, false)
}

func conclude(s Scenario, ledger *Ledger, observation any, firm bool) (o Outcome) {
	j := &Judge{ledger: ledger, evidence: Observed, firm: firm}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case judged:
			o = j.outcome(s)
		default:
			o = Outcome{Scenario: s, Verdict: Broken, Reason: fmt.Sprintf("the judge panicked: %v", p), Checks: j.tally.Results()}
		}
	}()
	s.Ask.judge(observation, j)
	return j.outcome(s)
}

// lacks is how a scenario ends whose drive found nothing of what it is about.
func lacks(s Scenario, ledger *Ledger, stop *Stop, firm bool) Outcome {
	j := &Judge{ledger: ledger, stop: stop, firm: firm, evidence: Observed}
	return j.outcome(s)
}

func (j *Judge) outcome(s Scenario) Outcome {
	if j.stop != nil && j.stop.Missing != "" && j.firm {
		for _, id := range s.Proves {
			j.tally.Note(check.Result{Requirement: string(id), Expected: j.stop.Missing, Actual: "not there", Where: j.stop.Where})
		}
	}
	o := Outcome{Scenario: s, Evidence: j.evidence, Checks: j.tally.Results(), Findings: j.findings}
	checked := map[RequirementID]bool{}
	for _, c := range o.Checks {
		id := RequirementID(c.Requirement)
		checked[id] = true
		if !slices.Contains(s.Proves, id) {
			o.Verdict, o.Evidence = Broken, Unseen
			o.Reason = fmt.Sprintf("it checks %s, which it does not say it proves", id)
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
			}
		}
	}
	switch {
	case o.Failure != nil:
		o.Verdict = Failed
		o.Reason = fmt.Sprintf("%s: expected %s, got %s", o.Failure.Requirement, o.Failure.Expected, o.Failure.Actual)
	case j.stop != nil:
		o.Verdict, o.Reason, o.Unblock, o.Evidence = j.stop.Verdict, j.stop.Reason, j.stop.Unblock, Unseen
		o.BlockedOn = j.stop.Requirement
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
