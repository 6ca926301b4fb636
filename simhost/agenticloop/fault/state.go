package fault

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// pending changes what is kept as pending beside the request of a step.
func pending(change func(step int64, run object)) func(*Turn) {
	return keepingRun(func(k *kept, run object) {
		var step int64
		if strings.HasPrefix(k.event.Type, asks) && json.Unmarshal(run["step"], &step) == nil {
			change(step, run)
		}
	})
}

// pendingFromThird is pending from the third step on: the first two are enough for most of what there is to see.
func pendingFromThird(change func(step int64, run object)) func(*Turn) {
	return pending(func(step int64, run object) {
		if step > 2 {
			change(step, run)
		}
	})
}

// others changes the runs that a turn is not about, as they are given back. To drop one, change returns nil.
func others(change func(raw json.RawMessage) json.RawMessage) func(*Turn) {
	return keeping(func(k *kept) {
		for id, raw := range k.runs {
			if id == k.id {
				continue
			}
			if k.runs[id] = change(raw); k.runs[id] == nil {
				delete(k.runs, id)
			}
		}
	})
}

// renamed returns a run with another name for a member.
func renamed(raw json.RawMessage, from, to string) json.RawMessage {
	run := objectOf(raw)
	if run[from] == nil {
		return raw
	}
	run[to] = run[from]
	delete(run, from)
	return encoded(run)
}

var stateFaults = []Fault{
	{
		ID:     "agent.pending-unkept",
		Title:  "from the third step on, what is asked for is not kept",
		Looks:  "no pending_step and no pending_tool beside a request",
		Breaks: []string{requirement.RFC103I3, requirement.RFC103S6},
		Twin:   "there something is pending and it is the wrong step, here nothing is",
		Answer: pendingFromThird(func(_ int64, run object) {
			delete(run, "pending_step")
			delete(run, "pending_tool")
		}),
	},
	{
		ID:     "agent.pending-tool-unkept",
		Title:  "the tool that is asked for at the second step is not kept",
		Looks:  "no pending_tool beside a request with step 2",
		Breaks: []string{requirement.RFC103I3, requirement.RFC103S6},
		Answer: pending(func(step int64, run object) {
			if step == 2 {
				delete(run, "pending_tool")
			}
		}),
	},
	{
		ID:     "agent.pending-lags",
		Title:  "from the third step on, the step that is kept as pending is the one before",
		Looks:  "pending_step is 2 beside a request with step 3",
		Breaks: []string{requirement.RFC103I3, requirement.RFC103S6},
		Answer: pendingFromThird(func(step int64, run object) { run["pending_step"] = encoded(step - 1) }),
	},
	{
		ID:     "agent.other-runs-dropped",
		Title:  "a turn gives back its own run alone",
		Looks:  "the other runs are missing in state_updates",
		Breaks: []string{requirement.RFC103WIRE12, requirement.RFC103READ5},
		Answer: others(func(json.RawMessage) json.RawMessage { return nil }),
	},
	{
		ID:     "agent.other-runs-touched",
		Title:  "a turn of one run marks the others that have come as far as step 2",
		Looks:  "a member that was not there stands in the other runs",
		Breaks: []string{requirement.RFC103READ5, requirement.RFC103WIRE12},
		Answer: others(func(raw json.RawMessage) json.RawMessage {
			run := objectOf(raw)
			if string(run["step"]) != "2" {
				return raw
			}
			run["seen"] = json.RawMessage("true")
			return encoded(run)
		}),
	},
	{
		ID:      "agent.result-kept-in-state",
		Title:   "what a tool found is kept in the state, however long it is",
		Looks:   "the text of a result stands in the run, which grows by as much",
		Breaks:  []string{requirement.RFC103READ7},
		Replace: func(s *rules.Set) { s.State.Keeps = func(text string) string { return text } },
	},
	{
		ID:     "agent.completed-steps-unlisted",
		Title:  "the steps that are done are not listed",
		Looks:  "completed_steps is missing in the run",
		Breaks: []string{requirement.RFC103D3},
		Answer: keepingRun(func(_ *kept, run object) { delete(run, "completed_steps") }),
	},
	{
		ID:     "agent.last-run-untold",
		Title:  "which run was started last is not told",
		Looks:  "last_run_id is empty behind a start",
		Breaks: []string{requirement.RFC103S3},
		Answer: keeping(func(k *kept) {
			if k.starts() {
				k.updates["last_run_id"] = encoded("")
			}
		}),
	},
	{
		ID:      "agent.state-unbounded",
		Title:   "the state grows beyond what the gateway keeps",
		Looks:   "a state of more than 1 MiB",
		Breaks:  []string{requirement.RFC103WIRE13},
		Replace: func(s *rules.Set) { s.State.Fits = func(int) bool { return true } },
	},
	{
		ID:     "agent.start-unkept",
		Title:  "a start asks for its first tool, and the gateway is not told of its run",
		Looks:  "state_updates behind a start names the run in last_run_id alone",
		Breaks: []string{requirement.RFC103P5, requirement.RFC103T3, requirement.RFC103I3},
		Answer: keeping(func(k *kept) {
			if k.starts() {
				delete(k.runs, k.id)
			}
		}),
	},
	{
		ID:     "agent.start-that-ends-drops-others",
		Title:  "a run that is given up at its start is all that the gateway is told of",
		Looks:  "runs that wait are gone from the state behind a start that is given up",
		Breaks: []string{requirement.RFC103READ5, requirement.RFC103WIRE12},
		Depth:  "standard",
		Answer: keeping(func(k *kept) {
			if k.starts() && k.event.Type == escalated {
				maps.DeleteFunc(k.runs, func(id string, _ json.RawMessage) bool { return id != k.id })
			}
		}),
	},
	{
		ID:     "agent.budget-is-max-loops",
		Title:  "a run has its budget as max_loops, as the second version of the plugin in Go had it",
		Looks:  "max_steps is missing in the run",
		Breaks: []string{requirement.RFC103S2},
		Request: func(request object) {
			state := objectOf(request["state"])
			runs := objectOf(state["runs"])
			for id, raw := range runs {
				runs[id] = renamed(raw, "max_loops", "max_steps")
			}
			if len(runs) > 0 {
				state["runs"] = encoded(runs)
				request["state"] = encoded(state)
			}
		},
		Answer: keeping(func(k *kept) {
			for id, raw := range k.runs {
				if id == k.id || objectOf(k.before[id])["max_loops"] != nil {
					k.runs[id] = renamed(raw, "max_steps", "max_loops")
				}
			}
		}),
	},
	{
		ID:     "agent.run-of-unknown-age",
		Title:  "a run does not say when it was made, nor when it changed",
		Looks:  "created_at and updated_at are missing in the run",
		Breaks: []string{requirement.RFC103S4},
		Answer: keepingRun(func(_ *kept, run object) {
			delete(run, "created_at")
			delete(run, "updated_at")
		}),
	},
	{
		ID:     "agent.second-step-unkept",
		Title:  "the result of the first step leads to a request, and the gateway is not told of what changed of the run",
		Looks:  "state_updates beside the request with step 2 has the run as it was at step 1",
		Breaks: []string{requirement.RFC103T8, requirement.RFC103I3, requirement.RFC103I6},
		Answer: keeping(func(k *kept) {
			var run al.Run
			if json.Unmarshal(k.runs[k.id], &run) == nil && run.Step == 2 && run.Attempt <= 1 && run.PendingStep == 2 {
				k.runs = k.before
			}
		}),
	},
}

var fileFaults = []Fault{
	{
		ID:      "agent.no-memory-file",
		Title:   "the workspace has no memory.md",
		Looks:   "the file is missing behind a start",
		Breaks:  []string{requirement.RFC103W1},
		Replace: unwritten("memory.md"),
	},
	{
		ID:      "agent.no-trace-file",
		Title:   "the workspace has no trace.jsonl",
		Looks:   "the file is missing behind a start",
		Breaks:  []string{requirement.RFC103W1, requirement.RFC103W2},
		Replace: unwritten("trace.jsonl"),
	},
	{
		ID:      "agent.trace-begins-anew",
		Title:   "each turn writes a trace of its own",
		Looks:   "trace.jsonl behind the second turn lacks the lines of the first",
		Breaks:  []string{requirement.RFC103W2},
		Replace: extending("trace.jsonl", func(_, added []byte) []byte { return added }),
	},
	{
		ID:     "agent.trace-in-words",
		Title:  "the trace has a heading to each turn",
		Looks:  "a line of trace.jsonl is no JSON",
		Breaks: []string{requirement.RFC103W2},
		Twin:   "there lines are lost, here all of them stay, and some cannot be read",
		Replace: extending("trace.jsonl", func(before, added []byte) []byte {
			return slices.Concat(before, []byte("--- turn ---\n"), added)
		}),
	},
	{
		ID:      "agent.plan-written-over",
		Title:   "plan.md is written over in its place",
		Looks:   "plan.md changes in the workspaces of earlier jobs, which are linked to it",
		Breaks:  []string{requirement.RFC103W3},
		Replace: inPlace("plan.md"),
	},
	{
		ID:      "agent.trace-written-over",
		Title:   "trace.jsonl is written over in its place",
		Looks:   "trace.jsonl grows in the workspaces of earlier jobs, which are linked to it",
		Breaks:  []string{requirement.RFC103W3},
		Twin:    "the file that grows is written in another way than those that are replaced",
		Replace: inPlace("trace.jsonl"),
	},
	{
		ID:     "agent.remembers-what-it-ignores",
		Title:  "what a result says that is ignored is written to memory.md, as that of any other",
		Looks:  "memory.md of a run has what a stale result said",
		Breaks: []string{requirement.RFC103V6, requirement.RFC103V2},
		Depth:  "standard",
		Answer: answering(func(t *Turn, r *al.Response) {
			workspace, event := workspaceOf(t), objectOf(objectOf(t.Input)["event"])
			if workspace == "" || r.Status != al.ResponseStatusOk || len(r.Events) > 0 || textOf(event["type"]) != "agentic.tool_result" {
				return
			}
			at := filepath.Join(workspace, "memory.md")
			memory, err := os.ReadFile(at)
			if err != nil || os.Remove(at) != nil {
				return
			}
			said := objectOf(event["payload"])["result"]
			_ = os.WriteFile(at, append(memory, said...), 0o644) // where it may not, it does not
		}),
	},
	{
		ID:     "agent.file-beside-workspace",
		Title:  "a turn leaves a file beside the workspace as well",
		Looks:  "the folder that holds the workspace has a new file",
		Breaks: []string{requirement.RFC103READ13},
		Answer: answering(func(t *Turn, r *al.Response) {
			if workspace := workspaceOf(t); workspace != "" && r.StateUpdates != nil {
				_ = os.WriteFile(filepath.Join(workspace, "..", "agent.log"), []byte("turn\n"), 0o644) // where it may not, it does not
			}
		}),
	},
	{
		ID:     "agent.workspace-needed",
		Title:  "a turn without a workspace fails",
		Looks:  "status error where workspace_dir is absent",
		Breaks: []string{requirement.RFC103WIRE11, requirement.RFC103E1},
		Answer: answering(func(t *Turn, r *al.Response) {
			if workspaceOf(t) == "" && (r.StateUpdates != nil || r.Events != nil) {
				never := false
				*r = al.Response{Status: al.ResponseStatusError, Error: "workspace_dir is missing", Retry: &never}
			}
		}),
	},
	{
		ID:     "agent.job-done-once",
		Title:  "a job that its workspace says was begun before is not done again",
		Looks:  "status error where a job was killed as it answered, and is run again in its workspace",
		Breaks: []string{requirement.RFC103T2, requirement.RFC103V6, requirement.RFC103WIRE14},
		Request: func(request object) {
			workspace, job := textOf(request["workspace_dir"]), textOf(request["job_id"])
			if workspace == "" || textOf(request["command"]) != "handle" {
				return
			}
			mark, err := os.OpenFile(filepath.Join(workspace, "."+filepath.Base(job)+".lock"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			switch {
			case errors.Is(err, fs.ErrExist):
				refused(request)
			case err == nil:
				_ = mark.Close() // it is empty
			}
		},
	},
	{
		ID:     "agent.workspace-or-exit-1",
		Title:  "a turn whose workspace cannot be opened ends with exit code 1",
		Looks:  "exit code 1 where workspace_dir is relative, missing or a file",
		Breaks: []string{requirement.RFC103WIRE11, requirement.RFC103I7},
		Answer: exiting(1, func(r al.Response) bool {
			return slices.ContainsFunc(r.Logs, func(l al.LogEntry) bool { return strings.HasPrefix(l.Message, "the workspace cannot be opened") })
		}),
	},
}

func workspaceOf(t *Turn) string { return textOf(objectOf(t.Input)["workspace_dir"]) }

func unwritten(file string) func(*rules.Set) {
	return func(s *rules.Set) { s.Files.Writes = func(name string) bool { return name != file } }
}

func inPlace(file string) func(*rules.Set) {
	return func(s *rules.Set) { s.Files.InPlace = func(name string) bool { return name == file } }
}

func extending(file string, extended func(before, added []byte) []byte) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Files.Extended
		s.Files.Extended = func(name string, before, added []byte) []byte {
			if name == file {
				return extended(before, added)
			}
			return honest(name, before, added)
		}
	}
}
