package fault

import (
	"encoding/json"
	"strings"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// nearFaults take an event for another one that is much like it.
var nearFaults = []Fault{
	{
		ID:     "agent.context-before-result",
		Title:  "the run, the step and the tool of a result are those of the context of its request, where that has them",
		Looks:  "agentic.tool_result for the pending step is passed over, where other steps have left their step in the context",
		Breaks: []string{requirement.RFC103V9, requirement.RFC103V6, requirement.RFC103K2, requirement.RFC103V7, requirement.RFC103F5},
		Request: func(request object) {
			context := objectOf(request["context"])
			if len(context["run_id"]) == 0 || len(context["step"]) == 0 || len(context["tool"]) == 0 {
				return
			}
			resulting(func(result, _ object) {
				for _, member := range []string{"run_id", "step", "tool"} {
					result[member] = context[member]
				}
			})(request)
		},
	},
	{
		ID:     "agent.context-says-how-tools-fared",
		Title:  "how the tool of an event of its own fared is read from the context, where other steps have left a status",
		Looks:  "a tool's own event with status ok leads to a retry",
		Depth:  "standard",
		Breaks: []string{requirement.RFC103B2},
		Request: func(request object) {
			status := objectOf(request["context"])["status"]
			if len(status) > 0 && ofTool(request) {
				eventOf(func(event object) {
					payload := objectOf(event["payload"])
					payload["status"] = status
					event["payload"] = encoded(payload)
				})(request)
			}
		},
	},
	{
		ID:     "agent.tools-of-the-text-mixed",
		Title:  "jina-reader is another name of fetch, as it is in the example of the text, whatever the operator configured",
		Looks:  "a result of jina-reader, where fetch is pending, leads to the next step",
		Breaks: []string{requirement.RFC103V7, requirement.RFC103F2, requirement.RFC103M5, requirement.RFC103I5},
		Twin:   "there many names are taken for one another, which begin alike, here two, which do not",
		Depth:  "standard",
		Request: resulting(func(result, state object) {
			if pending := awaited(result, state).PendingTool; pending == "fetch" && textOf(result["tool"]) == "jina-reader" {
				result["tool"] = encoded(pending)
			}
		}),
	},
	{
		ID:     "agent.step-in-32-bits",
		Title:  "of a step the lower 32 bits are kept",
		Looks:  "a result of step 4294967297, where step 1 is pending, leads to step 2",
		Breaks: []string{requirement.RFC103K2, requirement.RFC103I5},
		Request: resulting(func(result, _ object) {
			if step, whole := rules.WholeStep(result["step"]); whole {
				result["step"] = encoded(uint32(step)) //nolint:gosec // that is the fault
			}
		}),
	},
	{
		ID:     "agent.failure-of-unknown-run-told",
		Title:  "a failure of a run that there is not is told as the end of that run",
		Looks:  "agent.escalated, with the id of a run that no start began",
		Breaks: []string{requirement.RFC103V2, requirement.RFC103F1},
		Answer: answering(func(t *Turn, r *al.Response) {
			event := objectOf(objectOf(t.Input)["event"])
			result := objectOf(event["payload"])
			_, known := runsOf(t.Input)[textOf(result["run_id"])]
			if textOf(event["type"]) == "agentic.tool_result" && textOf(result["status"]) == string(al.ToolStatusError) &&
				textOf(result["run_id"]) != "" && !known && r.Status == al.ResponseStatusOk {
				payload := encoded(map[string]any{"run_id": textOf(result["run_id"]), "reason": "tool_error"})
				var end al.Event
				if json.Unmarshal(encoded(map[string]any{"type": escalated, "payload": payload}), &end) == nil {
					r.Events = append(r.Events, end)
				}
			}
		}),
	},
	{
		ID:     "agent.keys-in-small-letters",
		Title:  "dedupe keys of starts are compared without regard to capitals",
		Looks:  "of two starts whose keys differ in capitals alone the second starts nothing",
		Breaks: []string{requirement.RFC103I1, requirement.RFC103T3, requirement.RFC103M1},
		Twin:   "there no key is one, here two keys are",
		Replace: func(s *rules.Set) {
			honest := s.Start.RunID
			s.Start.RunID = func(d rules.Delivered) string {
				d.DedupeKey = strings.ToLower(d.DedupeKey)
				return honest(d)
			}
		},
	},
	{
		ID:     "agent.reframes-forgotten",
		Title:  "a step that is taken without a new plan has the plans forgotten that were given up before",
		Looks:  "more plans are given up than max_reframes says, where there are other steps between",
		Breaks: []string{requirement.RFC103F8, requirement.RFC103G8},
		Twin:   "there plans are not counted at all, here those in a row are",
		Answer: allowingMore(func(k *kept, done int64) bool { return !k.starts() && done == reframesOf(k.before[k.id]) }),
	},
	{
		ID:     "agent.first-reframe-uncounted",
		Title:  "a plan that is given up before the first step does not count",
		Looks:  "more plans are given up than max_reframes says, of which the first was in the turn of the start",
		Breaks: []string{requirement.RFC103F8, requirement.RFC103G8},
		Twin:   "there it is the plans before other steps that are forgotten, here those before all steps",
		Depth:  "standard",
		Answer: allowingMore(func(k *kept, _ int64) bool { return k.starts() }),
	},
	{
		ID:     "agent.reframes-held-to-default",
		Title:  "no more plans are given up than the default allows, whatever max_reframes says",
		Looks:  "a run with max_reframes 4 is escalated at the third plan that it gives up",
		Breaks: []string{requirement.RFC103F8, requirement.RFC103G8},
		Twin:   "there are too many, here too few",
		Replace: func(s *rules.Set) {
			s.Steps.Reframes = func(done, allowed int64) bool { return done < min(allowed, 2) }
		},
	},
	{
		ID:     "agent.budget-of-trigger-ignored",
		Title:  "a max_steps in the context of api.trigger is not looked at",
		Looks:  "a run that api.trigger began with max_steps 1 asks for step 2",
		Breaks: []string{requirement.RFC103E3},
		Twin:   "there it is not looked at in any start, here it is in agentic.start",
		Request: eventOf(func(event object) {
			if textOf(event["type"]) == "api.trigger" {
				payload := objectOf(event["payload"])
				context := objectOf(payload["context"])
				delete(context, "max_steps")
				payload["context"] = encoded(context)
				event["payload"] = encoded(payload)
			}
		}),
	},
	{
		ID:     "agent.default-tool-unchecked",
		Title:  "the allowlist is not looked at for the tool that the config has a run begin with",
		Looks:  "a request for default_tool, which allowed_plugins does not list",
		Breaks: []string{requirement.RFC103G3},
		Request: func(request object) {
			config := objectOf(request["config"])
			var allowed []string
			if tool := textOf(config["default_tool"]); tool != "" && json.Unmarshal(config["allowed_plugins"], &allowed) == nil {
				config["allowed_plugins"] = encoded(append(allowed, tool))
				request["config"] = encoded(config)
			}
		},
	},
	{
		ID:      "agent.tool-of-new-plan-unchecked",
		Title:   "the allowlist is not looked at for the first tool of a new plan",
		Looks:   "a plan is given up, and the request of the next one is for a tool that allowed_plugins does not list",
		Breaks:  []string{requirement.RFC103G3},
		Twin:    "there all tools but the first of a run go unchecked, here those behind a reframe",
		Depth:   "standard",
		Replace: allowing(func(_ string, _ []string, at rules.Moment) bool { return at.Reframed }),
	},
	{
		ID:     "agent.error-text-fails",
		Title:  "a result with a text in error is taken for a failure, whatever its status says",
		Looks:  "status ok beside an error leads to the same step again",
		Breaks: []string{requirement.RFC103V9, requirement.RFC103T7, requirement.RFC103M2, requirement.RFC103E11},
		Depth:  "standard",
		Request: resulting(func(result, _ object) {
			if textOf(result["error"]) != "" {
				result["status"] = encoded("error")
			}
		}),
	},
	{
		ID:     "agent.status-within-result-counts",
		Title:  "a status in what the tool found counts in place of that of the result",
		Looks:  "status ok, and a result with a member status that is error, lead to the same step again",
		Breaks: []string{requirement.RFC103V9, requirement.RFC103T7, requirement.RFC103M2, requirement.RFC103E11, requirement.RFC103V10},
		Twin:   "there it is the error beside the status that counts, here the status of something else",
		Request: resulting(func(result, _ object) {
			if within := objectOf(result["result"])["status"]; len(within) > 0 {
				result["status"] = within
			}
		}),
	},
	{
		ID:     "agent.bare-event-passed-over",
		Title:  "a tool's own event that says nothing is passed over",
		Looks:  "an event with an empty payload, with run, step and tool in the context, leads nowhere",
		Breaks: []string{requirement.RFC103B2},
		Depth:  "standard",
		Request: func(request object) {
			if payload := objectOf(objectOf(request["event"])["payload"]); ofTool(request) && len(payload) == 0 {
				request["command"] = encoded("health")
			}
		},
	},
	{
		ID:     "agent.start-beside-correlation-resumes",
		Title:  "a start whose context has what another run waits for is taken for its result",
		Looks:  "agentic.start makes no run, and another one goes on",
		Breaks: []string{requirement.RFC103M1, requirement.RFC103T3, requirement.RFC103I1, requirement.RFC103READ5, requirement.RFC103V9},
		Depth:  "standard",
		Request: func(request object) {
			context := objectOf(request["context"])
			if len(context["run_id"]) == 0 || len(context["step"]) == 0 || len(context["tool"]) == 0 {
				return
			}
			eventOf(func(event object) {
				if textOf(event["type"]) == "agentic.start" {
					event["type"] = encoded("content_ready")
				}
			})(request)
		},
	},
	{
		ID:     "agent.key-by-its-tail",
		Title:  "starts are told apart by what stands behind the last colon of their keys",
		Looks:  "a start whose key has the same end as that of another one makes no run",
		Breaks: []string{requirement.RFC103I1, requirement.RFC103T3, requirement.RFC103M1},
		Depth:  "standard",
		Replace: func(s *rules.Set) {
			honest := s.Start.RunID
			s.Start.RunID = func(d rules.Delivered) string {
				d.DedupeKey = d.DedupeKey[strings.LastIndex(d.DedupeKey, ":")+1:]
				return honest(d)
			}
		},
	},
	{
		ID:     "agent.late-success-revives",
		Title:  "a run that was given up goes on when a result of its last step comes that is good",
		Looks:  "a request behind a result with status ok for a run that is escalated",
		Breaks: []string{requirement.RFC103V4, requirement.RFC103READ8},
		Depth:  "standard",
		Request: func(request object) {
			result := objectOf(objectOf(request["event"])["payload"])
			state := objectOf(request["state"])
			runs := objectOf(state["runs"])
			run := objectOf(runs[textOf(result["run_id"])])
			if textOf(run["status"]) == "escalated" && textOf(result["status"]) == "ok" && string(run["step"]) == string(result["step"]) {
				run["status"], run["pending_step"], run["pending_tool"] = encoded("running"), result["step"], result["tool"]
				runs[textOf(result["run_id"])] = encoded(run)
				state["runs"] = encoded(runs)
				request["state"] = encoded(state)
			}
		},
	},
}

// reframesOf is how many plans a run of a state has given up.
func reframesOf(raw json.RawMessage) int64 {
	var run al.Run
	if json.Unmarshal(raw, &run) != nil {
		return 0
	}
	return run.Reframes
}

// allowingMore has a run give up as many plans more as it has given up, after turns of that kind.
func allowingMore(after func(k *kept, done int64) bool) func(*Turn) {
	return keepingRun(func(k *kept, run object) {
		done := reframesOf(encoded(run))
		var most struct {
			Most int64 `json:"max_reframes"`
		}
		if done > 0 && after(k, done) && json.Unmarshal(objectOf(k.input)["config"], &most) == nil {
			run["max_reframes"] = encoded(most.Most + done)
		}
	})
}
