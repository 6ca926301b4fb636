package fault

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

var inputFaults = []Fault{
	{
		ID:      "agent.protocol-ignored",
		Title:   "a request is done whatever version of the protocol it names",
		Looks:   "a start with protocol 3 starts a run",
		Breaks:  []string{requirement.RFC103WIRE7},
		Request: func(request object) { request["protocol"] = encoded(2) },
	},
	{
		ID:      "agent.unknown-event-accepted",
		Title:   "an event of a type that it does not know is taken for done",
		Looks:   "status ok where the event is of no type that the text has",
		Breaks:  []string{requirement.RFC103WIRE8},
		Twin:    "there is an event, and its type is none",
		Request: passing(unknownEvent),
	},
	{
		ID:      "agent.unknown-command-accepted",
		Title:   "a command that it does not have is taken for done",
		Looks:   "status ok where the command is none of the manifest's",
		Breaks:  []string{requirement.RFC103WIRE8},
		Twin:    "the command is looked at before there is an event",
		Request: passing(unknownCommand),
	},
	{
		ID:      "agent.no-event-accepted",
		Title:   "handle without an event is taken for done",
		Looks:   "status ok where there is no event",
		Breaks:  []string{requirement.RFC103WIRE8},
		Request: passing(noEvent),
	},
	{
		ID:     "agent.refusals-tried-again",
		Title:  "that an event or a command is not known is no reason not to try it again",
		Looks:  "retry is true beside an unknown event",
		Breaks: []string{requirement.RFC103WIRE8},
		Twin:   "there it is not refused, here it is, and the gateway is told to try again without end",
		Answer: answering(func(t *Turn, r *al.Response) {
			if request := objectOf(t.Input); r.Retry != nil && readable(request) && misfitOf(request) != none {
				*r.Retry = true
			}
		}),
	},
	{
		ID:     "agent.trigger-unknown",
		Title:  "a start that comes as api.trigger is refused",
		Looks:  "status error where the event is api.trigger with a goal",
		Breaks: []string{requirement.RFC103B1},
		Request: eventOf(func(event object) {
			if textOf(event["type"]) == "api.trigger" {
				event["type"] = encoded("unknown")
			}
		}),
	},
	{
		ID:     "agent.zero-time-refused",
		Title:  "an event that was made at the zero time is refused, for its timestamp is none",
		Looks:  "status error where the timestamp of an event is that of year 1, which a gateway in Go does not leave out",
		Breaks: []string{requirement.RFC103WIRE10},
		Request: func(request object) {
			var at time.Time
			timestamp := objectOf(request["event"])["timestamp"]
			if len(timestamp) > 0 && (json.Unmarshal(timestamp, &at) != nil || at.IsZero()) {
				refused(request)
			}
		},
	},
}

// misfit is why an agent has no use for a request.
type misfit int

const (
	none misfit = iota
	unknownCommand
	unknownEvent
	noEvent
)

func misfitOf(request object) misfit {
	switch textOf(request["command"]) {
	case "health":
		return none
	case "handle":
	default:
		return unknownCommand
	}
	switch kind := textOf(objectOf(request["event"])["type"]); {
	case kind == "":
		return noEvent
	case kind != "agentic.start" && kind != "api.trigger" && kind != "agentic.tool_result" && !ofTool(request):
		return unknownEvent
	}
	return none
}

// ofTool reports whether a request brings a tool's own event, with run, step and tool in the context.
func ofTool(request object) bool {
	kind, context := textOf(objectOf(request["event"])["type"]), objectOf(request["context"])
	for _, member := range []string{"run_id", "step", "tool"} {
		if value := string(context[member]); value == "" || value == "null" {
			return false
		}
	}
	return kind != "" && kind != "api.trigger" && !strings.HasPrefix(kind, "agentic.") && !strings.HasPrefix(kind, "agent.")
}

// passing has a request that the agent has no use for answered as if it were done: as one for its health.
func passing(which misfit) func(object) {
	return func(request object) {
		if misfitOf(request) == which {
			request["command"] = encoded("health")
		}
	}
}

// eventOf changes members of the event that a request brings.
func eventOf(change func(event object)) func(object) {
	return func(request object) {
		if event := objectOf(request["event"]); len(event) > 0 {
			change(event)
			request["event"] = encoded(event)
		}
	}
}

var startFaults = []Fault{
	{
		ID:     "agent.goal-escaped",
		Title:  "a goal is kept as a page would show it",
		Looks:  "the goal of a run, and that of agent.completed, has &lt; where the start has a bracket",
		Breaks: []string{requirement.RFC103E1, requirement.RFC103E12},
		Replace: func(s *rules.Set) {
			honest := s.Start.Goal
			s.Start.Goal = func(raw json.RawMessage) (string, bool) {
				goal, ok := honest(raw)
				return html.EscapeString(goal), ok
			}
		},
	},
	{
		ID:     "agent.goal-not-needed",
		Title:  "a start without a goal starts a run",
		Looks:  "a request for a tool where the payload has no goal",
		Breaks: []string{requirement.RFC103E2},
		Twin:   "there a goal is given and is empty of words, here none is given",
		Replace: func(s *rules.Set) {
			honest := s.Start.Goal
			s.Start.Goal = func(raw json.RawMessage) (string, bool) {
				if len(raw) == 0 {
					return "none", true
				}
				return honest(raw)
			}
		},
	},
	{
		ID:     "agent.blank-goal-taken",
		Title:  "a goal of blanks alone is one",
		Looks:  "a request for a tool where the goal is two blanks",
		Breaks: []string{requirement.RFC103E2},
		Replace: func(s *rules.Set) {
			s.Start.Goal = func(raw json.RawMessage) (goal string, ok bool) {
				err := json.Unmarshal(raw, &goal)
				return goal, err == nil && goal != ""
			}
		},
	},
	{
		ID:     "agent.number-taken-for-goal",
		Title:  "a goal that is no text is turned into one",
		Looks:  "a request for a tool where the goal is a number or an object",
		Breaks: []string{requirement.RFC103E2},
		Twin:   "a goal is given and has words, but it is no text: a reader that turns any value into one takes it",
		Replace: func(s *rules.Set) {
			honest := s.Start.Goal
			s.Start.Goal = func(raw json.RawMessage) (string, bool) {
				if goal, ok := honest(raw); ok || len(raw) == 0 || raw[0] == '"' || string(raw) == "null" {
					return goal, ok
				}
				return string(raw), true
			}
		},
	},
	{
		ID:     "agent.same-goal-same-run",
		Title:  "the id of a run is made of its goal",
		Looks:  "a second start with the same goal and another dedupe key starts nothing",
		Breaks: []string{requirement.RFC103I1, requirement.RFC103T3, requirement.RFC103M1},
		Twin:   "there no second run is ever made, here one is for every other goal: only who asks twice for the same meets it",
		Replace: func(s *rules.Set) {
			s.Start.RunID = func(d rules.Delivered) string { return rules.RunID("goal", d.Goal) }
		},
	},
	{
		ID:     "agent.one-run-for-all",
		Title:  "every run has the same id, so that only the first start begins one",
		Looks:  "two starts leave one run in the state",
		Breaks: []string{requirement.RFC103I1, requirement.RFC103T3, requirement.RFC103M1},
		Replace: func(s *rules.Set) {
			s.Start.RunID = func(rules.Delivered) string { return "run-1" }
		},
	},
	{
		ID:     "agent.start-again-starts-another",
		Title:  "the id of a run is made of the time, so that a start that comes again starts another",
		Looks:  "two runs in the state after one start that was delivered twice",
		Breaks: []string{requirement.RFC103READ2, requirement.RFC103WIRE14},
		Replace: func(s *rules.Set) {
			s.Start.RunID = func(d rules.Delivered) string { return rules.RunID("time", fmt.Sprint(d.At.UnixNano())) }
		},
	},
	{
		ID:      "agent.start-again-resets",
		Title:   "a start that comes again starts its run from the beginning",
		Looks:   "a run that was at step 2, or done, is at step 1 again",
		Breaks:  []string{requirement.RFC103READ2, requirement.RFC103READ5, requirement.RFC103READ8},
		Replace: func(s *rules.Set) { s.Start.Again = never },
	},
	{
		ID:     "agent.callers-run-id",
		Title:  "a start takes the run id that its caller gives it, also where that run is there already",
		Looks:  "a start with the id of a run that goes on sets that run back to step 1",
		Breaks: []string{requirement.RFC103READ3},
		Replace: func(s *rules.Set) {
			own := s.Start.RunID
			s.Start.RunID = func(d rules.Delivered) string {
				if d.Given != "" {
					return d.Given
				}
				return own(d)
			}
			s.Start.Again = func(d rules.Delivered) bool { return d.Given == "" }
		},
	},
	{
		ID:     "agent.context-budget-ignored",
		Title:  "a lower max_steps in the context of a start is not looked at",
		Looks:  "a run with max_steps 1 in its context asks for step 2",
		Breaks: []string{requirement.RFC103E3},
		Replace: func(s *rules.Set) {
			honest := s.Start.MaxSteps
			s.Start.MaxSteps = func(configured, _ int64) int64 { return honest(configured, 0) }
		},
	},
	{
		ID:     "agent.context-budget-raises",
		Title:  "a max_steps in the context of a start wins over that of the config",
		Looks:  "a run asks for more steps than the config allows",
		Breaks: []string{requirement.RFC103E4},
		Replace: func(s *rules.Set) {
			s.Start.MaxSteps = func(configured, asked int64) int64 {
				if asked > 0 {
					return asked
				}
				return configured
			}
		},
	},
}

func never(rules.Delivered) bool { return false }

var deliveryFaults = []Fault{
	{
		ID:     "agent.tool-events-unknown",
		Title:  "only agentic.tool_result resumes a run, a tool's own event is refused",
		Looks:  "status error where a tool's event comes with run, step and tool in the context",
		Breaks: []string{requirement.RFC103B2},
		Request: func(request object) {
			if ofTool(request) {
				delete(request, "context")
			}
		},
	},
	{
		ID:     "agent.tool-failure-taken-for-success",
		Title:  "a tool's own event is always a success",
		Looks:  "a tool's event with status error leads to the next step",
		Breaks: []string{requirement.RFC103B3},
		Replace: func(s *rules.Set) {
			s.Delivery.Status = func(map[string]json.RawMessage) al.ToolStatus { return al.ToolStatusOk }
		},
	},
	{
		ID:     "agent.tool-event-content-lost",
		Title:  "what a tool's own event holds is dropped",
		Looks:  "neither the next request nor the workspace has the content of the event",
		Breaks: []string{requirement.RFC103B4},
		Request: func(request object) {
			event := objectOf(request["event"])
			if !ofTool(request) || rules.Honest().Delivery.Status(objectOf(event["payload"])) != al.ToolStatusOk {
				return // of what a tool that failed says, nothing is kept anyway
			}
			event["payload"] = encoded(object{})
			request["event"] = encoded(event)
		},
	},
}
