package host

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// Recalled is a turn as a transcript has it, whoever started it.
type Recalled struct {
	Turn
	Request Object // what the plugin read
	Exited  bool   // its exit code is known; else it is taken for 0
}

// Recall returns the turn in the n-th entry of a transcript, counted from 1. ok is false unless its process ended by itself, and was
// handed an event as the contract has it.
func Recall(t *wire.Transcript, n int) (r Recalled, ok bool) {
	ended, input := t.Turn(n)
	if ended == nil {
		return r, false
	}
	p := t.Entry(n).Process
	if p.Exit == nil || p.Misfit != "" || Decode([]byte(input), &r.Request) != nil || !handles([]byte(input), r.Request) {
		return r, false
	}
	r.Exited = p.Ended == ""
	job := Job{Event: r.Event()}
	job.Context, _ = r.Request["context"].(Object)
	state, _ := r.Request["state"].(Object)
	r.Turn = Turn{Name: "job " + r.text("job_id"), ended: ended, About: job.about(), Before: scenarios.Get(NewState(state))}
	r.mint()
	_, isObject := r.Answer.Actual().(Object)
	return r, r.Exited || isObject // a job that is under way has not printed all of it
}

// Inputs are the types of the events that start or resume an agent.
var Inputs = []string{"agentic.start", "agentic.tool_result", Trigger}

// handles reports whether a request is one of protocol 2, as the contract has it, to start or to resume a run.
func handles(input []byte, request Object) bool {
	schema, err := ContractSchema("Request")
	if err != nil {
		return false
	}
	event, _ := request["event"].(Object)
	kind, _ := event["type"].(string)
	_, has := event["payload"].(Object)
	return request["command"] == "handle" && slices.Contains(Inputs, kind) && has && len(schema.Validate(input)) == 0
}

func (r Recalled) text(name string) string {
	text, _ := r.Request[name].(string)
	return text
}

// Event returns the event that the plugin was to handle.
func (r Recalled) Event() Object {
	event, _ := r.Request["event"].(Object)
	return event
}

// Payload returns what the event says.
func (r Recalled) Payload() Object {
	payload, _ := r.Event()["payload"].(Object)
	return payload
}

// Config returns a number of the config; ok is false where there is none.
func (r Recalled) Config(name string) (n int64, ok bool) {
	config, _ := r.Request["config"].(Object)
	return wholeNumber(config[name])
}

// Allowed returns the tools that the config allows; nil where it has no such list, or one that no reader could take for names.
func (r Recalled) Allowed() (tools []string) {
	config, _ := r.Request["config"].(Object)
	list, _ := config["allowed_plugins"].([]any)
	for _, tool := range list {
		name, isText := tool.(string)
		if !isText {
			return nil
		}
		tools = append(tools, name)
	}
	return tools
}

// Start returns the goal of the start that the turn was handed. ok is false for any other event, and for a start that names a run, about
// which the text says nothing.
func (r Recalled) Start() (goal string, ok bool) {
	goal, _ = r.Payload()["goal"].(string)
	return goal, r.Event()["type"] == "agentic.start" && strings.TrimSpace(goal) != "" && len(r.About) == 0
}

// Result returns the result that the turn was handed. ok is false for any other event, and for a result that is malformed.
func (r Recalled) Result() (d Delivery, ok bool) {
	payload := r.Payload()
	run, _ := payload["run_id"].(string)
	tool, _ := payload["tool"].(string)
	step, whole := wholeNumber(payload["step"])
	if r.Event()["type"] != "agentic.tool_result" || strings.TrimSpace(run) == "" || tool == "" || !whole || step < 1 {
		return d, false
	}
	d = Delivery{Run: run, Step: step, Tool: tool}
	d.Status, _ = payload["status"].(string)
	_, isObject := payload["result"].(Object)
	allowed := r.Allowed()
	switch {
	case step > math.MaxInt32:
		d.Odd = model.OddStep
	case d.Status != "ok" && d.Status != "error":
		d.Odd, d.Status = model.OddStatus, ""
	case d.Status == "error" && !slices.Contains(allowed, tool):
		d.Odd = model.Barred
	case d.Status == "ok" && (!isObject || len(allowed) == 0):
		d.Odd = model.OddResult
	}
	return d, true
}

// wholeNumber returns a number that is written as a whole one (RFC103-READ-14).
func wholeNumber(v any) (n int64, ok bool) {
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	return n, err == nil
}
