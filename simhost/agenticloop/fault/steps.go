package fault

import (
	"strings"
	"time"

	al "github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

var stepFaults = []Fault{
	{
		ID:     "agent.steps-skip",
		Title:  "steps count 1, 3, 5",
		Looks:  "the result of step 1 leads to a request with step 3",
		Breaks: []string{al.RFC103I2, al.RFC103X1, al.RFC103M2},
		Replace: counting(func(last int64) int64 {
			if last == 0 {
				return 1
			}
			return last + 2
		}),
	},
	{
		ID:     "agent.step-repeated",
		Title:  "the third action of a run has the number of the second",
		Looks:  "the result of step 2 leads to another request with step 2",
		Breaks: []string{al.RFC103I2, al.RFC103V9, al.RFC103F7},
		Replace: counting(func(last int64) int64 {
			if last == 2 {
				return 2
			}
			return last + 1
		}),
	},
	{
		ID:      "agent.budget-one-over",
		Title:   "a run takes one step more than its budget",
		Looks:   "a request with step 3 where max_steps is 2",
		Breaks:  []string{al.RFC103F7, al.RFC103G7},
		Replace: func(s *rules.Set) { s.Steps.Spent = func(last, budget int64) bool { return last > budget } },
	},
	{
		ID:      "agent.budget-unbounded",
		Title:   "a run takes as many steps as its planner wants",
		Looks:   "requests go on behind max_steps",
		Breaks:  []string{al.RFC103F7, al.RFC103G7},
		Twin:    "there the count is one off, here nothing is counted, as where the budget is forgotten",
		Replace: func(s *rules.Set) { s.Steps.Spent = func(int64, int64) bool { return false } },
	},
	{
		ID:     "agent.budget-of-the-last-run",
		Title:  "every run has the budget of the one that was started last",
		Looks:  "a run with max_steps 2 goes on to step 3 once another was started with max_steps 9, or the other way round",
		Depth:  "standard",
		Breaks: []string{al.RFC103F7, al.RFC103G7},
		Twin:   "a run alone keeps its budget",
		Request: func(request object) {
			state := objectOf(request["state"])
			runs := objectOf(state["runs"])
			id := textOf(objectOf(objectOf(request["event"])["payload"])["run_id"])
			run, last := objectOf(runs[id]), objectOf(runs[textOf(state["last_run_id"])])
			if len(run) > 0 && last["max_steps"] != nil {
				run["max_steps"] = last["max_steps"]
				runs[id] = encoded(run)
				state["runs"] = encoded(runs)
				request["state"] = encoded(state)
			}
		},
	},
	{
		ID:     "agent.cut-off-differs",
		Title:  "the reason why a run met its budget tells the time",
		Looks:  "the same run, run again, is given up for another reason",
		Breaks: []string{al.RFC103M6},
		Answer: telling(escalated, func(_ *Turn, payload object) {
			if reason := textOf(payload["reason"]); strings.HasPrefix(reason, "max_steps") {
				payload["reason"] = encoded(reason + " at " + time.Now().UTC().Format(time.RFC3339Nano))
			}
		}),
	},
	{
		ID:      "agent.retries-forever",
		Title:   "a step that fails is asked for again without end",
		Looks:   "more tries than the profile says, and no escalation",
		Breaks:  []string{al.RFC103F6},
		Replace: func(s *rules.Set) { s.Steps.Retries = func(int64, int64) bool { return true } },
	},
	{
		ID:      "agent.retry-uncounted",
		Title:   "a retry does not count as one",
		Looks:   "attempt stays 1, and the step is asked for without end",
		Breaks:  []string{al.RFC103F4, al.RFC103F6},
		Replace: func(s *rules.Set) { s.Steps.Attempt = func(last int64) int64 { return last } },
	},
	{
		ID:      "agent.retry-is-next-step",
		Title:   "a retry gets a step of its own",
		Looks:   "a result of step 1 with status error leads to a request with step 2",
		Breaks:  []string{al.RFC103V10, al.RFC103F4, al.RFC103I2},
		Replace: func(s *rules.Set) { s.Steps.Again = func(step int64) int64 { return step + 1 } },
	},
	{
		ID:      "agent.reframes-forever",
		Title:   "plans are given up without end",
		Looks:   "more reframes than max_reframes, and no escalation",
		Breaks:  []string{al.RFC103F8, al.RFC103G8},
		Twin:    "there the count is one off, here it is not compared",
		Replace: func(s *rules.Set) { s.Steps.Reframes = func(int64, int64) bool { return true } },
	},
	{
		ID:      "agent.reframes-uncounted",
		Title:   "a plan that is given up does not count as one",
		Looks:   "reframes stays 0, and plans are given up without end",
		Breaks:  []string{al.RFC103F8, al.RFC103G8},
		Twin:    "the count is compared, and it stays 0",
		Replace: func(s *rules.Set) { s.Steps.Reframed = func(done int64) int64 { return done } },
	},
	{
		ID:      "agent.reframe-one-over",
		Title:   "one plan more may be given up than max_reframes says",
		Looks:   "reframes is max_reframes and one",
		Breaks:  []string{al.RFC103F8, al.RFC103G8},
		Replace: func(s *rules.Set) { s.Steps.Reframes = func(done, allowed int64) bool { return done <= allowed } },
	},
	{
		ID:      "agent.done-asks-on",
		Title:   "a run that reached its goal asks for its last tool again, and again",
		Looks:   "requests go on behind the last decision of the plan, until the budget is met",
		Breaks:  []string{al.RFC103O1, al.RFC103X2},
		Replace: func(s *rules.Set) { s.Steps.Finished = func() bool { return false } },
	},
}

func counting(next func(last int64) int64) func(*rules.Set) {
	return func(s *rules.Set) { s.Steps.Next = next }
}

var toolFaults = []Fault{
	{
		ID:     "agent.first-tool-unchecked",
		Title:  "the allowlist is not looked at for the first tool of a run",
		Looks:  "a start asks for a tool that allowed_plugins does not list",
		Breaks: []string{al.RFC103G3},
		Replace: allowing(func(_ string, list []string, at rules.Moment) bool {
			return at.First && len(list) > 0
		}),
	},
	{
		ID:     "agent.follow-up-tool-unchecked",
		Title:  "the allowlist is not looked at but for the first tool of a run",
		Looks:  "a result leads to a request for a tool that allowed_plugins does not list",
		Breaks: []string{al.RFC103G3},
		Twin:   "there the first tool is let through and those behind it are checked, here it is the other way round",
		Replace: allowing(func(_ string, list []string, at rules.Moment) bool {
			return !at.First && len(list) > 0
		}),
	},
	{
		ID:     "agent.allowlist-of-the-start",
		Title:  "the allowlist of a run is the one that its start found",
		Looks:  "a request for a tool that allowed_plugins listed when the run began, and does not list any more",
		Breaks: []string{al.RFC103G3},
		Twin:   "there is a check of each tool, and it is made with an old list",
		Request: func(request object) {
			result := objectOf(objectOf(request["event"])["payload"])
			run := objectOf(objectOf(objectOf(request["state"])["runs"])[textOf(result["run_id"])])
			config := objectOf(request["config"])
			if list := run["allowed_then"]; list != nil {
				config["allowed_plugins"] = list
				request["config"] = encoded(config)
			}
		},
		Answer: keepingRun(func(k *kept, run object) {
			if list := objectOf(objectOf(k.input)["config"])["allowed_plugins"]; k.starts() && list != nil {
				run["allowed_then"] = list
			}
		}),
	},
	{
		ID:      "agent.no-list-allows-all",
		Title:   "without an allowlist every tool is allowed",
		Looks:   "a request for a tool where allowed_plugins is missing or empty",
		Breaks:  []string{al.RFC103G4},
		Replace: allowing(func(_ string, list []string, _ rules.Moment) bool { return len(list) == 0 }),
	},
	{
		ID:      "agent.calls-itself",
		Title:   "the agent is a tool like others",
		Looks:   "a request for agentic-loop, where allowed_plugins lists it",
		Breaks:  []string{al.RFC103G2, al.RFC103N4},
		Replace: func(s *rules.Set) { s.Tools.Itself = func(string, string) bool { return false } },
	},
	{
		ID:     "agent.tool-name-unchecked",
		Title:  "a tool may have any name",
		Looks:  "the type of a request ends in a name with dots, slashes or blanks",
		Breaks: []string{al.RFC103READ12, al.RFC103P4},
		Replace: func(s *rules.Set) {
			named := s.Tools.Named
			s.Tools.Named = func(string) bool { return true }
			allowing(func(tool string, _ []string, _ rules.Moment) bool { return !named(tool) })(s)
		},
	},
}

// allowing lets tools through that the honest rule would not.
func allowing(also func(tool string, list []string, at rules.Moment) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Tools.Allowed
		s.Tools.Allowed = func(tool string, list []string, at rules.Moment) bool {
			return also(tool, list, at) || honest(tool, list, at)
		}
	}
}

var modelFaults = []Fault{
	{
		ID:      "agent.model-awaited-forever",
		Title:   "a model that does not answer is waited for without end",
		Looks:   "the turn does not end before its deadline",
		Breaks:  []string{al.RFC103WIRE9, al.RFC103T10},
		Replace: func(s *rules.Set) { s.Model.Waits = func(time.Duration) time.Duration { return rules.Forever } },
	},
	{
		ID:      "agent.key-told-in-refusal",
		Title:   "where the model's endpoint refuses, the error quotes what it says",
		Looks:   "the key of the model in the error, for services quote the key that they refuse",
		Breaks:  []string{al.RFC103READ10},
		Replace: func(s *rules.Set) { s.Model.Quotes = func(said string) string { return " (" + said + ")" } },
	},
}
