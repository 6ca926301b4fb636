package host

import (
	"context"
	"fmt"
	"time"
)

// NewID draws a UUID from the randomness of the drive.
func (p *Plugin) NewID() string { return p.Rand.ID() }

// Event makes an event as the gateway hands it over.
func (p *Plugin) Event(kind string, payload Object, key string) Object {
	e := Object{
		"type": kind, "payload": payload, "source": "gateway", "event_id": p.NewID(),
		"timestamp": p.Now().UTC().Format(time.RFC3339Nano),
	}
	if key != "" {
		e["dedupe_key"] = key
	}
	return e
}

// Start makes an event that starts a run.
func (p *Plugin) Start(goal string, context Object) Object {
	payload := Object{"goal": goal}
	if len(context) > 0 {
		payload["context"] = context
	}
	return p.Event("agentic.start", payload, "agentic:start:"+p.NewID())
}

// NewGoal draws a goal that no other run has.
func (p *Plugin) NewGoal() string {
	return fmt.Sprintf("fetch web http://example.test/%s and produce a 2 para critique", p.Name("page"))
}

// Pending is what a run waits for.
type Pending struct {
	Run  string `json:"run"`
	Step int64  `json:"step"`
	Tool string `json:"tool"`
}

// Result makes the event of a tool that succeeded.
func (p *Plugin) Result(due Pending, body any) Object {
	return p.Event("agentic.tool_result", Object{
		"run_id": due.Run, "step": due.Step, "tool": due.Tool, "status": "ok", "result": body, "error": nil,
		"completed_at": p.Now().UTC().Format(time.RFC3339Nano),
	}, fmt.Sprintf("agentic:run:%s:step:%d:result", due.Run, due.Step))
}

// Failure makes the event of a tool that failed.
func (p *Plugin) Failure(due Pending) Object {
	e := p.Result(due, nil)
	e["payload"].(Object)["status"], e["payload"].(Object)["error"] = "error", "the tool is out of order"
	return e
}

// AnyResult draws the body of a result whose content does not matter.
func (p *Plugin) AnyResult() Object {
	text := fmt.Sprintf("two paragraphs about %s, of no further interest", p.Name("page"))
	return Object{"content_type": "text/plain", "excerpt": text, "content": text}
}

// Started is a run after its first turn: what it waits for, and the state that the gateway keeps.
type Started struct {
	Turn  Turn
	State Object
	Pending
}

// Begin starts a run on a state. ok is false if the plugin did not ask for a tool by name. The judge sees that in the
// turn.
func (p *Plugin) Begin(ctx context.Context, j Job) (s Started, ok bool) {
	if j.Event == nil {
		j.Event = p.Start(p.NewGoal(), nil)
	}
	before := p.stateOf(j)
	s.Turn, s.State = p.Turn(ctx, j)
	s.Pending, ok = PendingOf(s.Turn)
	if _, known := RunsOf(before)[s.Run]; known {
		ok = false
	}
	return s, ok
}

// PendingOf returns what the single request of a turn asks for. ok is false unless the response holds the run.
func PendingOf(t Turn) (due Pending, ok bool) {
	due, ok = t.asked()
	return due, ok && due.Run != "" && due.Tool != "" && t.Run(due.Run).Present()
}

// At returns the same with another step.
func (d Pending) At(step int64) Pending { return Pending{d.Run, step, d.Tool} }

// Of returns the same with another tool.
func (d Pending) Of(tool string) Pending { return Pending{d.Run, d.Step, tool} }

// Deliver hands the plugin a result that succeeds.
func (p *Plugin) Deliver(ctx context.Context, name string, state Object, due Pending) (Turn, Object) {
	return p.Turn(ctx, Job{Name: name, State: state, Event: p.Result(due, p.AnyResult())})
}
