package correlation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// ResultsObservation is one run to which all kinds of results were delivered, each from a state of the agent's own.
type ResultsObservation struct {
	host.Turns
	Start      host.Turn    `json:"start"`
	Pending    host.Pending `json:"pending"`
	Matching   host.Turn    `json:"matching"`   // the result that is pending
	Twin       host.Turn    `json:"twin"`       // the same request, byte for byte
	Again      host.Turn    `json:"again"`      // the same result once more, with the state after it
	Late       []host.Turn  `json:"late"`       // and again and again
	Stale      host.Turn    `json:"stale"`      // a step below the pending one
	Old        host.Turn    `json:"old"`        // one that is older still
	StaleWrong host.Turn    `json:"staleWrong"` // that of another tool
	Later      []host.Turn  `json:"later"`      // a step above the pending one
	Wrong      host.Turn    `json:"wrong"`      // the pending step of another tool
	Finished   []host.Turn  `json:"finished"`   // results for runs that are done or escalated
	Unknown    host.Turn    `json:"unknown"`    // a run that never was
	Misshapen  []host.Turn  `json:"misshapen"`  // results that do not correlate
	Rounded    []host.Turn  `json:"rounded"`    // steps that some languages take for the pending one
	Statuses   []host.Turn  `json:"statuses"`   // neither ok nor error
	Zero       host.Turn    `json:"zero"`       // the pending result with what a gateway in Go adds
	Stranger   string       `json:"stranger"`   // the id of the run that never was
	Live       bool         `json:"live"`       // the profile says that it does not decide alike each time
}

const otherTool = "assay-other-tool"

// results delivers every kind of result to one run, each to a state that the agent left itself, with nothing changed but
// fields that the text names.
var Results = &scenarios.Drive[ResultsObservation]{
	ID:    "agenticloop/results",
	Title: "starts a run and delivers to it, each from the agent's own state, a result that matches, comes twice, is stale, too early, of another tool, misshapen, or for a run that is over",
	Sends: []string{"one turn: agentic.start", "about 30 turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ResultsObservation) {
		p := host.Open(c, &o.Turns)
		*o = ResultsObservation{Live: p.Live()}
		deliverResults(ctx, p, o)
	},
}

func deliverResults(ctx context.Context, p *host.Plugin, o *ResultsObservation) {
	s, ok := p.Begin(ctx, host.Job{Name: "the start"})
	o.Start, o.Pending = s.Turn, s.Pending
	if !ok {
		return
	}
	due := s.Pending
	input := scenarios.Get(json.Marshal(p.Request(host.Job{State: s.State, Event: p.Result(due, p.AnyResult())}, p.Deadline())))
	var next host.Object
	if o.Matching, next = p.Turn(ctx, host.Job{Name: "the result that is pending", State: s.State, Input: input}); !o.Matching.Answered() {
		return
	}
	o.Twin, _ = p.Turn(ctx, host.Job{Name: "the same request again", State: s.State, Input: input})
	for i := range 4 {
		t, after := p.Turn(ctx, host.Job{Name: fmt.Sprintf("the result again (%d)", i+1), State: next, Event: p.Result(due, p.AnyResult())})
		next = after
		if i == 0 {
			o.Again = t
		}
		o.Late = append(o.Late, t)
	}
	third := host.AtStep(s.State, due.Run, 3)
	deliver := func(name string, state host.Object, due host.Pending) (host.Turn, host.Object) {
		return p.Turn(ctx, host.Job{Name: name, State: state, Event: p.Result(due, p.AnyResult())})
	}
	o.Stale, _ = deliver("step 2 while 3 is pending", third, host.Pending{Run: due.Run, Step: 2, Tool: due.Tool})
	o.Old, _ = deliver("step 1 while 3 is pending", third, due)
	o.StaleWrong, _ = deliver("step 2 of another tool while 3 is pending", third, host.Pending{Run: due.Run, Step: 2, Tool: otherTool})
	for _, l := range []struct {
		name  string
		state host.Object
		step  int64
	}{{"the step after the pending one", s.State, due.Step + 1}, {"step 4 while 3 is pending", third, 4}, {"a step far above", s.State, 1000}} {
		t, _ := deliver(l.name, l.state, host.Pending{Run: due.Run, Step: l.step, Tool: due.Tool})
		o.Later = append(o.Later, t)
	}
	var over host.Object
	o.Wrong, over = deliver("the pending step of another tool", s.State, host.Pending{Run: due.Run, Step: due.Step, Tool: otherTool})
	deliverOdd(ctx, p, o, s, over, deliver)
}

// deliverOdd goes on with results for finished and unknown runs, and with those that cannot be read.
func deliverOdd(ctx context.Context, p *host.Plugin, o *ResultsObservation, s host.Started, over host.Object, deliver func(string, host.Object, host.Pending) (host.Turn, host.Object)) {
	due := s.Pending
	ended := host.Object{"status": "done", "pending_step": nil, "pending_tool": nil}
	for _, f := range []struct {
		name  string
		state host.Object
		p     host.Pending
	}{
		{"the last result for a done run", host.WithFields(s.State, due.Run, ended), due},
		{"another tool for a done run", host.WithFields(s.State, due.Run, ended), host.Pending{Run: due.Run, Step: due.Step, Tool: otherTool}},
		{"a later step for a done run", host.WithFields(s.State, due.Run, ended), host.Pending{Run: due.Run, Step: due.Step + 1, Tool: due.Tool}},
		// What was pending may still stand there: that the run is over comes first.
		{"the pending result for a run marked as done", host.WithFields(s.State, due.Run, host.Object{"status": "done"}), due},
		{"the pending result for an escalated run", host.WithFields(s.State, due.Run, host.Object{"status": "escalated"}), due},
		{"another tool for an escalated run", host.WithFields(s.State, due.Run, host.Object{"status": "escalated"}), host.Pending{Run: due.Run, Step: due.Step, Tool: otherTool}},
		{"a later step for the run that was escalated", host.WithFields(over, due.Run, host.Object{"status": "escalated"}), host.Pending{Run: due.Run, Step: due.Step + 1, Tool: due.Tool}},
	} {
		t, _ := deliver(f.name, f.state, f.p)
		o.Finished = append(o.Finished, t)
	}
	o.Stranger = p.NewID()
	o.Unknown, _ = deliver("a run that never was", s.State, host.Pending{Run: o.Stranger, Step: due.Step, Tool: due.Tool})
	deliverMisshapen(ctx, p, o, s)
	e := p.Result(due, p.AnyResult())
	e["timestamp"], e["source"], e["hop"] = "0001-01-01T00:00:00Z", "jina-reader", 3
	o.Zero, _ = p.Turn(ctx, host.Job{Name: "the pending result with the zero time", State: s.State, Event: e})
}

func deliverMisshapen(ctx context.Context, p *host.Plugin, o *ResultsObservation, s host.Started) {
	for _, m := range []struct {
		name, key string
		value     any // nil takes it out
		into      *[]host.Turn
	}{
		{"a result without run_id", "run_id", nil, &o.Misshapen},
		{"a result without step", "step", nil, &o.Misshapen},
		{"a result without tool", "tool", nil, &o.Misshapen},
		{"step 0", "step", 0, &o.Misshapen},
		{"step -1", "step", -1, &o.Misshapen},
		{"a step that is a word", "step", "x", &o.Misshapen},
		{"a step that is a text", "step", fmt.Sprint(s.Step), &o.Misshapen},
		{"step 1e30", "step", json.Number("1e30"), &o.Misshapen},
		{"a step that is an object", "step", host.Object{"n": s.Step}, &o.Misshapen},
		{"a run_id that is a list", "run_id", []any{s.Run}, &o.Misshapen},
		{"a step with a fraction", "step", json.Number(fmt.Sprintf("%d.9", s.Step)), &o.Rounded},
		{"a step that is true", "step", true, &o.Rounded},
		{"no status", "status", nil, &o.Statuses},
		{"the status pending", "status", "pending", &o.Statuses},
		{"the status 1", "status", 1, &o.Statuses},
		{"the status true", "status", true, &o.Statuses},
	} {
		e := p.Result(s.Pending, p.AnyResult())
		payload := e["payload"].(host.Object)
		if m.value == nil {
			delete(payload, m.key)
		} else {
			payload[m.key] = m.value
		}
		t, _ := p.Turn(ctx, host.Job{Name: m.name, State: s.State, Event: e})
		*m.into = append(*m.into, t)
	}
}
