package jobtree

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// Outcome reports on the runs that were under way and returns whether all is well: at least one agent.completed was
// emitted, none was given up, and every run reached its goal. before is the state of the agent's plugin at the start;
// folder returns the workspace of a job, or "".
func (t *Tree) Outcome(agent string, before json.RawMessage, folder func(job string) string) (completed bool) {
	completed = len(t.completed) > 0 && len(t.escalated) == 0
	for _, c := range t.completed {
		t.say("completed: run %s after %d steps: %s", word(c.RunID), c.StepsTaken, word(c.Outcome))
		for _, a := range c.Artifacts {
			where := a
			if f := folder(c.job); f != "" && filepath.IsLocal(a) {
				where = filepath.Join(f, a)
			}
			t.say("  artifact %s", word(where))
		}
	}
	for _, e := range t.escalated {
		t.say("not completed: run %s was given up: %s", word(e.RunID), word(e.Reason))
	}
	old, now := runs(before), runs(t.state.Row(agent))
	said := len(t.escalated) > 0
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if was, known := old[id]; known && was.Status != agenticloopv2.RunStatusRunning {
			continue // it had already ended
		}
		if why := t.unfinished(id, now[id]); why != "" {
			t.say("not completed: run %s %s", word(id), why)
			completed, said = false, true
		}
	}
	if !completed && !said {
		t.say("not completed: %s", t.why(agent))
	}
	return completed
}

// unfinished returns why a run has no reported end; "" if it has one.
func (t *Tree) unfinished(id string, run agenticloopv2.Run) string {
	switch {
	case run.Status == agenticloopv2.RunStatusRunning && run.PendingStep > 0:
		return fmt.Sprintf("waits for step %d of %s, and no job is left that could bring it", run.PendingStep, word(run.PendingTool))
	case run.Status == agenticloopv2.RunStatusRunning:
		return "is running, waits for nothing, and no job is left"
	case run.Status == agenticloopv2.RunStatusDone && !slices.ContainsFunc(t.completed, func(c completion) bool { return c.RunID == id }):
		return "is done, and its agent.completed was lost"
	case run.Status == agenticloopv2.RunStatusEscalated && !slices.ContainsFunc(t.escalated,
		func(e agenticloopv2.EscalatedPayload) bool { return e.RunID == id }):
		return "was given up, and its agent.escalated was lost"
	}
	return ""
}

// why returns a reason for an outcome that no run explains.
func (t *Tree) why(agent string) string {
	for _, j := range t.state.Jobs {
		if j.Plugin == agent && j.LastError != "" {
			return fmt.Sprintf("a turn of %s came to nothing: %s", agent, word(j.LastError))
		}
	}
	return "no agent.completed was emitted"
}

// runs returns the runs in an agent's row. It is nil for an agent with another form of state.
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
