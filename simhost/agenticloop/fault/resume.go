package fault

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// finds puts a verdict before the honest ones, where the case is as named.
func finds(v rules.Verdict, where func(rules.Standing) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Resume.Finds
		s.Resume.Finds = func(now rules.Standing) rules.Verdict {
			if where(now) {
				return v
			}
			return honest(now)
		}
	}
}

func running(s rules.Standing) bool { return s.Known && s.Status == al.RunStatusRunning }

func ended(s rules.Standing) bool { return s.Known && s.Status != al.RunStatusRunning }

var correlationFaults = []Fault{
	{
		ID:     "agent.text-step-taken",
		Title:  "a step that is written as a text is read as a number",
		Looks:  `a result with step "1" resumes the run`,
		Breaks: []string{requirement.RFC103READ14},
		Request: resulting(func(result, _ object) {
			if step, err := strconv.ParseInt(textOf(result["step"]), 10, 64); err == nil && step > 0 {
				result["step"] = encoded(step)
			}
		}),
	},
	{
		ID:     "agent.result-without-step-taken",
		Title:  "a result without a step is one for the pending step",
		Looks:  "a result without step resumes the run",
		Breaks: []string{requirement.RFC103READ1, requirement.RFC103I5},
		Twin:   "each of the three has a place of its own in which it is read: there the run is guessed, here the step",
		Request: resulting(func(result, state object) {
			if _, ok := rules.WholeStep(result["step"]); ok {
				return
			}
			run := awaited(result, state)
			result["step"] = encoded(max(run.PendingStep, 1))
			if run.PendingTool != "" {
				result["tool"] = encoded(run.PendingTool)
			}
		}),
	},
	{
		ID:     "agent.result-without-tool-taken",
		Title:  "a result without a tool is one of the pending tool",
		Looks:  "a result without tool resumes the run",
		Breaks: []string{requirement.RFC103READ1, requirement.RFC103I5},
		Twin:   "each of the three has a place of its own in which it is read: here it is the tool that is guessed",
		Request: resulting(func(result, state object) {
			if textOf(result["tool"]) == "" {
				result["tool"] = or(awaited(result, state).PendingTool, "none")
			}
		}),
	},
	{
		ID:     "agent.result-without-run-resumes-last",
		Title:  "a result without a run is one for the run that was started last",
		Looks:  "a result without run_id resumes a run",
		Breaks: []string{requirement.RFC103READ1, requirement.RFC103I5, requirement.RFC103READ5},
		Request: resulting(func(result, state object) {
			if textOf(result["run_id"]) == "" {
				result["run_id"] = or(textOf(state["last_run_id"]), "none")
			}
		}),
	},
	{
		ID:     "agent.missing-status-is-ok",
		Title:  "a result without a status went well",
		Looks:  "a result without status leads to the next step",
		Breaks: []string{requirement.RFC103V8},
		Request: status(func(raw json.RawMessage) json.RawMessage {
			if len(raw) == 0 {
				return encoded(al.ToolStatusOk)
			}
			return raw
		}),
	},
	{
		ID:     "agent.strange-status-is-ok",
		Title:  "whatever is not an error went well",
		Looks:  "a result with a status that the text does not have leads to the next step",
		Breaks: []string{requirement.RFC103V8},
		Twin:   "there none is given, here one is, and it is neither of the two",
		Request: status(func(raw json.RawMessage) json.RawMessage {
			if len(raw) == 0 || textOf(raw) == string(al.ToolStatusError) {
				return raw
			}
			return encoded(al.ToolStatusOk)
		}),
	},
	{
		ID:     "agent.last-run-resumed",
		Title:  "every result is one for the run that was started last",
		Looks:  "a result of the first of two runs moves the second",
		Breaks: []string{requirement.RFC103I5, requirement.RFC103READ5, requirement.RFC103WIRE12},
		Request: resulting(func(result, state object) {
			if _, known := objectOf(state["runs"])[textOf(result["run_id"])]; known {
				result["run_id"] = or(textOf(state["last_run_id"]), "none")
			}
		}),
	},
	{
		ID:     "agent.run-found-by-step",
		Title:  "the run of a result is looked for by step and tool, not by its id",
		Looks:  "a result that names one run, and the step and tool of another, moves the other",
		Breaks: []string{requirement.RFC103I5, requirement.RFC103READ5},
		Request: resulting(func(result, state object) {
			step, _ := rules.WholeStep(result["step"])
			runs := objectOf(state["runs"])
			waits := func(id string) bool {
				run := awaited(object{"run_id": encoded(id)}, state)
				return run.PendingStep == step && run.PendingTool == textOf(result["tool"])
			}
			named := textOf(result["run_id"])
			if _, known := runs[named]; !known || waits(named) {
				return
			}
			ids := slices.Sorted(maps.Keys(runs))
			if i := slices.IndexFunc(ids, waits); i >= 0 {
				result["run_id"] = encoded(ids[i])
			}
		}),
	},
	{
		ID:     "agent.id-compared-by-its-beginning",
		Title:  "the run of a result is the one whose id begins as the result has it",
		Looks:  "a result with a part of a run's id moves that run",
		Breaks: []string{requirement.RFC103V2, requirement.RFC103I5, requirement.RFC103F1, requirement.RFC103READ5},
		Request: resulting(func(result, state object) {
			runs, named := objectOf(state["runs"]), textOf(result["run_id"])
			if _, known := runs[named]; known || named == "" {
				return
			}
			for _, id := range slices.Sorted(maps.Keys(runs)) {
				if strings.HasPrefix(id, named) {
					result["run_id"] = encoded(id)
				}
			}
		}),
	},
	{
		ID:     "agent.tool-compared-by-its-first-letters",
		Title:  "the tool of a result is the pending one if its first letters are, in capitals or not",
		Looks:  "a result of nearly the pending tool leads to the next step",
		Depth:  "standard",
		Breaks: []string{requirement.RFC103V7, requirement.RFC103F2, requirement.RFC103M5, requirement.RFC103I5},
		Request: resulting(func(result, state object) {
			run := awaited(result, state)
			if tool := textOf(result["tool"]); len(tool) > 1 && len(run.PendingTool) > 1 && strings.EqualFold(tool[:2], run.PendingTool[:2]) {
				result["tool"] = encoded(run.PendingTool)
			}
		}),
	},
	{
		ID:     "agent.failure-looked-at-before-step",
		Title:  "that a tool failed is looked at before the step that it failed at",
		Looks:  "a failure of a step that was taken leads to a retry of the pending one, or to the end of the run",
		Breaks: []string{requirement.RFC103V1, requirement.RFC103V6, requirement.RFC103I6, requirement.RFC103M4},
		Request: resulting(func(result, state object) {
			run := awaited(result, state)
			if step, _ := rules.WholeStep(result["step"]); textOf(result["status"]) == string(al.ToolStatusError) && step < run.PendingStep {
				result["step"], result["tool"] = encoded(run.PendingStep), encoded(run.PendingTool)
			}
		}),
	},
	{
		ID:     "agent.mended-step-passed-over",
		Title:  "from the second step on, a step that failed once is taken for failed, whatever comes then",
		Looks:  "the result of a retry is passed over, and the run waits for it without end",
		Breaks: []string{requirement.RFC103F5, requirement.RFC103V9, requirement.RFC103E11, requirement.RFC103M2, requirement.RFC103T7},
		Request: resulting(func(result, state object) {
			run := awaited(result, state)
			step, _ := rules.WholeStep(result["step"])
			due := step > 1 && step == run.PendingStep && textOf(result["tool"]) == run.PendingTool
			if due && run.Attempt > 1 && textOf(result["status"]) == string(al.ToolStatusOk) {
				result["run_id"] = encoded("none")
			}
		}),
	},
	{
		ID:     "agent.empty-result-passed-over",
		Title:  "a result in which nothing stands is none",
		Looks:  "a result that matches is passed over where what the tool returned is an empty object, null, false or 0",
		Breaks: []string{requirement.RFC103V9, requirement.RFC103E11, requirement.RFC103M2, requirement.RFC103T7},
		Request: resulting(func(result, _ object) {
			if falsy(result["result"]) && textOf(result["status"]) == string(al.ToolStatusOk) {
				result["run_id"] = encoded("none")
			}
		}),
	},
}

// falsy reports whether a value is one that many languages take for none.
func falsy(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", "false", "0", `""`, "[]", "{}"}, string(raw))
}

// resulting changes what a result says of the run, the step and the tool that it is for, given the state: in its payload,
// or in the context of a tool's own event.
func resulting(change func(result, state object)) func(object) {
	return func(request object) {
		state := objectOf(request["state"])
		if ofTool(request) {
			context := objectOf(request["context"])
			change(context, state)
			request["context"] = encoded(context)
			return
		}
		eventOf(func(event object) {
			if textOf(event["type"]) == "agentic.tool_result" {
				payload := objectOf(event["payload"])
				change(payload, state)
				event["payload"] = encoded(payload)
			}
		})(request)
	}
}

// awaited is the run of a state that a result names, nothing where there is none.
func awaited(result, state object) (run al.Run) {
	if json.Unmarshal(objectOf(state["runs"])[textOf(result["run_id"])], &run) != nil {
		return al.Run{}
	}
	return run
}

// or is a text, or where that is empty the other one.
func or(text, otherwise string) json.RawMessage { return encoded(cmp.Or(text, otherwise)) }

var resumeFaults = []Fault{
	{
		ID:      "agent.resumes-on-step-alone",
		Title:   "the tool of a result is not looked at",
		Looks:   "a result of the pending step that names another tool leads to the next step",
		Breaks:  []string{requirement.RFC103I5, requirement.RFC103V7, requirement.RFC103M5, requirement.RFC103F2},
		Replace: finds(rules.Match, func(s rules.Standing) bool { return running(s) && s.Step == s.PendingStep }),
	},
	{
		ID:      "agent.wrong-tool-passed-over",
		Title:   "a result of another tool than the pending one is passed over",
		Looks:   "the run is still running behind such a result",
		Breaks:  []string{requirement.RFC103V7, requirement.RFC103F2, requirement.RFC103M5},
		Replace: finds(rules.StaleStep, func(s rules.Standing) bool { return running(s) && s.Step == s.PendingStep && s.Tool != s.PendingTool }),
	},
	{
		ID:      "agent.tool-looked-at-before-step",
		Title:   "the tool of a result is looked at before its step",
		Looks:   "an old result of another tool escalates the run",
		Breaks:  []string{requirement.RFC103V1, requirement.RFC103V6, requirement.RFC103I6},
		Replace: finds(rules.WrongTool, func(s rules.Standing) bool { return running(s) && s.Tool != s.PendingTool && s.Step < s.PendingStep }),
	},
	{
		ID:     "agent.end-looked-at-last",
		Title:  "whether a run has ended is looked at after step and tool",
		Looks:  "a result of a later step escalates a run that has ended",
		Breaks: []string{requirement.RFC103V1, requirement.RFC103V4, requirement.RFC103READ8},
		Replace: finds(rules.FutureStep, func(s rules.Standing) bool {
			return ended(s) && s.Step > s.LastStep
		}),
	},
	{
		ID:      "agent.duplicate-advances",
		Title:   "the result that was taken last is taken again when it comes again",
		Looks:   "the result of step 1, delivered twice, leads to step 2 and to step 3",
		Breaks:  []string{requirement.RFC103I6, requirement.RFC103M3, requirement.RFC103O5, requirement.RFC103V6},
		Replace: finds(rules.Match, func(s rules.Standing) bool { return running(s) && s.Step > 0 && s.Step == s.PendingStep-1 }),
	},
	{
		ID:      "agent.old-step-advances",
		Title:   "a result that is older than the last one is taken",
		Looks:   "a result of step 1, where step 3 is pending, leads to step 4",
		Breaks:  []string{requirement.RFC103I6, requirement.RFC103M4, requirement.RFC103V6},
		Replace: finds(rules.Match, func(s rules.Standing) bool { return running(s) && s.Step > 0 && s.Step < s.PendingStep-1 }),
	},
	{
		ID:      "agent.stale-step-escalates",
		Title:   "a result of an earlier step is a violation of the protocol",
		Looks:   "a result of step 1, where step 2 is pending, escalates the run",
		Breaks:  []string{requirement.RFC103V6, requirement.RFC103M4, requirement.RFC103I6},
		Replace: finds(rules.FutureStep, func(s rules.Standing) bool { return running(s) && s.Step < s.PendingStep }),
	},
	{
		ID:      "agent.future-step-is-error",
		Title:   "a result of a later step ends the turn in an error",
		Looks:   "status error, and the run is still running, as the first version of the plugin had it",
		Breaks:  []string{requirement.RFC103K2},
		Replace: finds(rules.Failed, func(s rules.Standing) bool { return running(s) && s.Step > s.PendingStep }),
	},
	{
		ID:      "agent.future-step-passed-over",
		Title:   "a result of a later step is passed over",
		Looks:   "the run is still running behind such a result",
		Breaks:  []string{requirement.RFC103K2},
		Twin:    "there the turn fails, so that the gateway tries again; here nobody hears of it and the run waits on",
		Replace: finds(rules.StaleStep, func(s rules.Standing) bool { return running(s) && s.Step > s.PendingStep }),
	},
	{
		ID:      "agent.future-step-advances",
		Title:   "a result of a later step is taken for the pending one",
		Looks:   "a result of step 7, where step 1 is pending, leads to step 2",
		Breaks:  []string{requirement.RFC103K2, requirement.RFC103I5, requirement.RFC103T4},
		Replace: finds(rules.Match, func(s rules.Standing) bool { return running(s) && s.Step > s.PendingStep }),
	},
	{
		ID:      "agent.unknown-run-adopted",
		Title:   "a result for a run that there is not makes that run",
		Looks:   "the state has a run that no start began",
		Breaks:  []string{requirement.RFC103V2, requirement.RFC103F1},
		Replace: finds(rules.Match, func(s rules.Standing) bool { return !s.Known }),
	},
	{
		ID:      "agent.unknown-run-is-error",
		Title:   "a result for a run that there is not ends the turn in an error",
		Looks:   "status error",
		Breaks:  []string{requirement.RFC103V2, requirement.RFC103F1},
		Twin:    "there the run is made, here it is not, and the gateway is told of an error, which it tries again",
		Replace: finds(rules.Failed, func(s rules.Standing) bool { return !s.Known }),
	},
	{
		ID:     "agent.unknown-run-unlogged",
		Title:  "a result for a run that there is not is passed over without a word",
		Looks:  "no log of level warn",
		Breaks: []string{requirement.RFC103V3},
		Answer: unlogged(", which there is not"),
	},
	{
		ID:     "agent.ended-run-unlogged",
		Title:  "a result for a run that has ended is passed over without a word",
		Looks:  "no log of level info",
		Breaks: []string{requirement.RFC103V5},
		Answer: unlogged(", which has ended"),
	},
	{
		ID:      "agent.first-result-advances-again",
		Title:   "that a step was taken is looked at from the second step on",
		Looks:   "the result of step 1, whose job is run again with the state that it left, leads to step 3",
		Breaks:  []string{requirement.RFC103READ4, requirement.RFC103I6, requirement.RFC103M3, requirement.RFC103V6},
		Replace: finds(rules.Match, func(s rules.Standing) bool { return running(s) && s.Step == 1 && s.PendingStep == 2 }),
	},
	{
		ID:     "agent.goes-on-with-files-alone",
		Title:  "a run goes on only where its context.md is, for what it wants is not in the state",
		Looks:  "a result that matches is passed over where the workspace of the start is not that of the result",
		Breaks: []string{requirement.RFC103S1, requirement.RFC103E11, requirement.RFC103T8, requirement.RFC103V9},
		Replace: func(s *rules.Set) {
			s.Resume.Goes = func(workspace string) bool {
				_, err := os.Stat(filepath.Join(workspace, "context.md"))
				return workspace != "" && err == nil
			}
		},
	},
}

// unlogged drops the line of a log that ends so.
func unlogged(end string) func(*Turn) {
	return answering(func(_ *Turn, r *al.Response) {
		r.Logs = slices.DeleteFunc(r.Logs, func(l al.LogEntry) bool { return strings.HasSuffix(l.Message, end) })
	})
}

// status changes how a result says that the tool fared.
func status(change func(raw json.RawMessage) json.RawMessage) func(object) {
	return eventOf(func(event object) {
		payload := objectOf(event["payload"])
		if textOf(event["type"]) == "agentic.tool_result" && len(payload) > 0 {
			if raw := change(payload["status"]); raw != nil {
				payload["status"] = raw
				event["payload"] = encoded(payload)
			}
		}
	})
}
