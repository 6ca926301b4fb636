package protocol

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// InputsObservation is the turns of inputs that are no request, or that no plugin can serve.
type InputsObservation struct {
	host.Turns
	Start   host.Turn   `json:"start"`
	Garbage []host.Turn `json:"garbage"` // no JSON object
	Version host.Turn   `json:"version"` // protocol 3
	Nobody  []host.Turn `json:"nobody"`  // unknown commands and events
}

// inputs hands the plugin what it cannot use.
var inputs = &scenarios.Drive[InputsObservation]{
	ID: "agenticloop/inputs",
	Title: "hands the agent input that is no request, a request of another protocol version, an unknown command, " +
		"an unknown event, and handle without an event",
	Sends: []string{"one turn: agentic.start", "about 15 turns that are no requests, or that nobody can serve"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *InputsObservation) {
		p := host.Open(c, &o.Turns)
		s, ok := p.Begin(ctx, host.Job{Name: "the start"})
		if o.Start = s.Turn; !ok {
			return
		}
		for _, g := range []struct{ name, input string }{
			{"no input", ""},
			{"a blank line", "\n"},
			{"input that is no JSON", "start the run, please"},
			{"half a request", `{"protocol":2,"job_id":"x","command":"handle","event":{"type":"agentic.st`},
			{"a list", `[{"protocol":2}]`},
			{"a text", `"handle"`},
			{"null", "null"},
			{
				"a number that JSON does not have",
				`{"protocol":2,"job_id":"x","command":"handle","config":{},"state":{"n":NaN}}`,
			},
			{"20,000 levels", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)},
			{"bytes that are no UTF-8", "{\"protocol\":2,\"job_id\":\"\xff\xfe"},
		} {
			t, _ := p.Turn(wire.Misfit(ctx, agenticloop.RFC103WIRE6), host.Job{Name: g.name, Input: append([]byte{}, g.input...), Refused: true})
			o.Garbage = append(o.Garbage, t)
		}
		o.Version, _ = p.Turn(wire.Misfit(ctx, agenticloop.RFC103WIRE7), host.Job{
			Name: "a start of protocol 3", Event: p.Start(p.NewGoal(), nil), Refused: true,
			Edit: func(request host.Object) { request["protocol"] = 3 },
		})
		unknown := p.Event(c.Name("note"), host.Object{"run_id": "x", "note": "nobody knows this"}, "")
		foreign := p.Event("agent.completed", host.Object{"run_id": s.Run}, "")
		for _, n := range []host.Job{
			{Name: "an unknown event", Event: unknown},
			{Name: "an event of the gateway's that is none of its", Event: foreign},
			{Name: "an unknown command", Command: c.Name("command"), Event: p.Start(p.NewGoal(), nil)},
			{Name: "handle without an event"},
			{Name: "an event without a type", Event: host.Object{"payload": host.Object{"goal": p.NewGoal()}}},
		} {
			n.State = s.State
			t, _ := p.Turn(wire.Misfit(ctx, agenticloop.RFC103WIRE8), n)
			o.Nobody = append(o.Nobody, t)
		}
	},
}

// grace is the time in which a process may end after its deadline: gateways give it as long.
const grace = 5 * time.Second

// HungObservation is a turn whose model does not answer.
type HungObservation struct {
	host.Turns
	Control  host.Turn     `json:"control"` // while the model answers
	Hung     host.Turn     `json:"hung"`
	Deadline time.Duration `json:"deadlineNs"`
	Asked    int           `json:"asked"` // how often the silent model was asked
}

// hung makes the plugin's model answer nothing.
var hung = &scenarios.Drive[HungObservation]{
	ID:    "agenticloop/hung",
	Title: "starts a run while the model answers, and one while it does not, with a deadline a few seconds ahead",
	Sends: []string{"two turns: agentic.start"},
	Waits: 10 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HungObservation) {
		p := host.Open(c, &o.Turns)
		o.Deadline = min(p.Deadline(), p.Patience, 10*time.Second+3*p.Pace.Turn())
		plan := p.ServeModel(ctx, host.Call(p.Tools()[0], host.Object{"url": "http://example.test/"}))
		defer plan.Close()
		o.Control, _ = p.Turn(ctx, plan.Lay(host.Job{Name: "a start whose model answers", Event: p.Start(p.NewGoal(), nil)}))
		before := plan.Model.Calls()
		plan.Model.Hang()
		name := fmt.Sprintf("a start whose model hangs, with a deadline in %s", o.Deadline)
		o.Hung, _ = p.Turn(ctx, plan.Lay(host.Job{Name: name, Event: p.Start(p.NewGoal(), nil), Timeout: o.Deadline + grace,
			Edit: func(request host.Object) {
				request["deadline_at"] = p.Now().Add(o.Deadline).UTC().Format(time.RFC3339Nano)
			}}))
		o.Asked = plan.Model.Calls() - before
	},
}
