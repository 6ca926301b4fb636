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

// pending changes what is kept as pending, from the third step on: the first two are enough for most of what there is to see.
func pending(kept func(step int64, tool string) (int64, string)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.State.Pending
		s.State.Pending = func(step int64, tool string) (int64, string) {
			if step > 2 {
				return kept(step, tool)
			}
			return honest(step, tool)
		}
	}
}

// others changes the runs that a turn is not about, as they are given back. To drop one, change returns nil.
func others(change func(raw json.RawMessage) json.RawMessage) func(*rules.Set) {
	return func(s *rules.Set) {
		s.State.Runs = func(_, after map[string]json.RawMessage, changed string) map[string]json.RawMessage {
			out := maps.Clone(after)
			for id, raw := range after {
				if id == changed {
					continue
				}
				if raw = change(raw); raw == nil {
					delete(out, id)
				} else {
					out[id] = raw
				}
			}
			return out
		}
	}
}

// renaming gives a member of a run another name.
func renaming(from, to string) func(json.RawMessage) json.RawMessage {
	return func(run json.RawMessage) json.RawMessage {
		var members map[string]json.RawMessage
		if json.Unmarshal(run, &members) != nil || members[from] == nil {
			return run
		}
		members[to] = members[from]
		delete(members, from)
		out, err := json.Marshal(members)
		if err != nil {
			return run
		}
		return out
	}
}

var stateFaults = []Fault{
	{
		ID:      "agent.pending-unkept",
		Title:   "from the third step on, what is asked for is not kept",
		Looks:   "no pending_step and no pending_tool beside a request",
		Breaks:  []string{requirement.RFC103I3, requirement.RFC103S6},
		Twin:    "there something is pending and it is the wrong step, here nothing is",
		Replace: pending(func(int64, string) (int64, string) { return 0, "" }),
	},
	{
		ID:     "agent.pending-tool-unkept",
		Title:  "the tool that is asked for at the second step is not kept",
		Looks:  "no pending_tool beside a request with step 2",
		Breaks: []string{requirement.RFC103I3, requirement.RFC103S6},
		Replace: func(s *rules.Set) {
			s.State.Pending = func(step int64, tool string) (int64, string) {
				if step == 2 {
					return step, ""
				}
				return step, tool
			}
		},
	},
	{
		ID:      "agent.pending-lags",
		Title:   "from the third step on, the step that is kept as pending is the one before",
		Looks:   "pending_step is 2 beside a request with step 3",
		Breaks:  []string{requirement.RFC103I3, requirement.RFC103S6},
		Replace: pending(func(step int64, tool string) (int64, string) { return step - 1, tool }),
	},
	{
		ID:      "agent.other-runs-dropped",
		Title:   "a turn gives back its own run alone",
		Looks:   "the other runs are missing in state_updates",
		Breaks:  []string{requirement.RFC103WIRE12, requirement.RFC103READ5},
		Replace: others(func(json.RawMessage) json.RawMessage { return nil }),
	},
	{
		ID:     "agent.other-runs-touched",
		Title:  "a turn of one run marks the others that have come as far as step 2",
		Looks:  "a member that was not there stands in the other runs",
		Breaks: []string{requirement.RFC103READ5, requirement.RFC103WIRE12},
		Replace: others(func(raw json.RawMessage) json.RawMessage {
			var members map[string]json.RawMessage
			if json.Unmarshal(raw, &members) != nil || string(members["step"]) != "2" {
				return raw
			}
			members["seen"] = json.RawMessage("true")
			out, err := json.Marshal(members)
			if err != nil {
				return raw
			}
			return out
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
		ID:      "agent.completed-steps-unlisted",
		Title:   "the steps that are done are not listed",
		Looks:   "completed_steps is missing in the run",
		Breaks:  []string{requirement.RFC103D3},
		Replace: func(s *rules.Set) { s.State.Completed = func([]int64, int64) []int64 { return nil } },
	},
	{
		ID:      "agent.last-run-untold",
		Title:   "which run was started last is not told",
		Looks:   "last_run_id is empty behind a start",
		Breaks:  []string{requirement.RFC103S3},
		Replace: func(s *rules.Set) { s.State.Last = func(string) string { return "" } },
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
		Replace: func(s *rules.Set) {
			s.State.Runs = func(before, after map[string]json.RawMessage, changed string) map[string]json.RawMessage {
				if _, known := before[changed]; known {
					return after
				}
				out := maps.Clone(after)
				delete(out, changed)
				return out
			}
		},
	},
	{
		ID:     "agent.budget-is-max-loops",
		Title:  "a run has its budget as max_loops, as the second version of the plugin in Go had it",
		Looks:  "max_steps is missing in the run",
		Breaks: []string{requirement.RFC103S2},
		Replace: func(s *rules.Set) {
			s.State.Written = renaming("max_steps", "max_loops")
			s.State.Read = renaming("max_loops", "max_steps")
		},
	},
	{
		ID:     "agent.run-of-unknown-age",
		Title:  "a run does not say when it was made, nor when it changed",
		Looks:  "created_at and updated_at are missing in the run",
		Breaks: []string{requirement.RFC103S4},
		Replace: keeping(func(run map[string]json.RawMessage) {
			delete(run, "created_at")
			delete(run, "updated_at")
		}),
	},
	{
		ID:     "agent.second-step-unkept",
		Title:  "the result of the first step leads to a request, and the gateway is not told of what changed of the run",
		Looks:  "state_updates beside the request with step 2 has the run as it was at step 1",
		Breaks: []string{requirement.RFC103T8, requirement.RFC103I3, requirement.RFC103I6},
		Replace: func(s *rules.Set) {
			s.State.Runs = func(before, after map[string]json.RawMessage, changed string) map[string]json.RawMessage {
				var run al.Run
				if json.Unmarshal(after[changed], &run) != nil || run.Step != 2 || run.Attempt > 1 || run.PendingStep != 2 {
					return after
				}
				return before
			}
		},
	},
}

// keeping changes the run that a turn is about, as it is kept.
func keeping(change func(run map[string]json.RawMessage)) func(*rules.Set) {
	return func(s *rules.Set) {
		s.State.Runs = func(_, after map[string]json.RawMessage, changed string) map[string]json.RawMessage {
			var run map[string]json.RawMessage
			if json.Unmarshal(after[changed], &run) != nil {
				return after
			}
			change(run)
			raw, err := json.Marshal(run)
			if err != nil {
				return after
			}
			out := maps.Clone(after)
			out[changed] = raw
			return out
		}
	}
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
		ID:     "agent.file-beside-workspace",
		Title:  "a turn leaves a file beside the workspace as well",
		Looks:  "the folder that holds the workspace has a new file",
		Breaks: []string{requirement.RFC103READ13},
		Replace: func(s *rules.Set) {
			s.Files.Folder = func(workspace string) string {
				_ = os.WriteFile(filepath.Join(workspace, "..", "agent.log"), []byte("turn\n"), 0o644) // where it may not, it does not
				return workspace
			}
		},
	},
	{
		ID:      "agent.workspace-needed",
		Title:   "a turn without a workspace fails",
		Looks:   "status error where workspace_dir is absent",
		Breaks:  []string{requirement.RFC103WIRE11, requirement.RFC103E1},
		Replace: func(s *rules.Set) { s.Files.Needs = func() bool { return true } },
	},
	{
		ID:     "agent.job-done-once",
		Title:  "a job that its workspace says was begun before is not done again",
		Looks:  "status error where a job was killed as it answered, and is run again in its workspace",
		Breaks: []string{requirement.RFC103T2, requirement.RFC103WIRE14},
		Replace: func(s *rules.Set) {
			s.Files.Takes = func(workspace, job string) bool {
				if workspace == "" {
					return true
				}
				mark, err := os.OpenFile(filepath.Join(workspace, "."+filepath.Base(job)+".lock"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
				if err != nil {
					return !errors.Is(err, fs.ErrExist)
				}
				return mark.Close() == nil
			}
		},
	},
	{
		ID:     "agent.workspace-or-exit-1",
		Title:  "a turn whose workspace cannot be opened ends with exit code 1",
		Looks:  "exit code 1 where workspace_dir is relative, missing or a file",
		Breaks: []string{requirement.RFC103WIRE11, requirement.RFC103I7},
		Replace: exiting(1, func(r al.Response) bool {
			return slices.ContainsFunc(r.Logs, func(l al.LogEntry) bool { return strings.HasPrefix(l.Message, "the workspace cannot be opened") })
		}),
	},
}

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
