package agenticloop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// object is a JSON object as a drive handles it; numbers stay json.Number.
type object = map[string]any

// agent is a plugin under certification, as a drive has it in hand.
type agent struct {
	*scenarios.Conn
	profile agenticloopv2.TargetProfile
	config  object // of the profile
	turns   *Turns // all that this drive started, but the quiet ones
}

// open reads the profile of the target. What cannot be read was refused before. The discovery document has placeholders
// where the profile has secrets, which the agent needs.
func open(c *scenarios.Conn, turns *Turns) *agent {
	var live declared
	if err := json.Unmarshal(c.Declared(), &live); err != nil {
		scenarios.End(fmt.Errorf("reading the profile: %w", err))
	}
	a := &agent{Conn: c, config: object{}, turns: turns}
	if err := json.Unmarshal(live.Profile, &a.profile); err != nil {
		scenarios.End(fmt.Errorf("reading the profile: %w", err))
	}
	if err := decode(a.profile.Config, &a.config); err != nil {
		scenarios.End(fmt.Errorf("reading the config of the profile: %w", err))
	}
	return a
}

// decode reads JSON, numbers as json.Number; nothing at all leaves v as it is.
func decode(raw []byte, v any) error {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// copied is a deep copy of JSON data.
func copied[T any](v T) T {
	var out T
	raw, err := json.Marshal(v)
	if err == nil {
		err = decode(raw, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("copying JSON: %v", err)) // it came from a decoder, or from us
	}
	return out
}

// name is the plugin's own.
func (a *agent) name() string {
	if a.profile.Name != "" {
		return a.profile.Name
	}
	if name := a.Discovery.Document.At("/manifest/name").String(); name != "" {
		return name
	}
	return "agentic-loop"
}

// can says whether the profile declares a capability.
func (a *agent) can(c agenticloopv2.Capability) bool {
	return slices.Contains(a.profile.Capabilities, c)
}

// live says whether the profile says that the agent does not decide alike each time.
func (a *agent) live() bool { return a.profile.Deterministic != nil && !*a.profile.Deterministic }

// usualTurn is how long a turn may take where nothing else is said (RFC-103 Security and Scope, AL-R123).
const usualTurn = 2 * time.Minute

// deadline is how long a turn may take: what the profile says, or the patience.
func (a *agent) deadline() time.Duration {
	if l := a.profile.Limits; l != nil && l.TurnSeconds != nil {
		return time.Duration(*l.TurnSeconds * float64(time.Second))
	}
	return a.Patience
}

// retries is how often a failed step may be asked for again; -1 where the profile does not say.
func (a *agent) retries() int {
	if l := a.profile.Limits; l != nil && l.MaxRetries != nil {
		return int(*l.MaxRetries)
	}
	return -1
}

// tools are the allowed tools: the profile's, or those of the text's example.
func (a *agent) tools() []string {
	var out []string
	list, _ := a.config["allowed_plugins"].([]any)
	for _, t := range list {
		if name, ok := t.(string); ok {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{"fetch", "fabric", "jina-reader"}
	}
	return out
}

// job is one request to the agent, as the gateway would make it.
type job struct {
	name      string // what it is, in words: it stands before every check of the turn
	id        string // "" draws one
	command   string // "" is handle
	event     object // nil is none
	state     object // nil is none
	config    object // over the profile's
	context   object
	secrets   object
	workspace string // "" is none, where the revision has them
	edit      func(request object)
	input     []byte // in place of all that
	refused   bool   // it may end with another exit code than 0, and without a response
	timeout   time.Duration
	env       map[string]string
	kill      wire.KillPoint
	killAfter time.Duration
	quiet     bool // its answer is looked at by the drive alone: it is no turn of the observation
}

// turn starts one turn and returns it with the state that the gateway would keep after it.
func (a *agent) turn(ctx context.Context, j job) (Turn, object) {
	timeout := j.timeout
	if timeout == 0 {
		timeout = a.deadline()
	}
	input := j.input
	if input == nil {
		var err error
		if input, err = json.Marshal(a.request(j, timeout)); err != nil {
			scenarios.End(fmt.Errorf("%s: encoding the request: %w", j.name, err))
		}
		input = append(input, '\n')
	}
	ended := a.Spawn(ctx, wire.Turn{Input: input, Label: j.name, Timeout: timeout, Env: j.env, Kill: j.kill, KillAfter: j.killAfter})
	t := Turn{Name: j.name, Refused: j.refused, Killed: ended.Killed, TimedOut: ended.TimedOut, ended: ended}
	t.mint()
	if limits := a.profile.Limits; ended.TimedOut && timeout < usualTurn && (limits == nil || limits.TurnSeconds == nil) {
		t.Patience = timeout.String()
	}
	t.About = j.about()
	t.Before = scenarios.Get(json.Marshal(orEmpty(j.state)))
	if !j.quiet {
		*a.turns = append(*a.turns, t)
	}
	return t, after(orEmpty(j.state), ended)
}

// keepOnly leaves nothing but these turns of the transcript.
func (a *agent) keepOnly(turns ...*Turn) {
	ended := make([]*wire.Ended, len(turns))
	for i, t := range turns {
		ended[i] = t.ended
	}
	a.Retain(ended...)
	for _, t := range turns {
		t.mint()
	}
}

// about are the runs that a job names, in its event or in the context that came along.
func (j job) about() (ids []string) {
	event := j.event
	if j.input != nil {
		var request object
		if decode(j.input, &request) != nil {
			return nil
		}
		event, _ = request["event"].(object)
	}
	payload, _ := event["payload"].(object)
	within, _ := payload["context"].(object)
	for _, o := range []object{payload, within, j.context} {
		if id, ok := o["run_id"].(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func orEmpty(o object) object {
	if o == nil {
		return object{}
	}
	return o
}

// after is the state that the gateway keeps: what stood there, with each key replaced that an answer with status ok gives.
func after(state object, ended *wire.Ended) object {
	answer, _ := ended.Decode().(object)
	updates, _ := answer["state_updates"].(object)
	if answer["status"] != "ok" || ended.Killed {
		return copied(state)
	}
	out := copied(state)
	maps.Copy(out, updates)
	return out
}

// request is what stands on the standard input.
func (a *agent) request(j job, timeout time.Duration) object {
	command := j.command
	if command == "" {
		command = "handle"
	}
	id := j.id
	if id == "" {
		id = a.id()
	}
	config := copied(a.config)
	if _, set := config["allowed_plugins"]; !set {
		config["allowed_plugins"] = a.tools()
	}
	maps.Copy(config, j.config)
	r := object{
		"protocol": 2, "job_id": id, "command": command, "config": config, "state": orEmpty(j.state),
		"deadline_at": a.Now().Add(timeout).UTC().Format(time.RFC3339Nano),
	}
	if j.event != nil {
		r["event"] = j.event
	}
	if len(j.context) > 0 {
		r["context"] = j.context
	}
	if len(j.secrets) > 0 {
		r["secrets"] = j.secrets
	}
	if j.workspace != "" && a.profile.Revision == agenticloopv2.ProtocolRevisionN202602 {
		r["workspace_dir"] = j.workspace
	}
	if a.profile.Revision == agenticloopv2.ProtocolRevisionN202606 && j.event != nil {
		if p, ok := j.event["payload"].(object); ok && len(p) > 0 {
			r["payload"] = p
		}
	}
	if j.edit != nil {
		j.edit(r)
	}
	return r
}

// id draws a UUID.
func (a *agent) id() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(a.Rand.UintN(256)) //nolint:gosec // below 256
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// event is an event as the gateway hands it over.
func (a *agent) event(kind string, payload object, key string) object {
	e := object{"type": kind, "payload": payload, "source": "gateway", "event_id": a.id(), "timestamp": a.Now().UTC().Format(time.RFC3339Nano)}
	if key != "" {
		e["dedupe_key"] = key
	}
	return e
}

// start is an event that starts a run.
func (a *agent) start(goal string, context object) object {
	payload := object{"goal": goal}
	if len(context) > 0 {
		payload["context"] = context
	}
	return a.event("agentic.start", payload, "agentic:start:"+a.id())
}

// goal makes a goal that no other run has.
func (a *agent) goal() string {
	return fmt.Sprintf("fetch web http://example.test/page-%08x and produce a 2 para critique", a.Rand.Uint32())
}

// pending is what a run waits for.
type pending struct {
	Run  string `json:"run"`
	Step int64  `json:"step"`
	Tool string `json:"tool"`
}

// result is what a tool has to say of a step.
func (a *agent) result(p pending, body any) object {
	return a.event("agentic.tool_result", object{
		"run_id": p.Run, "step": p.Step, "tool": p.Tool, "status": "ok", "result": body, "error": nil,
		"completed_at": a.Now().UTC().Format(time.RFC3339Nano),
	}, fmt.Sprintf("agentic:run:%s:step:%d:result", p.Run, p.Step))
}

// failure is a tool's failure at a step.
func (a *agent) failure(p pending) object {
	e := a.result(p, nil)
	e["payload"].(object)["status"], e["payload"].(object)["error"] = "error", "the tool is out of order"
	return e
}

// anyResult is what a tool finds where it does not matter what.
func (a *agent) anyResult() object {
	text := fmt.Sprintf("two paragraphs about page %08x, of no further interest", a.Rand.Uint32())
	return object{"content_type": "text/plain", "excerpt": text, "content": text}
}

// started is a run that was started: its first turn, what it waits for, and the state after it.
type started struct {
	Turn  Turn
	state object
	pending
}

// begin starts a run on a state. ok is false where the agent did not ask for a tool, or did not say which: the set-up went
// wrong, and the judge says so by the turn.
func (a *agent) begin(ctx context.Context, j job) (s started, ok bool) {
	if j.event == nil {
		j.event = a.start(a.goal(), nil)
	}
	before := j.state
	s.Turn, s.state = a.turn(ctx, j)
	s.pending, ok = waiting(s.Turn)
	if _, known := runsOf(before)[s.Run]; known {
		ok = false
	}
	return s, ok
}

// waiting is what the one request of a turn asks for, where its run says that it waits for that.
func waiting(t Turn) (p pending, ok bool) {
	requests := t.requests().Values
	if len(requests) != 1 {
		return p, false
	}
	payload := requests[0].Key("payload")
	p.Run, p.Tool = payload.Key("run_id").String(), payload.Key("tool").String()
	p.Step, ok = payload.Key("step").Int()
	return p, ok && p.Run != "" && p.Tool != "" && t.run(p.Run).Present()
}

// runsOf are the runs of a state.
func runsOf(state object) object {
	runs, _ := state["runs"].(object)
	return runs
}

// edited is a state in which fields of one run are changed: only such as the text names.
func edited(state object, run string, fields object) object {
	out := copied(state)
	if r, ok := runsOf(out)[run].(object); ok {
		maps.Copy(r, fields)
	}
	return out
}

// at is a state in which a run waits for step n, whatever it waited for.
func at(state object, run string, n int64) object {
	fields := object{"step": n, "pending_step": n}
	if r, ok := runsOf(state)[run].(object); ok {
		if _, kept := r["completed_steps"]; kept {
			done := []any{}
			for i := range n - 1 {
				done = append(done, i+1)
			}
			fields["completed_steps"] = done
		}
	}
	return edited(state, run, fields)
}
