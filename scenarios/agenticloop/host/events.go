package host

import (
	"context"
	"fmt"
	"time"
)

// NewID draws a UUID.
func (p *Plugin) NewID() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(p.Rand.UintN(256)) //nolint:gosec // below 256
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Event is an event as the gateway hands it over.
func (p *Plugin) Event(kind string, payload Object, key string) Object {
	e := Object{"type": kind, "payload": payload, "source": "gateway", "event_id": p.NewID(), "timestamp": p.Now().UTC().Format(time.RFC3339Nano)}
	if key != "" {
		e["dedupe_key"] = key
	}
	return e
}

// Start is an event that starts a run.
func (p *Plugin) Start(goal string, context Object) Object {
	payload := Object{"goal": goal}
	if len(context) > 0 {
		payload["context"] = context
	}
	return p.Event("agentic.start", payload, "agentic:start:"+p.NewID())
}

// NewGoal makes a goal that no other run has.
func (p *Plugin) NewGoal() string {
	return fmt.Sprintf("fetch web http://example.test/page-%08x and produce a 2 para critique", p.Rand.Uint32())
}

// pending is what a run waits for.
type Pending struct {
	Run  string `json:"run"`
	Step int64  `json:"step"`
	Tool string `json:"tool"`
}

// Result is what a tool has to say of a step.
func (p *Plugin) Result(due Pending, body any) Object {
	return p.Event("agentic.tool_result", Object{
		"run_id": due.Run, "step": due.Step, "tool": due.Tool, "status": "ok", "result": body, "error": nil,
		"completed_at": p.Now().UTC().Format(time.RFC3339Nano),
	}, fmt.Sprintf("agentic:run:%s:step:%d:result", due.Run, due.Step))
}

// Failure is a tool's failure at a step.
func (p *Plugin) Failure(due Pending) Object {
	e := p.Result(due, nil)
	e["payload"].(Object)["status"], e["payload"].(Object)["error"] = "error", "the tool is out of order"
	return e
}

// AnyResult is what a tool finds where it does not matter what.
func (p *Plugin) AnyResult() Object {
	text := fmt.Sprintf("two paragraphs about page %08x, of no further interest", p.Rand.Uint32())
	return Object{"content_type": "text/plain", "excerpt": text, "content": text}
}

// started is a run that was started: its first turn, what it waits for, and the state after it.
type Started struct {
	Turn  Turn
	State Object
	Pending
}

// Begin starts a run on a state. ok is false where the agent did not ask for a tool, or did not say which: the set-up went
// wrong, and the judge says so by the turn.
func (p *Plugin) Begin(ctx context.Context, j Job) (s Started, ok bool) {
	if j.Event == nil {
		j.Event = p.Start(p.NewGoal(), nil)
	}
	before := j.State
	s.Turn, s.State = p.Turn(ctx, j)
	s.Pending, ok = PendingOf(s.Turn)
	if _, known := RunsOf(before)[s.Run]; known {
		ok = false
	}
	return s, ok
}

// PendingOf is what the one request of a turn asks for, where its run says that it waits for that.
func PendingOf(t Turn) (due Pending, ok bool) {
	requests := t.Requests().Values
	if len(requests) != 1 {
		return due, false
	}
	payload := requests[0].Key("payload")
	due.Run, due.Tool = payload.Key("run_id").String(), payload.Key("tool").String()
	due.Step, ok = payload.Key("step").Int()
	return due, ok && due.Run != "" && due.Tool != "" && t.Run(due.Run).Present()
}
