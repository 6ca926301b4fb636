package programs

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// aroundScenarios ask what shows an intent to others, however its suspension ended: it is compared with what the intents show.
var aroundScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/programs/course-unblocks-nothing",
		Title:  "a dependent stays blocked when its intent goes on, by an answer or by a fallback, and goes on when that is completed",
		Proves: scenarios.IDs{openintent.OIP0026R2C, openintent.OIP0026R2D}, Claim: inCourses,
		Ask: scenarios.Ask(drawnCourses, CoursesObservation.judgeDependents),
	},
	{
		ID:     "openintent/programs/course-blocks",
		Title:  "what depends on an intent is blocked while that is suspended, whether it became active before the suspension or during it",
		Proves: scenarios.IDs{openintent.OIP0026R2}, Claim: inCourses, Ask: scenarios.Ask(drawnCourses, CoursesObservation.judgeBlocks),
	},
	{
		ID:     "openintent/programs/course-counted",
		Title:  "the aggregate of a parent counts the children that wait, and none whose suspension ended, however it did",
		Proves: scenarios.IDs{openintent.OIP0026R4}, Claim: inCourses,
		Ask: ofAround(func(_ CoursesObservation, a Around, j *scenarios.Judge) {
			at := host.Locate(host.ParentAggregate, host.Named("graph", a.Graph.Body).And("intent", a.Parent.Body))
			if !at.Present() {
				j.NotThere(at.Value, host.ParentAggregateThere)
			}
			n := a.count(host.Suspended)
			j.Check(openintent.OIP0026R4, at.At("/by_status/"+host.Suspended)).To(check.That(fmt.Sprint(n), func(v any) bool {
				is, _ := v.(int64)
				return is == int64(n) && (v == nil || v == is)
			}), "%s in %s", at.Label("by_status."+host.Suspended), a.Graph.Asked)
		}),
	},
	{
		ID:     "openintent/programs/course-members",
		Title:  "a portfolio counts the members that wait, and none whose suspension ended, however it did",
		Proves: scenarios.IDs{openintent.OIP0026R4B, openintent.OIP0026R4C}, Claim: claims.With(claims.Portfolio, inCourses),
		Ask: ofAround(func(_ CoursesObservation, a Around, j *scenarios.Judge) {
			docs := a.portfolio(j)
			flag, count := host.Locate(host.PortfolioFlag, docs), host.Locate(host.PortfolioCount, docs)
			for _, at := range []host.Located{flag, count} {
				if !at.Present() {
					j.NotThere(a.Portfolio.Status, host.PortfolioFlagsThere)
				}
			}
			n := a.count(host.Suspended)
			j.Check(openintent.OIP0026R4B, flag.Value).
				To(check.Equal(n > 0), "%s in %s", flag.Label("has_suspended_members"), a.Portfolio.Asked)
			j.Check(openintent.OIP0026R4C, count.Value).To(check.Equal(n), "%s in %s", count.Label("suspended_member_count"), a.Portfolio.Asked)
		}),
	},
	{
		ID:     "openintent/programs/course-failed",
		Title:  "a portfolio has failed from when the fallback of a member abandons it, also while others wait",
		Proves: scenarios.IDs{openintent.OIP0026R4E}, Claim: claims.With(claims.Portfolio, inCourses),
		Ask: scenarios.Ask(drawnCourses, func(o CoursesObservation, j *scenarios.Judge) {
			o.givenTimer(j)
			failed := false
			for _, a := range o.arounds() {
				if a.count(host.Abandoned) == 0 {
					continue
				}
				failed = true
				at := host.Locate(host.PortfolioAggregate, a.portfolio(j))
				if !at.Present() || at.Place.Pointer == "/status" {
					j.NotThere(a.Portfolio.Status, "the aggregate status of a portfolio, at GET /portfolios/{id}")
				}
				j.Check(openintent.OIP0026R4E, at.Value).To(check.Equal("failed"), "%s in %s", at.Label("aggregate status"), a.Portfolio.Asked)
			}
			if !failed {
				j.NotOffered("no member was abandoned: fallback fail may leave an intent suspended (OIP-R12)")
			}
		}),
	},
	{
		ID:     "openintent/programs/course-task",
		Title:  "a task waits with its intent and runs when that goes on, however its suspension ended, and its plan lists it meanwhile",
		Proves: scenarios.IDs{openintent.OIP0026R4G, openintent.OIP0026R3, openintent.OIP0026R3D}, Claim: claims.With(claims.Plan, inCourses),
		Ask: scenarios.Ask(drawnCourses, func(o CoursesObservation, j *scenarios.Judge) {
			ran := false
			for _, a := range o.givenAround(j) {
				ran = a.judgeTask(o.TaskID, j) || ran
			}
			if !ran {
				j.Block("setup failed: the intent of the task never went on behind a suspension", "let a suspended intent that is answered go on")
			}
		}),
	},
}

// judgeTask judges the task that the plan lists. It reports whether the intent of the task goes on.
func (a Around) judgeTask(id string, j *scenarios.Judge) (goesOn bool) {
	if a.Plan.Asked == "" {
		j.NotThere(a.Parent.Status, host.PlansThere)
	}
	at := host.Locate(host.SuspendedTasks, host.Named("plan", a.Plan.Body).And("progress", a.Progress.Body))
	if !at.Present() {
		j.NotThere(at.Value, host.SuspendedTasksThere)
	}
	var want []string
	status := host.StatusOf(a.Task.Body)
	switch a.last().String() {
	case host.Suspended:
		want = []string{id}
		j.Check(openintent.OIP0026R3, status.Value).To(check.Equal(host.Blocked), "status of %s", a.Task.Asked)
	case host.Active:
		if status.String() == "cancelled" { // the intent was over in between, which is asked elsewhere
			return false
		}
		goesOn = true
		j.Check(openintent.OIP0026R3D, status.Value).To(check.Equal("running"), "status of %s", a.Task.Asked)
		j.Check(openintent.OIP0026R3D, a.Task.Body.Key("blocked_reason")).
			NotTo(check.Equal("intent_suspended"), "blocked_reason of %s", a.Task.Asked)
	}
	j.Check(openintent.OIP0026R4G, at.Value).To(naming(want, want), "%s in %s", at.Label("suspended_tasks"), a.Plan.Asked)
	return goesOn
}

// ofAround judges each moment.
func ofAround(judge func(CoursesObservation, Around, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnCourses, func(o CoursesObservation, j *scenarios.Judge) {
		for _, a := range o.givenAround(j) {
			judge(o, a, j)
		}
	})
}

// givenAround returns the moments, if nothing was taken that had to be refused.
func (o CoursesObservation) givenAround(j *scenarios.Judge) []Around {
	o.givenTimer(j)
	for _, run := range o.all() {
		run.unmoved(j)
	}
	return o.arounds()
}

// arounds are all moments, in order. One at which an intent cannot be read shows nothing to compare with.
func (o CoursesObservation) arounds() (all []Around) {
	for _, r := range o.Rounds {
		for _, a := range []Around{r.Waiting, r.Over} {
			if !slices.ContainsFunc(a.Intents, func(i host.Reply) bool { return i.Body.Key("status").String() == "" }) {
				all = append(all, a)
			}
		}
	}
	return all
}

// count is how many of the intents show a status.
func (a Around) count(status string) (n int) {
	for _, i := range a.Intents {
		if i.Body.Key("status").String() == status {
			n++
		}
	}
	return n
}

// last is the status of the intent that has a plan.
func (a Around) last() wire.Value { return a.Intents[len(a.Intents)-1].Body.Key("status") }

// portfolio is the portfolio as a document to search. It ends the judge if there is none.
func (a Around) portfolio(j *scenarios.Judge) map[string][]wire.Value {
	if a.Portfolio.Asked == "" {
		j.NotThere(a.Parent.Status, host.PortfoliosThere)
	}
	return host.Named("portfolio", a.Portfolio.Body)
}

func (o CoursesObservation) judgeDependents(j *scenarios.Judge) {
	o.givenTimer(j)
	went := false
	for _, r := range o.Rounds {
		for _, run := range r.Courses {
			during, after := r.Waiting.Dependents[run.Intent], r.Over.Dependents[run.Intent]
			if during.Body.Key("status").String() != host.Blocked {
				j.Violates(openintent.OIP0026R2, during.Body.Key("status"), "setup failed: what depends on a suspended intent is not blocked")
			}
			if now := r.Over.Intents[run.Intent].Body.Key("status").String(); now != host.Completed {
				j.Check(openintent.OIP0026R2C, after.Body.Key("status")).
					To(check.Equal(host.Blocked), "status of %s: its intent is %s", after.Asked, now)
			}
		}
	}
	for n, f := range o.Finish {
		if f.Reply.Ok() {
			went = true
			host.Turned(j, openintent.OIP0026R2D, f.Dependent, host.Active, "the dependent of intent %d, which is completed", n+1)
			if f.Held.Reached {
				host.Turned(j, openintent.OIP0026R2D, f.Again, host.Active, "the dependent of intent %d, when a later one is completed, too", n+1)
			}
		}
	}
	if !went {
		j.Block("setup failed: no intent was active in the end, and could be completed", "let an intent go on that was answered")
	}
}

func (o CoursesObservation) judgeBlocks(j *scenarios.Judge) {
	o.givenTimer(j)
	asked := false
	for _, run := range o.all() {
		if run.Fresh.Before.Body.Key("status").String() == host.Active {
			asked = true
			j.Check(openintent.OIP0026R2, run.Fresh.After.Body.Key("status")).
				To(check.Equal(host.Blocked), "status of %s, of %s", run.Fresh.After.Asked, run.what())
		}
		if run.Draft.Before.Asked != "" {
			asked = true
			j.Check(openintent.OIP0026R2, run.Draft.After.Body.Key("status")).
				NotTo(check.Equal(host.Active), "status of %s, of %s", run.Draft.After.Asked, run.what())
		}
	}
	if !asked {
		j.NotOffered("on this server a dependent is blocked from the start")
	}
}
