package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
		return t.misfit(rules.UnknownCommand, "there is no command %s: the manifest declares handle and health", quote(t.request.command))
	}
	e := t.request.event
	if e == nil || e.eventType == "" {
		return t.misfit(rules.NoEvent, "event is missing: the command handle needs one with a type")
	}
	if t.request.jobID == "" {
		return refuse("job_id is missing: name the job")
	}
	if !t.rules.Input.Dated(e.timestamp) {
		return refuse("event.timestamp is no time: say when the event was made")
	}
	if !t.rules.Files.Takes(t.request.workspace, t.request.jobID) {
		return refuse("the job was begun before: give it another id")
	}
	f := fields{object: t.request.state, within: "state."}
	f.members("runs", &t.runs)
	if f.err != nil {
		return f.err
	}
	t.cause = e.eventType
	ours := strings.HasPrefix(e.eventType, "agentic.") || strings.HasPrefix(e.eventType, "agent.")
	switch known := slices.Contains([]string{startType, triggerType, resultType}, e.eventType); t.rules.Input.Handles(e.eventType, known) {
	case startType, triggerType:
		return t.start(ctx)
	case resultType:
		found, err := t.direct()
		if err != nil {
			return err
		}
		return t.resume(ctx, found)
	}
	if ours || !t.namesStep() || !t.rules.Delivery.Synthesises() {
		return t.misfit(rules.UnknownEvent, "an event of type %s is not for this plugin: send %s, %s, or a tool's event with "+
			"run_id, step and tool in the context",
			quote(e.eventType), startType, resultType)
	}
	found, err := t.synthesised()
	if err != nil {
		return err
	}
	return t.resume(ctx, found)
}

// misfit is the end of a turn that the agent has no use for.
func (t *turn) misfit(m rules.Misfit, format string, args ...any) error {
	if t.rules.Input.Passes(m) {
		t.summary = "nothing to do"
		return nil
	}
	return &refusal{reason: fmt.Sprintf(format, args...), unfit: true}
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
func (t *turn) openFiles() error {
	dir := t.request.workspace
	if dir == "" {
		if t.rules.Files.Needs() {
			return refuse("workspace_dir is missing: the agent needs a folder for its files")
		}
		return nil
	}
	root, err := t.open(t.rules.Files.Folder(dir))
	if err != nil {
		t.warn("the workspace cannot be opened, and the turn goes without: is it an absolute path of a folder?")
		return nil
	}
	t.files = &workspace{root: root, rules: t.rules.Files}
	return nil
}

func (t *turn) close() { t.files.close() }

// load reads a run of the state. One that there is not is empty.
func (t *turn) load(id string) (r *run, known bool, err error) {
	raw, known := t.runs[id]
	if !known || isNull(raw) {
		return &run{}, false, nil
	}
	r, err = readRun(t.rules.State.Read(raw))
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
	after[t.id] = t.rules.State.Written(raw)
	last := t.request.state["last_run_id"]
	if t.opened != "" {
		last = encoded(t.rules.State.Last(t.id))
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
	if updates["runs"], err = json.Marshal(t.rules.State.Runs(t.runs, after, t.id)); err != nil {
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

func (t *turn) handed() rules.Handed {
	return rules.Handed{Config: t.request.rawConfig, Secrets: t.request.rawSecrets, State: t.runs}
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

func (t *turn) logs() []agenticloopv2.LogEntry { return t.rules.Output.Logs(t.lines, t.handed()) }

// ignore ends a turn that changes nothing.
func (t *turn) ignore(level agenticloopv2.LogLevel, format string, args ...any) {
	t.summary = "passed over: " + fmt.Sprintf(format, args...)
	if level != "" {
		t.log(level, format, args...)
	}
}

// answer is the answer of a turn that went well.
func (t *turn) answer() agenticloopv2.Response {
	return agenticloopv2.Response{Status: agenticloopv2.ResponseStatusOk, Result: t.summary, Events: t.events,
		StateUpdates: t.updates, Logs: t.logs()}
}
