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
		p := host.Open(ctx, c, &o.Turns)
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
		if c.Depth > scenarios.Quick {
			o.nearTypes(ctx, p, s)
		}
	},
}

// nearTypes hands the plugin events whose types are nearly those of a start or of a result, and that are else as these have to be.
func (o *InputsObservation) nearTypes(ctx context.Context, p *host.Plugin, s host.Started) {
	near := []func(string) string{
		func(kind string) string { return kind + "ed" },
		func(kind string) string { return kind + "." + p.Name("note") },
		func(kind string) string { return kind[:len(kind)-1] },
		func(kind string) string { return p.Name("note") + "." + kind },
		func(kind string) string { return strings.ReplaceAll(kind, ".", "_") },
	}
	of := p.Rand.Perm(len(near))
	for i, event := range []host.Object{p.Start(p.NewGoal(), nil), p.Result(s.Pending, p.AnyResult())} {
		kind, _ := event["type"].(string)
		for _, n := range append([]int{0, 1}, of[2*i:2*i+2]...) {
			other := host.Clone(event)
			other["type"] = near[n](kind)
			t, _ := p.Turn(wire.Misfit(ctx, agenticloop.RFC103WIRE8),
				host.Job{Name: fmt.Sprintf("an event of the type %q", other["type"]), State: s.State, Event: other})
			o.Nobody = append(o.Nobody, t)
		}
	}
}

// grace is the time in which a process may end after its deadline: gateways give it as long.
const grace = 5 * time.Second

// HungObservation is a start, and beyond quick a result, whose model does not answer.
type HungObservation struct {
	host.Turns
	Control  host.Turn     `json:"control"` // while the model answers
	Hung     host.Turn     `json:"hung"`
	Deadline time.Duration `json:"deadlineNs"`
	Asked    int           `json:"asked"`           // how often the silent model was asked
	Later    *host.Turn    `json:"later,omitempty"` // the result
}

// hung makes the plugin's model answer nothing.
var hung = &scenarios.Drive[HungObservation]{
	ID: "agenticloop/hung",
	Title: "starts a run while the model answers, and one while it does not, with a deadline a few seconds ahead; beyond quick, hands it a " +
		"result as well",
	Sends: []string{"two turns: agentic.start", "one turn, beyond quick: agentic.tool_result"},
	Waits: 10 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HungObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Deadline = min(p.Deadline(), p.Patience, 10*time.Second+3*p.Pace.Turn())
		plan := p.ServeModel(ctx, host.Call(p.Tools()[0], host.Object{"url": "http://example.test/"}))
		defer plan.Close()
		var state host.Object
		o.Control, state = p.Turn(ctx, plan.Lay(host.Job{Name: "a start whose model answers", Event: p.Start(p.NewGoal(), nil)}))
		before := plan.Model.Calls()
		plan.Model.Hang()
		zone := time.UTC
		if c.Depth > scenarios.Quick { // a time may be written with any offset
			zone = time.FixedZone("", (30+15*p.Rand.IntN(48))*60*(2*p.Rand.IntN(2)-1))
		}
		wait := func(name string, job host.Job) host.Turn {
			job.Name, job.Timeout = fmt.Sprintf("%s whose model hangs, with a deadline in %s", name, o.Deadline), o.Deadline+grace
			job.Edit = func(request host.Object) {
				request["deadline_at"] = p.Now().Add(o.Deadline).In(zone).Format(time.RFC3339Nano)
			}
			t, _ := p.Turn(ctx, plan.Lay(job))
			return t
		}
		o.Hung = wait("a start", host.Job{Event: p.Start(p.NewGoal(), nil)})
		o.Asked = plan.Model.Calls() - before
		if due, waits := host.PendingOf(o.Control); waits && c.Depth > scenarios.Quick {
			later := wait("a result", host.Job{State: state, Event: p.Result(due, p.AnyResult())})
			o.Later = &later
		}
	},
}
