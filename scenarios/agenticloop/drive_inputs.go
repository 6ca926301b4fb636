package agenticloop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
)

// InputsObservation is what came of requests that are none, or that nobody can serve.
type InputsObservation struct {
	Turns
	Start   Turn   `json:"start"`
	Garbage []Turn `json:"garbage"` // no JSON object
	Version Turn   `json:"version"` // protocol 3
	Nobody  []Turn `json:"nobody"`  // commands and events that are unknown
}

// inputs hands the agent what it cannot use.
var inputs = &scenarios.Drive[InputsObservation]{
	ID:    "agenticloop/inputs",
	Title: "hands the agent input that is no request, a request of another protocol version, an unknown command, an unknown event, and handle without an event",
	Sends: []string{"one turn: agentic.start", "about 15 turns that are no requests, or that nobody can serve"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *InputsObservation) {
		a := open(c, &o.Turns)
		a.inputs(ctx, o)
	},
}

func (a *agent) inputs(ctx context.Context, o *InputsObservation) {
	s, ok := a.begin(ctx, job{name: "the start"})
	if o.Start = s.Turn; !ok {
		return
	}
	for _, g := range []struct{ name, input string }{
		{"no input", ""}, {"a blank line", "\n"}, {"input that is no JSON", "start the run, please"}, {"half a request", `{"protocol":2,"job_id":"x","command":"handle","event":{"type":"agentic.st`},
		{"a list", `[{"protocol":2}]`}, {"a text", `"handle"`}, {"null", "null"}, {"a number that JSON does not have", `{"protocol":2,"job_id":"x","command":"handle","config":{},"state":{"n":NaN}}`},
		{"20,000 levels", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)}, {"bytes that are no UTF-8", "{\"protocol\":2,\"job_id\":\"\xff\xfe"},
	} {
		t, _ := a.turn(ctx, job{name: g.name, input: append([]byte{}, g.input...), refused: true})
		o.Garbage = append(o.Garbage, t)
	}
	o.Version, _ = a.turn(ctx, job{name: "a start of protocol 3", event: a.start(a.goal(), nil), refused: true, edit: func(r object) { r["protocol"] = 3 }})
	for _, n := range []job{
		{name: "an unknown event", event: a.event("assay.unknown", object{"run_id": "x", "note": "nobody knows this"}, "")},
		{name: "an event of the gateway's that is none of its", event: a.event("agent.completed", object{"run_id": s.Run}, "")},
		{name: "an unknown command", command: "assay-unknown", event: a.start(a.goal(), nil)},
		{name: "handle without an event"},
		{name: "an event without a type", event: object{"payload": object{"goal": a.goal()}}},
	} {
		n.state = s.state
		t, _ := a.turn(ctx, n)
		o.Nobody = append(o.Nobody, t)
	}
}

// HungObservation is a turn whose model does not answer.
type HungObservation struct {
	Turns
	Hung     Turn          `json:"hung"`
	Deadline time.Duration `json:"deadlineNs"`
	Asked    int           `json:"asked"` // how often the model was asked that does not answer
}

// hung has the model of the agent answer nothing.
var hung = &scenarios.Drive[HungObservation]{
	ID:    "agenticloop/hung",
	Title: "starts a run while the model answers, and one while it does not, with a deadline a few seconds ahead",
	Sends: []string{"two turns: agentic.start"},
	Waits: 10 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HungObservation) {
		a := open(c, &o.Turns)
		if a.profile.Seams == nil || a.profile.Seams.MockLlm == nil {
			scenarios.End(unmodelled())
			return
		}
		*o = HungObservation{Deadline: min(a.deadline(), a.Patience, 10*time.Second)}
		p, err := modelled(ctx, a.profile.Seams.MockLlm, []decision{call(a.tools()[0], object{"url": "http://example.test/"})})
		if err != nil {
			scenarios.End(unsteered(err.Error()))
		}
		defer p.close()
		a.turn(ctx, p.lays(job{name: "a start whose model answers", event: a.start(a.goal(), nil)}))
		before := p.llm.calls()
		p.llm.hang()
		o.Hung, _ = a.turn(ctx, p.lays(job{name: fmt.Sprintf("a start whose model hangs, with a deadline in %s", o.Deadline), event: a.start(a.goal(), nil), timeout: o.Deadline}))
		o.Asked = p.llm.calls() - before
	},
}
