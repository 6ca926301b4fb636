package agenticloop

import (
	"fmt"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// budgetSuite asks what stops a run that would go on.
func budgetSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "budget", Title: "steps, retries and reframes are bounded, and what is over its bound is escalated once",
		Scenarios: []scenarios.Scenario{
			withinBudget, sameCutOff, lowerBudget, higherBudget,
			errorsEnd, errorsRetry, retrySucceeds, reframesEnd,
			everyTurn("budget", budgets), everyTurn("budget", failures), everyTurnOf("budget", reframing, reframes),
		},
	}
}

// goesOn are the runs that met their budget, or should have. A judge is stopped where there is none, since the agent, left
// to itself, came to an end of its own before.
func (o BudgetObservation) goesOn(j *scenarios.Judge, runs ...Spent) (met []Spent) {
	for _, s := range runs {
		if s.endsAtOnce() {
			met = append(met, s)
			continue
		}
		begun(j, s.Start)
		given(j, s.Steps...)
		keptBooks(j, s.Steps)
		s.inSteps(j)
		if o.Way != "" || s.end() < 0 || len(s.all()[s.end()].ofType(completed).Values) == 0 {
			met = append(met, s)
		}
	}
	if len(met) == 0 {
		j.Block("left to itself the agent is done before its budget is used up", "declare a decision seam in "+ProfileName+" that can say call_tool")
	}
	return met
}

// endsAtOnce says whether a run with a budget of one step was escalated by its start: step >= max_steps may be looked at
// before the request (AL-R10).
func (s Spent) endsAtOnce() bool {
	return s.Budget == 1 && len(s.Steps) == 0 && s.Start.answered() && len(s.Start.events().Values) == 1 && len(s.Start.ofType(escalated).Values) == 1
}

// inSteps stops a judge where a run went on by another step than the next, or by none before its budget was met.
func (s Spent) inSteps(j *scenarios.Judge) {
	step := int64(0)
	for i, t := range s.all() {
		p, ok := waiting(t)
		switch {
		case ok && p.Step > step+1:
			j.BlockOn(agenticloopv2.RFC103I2, fmt.Sprintf("set-up: %s: it asks for step %d after step %d", t.Name, p.Step, step))
		case len(t.events().Values) == 0 && i < s.Budget:
			j.BlockOn(agenticloopv2.RFC103V9, "set-up: "+t.Name+": nothing came of it")
		}
		step = p.Step
	}
}

// keptBooks stops a judge where a turn asked for a tool that its run does not wait for: what is delivered then matches nothing.
func keptBooks(j *scenarios.Judge, turns []Turn) {
	for _, t := range turns {
		if len(t.requests().Values) == 0 {
			continue
		}
		p, ok := waiting(t)
		if w := waitsOf(t.run(p.Run).Actual()); !ok || w.step != p.Step || w.tool != p.Tool {
			j.BlockOn(agenticloopv2.RFC103I3, "set-up: "+t.Name+": it asks for a tool that its run does not wait for")
		}
	}
}

// RFC-103 Error Handling, Security and Scope. Whether the budget is looked at before a request or at a result is
// open (AL-R10): the requests are counted.
var withinBudget = scenarios.Scenario{
	ID:     "agenticloop/budget/max-steps-ends-the-run",
	Title:  "a run asks for no more steps than max_steps, and is escalated once when it would",
	Proves: scenarios.IDs{agenticloopv2.RFC103F7, agenticloopv2.RFC103G7, agenticloopv2.RFC103P3, agenticloopv2.RFC103S8},
	Claim:  plugin,
	Ask: scenarios.Ask(budgets, func(o BudgetObservation, j *scenarios.Judge) {
		for _, s := range o.goesOn(j, o.Runs...) {
			s.within(j, agenticloopv2.RFC103G7, agenticloopv2.RFC103F7)
			ends := wire.Found{In: s.Start.Answer.Ref()}
			for _, t := range s.all() {
				ends.Values = append(ends.Values, t.ends().Each("/type").Values...)
				j.Check(agenticloopv2.RFC103P3, t.Answer.Key("status")).To(check.Equal("ok"), "%s: status", t.Name)
			}
			j.Check(agenticloopv2.RFC103F7, ends).To(check.Equal([]string{escalated}), "max_steps %d: ends of the run within %d results", s.Budget, len(s.Steps))
			last := s.all()[len(s.all())-1]
			if len(last.ends().Values) > 0 && last.Answer.Key("status").String() == "ok" {
				run := s.Run
				if s.endsAtOnce() {
					run = last.ends().Values[0].At("/payload/run_id").String()
				}
				j.Check(agenticloopv2.RFC103S8, last.run(run).Key("status")).To(check.Equal("escalated"), "%s: status of the run", last.Name)
			}
		}
	}),
}

// within expects no request above the budget.
func (s Spent) within(j *scenarios.Judge, of ...scenarios.RequirementID) {
	for _, t := range s.all() {
		for _, id := range of {
			j.Check(id, t.requests().Each("/payload/step")).To(atMost(int64(s.Budget)), "%s: steps that it asks for", t.Name)
		}
	}
}

// atMost expects no number above a bound.
func atMost(bound int64) check.Matcher {
	return check.Seeing(fmt.Sprintf("none above %d", bound), func(s wire.Seen) (bool, string) {
		list, _ := check.Plain(s.Actual()).([]any)
		for _, v := range list {
			if n, ok := v.(int64); !ok || n > bound {
				return false, wire.Compact(s.Actual())
			}
		}
		return true, wire.Compact(s.Actual())
	})
}

// RFC-103 Test Cases (AL-R109).
var sameCutOff = scenarios.Scenario{
	ID:     "agenticloop/budget/same-cut-off",
	Title:  "the same run meets its budget at the same turn, for the same reason, each time",
	Proves: scenarios.IDs{agenticloopv2.RFC103M6},
	Claim:  plugin,
	Ask: scenarios.Ask(budgets, func(o BudgetObservation, j *scenarios.Judge) {
		again := o.goesOn(j, o.Again...)
		if len(again) == 0 {
			return
		}
		first := again[0]
		if first.end() < 0 {
			j.BlockOn(agenticloopv2.RFC103F7, "set-up: the run did not meet its budget")
		}
		for _, s := range again {
			last := s.all()[len(s.all())-1]
			if o.Live { // that it is cut off in time is asked elsewhere
				j.Check(agenticloopv2.RFC103M6, last.ends()).To(check.Len(1), "ends of the run")
				if s.end() != first.end() {
					j.Find(agenticloopv2.RFC103M6, "a run ends after %d results, and the same one after %d: the profile says that it is not deterministic", first.end(), s.end())
				}
				continue
			}
			j.Check(agenticloopv2.RFC103M6, last.ends().Each("/payload/reason")).To(check.SameAs(first.all()[first.end()].ends().Each("/payload/reason")), "reason of the end")
			j.Check(agenticloopv2.RFC103M6, last.ends()).To(check.Seeing(fmt.Sprintf("the end after %d results", first.end()), func(wire.Seen) (bool, string) {
				return s.end() == first.end(), fmt.Sprintf("after %d", s.end())
			}), "where the run ends")
		}
	}),
}

// The text gives max_steps of a start in an example alone (AL-R11).
var lowerBudget = scenarios.Scenario{
	ID:     "agenticloop/budget/start-lowers-it",
	Title:  "a lower max_steps in the start is the run's budget",
	Proves: scenarios.IDs{agenticloopv2.RFC103E3},
	Claim:  contextBudget,
	Ask: scenarios.Ask(budgets, func(o BudgetObservation, j *scenarios.Judge) {
		if o.Lower == nil {
			given(j, Turn{})
		} else if len(o.goesOn(j, *o.Lower)) > 0 {
			o.Lower.within(j, agenticloopv2.RFC103E3)
		}
	}),
}

var higherBudget = scenarios.Scenario{
	ID:     "agenticloop/budget/start-does-not-raise-it",
	Title:  "a higher max_steps in the start raises no budget",
	Proves: scenarios.IDs{agenticloopv2.RFC103E4},
	Claim:  contextBudget,
	Ask: scenarios.Ask(budgets, func(o BudgetObservation, j *scenarios.Judge) {
		if o.Higher == nil {
			given(j, Turn{})
		} else if len(o.goesOn(j, *o.Higher)) > 0 {
			o.Higher.within(j, agenticloopv2.RFC103E4)
		}
	}),
}

// RFC-103 Error Handling (AL-R5, AL-R108).
var errorsEnd = scenarios.Scenario{
	ID:     "agenticloop/budget/errors-end-the-run",
	Title:  "a step that goes on failing is asked for again a bounded number of times, and then the run is escalated once",
	Proves: scenarios.IDs{agenticloopv2.RFC103V10, agenticloopv2.RFC103F6, agenticloopv2.RFC103F3},
	Claim:  plugin,
	Ask: scenarios.Ask(failures, func(o FailuresObservation, j *scenarios.Judge) {
		failing := o.Failing
		if len(failing) == 0 {
			failing = []Turn{{}}
		}
		begun(j, o.Start)
		given(j, failing...)
		for _, t := range o.Failing {
			if len(t.requests().Values) > 1 {
				j.BlockOn(agenticloopv2.RFC103T1, "set-up: "+t.Name+": more than one request")
			}
		}
		for i, t := range o.Failing {
			j.Check(agenticloopv2.RFC103V10, t.events()).To(notBeyond(o.Pending.Step), "%s: events", t.Name)
			if i < len(o.Failing)-1 {
				j.Check(agenticloopv2.RFC103F6, t.ends()).To(check.Len(0), "%s: ends", t.Name)
			}
		}
		last := o.Failing[len(o.Failing)-1]
		if _, again := waiting(last); again && o.Most < 0 {
			j.Block(fmt.Sprintf("the step was asked for again after each of %d failures, and how often it may be is not known", len(o.Failing)), "say max_retries under limits in "+ProfileName)
		}
		givenUp(j, last, o.Pending.Run, agenticloopv2.RFC103F6)
		if len(last.ofType(escalated).Values) > 0 {
			toldWhy(j, last, o.Pending.Run)
		}
		if o.Most < 0 {
			return
		}
		j.Check(agenticloopv2.RFC103F6, last.events()).To(check.Seeing(fmt.Sprintf("at most %d tries", o.Most+1), func(wire.Seen) (bool, string) {
			return len(o.Failing) <= o.Most+1, fmt.Sprintf("%d", len(o.Failing))
		}), "failures until the end")
	}),
}

// RFC-103 Error Handling (AL-R5, AL-R108).
var errorsRetry = scenarios.Scenario{
	ID:     "agenticloop/budget/retry-counts",
	Title:  "a step that is asked for again keeps its number and its tool, and its attempt grows by one",
	Proves: scenarios.IDs{agenticloopv2.RFC103F4},
	Claim:  retries,
	Ask: scenarios.Ask(failures, func(o FailuresObservation, j *scenarios.Judge) {
		failing := o.Failing
		if len(failing) == 0 {
			failing = []Turn{{}}
		}
		begun(j, o.Start)
		given(j, failing...)
		attempt := o.Start.run(o.Pending.Run).Key("attempt")
		for i, t := range o.Failing {
			if i > 0 && t.run(o.Pending.Run).Key("status").String() != "running" {
				break // no retry was left
			}
			again := t.requests()
			j.Check(agenticloopv2.RFC103F4, again.Each("/payload/step")).To(check.Equal([]int64{o.Pending.Step}), "%s: step", t.Name)
			j.Check(agenticloopv2.RFC103F4, again.Each("/payload/tool")).To(check.Equal([]string{o.Pending.Tool}), "%s: tool", t.Name)
			now := t.run(o.Pending.Run).Key("attempt")
			before, known := attempt.Int()
			if known { // where the count begins is the agent's affair
				j.Check(agenticloopv2.RFC103F4, now).To(check.Equal(before+1), "%s: attempt", t.Name)
			} else {
				j.Check(agenticloopv2.RFC103F4, now).To(check.Integer(1, 0), "%s: attempt", t.Name)
			}
			attempt = now
		}
	}),
}

// RFC-103 Error Handling (AL-R5).
var retrySucceeds = scenarios.Scenario{
	ID:     "agenticloop/budget/retry-succeeds",
	Title:  "a run whose retry succeeds goes on from that step",
	Proves: scenarios.IDs{agenticloopv2.RFC103F5},
	Claim:  retries,
	Ask: scenarios.Ask(failures, func(o FailuresObservation, j *scenarios.Judge) {
		begun(j, o.Start)
		given(j, o.Failing...)
		switch {
		case !o.Once:
			j.BlockOn(agenticloopv2.RFC103F4, "set-up: the step was not asked for again")
		default:
			given(j, o.Healed)
			j.Check(agenticloopv2.RFC103F5, o.Healed.events()).To(check.Len(1), "%s: events", o.Healed.Name)
			if requests := o.Healed.requests(); len(requests.Values) > 0 {
				j.Check(agenticloopv2.RFC103F5, requests.Each("/payload/step")).To(check.Equal([]int64{o.Pending.Step + 1}), "%s: step", o.Healed.Name)
			} else {
				j.Check(agenticloopv2.RFC103F5, o.Healed.events().Each("/type")).To(check.Equal([]string{completed}), "%s: what came of it", o.Healed.Name)
			}
		}
	}),
}

// The text counts reframes and defines neither their form nor their trigger (AL-R12).
var reframesEnd = scenarios.Scenario{
	ID:     "agenticloop/budget/max-reframes-ends-the-run",
	Title:  "a run reframes no more often than max_reframes, and is escalated once when it would",
	Proves: scenarios.IDs{agenticloopv2.RFC103F8, agenticloopv2.RFC103G8},
	Claim:  reframes,
	Ask: scenarios.Ask(reframing, func(o ReframesObservation, j *scenarios.Judge) {
		steps := o.Steps
		if len(steps) == 0 {
			steps = []Turn{{}}
		}
		begun(j, o.Start)
		given(j, steps...)
		keptBooks(j, o.Steps)
		for _, t := range o.Steps {
			count := t.run(o.Run).Key("reframes")
			if t.run(o.Run).Present() {
				j.Check(agenticloopv2.RFC103G8, count).To(check.Integer(0, int64(o.Most)), "%s: reframes", t.Name)
			}
		}
		last := o.Steps[len(o.Steps)-1]
		if w := waitsOf(last.run(o.Run).Actual()); len(last.events().Values) == 0 && w.status == "running" && w.step > 0 {
			j.BlockOn(agenticloopv2.RFC103V9, "set-up: "+last.Name+": the run waits for a step that was not asked for")
		}
		taken(j, last)
		givenUp(j, last, o.Run, agenticloopv2.RFC103F8)
		reframed := last.run(o.Run).Key("reframes")
		j.Check(agenticloopv2.RFC103G8, reframed).To(check.Equal(o.Most), "%s: reframes at the end", last.Name)
	}),
}
