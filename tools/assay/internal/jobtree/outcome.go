package jobtree

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// Outcome tells what became of the runs that were under way, and reports whether all is well: an agent.completed was told,
// and no run is left that has not reached its goal. before is the state of the agent's plugin as it was at the beginning.
func (t *Tree) Outcome(agent string, before json.RawMessage) (completed bool) {
	completed = len(t.completed) > 0 && len(t.escalated) == 0
	for _, c := range t.completed {
		t.Say("completed: run %s after %d steps: %s", word(c.RunID), c.StepsTaken, word(c.Outcome))
		for _, a := range c.Artifacts {
			t.Say("  artifact %s", word(a))
		}
	}
	for _, e := range t.escalated {
		t.Say("not completed: run %s was given up: %s", word(e.RunID), word(e.Reason))
	}
	old, now := runs(before), runs(t.state.Row(agent))
	for _, id := range slices.Sorted(maps.Keys(now)) {
		run := now[id]
		if was, known := old[id]; known && was.Status != agenticloopv2.RunStatusRunning {
			continue // it had ended before
		}
		switch {
		case run.Status == agenticloopv2.RunStatusRunning && run.PendingStep > 0:
			t.Say("not completed: run %s waits for step %d of %s, and no job is left that could bring it", word(id), run.PendingStep, word(run.PendingTool))
		case run.Status == agenticloopv2.RunStatusRunning:
			t.Say("not completed: run %s is running, waits for nothing, and no job is left", word(id))
		case run.Status == agenticloopv2.RunStatusDone && !t.told(id):
			t.Say("not completed: run %s is done, and its agent.completed was lost", word(id))
		default:
			continue
		}
		completed = false
	}
	if len(now) == 0 && !completed && len(t.escalated) == 0 {
		t.Say("not completed: %s", t.why(agent))
	}
	return completed
}

// told reports whether the end of a run was told.
func (t *Tree) told(run string) bool {
	return slices.ContainsFunc(t.completed, func(c agenticloopv2.CompletedPayload) bool { return c.RunID == run })
}

// why says what there is to say where no run was begun.
func (t *Tree) why(agent string) string {
	for _, j := range t.state.Jobs {
		if j.Plugin == agent && j.LastError != "" {
			return agent + " began no run: " + word(j.LastError)
		}
	}
	return agent + " began no run, and no agent.completed was emitted"
}

// runs are the runs in an agent's row. An agent that keeps its state in another form has none.
func runs(row json.RawMessage) map[string]agenticloopv2.Run {
	var state struct {
		Runs map[string]json.RawMessage `json:"runs"`
	}
	if json.Unmarshal(row, &state) != nil {
		return nil
	}
	out := map[string]agenticloopv2.Run{}
	for id, raw := range state.Runs {
		var run agenticloopv2.Run
		if json.Unmarshal(raw, &run) == nil {
			out[id] = run
		}
	}
	return out
}
