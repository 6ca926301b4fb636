// Package budget asks what stops a run that would go on for ever: steps, retries and reframes are bounded.
package budget

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "budget", Title: "steps, retries and reframes are bounded, and what is over its bound is escalated once",
		Scenarios: []scenarios.Scenario{
			withinBudget, sameCutOff, lowerBudget, higherBudget,
			errorsEnd, errorsRetry, retrySucceeds, reframesEnd,
			host.EveryTurn("budget", Budgets), host.EveryTurn("budget", failures),
			host.EveryTurnClaiming("budget", reframing, claims.Reframes),
		},
	}
}

// givenSpent returns the runs that met their budget, or should have. It blocks the judge if there is none: left to
// itself, the plugin was done before.
func (o BudgetObservation) givenSpent(j *scenarios.Judge, runs ...Spent) (met []Spent) {
	for _, s := range runs {
		if s.endsAtOnce() {
			met = append(met, s)
			continue
		}
		host.GivenRequest(j, s.Start)
		host.Given(j, s.Steps...)
		host.GivenKeptRequests(j, s.Steps)
		s.givenSteps(j)
		if o.Way != "" || s.end() < 0 || len(s.all()[s.end()].OfType(host.Completed).Values) == 0 {
			met = append(met, s)
		}
	}
	if len(met) == 0 {
		j.Block("left to itself the plugin is done before its budget is used up",
			"declare a decision seam in "+host.ProfileName+" that can say call_tool")
	}
	return met
}

// endsAtOnce reports whether the start of a run with a budget of one step escalated it: a plugin may compare step with
// max_steps before the request (AL-R10).
func (s Spent) endsAtOnce() bool {
	return s.Budget == 1 && len(s.Steps) == 0 && s.Start.Answered() &&
		len(s.Start.Events().Values) == 1 && len(s.Start.OfType(host.Escalated).Values) == 1
}

// givenSteps blocks the judge if a run skipped a step, or stood still before its budget was met.
func (s Spent) givenSteps(j *scenarios.Judge) {
	var before host.Pending
	for i, t := range s.all() {
		due, ok := host.PendingOf(t)
		switch {
		case ok && due.Step > before.Step+1:
			j.Violates(agenticloop.RFC103I2, t.Requests().Each("/payload/step"),
				fmt.Sprintf("setup failed: %s: it asks for step %d after step %d", t.Name, due.Step, before.Step))
		case i > 0 && i < s.Budget:
			host.GivenMoved(j, t, before)
		}
		before = due
	}
}

// RFC-103 Error Handling, Security and Scope. A plugin may check its budget before a request or at a result (AL-R10),
// so the judge counts requests.
var withinBudget = scenarios.Scenario{
	ID:    "agenticloop/budget/max-steps-ends-the-run",
	Title: "a run asks for no more steps than max_steps, and is escalated once when it would",
	Proves: scenarios.IDs{agenticloop.RFC103F7, agenticloop.RFC103G7, agenticloop.RFC103P3,
		agenticloop.RFC103S8},
	Claim: claims.Plugin,
	Ask: scenarios.Ask(Budgets, func(o BudgetObservation, j *scenarios.Judge) {
		for _, s := range o.Runs {
			s.endsWithItsBudget(j, agenticloop.RFC103G7, agenticloop.RFC103F7)
		}
		for _, s := range o.givenSpent(j, o.Runs...) {
			s.within(j, agenticloop.RFC103G7, agenticloop.RFC103F7)
			ends := wire.Found{In: s.Start.Answer.Ref()}
			for _, t := range s.all() {
				ends.Values = append(ends.Values, t.Ends().Each("/type").Values...)
				t.CheckStatus(j, "ok", agenticloop.RFC103P3)
			}
			j.Check(agenticloop.RFC103F7, ends).To(check.Equal([]string{host.Escalated}),
				"max_steps %d: ends of the run within %d results", s.Budget, len(s.Steps))
			last := s.all()[len(s.all())-1]
			if len(last.Ends().Values) > 0 && last.Status() == "ok" {
				run := s.Run
				if s.endsAtOnce() {
					run = last.Ends().Values[0].At("/payload/run_id").String()
				}
				j.Check(agenticloop.RFC103S8, last.Run(run).Key("status")).To(check.Equal("escalated"),
					"%s: status of the run", last.Name)
			}
		}
	}),
}

// endsWithItsBudget checks that the result of the last step that the budget has leads to no further request, whatever
// its number and whether or not the run is said to wait for it.
func (s Spent) endsWithItsBudget(j *scenarios.Judge, of ...scenarios.RequirementID) {
	spent := false
	for _, t := range s.all() {
		if !t.Answered() {
			return
		}
		for _, id := range of {
			if spent {
				j.Check(id, t.Requests()).To(t.NoRequestBut(s.Run), "%s: requests for tools after %d steps", t.Name, s.Budget)
			}
		}
		due, asks := host.PendingOf(t)
		spent = asks && due.Step >= int64(s.Budget)
	}
}

// within checks that no request is above the budget.
func (s Spent) within(j *scenarios.Judge, of ...scenarios.RequirementID) {
	for _, t := range s.all() {
		for _, id := range of {
			j.Check(id, t.Requests().Each("/payload/step")).To(host.AtMost(int64(s.Budget)),
				"%s: steps that it asks for", t.Name)
		}
	}
}

// RFC-103 Test Cases (AL-R109).
var sameCutOff = scenarios.Scenario{
	ID:     "agenticloop/budget/same-cut-off",
	Title:  "the same run meets its budget at the same turn, for the same reason, each time",
	Proves: scenarios.IDs{agenticloop.RFC103M6},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(Budgets, func(o BudgetObservation, j *scenarios.Judge) {
		again := o.givenSpent(j, o.Again...)
		if len(again) == 0 {
			return
		}
		first := again[0]
		if first.end() < 0 {
			first.stopEndless(j)
		}
		for _, s := range again {
			last := s.all()[len(s.all())-1]
			if o.Live { // another scenario judges that it is cut off in time
				j.Check(agenticloop.RFC103M6, last.Ends()).To(check.Len(1), "ends of the run")
				if s.end() != first.end() {
					j.Find("", "a run ends after %d results, and the same one after %d: the profile does not say that it is "+
						"deterministic (AL-R109)", first.end(), s.end())
				}
				continue
			}
			j.Check(agenticloop.RFC103M6, last.Ends().Each("/payload/reason")).To(first.sameReason(s), "reason of the end")
			j.Check(agenticloop.RFC103M6, last.Ends()).To(
				check.Seeing(fmt.Sprintf("the end after %d results", first.end()), func(wire.Seen) (bool, string) {
					return s.end() == first.end(), fmt.Sprintf("after %d", s.end())
				}), "where the run ends")
		}
	}),
}

// sameReason matches the reasons of the end of another run that are those of the first, but for the names of the runs and their
// goals.
func (s Spent) sameReason(other Spent) check.Matcher {
	want := wordless(s, check.Plain(s.all()[s.end()].Ends().Each("/payload/reason").Actual()))
	return check.That("as the first time, "+wire.Compact(want), func(v any) bool { return reflect.DeepEqual(wordless(other, v), want) })
}

// wordless returns reasons without what names the run.
func wordless(s Spent, reasons any) []string {
	names := strings.NewReplacer(s.Run, "…")
	if goal := s.Start.Run(s.Run).Key("goal").String(); goal != "" {
		names = strings.NewReplacer(s.Run, "…", goal, "…")
	}
	list, _ := reasons.([]any)
	out := make([]string, len(list))
	for i, reason := range list {
		out[i] = names.Replace(fmt.Sprint(reason))
	}
	return out
}

// stopEndless ends the judge of a run that has no end.
func (s Spent) stopEndless(j *scenarios.Judge) {
	var before host.Pending
	for i, t := range s.all() {
		due, asks := host.PendingOf(t)
		if asks && due.Step > int64(s.Budget) {
			j.Violates(agenticloop.RFC103F7, t.Requests().Each("/payload/step"),
				fmt.Sprintf("setup failed: %s: it asks for step %d, with a budget of %d", t.Name, due.Step, s.Budget))
		}
		if i > 0 {
			host.GivenMoved(j, t, before)
		}
		before = due
	}
	j.Block("setup failed: the run did not meet its budget", "escalate a run that would ask for a step beyond max_steps")
}

// Only an example of the RFC has max_steps in a start (AL-R11).
var lowerBudget = scenarios.Scenario{
	ID:     "agenticloop/budget/start-lowers-it",
	Title:  "a lower max_steps in the start is the run's budget",
	Proves: scenarios.IDs{agenticloop.RFC103E3},
	Claim:  claims.ContextBudget,
	Ask: scenarios.Ask(Budgets, func(o BudgetObservation, j *scenarios.Judge) {
		host.GivenReached(j, o.Lower != nil)
		for _, s := range []*Spent{o.Lower, o.Called} {
			if s == nil {
				continue // no such start begins a run
			}
			s.endsWithItsBudget(j, agenticloop.RFC103E3)
			if len(o.givenSpent(j, *s)) > 0 {
				s.within(j, agenticloop.RFC103E3)
			}
		}
	}),
}

var higherBudget = scenarios.Scenario{
	ID:     "agenticloop/budget/start-does-not-raise-it",
	Title:  "a higher max_steps in the start raises no budget",
	Proves: scenarios.IDs{agenticloop.RFC103E4},
	Claim:  claims.ContextBudget,
	Ask: scenarios.Ask(Budgets, func(o BudgetObservation, j *scenarios.Judge) {
		host.GivenReached(j, o.Higher != nil)
		o.Higher.endsWithItsBudget(j, agenticloop.RFC103E4)
		if len(o.givenSpent(j, *o.Higher)) > 0 {
			o.Higher.within(j, agenticloop.RFC103E4)
		}
	}),
}

// RFC-103 Error Handling (AL-R5, AL-R108).
var errorsEnd = scenarios.Scenario{
	ID: "agenticloop/budget/errors-end-the-run",
	Title: "a step that goes on failing is asked for again a bounded number of times, and then the run is " +
		"escalated once",
	Proves: scenarios.IDs{agenticloop.RFC103V10, agenticloop.RFC103F6, agenticloop.RFC103F3},
	Claim:  claims.Plugin,
	Ask: scenarios.Ask(failures, func(o FailuresObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Failing)
		for _, t := range o.Failing {
			if len(t.Requests().Values) > 1 {
				host.GivenOneEvent(j, t)
			}
		}
		for i, t := range o.Failing {
			j.Check(agenticloop.RFC103V10, t.Events()).To(host.NotBeyond(o.Pending.Step), "%s: events", t.Name)
			if i < len(o.Failing)-1 {
				j.Check(agenticloop.RFC103F6, t.Ends()).To(check.Len(0), "%s: ends", t.Name)
			}
		}
		last := o.Failing[len(o.Failing)-1]
		if _, again := host.PendingOf(last); again && o.Most < 0 {
			j.Block(fmt.Sprintf("the plugin retried the step after each of %d failures, and its profile does not say "+
				"how often it may", len(o.Failing)), "say max_retries under limits in "+host.ProfileName)
		}
		last.CheckEscalated(j, o.Pending.Run, agenticloop.RFC103F6)
		if len(last.OfType(host.Escalated).Values) > 0 {
			last.CheckReason(j, o.Pending.Run)
		}
		if o.Most < 0 {
			return
		}
		j.Check(agenticloop.RFC103F6, last.Events()).To(
			check.Seeing(fmt.Sprintf("at most %d tries", o.Most+1), func(wire.Seen) (bool, string) {
				return len(o.Failing) <= o.Most+1, fmt.Sprintf("%d", len(o.Failing))
			}), "failures until the end")
	}),
}

// RFC-103 Error Handling (AL-R5, AL-R108).
var errorsRetry = scenarios.Scenario{
	ID:     "agenticloop/budget/retry-counts",
	Title:  "a step that is asked for again keeps its number and its tool, and its attempt grows by one",
	Proves: scenarios.IDs{agenticloop.RFC103F4},
	Claim:  claims.Retries,
	Ask: scenarios.Ask(failures, func(o FailuresObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Failing)
		if o.Most == 0 {
			j.Block("the profile claims retry, and says with max_retries 0 that no step is asked for again",
				"say max_retries of at least 1, or drop retry from the capabilities in "+host.ProfileName)
		}
		attempt := o.Start.Run(o.Pending.Run).Key("attempt")
		for i, t := range o.Failing {
			if i > 0 && t.Run(o.Pending.Run).Key("status").String() != "running" {
				break // no retry was left
			}
			again := t.Requests()
			j.Check(agenticloop.RFC103F4, again.Each("/payload/step")).To(check.Equal([]int64{o.Pending.Step}),
				"%s: step", t.Name)
			j.Check(agenticloop.RFC103F4, again.Each("/payload/tool")).To(check.Equal([]string{o.Pending.Tool}),
				"%s: tool", t.Name)
			var known bool
			if attempt, known = o.grows(j, t, attempt); !known { // the plugin chooses where to begin
				j.Check(agenticloop.RFC103F4, attempt).To(check.Integer(1, 0), "%s: attempt", t.Name)
			}
		}
		attempt = o.Start.Run(o.Pending.Run).Key("attempt")
		for _, t := range o.Own {
			attempt, _ = o.grows(j, t, attempt)
		}
	}),
}

// grows returns the attempt that a turn leaves. If there was one before, it expects one more.
func (o FailuresObservation) grows(j *scenarios.Judge, t host.Turn, attempt wire.Value) (now wire.Value, known bool) {
	now = t.Run(o.Pending.Run).Key("attempt")
	before, known := attempt.Int()
	if known {
		j.Check(agenticloop.RFC103F4, now).To(check.Equal(before+1), "%s: attempt", t.Name)
	}
	return now, known
}

// stopUnretried ends the judge of a run whose step was not asked for again after its first failure.
func (o FailuresObservation) stopUnretried(j *scenarios.Judge) {
	host.GivenReached(j, len(o.Failing) > 0)
	first := o.Failing[0]
	if o.Most != 0 && first.Status() == "ok" { // a retry remains
		j.Violates(agenticloop.RFC103F4, first.Events(), "setup failed: "+first.Name+": the step was not asked for again")
	}
	j.Block("setup failed: "+first.Name+": the step was not asked for again, and the answer is "+first.Answer.JSON(),
		"ask again for a step that failed, and say max_retries under limits in "+host.ProfileName)
}

// RFC-103 Error Handling (AL-R5).
var retrySucceeds = scenarios.Scenario{
	ID:     "agenticloop/budget/retry-succeeds",
	Title:  "a run whose retry succeeds goes on from that step",
	Proves: scenarios.IDs{agenticloop.RFC103F5},
	Claim:  claims.Retries,
	Ask: scenarios.Ask(failures, func(o FailuresObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.Given(j, o.Failing...)
		if !o.Once {
			o.stopUnretried(j)
		}
		host.Given(j, o.Healed)
		j.Check(agenticloop.RFC103F5, o.Healed.Events()).To(check.Len(1), "%s: events", o.Healed.Name)
		if requests := o.Healed.Requests(); len(requests.Values) > 0 {
			j.Check(agenticloop.RFC103F5, requests.Each("/payload/step")).To(
				check.Equal([]int64{o.Pending.Step + 1}), "%s: step", o.Healed.Name)
		} else {
			j.Check(agenticloop.RFC103F5, o.Healed.Events().Each("/type")).To(
				check.Equal([]string{host.Completed}), "%s: what came of it", o.Healed.Name)
		}
	}),
}

// The RFC counts reframes, and defines neither their form nor their trigger (AL-R12).
var reframesEnd = scenarios.Scenario{
	ID:     "agenticloop/budget/max-reframes-ends-the-run",
	Title:  "a run reframes no more often than max_reframes, and is escalated once when it would",
	Proves: scenarios.IDs{agenticloop.RFC103F8, agenticloop.RFC103G8},
	Claim:  claims.Reframes,
	Ask: scenarios.Ask(reframing, func(o ReframesObservation, j *scenarios.Judge) {
		host.GivenRequest(j, o.Start)
		host.GivenSome(j, o.Steps)
		host.GivenKeptRequests(j, o.Steps)
		for _, t := range o.Steps {
			run := t.Run(o.Run)
			if run.Present() && len(t.OfType(host.Escalated).Values) == 0 {
				j.Check(agenticloop.RFC103G8, run.Key("reframes")).To(check.Integer(0, int64(o.Most)), "%s: reframes", t.Name)
			}
		}
		last := o.Steps[len(o.Steps)-1]
		before := o.Start
		if n := len(o.Steps); n > 1 {
			before = o.Steps[n-2]
		}
		due, _ := host.PendingOf(before)
		if w := host.ProgressOf(last.Run(o.Run).Actual()); w.Status == "running" && w.Step > 0 {
			host.GivenMoved(j, last, due)
		}
		host.GivenTaken(j, last, due)
		last.CheckEscalated(j, o.Run, agenticloop.RFC103F8)
		reframed := last.Run(o.Run).Key("reframes")
		// The reframe that would be one too many may count (AL-R12).
		j.Check(agenticloop.RFC103G8, reframed).To(check.Integer(int64(o.Most), int64(o.Most)+1), "%s: reframes at the end", last.Name)
	}),
}
