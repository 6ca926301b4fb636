package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// turn is one turn being done.
type turn struct {
	*Agent
	request *request
	at      time.Time
	runs    object     // all runs of the state
	files   *workspace // nil without one

	id     string  // of the run that the turn is about
	cause  string  // type of the event, as it came
	found  *result // that the turn was handed, nil at a start
	kept   note    // what is kept of it
	did    []traced
	plan   string // what comes next, in words
	opened string // context.md, at a start

	events  []agenticloopv2.Event
	updates json.RawMessage
	lines   []agenticloopv2.LogEntry
	summary string
}

const (
	startType   = "agentic.start"
	triggerType = "api.trigger"
	resultType  = "agentic.tool_result"
	requestType = "agentic.tool_request." // and the tool
	doneType    = "agent.completed"
	givenUpType = "agent.escalated"
)

// handle does what the command says.
func (t *turn) handle(ctx context.Context) error {
	switch t.request.command {
	case "health":
		t.summary = "in good health"
		return nil
	case "handle":
	default:
		return refuse("there is no command %s: the manifest declares handle and health", quote(t.request.command))
	}
	e := t.request.event
	if e == nil || e.eventType == "" {
		return refuse("event is missing: the command handle needs one with a type")
	}
	if t.request.jobID == "" {
		return refuse("job_id is missing: name the job")
	}
	f := fields{object: t.request.state, within: "state."}
	f.members("runs", &t.runs)
	if f.err != nil {
		return f.err
	}
	t.cause = e.eventType
	ours := strings.HasPrefix(e.eventType, "agentic.") || strings.HasPrefix(e.eventType, "agent.")
	switch e.eventType {
	case startType, triggerType:
		return t.start(ctx)
	case resultType:
		found, err := t.direct()
		if err != nil {
			return err
		}
		return t.resume(ctx, found)
	}
	if ours || !t.namesStep() {
		return refuse("an event of type %s is not for this plugin: send %s, %s, or a tool's event with "+
			"run_id, step and tool in the context",
			quote(e.eventType), startType, resultType)
	}
	found, err := t.synthesised()
	if err != nil {
		return err
	}
	return t.resume(ctx, found)
}

// namesStep tells whether the context says which step of which run an event is about.
func (t *turn) namesStep() bool {
	for _, name := range correlation {
		if isNull(t.request.context[name]) {
			return false
		}
	}
	return true
}

// openFiles opens the workspace. Without one, or with one that cannot be opened, the turn goes on without files.
func (t *turn) openFiles() {
	dir := t.request.workspace
	if dir == "" {
		return
	}
	root, err := t.open(dir)
	if err != nil {
		t.warn("the workspace cannot be opened, and the turn goes without: is it an absolute path of a folder?")
		return
	}
	t.files = &workspace{root: root, rules: t.rules.Files}
}

func (t *turn) close() { t.files.close() }

// load reads a run of the state. One that there is not is empty.
func (t *turn) load(id string) (r *run, known bool, err error) {
	raw, known := t.runs[id]
	if !known || isNull(raw) {
		return &run{}, false, nil
	}
	r, err = readRun(raw)
	if err != nil {
		return nil, true, refuse("the run %s in the state cannot be read: give the agent the state that it last returned", quote(id))
	}
	return r, true, nil
}

// none stands where there are no runs.
const none = "{}"

// commit has the gateway keep the run, and writes the files.
func (t *turn) commit(r *run) error {
	r.UpdatedAt = t.at
	raw, err := r.encode()
	if err != nil {
		return fmt.Errorf("encode the run: %w", err)
	}
	after := object{}
	maps.Copy(after, t.runs)
	after[t.id] = raw
	last := t.request.state["last_run_id"]
	if t.opened != "" {
		last = encoded(t.id)
	}
	merged := maps.Clone(t.request.state)
	if merged == nil {
		merged = object{}
	}
	merged["last_run_id"] = last
	merged["runs"] = json.RawMessage(none)
	rest, err := json.Marshal(merged)
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	fits := func(runs object) bool {
		all, err := json.Marshal(runs)
		return err == nil && t.rules.State.Fits(len(rest)-len(none)+len(all))
	}
	if !prune(after, t.id, fits) {
		return refuse("the state would be longer than the %d bytes that the gateway keeps: shorten the goal, or let runs end", rules.StateBytes)
	}
	updates := object{}
	if updates["runs"], err = json.Marshal(after); err != nil {
		return fmt.Errorf("encode the runs: %w", err)
	}
	if !isNull(last) {
		updates["last_run_id"] = last
	}
	if t.updates, err = json.Marshal(updates); err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	t.writeFiles(r)
	return nil
}

// emit adds an event to the answer.
func (t *turn) emit(eventType, key string, payload any) error {
	raw, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("encode the payload of %s: %w", eventType, err)
	}
	t.events = append(t.events, agenticloopv2.Event{Type: eventType, DedupeKey: key, Payload: raw})
	return nil
}

func (t *turn) log(level agenticloopv2.LogLevel, format string, args ...any) {
	t.lines = append(t.lines, agenticloopv2.LogEntry{Level: level, Message: fmt.Sprintf(format, args...)})
}

func (t *turn) warn(format string, args ...any) { t.log(agenticloopv2.LogLevelWarn, format, args...) }

// ignore ends a turn that changes nothing.
func (t *turn) ignore(level agenticloopv2.LogLevel, format string, args ...any) {
	t.summary = "passed over: " + fmt.Sprintf(format, args...)
	t.log(level, format, args...)
}

// answer is the answer of a turn that went well.
func (t *turn) answer() agenticloopv2.Response {
	return agenticloopv2.Response{Status: agenticloopv2.ResponseStatusOk, Result: t.summary, Events: t.events,
		StateUpdates: t.updates, Logs: t.lines}
}
