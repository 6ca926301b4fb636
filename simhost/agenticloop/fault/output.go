package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
)

// exiting ends a process with a code of its own where the answer is such.
func exiting(code int, where func(al.Response) bool) func(*Turn) {
	return answering(func(t *Turn, r *al.Response) {
		if t.Code == 0 && where(*r) {
			t.Code = code
		}
	})
}

// retries tells whether an answer asks for a step again.
func retries(r al.Response) bool {
	var state al.RunState
	var p al.ToolRequestPayload
	err := errors.Join(json.Unmarshal(r.StateUpdates, &state), json.Unmarshal(r.Events[0].Payload, &p))
	return err == nil && state.Runs[p.RunID].Attempt > 1
}

// writing changes what stands on the standard output, where there is an answer.
func writing(body func(answer []byte) []byte) func(*Turn) {
	return func(t *Turn) {
		if len(t.Output) > 0 {
			t.Output = body(t.Output)
		}
	}
}

// logging adds a line to the log of every turn whose request can be read.
func logging(line func(request object) string) func(*Turn) {
	return answering(func(t *Turn, r *al.Response) {
		if request := objectOf(t.Input); readable(request) {
			r.Logs = append(r.Logs, al.LogEntry{Level: al.LogLevelDebug, Message: line(request)})
		}
	})
}

var outputFaults = []Fault{
	{
		ID:     "agent.waits-with-exit-98",
		Title:  "a turn that asks for a tool ends with exit code 98",
		Looks:  "exit code 98 beside a request",
		Breaks: []string{requirement.RFC103I7, requirement.RFC103N1, requirement.RFC103O3},
		Answer: exiting(98, emits(asks)),
	},
	{
		ID:     "agent.gives-up-with-exit-1",
		Title:  "a turn that gives a run up ends with exit code 1",
		Looks:  "exit code 1 beside agent.escalated",
		Breaks: []string{requirement.RFC103I7, requirement.RFC103P1, requirement.RFC103P6},
		Answer: exiting(1, emits(escalated)),
	},
	{
		ID:     "agent.refuses-with-exit-1",
		Title:  "a turn that answers with an error ends with exit code 1",
		Looks:  "exit code 1 beside status error",
		Breaks: []string{requirement.RFC103WIRE17},
		Answer: exiting(1, func(r al.Response) bool { return r.Status == al.ResponseStatusError }),
	},
	{
		ID:     "agent.dump-on-stdout",
		Title:  "input that is no request is answered with a dump",
		Looks:  "a stack trace on the standard output",
		Breaks: []string{requirement.RFC103WIRE6, requirement.RFC103WIRE1},
		Answer: func(t *Turn) {
			if !readable(objectOf(t.Input)) {
				t.Output = []byte("panic: unexpected end of JSON input\n\ngoroutine 1 [running]:\nmain.main()")
			}
		},
	},
	{
		ID:     "agent.log-before-answer",
		Title:  "a line of log stands before the answer",
		Looks:  "the standard output does not begin with the answer",
		Breaks: []string{requirement.RFC103WIRE1, requirement.RFC103P2},
		Twin:   "there an answer stands behind the answer, here the first thing is none",
		Answer: writing(func(answer []byte) []byte { return append([]byte("INFO turn done\n"), answer...) }),
	},
	{
		ID:     "agent.answers-twice",
		Title:  "the answer is written two times",
		Looks:  "two objects on the standard output",
		Breaks: []string{requirement.RFC103WIRE1, requirement.RFC103P2},
		Answer: writing(func(answer []byte) []byte { return bytes.Join([][]byte{answer, answer}, []byte("\n")) }),
	},
	{
		ID:     "agent.no-number-in-answer",
		Title:  "a count that is not known is written as NaN",
		Looks:  "the answer is no JSON",
		Breaks: []string{requirement.RFC103WIRE1, requirement.RFC103P2},
		Twin:   "there is one answer and nothing beside it, and a value in it that JSON does not have",
		Answer: writing(func(answer []byte) []byte {
			return bytes.Replace(answer, []byte(`"reframes":0`), []byte(`"reframes":NaN`), 1)
		}),
	},
	{
		ID:     "agent.escalation-is-error",
		Title:  "a turn in which a run meets its budget answers with status error",
		Looks:  "status error beside agent.escalated, so that neither the event nor the state counts",
		Breaks: []string{requirement.RFC103P3, requirement.RFC103F7},
		Answer: answering(func(_ *Turn, r *al.Response) {
			if emits(escalated)(*r) && strings.Contains(string(r.Events[0].Payload), "max_steps_exceeded") {
				r.Status, r.Error = al.ResponseStatusError, "the run was given up"
			}
		}),
	},
	{
		ID:     "agent.error-without-words",
		Title:  "an error does not say what went wrong",
		Looks:  "status error without error",
		Breaks: []string{requirement.RFC103WIRE2},
		Answer: answering(func(_ *Turn, r *al.Response) { r.Error = "" }),
	},
	{
		ID:       "agent.result-unsaid",
		Title:    "an answer does not say what was done",
		Looks:    "status ok without result",
		Breaks:   []string{requirement.RFC103WIRE4},
		Revision: "2026-06",
		Answer:   answering(func(_ *Turn, r *al.Response) { r.Result = "" }),
	},
	{
		ID:     "agent.strange-log-level",
		Title:  "logs are of level notice",
		Looks:  "a log whose level the protocol does not have",
		Breaks: []string{requirement.RFC103WIRE5},
		Answer: answering(func(_ *Turn, r *al.Response) {
			r.Logs = append(r.Logs, al.LogEntry{Level: "notice", Message: "turn done"})
		}),
	},
	{
		ID:     "agent.asks-two-tools",
		Title:  "a turn asks for a step that failed two times at once",
		Looks:  "two requests in one answer",
		Breaks: []string{requirement.RFC103T1, requirement.RFC103T9, requirement.RFC103F4},
		Answer: answering(func(_ *Turn, r *al.Response) {
			if emits(asks)(*r) && retries(*r) {
				r.Events = append(r.Events, r.Events[0])
			}
		}),
	},
	{
		ID:     "agent.tells-progress",
		Title:  "a turn that asks for a tool also tells of its progress",
		Looks:  "an event agent.progress beside a request",
		Breaks: []string{requirement.RFC103P4, requirement.RFC103T9},
		Answer: answering(func(_ *Turn, r *al.Response) {
			if emits(asks)(*r) {
				r.Events = append(r.Events, al.Event{Type: "agent.progress", Payload: json.RawMessage("{}")})
			}
		}),
	},
	{
		ID:     "agent.starts-another-agent",
		Title:  "a run that reached its goal starts another",
		Looks:  "an event agentic.start beside agent.completed",
		Breaks: []string{requirement.RFC103G2, requirement.RFC103N4, requirement.RFC103P4},
		Answer: answering(func(_ *Turn, r *al.Response) {
			if emits(completed)(*r) {
				r.Events = append(r.Events, al.Event{Type: "agentic.start", Payload: json.RawMessage(`{"goal":"go on"}`)})
			}
		}),
	},
	{
		ID:     "agent.config-logged",
		Title:  "the log of a turn has the settings",
		Looks:  "what stands in config, a key among it, stands in logs",
		Breaks: []string{requirement.RFC103READ10},
		Answer: logging(func(request object) string { return "settings: " + string(request["config"]) }),
	},
	{
		ID:     "agent.secrets-logged",
		Title:  "the log of a turn has the secrets",
		Looks:  "what stands in secrets stands in logs",
		Breaks: []string{requirement.RFC103READ10},
		Twin:   "later gateways hand keys over as secrets and no longer in the config: who hides the one need not hide the other",
		Answer: logging(func(request object) string { return "secrets: " + string(request["secrets"]) }),
	},
	{
		ID:     "agent.other-runs-logged",
		Title:  "the log of a turn has all runs",
		Looks:  "the goal of another run stands in logs",
		Breaks: []string{requirement.RFC103READ10},
		Twin:   "what is told is not the operator's, but that of another run, which has a mark of its own",
		Answer: logging(func(request object) string { return "runs: " + string(objectOf(request["state"])["runs"]) }),
	},
	{
		ID:     "agent.completes-with-exit-1",
		Title:  "a turn in which a run reaches its goal ends with exit code 1",
		Looks:  "exit code 1 beside agent.completed",
		Breaks: []string{requirement.RFC103O3, requirement.RFC103I7},
		Answer: exiting(1, emits(completed)),
	},
	{
		ID:     "agent.events-dated-in-words",
		Title:  "an event tells its time as people do",
		Looks:  "a timestamp beside a request that is no RFC 3339 time",
		Breaks: []string{requirement.RFC103WIRE3},
		Answer: writing(func(answer []byte) []byte {
			return bytes.Replace(answer, []byte(`"type":"agentic.tool_request.`),
				[]byte(`"timestamp":"this morning","type":"agentic.tool_request.`), 1)
		}),
	},
	{
		ID:      "agent.waits-for-the-tool",
		Title:   "a turn that asks for a tool also has the gateway run it, and waits for it",
		Looks:   "the program of the gateway is called during a turn",
		Breaks:  []string{requirement.RFC103N2, requirement.RFC103O2},
		Twin:    "there the gateway is called over the network, here its program is, which only a process of its own can be seen to do",
		Process: true,
		Answer: answering(func(_ *Turn, r *al.Response) {
			if emits(asks)(*r) {
				_ = exec.Command("ductile", "run", "fetch").Run() // where there is none, nobody is called
			}
		}),
	},
	{
		ID:      "agent.leaves-a-process",
		Title:   "a turn that asks for a tool leaves a process behind that waits for the result",
		Looks:   "a process that the turn started is alive when it has ended",
		Breaks:  []string{requirement.RFC103T10, requirement.RFC103WIRE9},
		Process: true,
		Answer: answering(func(_ *Turn, r *al.Response) {
			if emits(asks)(*r) {
				_ = exec.Command("sleep", "20").Start() // where there is none, nothing is left
			}
		}),
	},
}
