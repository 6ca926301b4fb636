package fault

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	al "github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// sends changes the payload of requests.
func sends(change func(payload, arguments map[string]json.RawMessage)) func(*rules.Set) {
	return func(s *rules.Set) {
		s.Requests.Payload = func(payload, arguments map[string]json.RawMessage) map[string]json.RawMessage {
			out := maps.Clone(payload)
			change(out, arguments)
			return out
		}
	}
}

// third changes the payload of the third request of a run: the first two are enough for most of what there is to see.
func third(change func(payload map[string]json.RawMessage)) func(*rules.Set) {
	return sends(func(payload, _ map[string]json.RawMessage) {
		if string(payload["step"]) == "3" {
			change(payload)
		}
	})
}

func leavingOut(member string) func(*rules.Set) {
	return sends(func(payload, _ map[string]json.RawMessage) { delete(payload, member) })
}

// overriding lets arguments take the place of members of these names.
func overriding(names ...string) func(*rules.Set) {
	return sends(func(payload, arguments map[string]json.RawMessage) {
		for name, value := range arguments {
			if slices.Contains(names, name) {
				payload[name] = value
			}
		}
	})
}

func keyed(key func(runID string, step, attempt int64) string) func(*rules.Set) {
	return func(s *rules.Set) { s.Requests.Key = key }
}

var requestFaults = []Fault{
	{
		ID:      "agent.start-asks-nothing",
		Title:   "the first step is kept as pending, and not asked for",
		Looks:   "no event behind a start",
		Breaks:  []string{al.RFC103M1, al.RFC103T6, al.RFC103T9},
		Replace: func(s *rules.Set) { s.Requests.Sends = func(step int64) bool { return step != 1 } },
	},
	{
		ID:      "agent.second-step-unsent",
		Title:   "the second step is kept as pending, and not asked for",
		Looks:   "no event behind the result of step 1",
		Breaks:  []string{al.RFC103V9, al.RFC103T7, al.RFC103M2},
		Replace: func(s *rules.Set) { s.Requests.Sends = func(step int64) bool { return step != 2 } },
	},
	{
		ID:      "agent.generic-request-type",
		Title:   "every request has the same type, as the first version of the plugin had it",
		Looks:   "the type of a request is agentic.tool_request",
		Breaks:  []string{al.RFC103E6, al.RFC103P4},
		Replace: func(s *rules.Set) { s.Requests.Type = func(string) string { return "agentic.tool_request" } },
	},
	{
		ID:     "agent.type-of-another-tool",
		Title:  "the type of a request ends in the tool's name and a version",
		Looks:  "a request for fabric has the type agentic.tool_request.fabric-v2",
		Breaks: []string{al.RFC103E6, al.RFC103G3},
		Replace: func(s *rules.Set) {
			s.Requests.Type = func(tool string) string { return "agentic.tool_request." + tool + "-v2" }
		},
	},
	{
		ID:      "agent.arguments-override-correlation",
		Title:   "arguments take the place of the correlation, as the third version of the plugin had it",
		Looks:   "a run_id among the arguments is the run_id of the request",
		Breaks:  []string{al.RFC103K3, al.RFC103E7, al.RFC103I3},
		Replace: overriding("run_id", "step", "tool", "tool_command"),
	},
	{
		ID:      "agent.arguments-override-command",
		Title:   "an argument named tool_command takes the place of the command",
		Looks:   "a tool_command among the arguments is that of the request",
		Breaks:  []string{al.RFC103K3},
		Replace: overriding("tool_command"),
	},
	{
		ID:    "agent.key-with-short-run-id",
		Title: "the dedupe key of a request has the beginning of the run id",
		Looks: "the run id in the key is cut",
		// An example of the text looks like that.
		Breaks: []string{al.RFC103D1},
		Twin:   "there is a key, and runs whose ids begin alike share it",
		Replace: keyed(func(runID string, step, attempt int64) string {
			return rules.RequestKey(rules.Cut(runID, 8), step, attempt)
		}),
	},
	{
		ID:     "agent.key-without-step",
		Title:  "all requests of a run have the same dedupe key",
		Looks:  "the key of step 2 is that of step 1",
		Breaks: []string{al.RFC103D1},
		Replace: keyed(func(runID string, _, attempt int64) string {
			return rules.RequestKey(runID, 1, attempt)
		}),
	},
	{
		ID:      "agent.key-missing",
		Title:   "requests have no dedupe key",
		Looks:   "dedupe_key is missing in a request",
		Breaks:  []string{al.RFC103D1},
		Replace: keyed(func(string, int64, int64) string { return "" }),
	},
	{
		ID:      "agent.request-without-run",
		Title:   "a request for the third step does not name its run",
		Looks:   "run_id is missing in the payload of a request",
		Breaks:  []string{al.RFC103E7, al.RFC103I3},
		Replace: third(func(payload map[string]json.RawMessage) { delete(payload, "run_id") }),
	},
	{
		ID:      "agent.request-step-as-text",
		Title:   "a request for the third step names it as a text",
		Looks:   `step is "3" in the payload of a request`,
		Breaks:  []string{al.RFC103E7, al.RFC103I3, al.RFC103D1},
		Replace: third(func(payload map[string]json.RawMessage) { payload["step"] = json.RawMessage(`"3"`) }),
	},
	{
		ID:      "agent.request-of-unknown-age",
		Title:   "a request does not say when it was made",
		Looks:   "requested_at is missing in the payload of a request",
		Breaks:  []string{al.RFC103E10},
		Replace: leavingOut("requested_at"),
	},
	{
		ID:      "agent.request-without-command",
		Title:   "a request does not name the tool's command",
		Looks:   "tool_command is missing in the payload of a request",
		Breaks:  []string{al.RFC103E8},
		Replace: leavingOut("tool_command"),
	},
	{
		ID:     "agent.arguments-in-two-versions",
		Title:  "arguments stand beside the correlation as well, and there they are empty",
		Looks:  "an argument has one value in tool_payload, and another beside it",
		Breaks: []string{al.RFC103E9},
		Replace: sends(func(payload, arguments map[string]json.RawMessage) {
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
		Breaks:  []string{al.RFC103READ6, al.RFC103WIRE1},
		Replace: func(s *rules.Set) { s.Requests.Excerpt = func(text string) string { return text } },
	},
	{
		ID:     "agent.request-numbered-by-clock",
		Title:  "a tool is handed a number that is made of the time, to draw lots with",
		Looks:  "the same request to the agent, byte for byte, leads to other arguments in tool_payload",
		Breaks: []string{al.RFC103O4},
		Replace: sends(func(payload, _ map[string]json.RawMessage) {
			var nested map[string]json.RawMessage
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
