package fault

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// sends changes the payload of requests. arguments are those for the tool.
func sends(change func(payload, arguments object)) func(*Turn) {
	return telling(asks, func(_ *Turn, payload object) { change(payload, objectOf(payload["tool_payload"])) })
}

// third changes the payload of the third request of a run: the first two are enough for most of what there is to see.
func third(change func(payload object)) func(*Turn) {
	return sends(func(payload, _ object) {
		if string(payload["step"]) == "3" {
			change(payload)
		}
	})
}

func leavingOut(member string) func(*Turn) {
	return sends(func(payload, _ object) { delete(payload, member) })
}

// overriding lets arguments take the place of members of these names.
func overriding(names ...string) func(*Turn) {
	return sends(func(payload, arguments object) {
		for name, value := range arguments {
			if slices.Contains(names, name) {
				payload[name] = value
			}
		}
	})
}

// keyed changes the dedupe key of requests, which runID and step are parts of.
func keyed(change func(key, runID, step string) string) func(*Turn) {
	return emitting(asks, func(_ *Turn, e *al.Event) {
		payload := objectOf(e.Payload)
		e.DedupeKey = change(e.DedupeKey, textOf(payload["run_id"]), string(payload["step"]))
	})
}

// unsent drops the request of a step that is kept as pending.
func unsent(step string) func(*Turn) {
	return answering(func(_ *Turn, r *al.Response) {
		if r.StateUpdates == nil {
			return // the step was asked for before
		}
		r.Events = slices.DeleteFunc(r.Events, func(e al.Event) bool {
			return strings.HasPrefix(e.Type, asks) && string(objectOf(e.Payload)["step"]) == step
		})
	})
}

var requestFaults = []Fault{
	{
		ID:     "agent.falsy-arguments-dropped",
		Title:  "an argument that is false, 0 or empty is taken for none",
		Looks:  "tool_payload lacks an argument that the planner chose",
		Breaks: []string{requirement.RFC103E9},
		Twin:   "there an argument has a second value, here it has none",
		Answer: sends(func(payload, arguments object) {
			for name, value := range arguments {
				if falsy(value) {
					delete(arguments, name)
				}
			}
			payload["tool_payload"] = encoded(arguments)
		}),
	},
	{
		ID:     "agent.start-asks-nothing",
		Title:  "the first step is kept as pending, and not asked for",
		Looks:  "no event behind a start",
		Breaks: []string{requirement.RFC103M1, requirement.RFC103T6, requirement.RFC103T9},
		Answer: unsent("1"),
	},
	{
		ID:     "agent.second-step-unsent",
		Title:  "the second step is kept as pending, and not asked for",
		Looks:  "no event behind the result of step 1",
		Breaks: []string{requirement.RFC103V9, requirement.RFC103T7, requirement.RFC103M2, requirement.RFC103T9},
		Answer: unsent("2"),
	},
	{
		ID:     "agent.generic-request-type",
		Title:  "every request has the same type, as the first version of the plugin had it",
		Looks:  "the type of a request is agentic.tool_request",
		Breaks: []string{requirement.RFC103E6, requirement.RFC103P4},
		Answer: emitting(asks, func(_ *Turn, e *al.Event) { e.Type = asks }),
	},
	{
		ID:     "agent.type-of-another-tool",
		Title:  "the type of a request ends in the tool's name and a version",
		Looks:  "a request for fabric has the type agentic.tool_request.fabric-v2",
		Breaks: []string{requirement.RFC103E6, requirement.RFC103G3},
		Answer: emitting(asks, func(_ *Turn, e *al.Event) { e.Type += "-v2" }),
	},
	{
		ID:     "agent.arguments-override-correlation",
		Title:  "arguments take the place of the correlation, as the third version of the plugin had it",
		Looks:  "a run_id among the arguments is the run_id of the request",
		Breaks: []string{requirement.RFC103K3, requirement.RFC103E7, requirement.RFC103I3},
		Answer: overriding("run_id", "step", "tool", "tool_command"),
	},
	{
		ID:     "agent.arguments-override-command",
		Title:  "an argument named tool_command takes the place of the command",
		Looks:  "a tool_command among the arguments is that of the request",
		Breaks: []string{requirement.RFC103K3},
		Answer: overriding("tool_command"),
	},
	{
		ID:    "agent.key-with-short-run-id",
		Title: "the dedupe key of a request has the beginning of the run id",
		Looks: "the run id in the key is cut",
		// An example of the text looks like that.
		Breaks: []string{requirement.RFC103D1},
		Twin:   "there is a key, and runs whose ids begin alike share it",
		Answer: keyed(func(key, runID, _ string) string {
			return strings.Replace(key, runID, rules.Cut(runID, 8), 1)
		}),
	},
	{
		ID:     "agent.key-without-step",
		Title:  "all requests of a run have the same dedupe key",
		Looks:  "the key of step 2 is that of step 1",
		Breaks: []string{requirement.RFC103D1},
		Answer: keyed(func(key, _, step string) string {
			return strings.Replace(key, ":step:"+step+":", ":step:1:", 1)
		}),
	},
	{
		ID:     "agent.key-missing",
		Title:  "requests have no dedupe key",
		Looks:  "dedupe_key is missing in a request",
		Breaks: []string{requirement.RFC103D1},
		Answer: keyed(func(string, string, string) string { return "" }),
	},
	{
		ID:     "agent.request-without-run",
		Title:  "a request for the third step does not name its run",
		Looks:  "run_id is missing in the payload of a request",
		Breaks: []string{requirement.RFC103E7, requirement.RFC103I3},
		Answer: third(func(payload object) { delete(payload, "run_id") }),
	},
	{
		ID:     "agent.request-step-as-text",
		Title:  "a request for the third step names it as a text",
		Looks:  `step is "3" in the payload of a request`,
		Breaks: []string{requirement.RFC103E7, requirement.RFC103I3, requirement.RFC103D1},
		Answer: third(func(payload object) { payload["step"] = json.RawMessage(`"3"`) }),
	},
	{
		ID:     "agent.request-of-unknown-age",
		Title:  "a request does not say when it was made",
		Looks:  "requested_at is missing in the payload of a request",
		Breaks: []string{requirement.RFC103E10},
		Answer: leavingOut("requested_at"),
	},
	{
		ID:     "agent.request-without-command",
		Title:  "a request does not name the tool's command",
		Looks:  "tool_command is missing in the payload of a request",
		Breaks: []string{requirement.RFC103E8},
		Answer: leavingOut("tool_command"),
	},
	{
		ID:     "agent.arguments-in-two-versions",
		Title:  "arguments stand beside the correlation as well, and there they are empty",
		Looks:  "an argument has one value in tool_payload, and another beside it",
		Breaks: []string{requirement.RFC103E9},
		Answer: sends(func(payload, arguments object) {
			for name := range arguments {
				if _, taken := payload[name]; !taken {
					payload[name] = json.RawMessage("null")
				}
			}
		}),
	},
	{
		ID:      "agent.result-passed-on-whole",
		Title:   "the next tool is handed the whole of what the last one found",
		Looks:   "20 MiB of a result stand in the next request",
		Breaks:  []string{requirement.RFC103READ6, requirement.RFC103WIRE1},
		Replace: func(s *rules.Set) { s.Requests.Excerpt = func(text string) string { return text } },
	},
	{
		ID:     "agent.request-numbered-by-clock",
		Title:  "a tool is handed a number that is made of the time, to draw lots with",
		Looks:  "the same request to the agent, byte for byte, leads to other arguments in tool_payload",
		Breaks: []string{requirement.RFC103O4},
		Answer: sends(func(payload, _ object) {
			var nested object
			if json.Unmarshal(payload["tool_payload"], &nested) != nil || nested == nil {
				return
			}
			nested["seed"] = json.RawMessage(strconv.Quote(rules.RunID("time", string(payload["requested_at"]))))
			if raw, err := json.Marshal(nested); err == nil {
				payload["tool_payload"] = raw
			}
		}),
	},
}
