package fault

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"

	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agent/rules"
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

var stateFaults = []Fault{
	{
		ID:      "agent.pending-unkept",
		Title:   "from the third step on, what is asked for is not kept",
		Looks:   "no pending_step and no pending_tool beside a request",
		Breaks:  []string{al.RFC103I3, al.RFC103S6},
		Replace: pending(func(int64, string) (int64, string) { return 0, "" }),
	},
	{
		ID:      "agent.pending-tool-unkept",
		Title:   "from the third step on, the tool that is asked for is not kept",
		Looks:   "no pending_tool beside a request",
		Breaks:  []string{al.RFC103I3, al.RFC103S6},
		Replace: pending(func(step int64, _ string) (int64, string) { return step, "" }),
	},
	{
		ID:      "agent.pending-lags",
		Title:   "from the third step on, the step that is kept as pending is the one before",
		Looks:   "pending_step is 2 beside a request with step 3",
		Breaks:  []string{al.RFC103I3, al.RFC103S6},
		Replace: pending(func(step int64, tool string) (int64, string) { return step - 1, tool }),
	},
	{
		ID:      "agent.other-runs-dropped",
		Title:   "a turn gives back its own run alone",
		Looks:   "the other runs are missing in state_updates",
		Breaks:  []string{al.RFC103WIRE12, al.RFC103READ5},
		Replace: others(func(json.RawMessage) json.RawMessage { return nil }),
	},
	{
		ID:     "agent.other-runs-touched",
		Title:  "a turn of one run marks the others that have come as far as step 2",
		Looks:  "a member that was not there stands in the other runs",
		Breaks: []string{al.RFC103READ5, al.RFC103WIRE12},
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
		Breaks:  []string{al.RFC103READ7},
		Replace: func(s *rules.Set) { s.State.Keeps = func(text string) string { return text } },
	},
	{
		ID:      "agent.completed-steps-unlisted",
		Title:   "the steps that are done are not listed",
		Looks:   "completed_steps is missing in the run",
		Breaks:  []string{al.RFC103D3},
		Replace: func(s *rules.Set) { s.State.Completed = func([]int64, int64) []int64 { return nil } },
	},
	{
		ID:      "agent.last-run-untold",
		Title:   "which run was started last is not told",
		Looks:   "last_run_id is empty behind a start",
		Breaks:  []string{al.RFC103S3},
		Replace: func(s *rules.Set) { s.State.Last = func(string) string { return "" } },
	},
	{
		ID:      "agent.state-unbounded",
		Title:   "the state grows beyond what the gateway keeps",
		Looks:   "a state of more than 1 MiB",
		Breaks:  []string{al.RFC103WIRE13},
		Replace: func(s *rules.Set) { s.State.Fits = func(int) bool { return true } },
	},
}

var fileFaults = []Fault{
	{
		ID:      "agent.no-memory-file",
		Title:   "the workspace has no memory.md",
		Looks:   "the file is missing behind a start",
		Breaks:  []string{al.RFC103W1},
		Replace: unwritten("memory.md"),
	},
	{
		ID:      "agent.no-trace-file",
		Title:   "the workspace has no trace.jsonl",
		Looks:   "the file is missing behind a start",
		Breaks:  []string{al.RFC103W1, al.RFC103W2},
		Replace: unwritten("trace.jsonl"),
	},
	{
		ID:      "agent.trace-begins-anew",
		Title:   "each turn writes a trace of its own",
		Looks:   "trace.jsonl behind the second turn lacks the lines of the first",
		Breaks:  []string{al.RFC103W2},
		Replace: extending("trace.jsonl", func(_, added []byte) []byte { return added }),
	},
	{
		ID:     "agent.trace-in-words",
		Title:  "the trace has a heading to each turn",
		Looks:  "a line of trace.jsonl is no JSON",
		Breaks: []string{al.RFC103W2},
		Replace: extending("trace.jsonl", func(before, added []byte) []byte {
			return slices.Concat(before, []byte("--- turn ---\n"), added)
		}),
	},
	{
		ID:      "agent.plan-written-over",
		Title:   "plan.md is written over in its place",
		Looks:   "plan.md changes in the workspaces of earlier jobs, which are linked to it",
		Breaks:  []string{al.RFC103W3},
		Replace: inPlace("plan.md"),
	},
	{
		ID:      "agent.trace-written-over",
		Title:   "trace.jsonl is written over in its place",
		Looks:   "trace.jsonl grows in the workspaces of earlier jobs, which are linked to it",
		Breaks:  []string{al.RFC103W3},
		Replace: inPlace("trace.jsonl"),
	},
	{
		ID:     "agent.file-beside-workspace",
		Title:  "a turn leaves a file beside the workspace as well",
		Looks:  "the folder that holds the workspace has a new file",
		Breaks: []string{al.RFC103READ13},
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
		Breaks:  []string{al.RFC103WIRE11, al.RFC103E1},
		Replace: func(s *rules.Set) { s.Files.Needs = func() bool { return true } },
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
