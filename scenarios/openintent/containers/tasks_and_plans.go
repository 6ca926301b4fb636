package containers

import (
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TasksSuite returns the suite tasks-and-plans.
func TasksSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "tasks-and-plans", Title: "tasks that mirror an intent that waits, and plans that list them",
		Scenarios: []scenarios.Scenario{
			taskBlocked, taskRuns, planLists, planLocal, planAdded, taskOtherReason, taskNotRunning, taskOrders,
		},
	}
}

const mirrorThere = "tasks that turn blocked when their intent is suspended"

// unaffected reports whether the task shows nothing of the suspension: no status, no reason and no intent.
func (o TasksObservation) unaffected() bool {
	task := o.During.Task.Body
	reason := task.Key("blocked_reason").String()
	return !o.Blocked.Reached && reason == "" && host.Locate(host.SuspendedIntent, host.Named("task", task)).String() == ""
}

// givenBlocked ends the judge unless the task was blocked by the suspension.
func (o TasksObservation) givenBlocked(j *scenarios.Judge) {
	if o.unaffected() {
		j.NeedThere(openintent.OIP0026R3, o.Blocked, mirrorThere)
		return
	}
	j.Need(openintent.OIP0026R3, o.Blocked)
}

// taskBlocked is about the running task (OIP-R101).
var taskBlocked = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/blocked",
	Title:  "the running task of an intent that waits is blocked, and says why and by which intent",
	Proves: scenarios.IDs{openintent.OIP0026R3, openintent.OIP0026R3B, openintent.OIP0026R3C},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		if o.unaffected() {
			j.NotThere(o.During.Task.Body, mirrorThere)
		}
		if !host.Turned(j, openintent.OIP0026R3, o.Blocked, host.Blocked, "the task") {
			return
		}
		task := o.During.Task.Body
		j.Check(openintent.OIP0026R3B, task.Key("blocked_reason")).To(check.Equal("intent_suspended"), "blocked_reason of the task")
		by := host.Locate(host.SuspendedIntent, host.Named("task", task))
		by.Note(j, "OIP-R25", host.SuspendedIntent)
		j.Check(openintent.OIP0026R3C, by.Value).To(check.Equal(o.IntentID), "%s", by.Label("suspended_intent_id of the task"))
	}),
}

var taskRuns = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/runs-again",
	Title:  "when the intent is answered its task runs again, and no longer says that it is suspended",
	Proves: scenarios.IDs{openintent.OIP0026R3D},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		o.givenBlocked(j)
		j.Need(openintent.OIP0025A15, o.Resumed)
		if host.Turned(j, openintent.OIP0026R3D, o.Running, "running", "the task") {
			j.Check(openintent.OIP0026R3D, o.After.Task.Body.Key("blocked_reason")).
				NotTo(check.Equal("intent_suspended"), "blocked_reason of the task that runs again")
		}
	}),
}

// planLists accepts the list in any of its places (OIP-R24).
var planLists = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/listed",
	Title:  "the plan lists the task in suspended_tasks while the intent waits, with what there is to know, and not after the answer",
	Proves: scenarios.IDs{openintent.OIP0026R4G, openintent.OIP0026R4H},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		during, after := o.During.suspendedTasks(), o.After.suspendedTasks()
		if !during.Present() {
			j.NotThere(during.Value, host.SuspendedTasksThere)
		}
		o.After.Plan.Readable(j)
		ours, ok := entryOf(j, openintent.OIP0026R4G, host.SuspendedTasks, during, after, "task_id", o.TaskID)
		if ok {
			checkEntry(j, openintent.OIP0026R4H, ours, o.IntentID, o.Suspension)
		}
	}),
}

// entryOf returns the entry of a list whose member has this value. It checks that the list has one such entry while the
// intent is suspended, and no entry at all after the answer.
func entryOf(
	j *scenarios.Judge, id scenarios.RequirementID, l host.Locator, during, after host.Located, member, value string,
) (one wire.Value, ok bool) {
	during.Note(j, "OIP-R24", l)
	ours := entries(during).Where(func(e wire.Value) bool { return e.Key(member).String() == value })
	j.Check(id, ours).To(check.Len(1), "%s, entries with %s", during.Label(l.What), member)
	j.Check(id, entries(after)).To(check.Len(0), "%s, after the answer", after.Label(l.What))
	if len(ours.Values) != 1 {
		return one, false
	}
	return ours.Last(), true
}

// entries returns the entries of a list.
func entries(l host.Located) wire.Found { return wire.Found{Values: l.Items(), In: l.Ref()} }

// checkEntry checks the members that an entry of suspended_tasks and one of suspended_phases share.
func checkEntry(j *scenarios.Judge, id scenarios.RequirementID, e wire.Value, intentID string, sus host.Suspension) {
	j.Check(id, e.Key("intent_id")).To(check.Equal(intentID), "intent_id of the entry")
	since := host.Moment()
	if began, ok := sus.Began(); ok {
		since = host.Within(began, began, tolerance, tolerance)
	}
	j.Check(id, e.Key("suspended_since")).To(since, "suspended_since of the entry")
	j.Check(id, e.Key("expires_at")).
		To(host.AsSent(sus.Shown().Key("expires_at").Actual()), "expires_at of the entry, as in the record")
}

// tolerance is the distance allowed between two times of one moment: the client writes one and the server sees the
// other (OIP-R35).
const tolerance = 2 * time.Second

// planLocal has a control: the task is blocked, so the server noticed the suspension.
var planLocal = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/intent-local",
	Title:  "a plan does not turn suspended because an intent of a task is",
	Proves: scenarios.IDs{openintent.OIP0026R1B},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		o.givenBlocked(j)
		j.Need(openintent.OIP0025A15, o.Barrier.Sentinel)
		state := o.During.Plan.Body.Key("state")
		if !state.Present() {
			state = o.During.Plan.Body.Key("status")
		}
		j.Check(openintent.OIP0026R1B, state).To(check.That("a state, and none that says suspended", func(v any) bool {
			s, _ := v.(string)
			return s != "" && !strings.Contains(s, "suspended")
		}), "state of the plan")
	}),
}

var planAdded = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/added",
	Title:  "a plan with a suspended task still says all that it said before",
	Proves: scenarios.IDs{openintent.OIP0026L6},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		if during := o.During.suspendedTasks(); !during.Present() {
			j.NotThere(during.Value, host.SuspendedTasksThere)
		}
		j.Check(openintent.OIP0026L6, o.During.Plan.Body).To(allMembersOf(o.Before.Plan.Body), "the plan")
	}),
}

// allMembersOf expects an object with all members of another one, which has some.
func allMembersOf(of wire.Value) check.Matcher {
	before, _ := of.Actual().(map[string]any)
	return check.That("all members that it had before", func(v any) bool {
		now, _ := v.(map[string]any)
		for name := range before {
			if _, there := now[name]; !there {
				return false
			}
		}
		return len(before) > 0
	})
}

var taskOtherReason = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/other-reason",
	Title:  "a task that was blocked for another reason is not set running by the answer",
	Proves: scenarios.IDs{openintent.OIP00121},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		o.givenBlocked(j)
		j.Need(openintent.OIP0025A15, o.Resumed)
		j.Need(openintent.OIP0026R3D, o.Running)
		other := o.After.Other
		j.Check(openintent.OIP00121, host.StatusOf(other.Body).Value).
			To(check.Equal(host.Blocked), "status of %s", other.Asked)
		j.Check(openintent.OIP00121, other.Body.Key("blocked_reason")).
			To(check.Equal(otherReason), "blocked_reason of %s", other.Asked)
	}),
}

var taskNotRunning = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/not-running",
	Title:  "a task that had not begun is not blocked by the suspension",
	Proves: scenarios.IDs{openintent.OIP00122},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirrored, func(o TasksObservation, j *scenarios.Judge) {
		o.givenBlocked(j)
		if host.StatusOf(o.Before.Pending.Body).String() == "" {
			j.Block("a task that has not begun shows no status", "show the status of a task in state or in status")
		}
		j.Check(openintent.OIP00122, host.StatusOf(o.During.Pending.Body).Value).
			To(check.SameAs(host.StatusOf(o.Before.Pending.Body).Value), "status of %s", o.During.Pending.Asked)
	}),
}

// taskOrders asks about an intent whose status was set first (OIP-R35).
var taskOrders = scenarios.Scenario{
	ID:     "openintent/tasks-and-plans/orders",
	Title:  "a task is blocked and runs again as ever where the status was set before the record was written",
	Proves: scenarios.IDs{openintent.OIPREAD2},
	Claim:  claims.Plan,
	Ask: scenarios.Ask(mirroredStatusFirst, func(o TasksObservation, j *scenarios.Judge) {
		if o.unaffected() {
			j.NeedThere(openintent.OIP0026R3, o.Usual, mirrorThere)
		}
		j.Need(openintent.OIP0026R3, o.Usual)
		if host.Turned(j, openintent.OIPREAD2, o.Blocked, host.Blocked, "the task") {
			host.Turned(j, openintent.OIPREAD2, o.Running, "running", "the task")
		}
	}),
}
