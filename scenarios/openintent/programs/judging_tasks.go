package programs

import (
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// mirrors ends the judge if the server mirrors nothing: no task shows anything of the first suspension.
func (o TasksObservation) mirrors(j *scenarios.Judge) {
	if first := o.Rounds[0]; !first.Blocked[0].Reached && first.During[0].Body.Key("blocked_reason").String() == "" {
		j.NotThere(first.During[0].Body, host.MirrorThere)
	}
}

var taskScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/programs/tasks-mirror",
		Title:  "at each suspension every running task is blocked, says why and by which intent, and runs again after the answer",
		Proves: scenarios.IDs{openintent.OIP0026R3, openintent.OIP0026R3B, openintent.OIP0026R3C, openintent.OIP0026R3D},
		Claim:  claims.With(claims.Plan, claims.Core),
		Ask: scenarios.Ask(drawnTasks, func(o TasksObservation, j *scenarios.Judge) {
			o.mirrors(j)
			for _, r := range o.Rounds {
				for n, wait := range r.Blocked {
					if !host.Turned(j, openintent.OIP0026R3, wait, host.Blocked, "task %d", n+1) {
						continue
					}
					task := r.During[n]
					j.Check(openintent.OIP0026R3B, task.Body.Key("blocked_reason")).
						To(check.Equal("intent_suspended"), "blocked_reason of %s", task.Asked)
					by := host.Locate(host.SuspendedIntent, host.Named("task", task.Body))
					j.Check(openintent.OIP0026R3C, by.Value).To(check.Equal(o.IntentID), "%s of %s", by.Label("suspended_intent_id"), task.Asked)
				}
				for n, wait := range r.Running {
					if host.Turned(j, openintent.OIP0026R3D, wait, "running", "task %d", n+1) {
						j.Check(openintent.OIP0026R3D, r.After[n].Body.Key("blocked_reason")).
							NotTo(check.Equal("intent_suspended"), "blocked_reason of %s", r.After[n].Asked)
					}
				}
			}
		}),
	},
	{
		ID:     "openintent/programs/tasks-listed",
		Title:  "at each suspension the plan lists each task that ran once, and none after the answer",
		Proves: scenarios.IDs{openintent.OIP0026R4G},
		Claim:  claims.With(claims.Plan, claims.Core),
		Ask: scenarios.Ask(drawnTasks, func(o TasksObservation, j *scenarios.Judge) {
			o.mirrors(j)
			listed := false
			for _, r := range o.Rounds {
				if r.Ended.Asked == "" { // a task did not turn, which another scenario finds
					break
				}
				during := host.Locate(host.SuspendedTasks, host.Named("plan", r.Plan.Body).And("progress", r.Progress.Body))
				if !during.Present() {
					j.NotThere(during.Value, host.SuspendedTasksThere)
				}
				listed = true
				j.Check(openintent.OIP0026R4G, during.Value).
					To(naming(o.TaskIDs[1:], o.TaskIDs), "%s in %s", during.Label("suspended_tasks"), r.Plan.Asked)
				after := host.Locate(host.SuspendedTasks, host.Named("plan", r.Ended.Body).And("progress", r.Over.Body))
				j.Check(openintent.OIP0026R4G, after.Value).To(naming(nil, nil), "%s in %s", after.Label("suspended_tasks"), r.Ended.Asked)
			}
			if !listed {
				j.Block("setup failed: the tasks did not turn blocked, and run again", "mirror the intent in its tasks; another scenario tests that")
			}
		}),
	},
}

// naming expects a list with one entry of each of these tasks. Others of the intent may be listed, each once: it waits for them too.
func naming(ran, all []string) check.Matcher {
	return check.That("one entry of each of the tasks that ran, and none of other intents", func(v any) bool {
		list, _ := v.([]any)
		seen := map[string]int{}
		for _, e := range list {
			entry, _ := e.(map[string]any)
			id, _ := entry["task_id"].(string)
			if seen[id]++; seen[id] > 1 || !slices.Contains(all, id) {
				return false
			}
		}
		return !slices.ContainsFunc(ran, func(id string) bool { return seen[id] != 1 })
	})
}
