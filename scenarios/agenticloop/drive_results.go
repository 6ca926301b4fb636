package agenticloop

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/scenarios"
)

// ResultsObservation is one run to which all kinds of results were delivered, each from a state of the agent's own.
type ResultsObservation struct {
	Turns
	Start      Turn    `json:"start"`
	Pending    pending `json:"pending"`
	Matching   Turn    `json:"matching"`   // the result that is pending
	Twin       Turn    `json:"twin"`       // the same request, byte for byte
	Again      Turn    `json:"again"`      // the same result once more, with the state after it
	Late       []Turn  `json:"late"`       // and again and again
	Stale      Turn    `json:"stale"`      // a step below the pending one
	Old        Turn    `json:"old"`        // one that is older still
	StaleWrong Turn    `json:"staleWrong"` // that of another tool
	Later      []Turn  `json:"later"`      // a step above the pending one
	Wrong      Turn    `json:"wrong"`      // the pending step of another tool
	Finished   []Turn  `json:"finished"`   // results for runs that are done or escalated
	Unknown    Turn    `json:"unknown"`    // a run that never was
	Misshapen  []Turn  `json:"misshapen"`  // results that do not correlate
	Rounded    []Turn  `json:"rounded"`    // steps that some languages take for the pending one
	Statuses   []Turn  `json:"statuses"`   // neither ok nor error
	Zero       Turn    `json:"zero"`       // the pending result with what a gateway in Go adds
	Stranger   string  `json:"stranger"`   // the id of the run that never was
	Live       bool    `json:"live"`       // the profile says that it does not decide alike each time
}

const otherTool = "assay-other-tool"

// results delivers every kind of result to one run, each to a state that the agent left itself, with nothing changed but
// fields that the text names.
var results = &scenarios.Drive[ResultsObservation]{
	ID:    "agenticloop/results",
	Title: "starts a run and delivers to it, each from the agent's own state, a result that matches, comes twice, is stale, too early, of another tool, misshapen, or for a run that is over",
	Sends: []string{"one turn: agentic.start", "about 30 turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ResultsObservation) {
		a := open(c, &o.Turns)
		*o = ResultsObservation{Live: a.live()}
		a.results(ctx, o)
	},
}

func (a *agent) results(ctx context.Context, o *ResultsObservation) {
	s, ok := a.begin(ctx, job{name: "the start"})
	o.Start, o.Pending = s.Turn, s.pending
	if !ok {
		return
	}
	p := s.pending
	input := scenarios.Get(json.Marshal(a.request(job{state: s.state, event: a.result(p, a.anyResult())}, a.deadline())))
	var next object
	if o.Matching, next = a.turn(ctx, job{name: "the result that is pending", state: s.state, input: input}); !o.Matching.answered() {
		return
	}
	o.Twin, _ = a.turn(ctx, job{name: "the same request again", state: s.state, input: input})
	for i := range 4 {
		t, after := a.turn(ctx, job{name: fmt.Sprintf("the result again (%d)", i+1), state: next, event: a.result(p, a.anyResult())})
		next = after
		if i == 0 {
			o.Again = t
		}
		o.Late = append(o.Late, t)
	}
	third := at(s.state, p.Run, 3)
	deliver := func(name string, state object, p pending) (Turn, object) {
		return a.turn(ctx, job{name: name, state: state, event: a.result(p, a.anyResult())})
	}
	o.Stale, _ = deliver("step 2 while 3 is pending", third, pending{p.Run, 2, p.Tool})
	o.Old, _ = deliver("step 1 while 3 is pending", third, p)
	o.StaleWrong, _ = deliver("step 2 of another tool while 3 is pending", third, pending{p.Run, 2, otherTool})
	for _, l := range []struct {
		name  string
		state object
		step  int64
	}{{"the step after the pending one", s.state, p.Step + 1}, {"step 4 while 3 is pending", third, 4}, {"a step far above", s.state, 1000}} {
		t, _ := deliver(l.name, l.state, pending{p.Run, l.step, p.Tool})
		o.Later = append(o.Later, t)
	}
	var over object
	o.Wrong, over = deliver("the pending step of another tool", s.state, pending{p.Run, p.Step, otherTool})
	a.deliverOdd(ctx, o, s, over, deliver)
}

// deliverOdd goes on with results for finished and unknown runs, and with those that cannot be read.
func (a *agent) deliverOdd(ctx context.Context, o *ResultsObservation, s started, over object, deliver func(string, object, pending) (Turn, object)) {
	p := s.pending
	ended := object{"status": "done", "pending_step": nil, "pending_tool": nil}
	for _, f := range []struct {
		name  string
		state object
		p     pending
	}{
		{"the last result for a done run", edited(s.state, p.Run, ended), p},
		{"another tool for a done run", edited(s.state, p.Run, ended), pending{p.Run, p.Step, otherTool}},
		{"a later step for a done run", edited(s.state, p.Run, ended), pending{p.Run, p.Step + 1, p.Tool}},
		// What was pending may still stand there: that the run is over comes first.
		{"the pending result for a run marked as done", edited(s.state, p.Run, object{"status": "done"}), p},
		{"the pending result for an escalated run", edited(s.state, p.Run, object{"status": "escalated"}), p},
		{"another tool for an escalated run", edited(s.state, p.Run, object{"status": "escalated"}), pending{p.Run, p.Step, otherTool}},
		{"a later step for the run that was escalated", edited(over, p.Run, object{"status": "escalated"}), pending{p.Run, p.Step + 1, p.Tool}},
	} {
		t, _ := deliver(f.name, f.state, f.p)
		o.Finished = append(o.Finished, t)
	}
	o.Stranger = a.id()
	o.Unknown, _ = deliver("a run that never was", s.state, pending{o.Stranger, p.Step, p.Tool})
	a.deliverMisshapen(ctx, o, s)
	e := a.result(p, a.anyResult())
	e["timestamp"], e["source"], e["hop"] = "0001-01-01T00:00:00Z", "jina-reader", 3
	o.Zero, _ = a.turn(ctx, job{name: "the pending result with the zero time", state: s.state, event: e})
}

func (a *agent) deliverMisshapen(ctx context.Context, o *ResultsObservation, s started) {
	for _, m := range []struct {
		name, key string
		value     any // nil takes it out
		into      *[]Turn
	}{
		{"a result without run_id", "run_id", nil, &o.Misshapen},
		{"a result without step", "step", nil, &o.Misshapen},
		{"a result without tool", "tool", nil, &o.Misshapen},
		{"step 0", "step", 0, &o.Misshapen},
		{"step -1", "step", -1, &o.Misshapen},
		{"a step that is a word", "step", "x", &o.Misshapen},
		{"a step that is a text", "step", fmt.Sprint(s.Step), &o.Misshapen},
		{"step 1e30", "step", json.Number("1e30"), &o.Misshapen},
		{"a step that is an object", "step", object{"n": s.Step}, &o.Misshapen},
		{"a run_id that is a list", "run_id", []any{s.Run}, &o.Misshapen},
		{"a step with a fraction", "step", json.Number(fmt.Sprintf("%d.9", s.Step)), &o.Rounded},
		{"a step that is true", "step", true, &o.Rounded},
		{"no status", "status", nil, &o.Statuses},
		{"the status pending", "status", "pending", &o.Statuses},
		{"the status 1", "status", 1, &o.Statuses},
		{"the status true", "status", true, &o.Statuses},
	} {
		e := a.result(s.pending, a.anyResult())
		payload := e["payload"].(object)
		if m.value == nil {
			delete(payload, m.key)
		} else {
			payload[m.key] = m.value
		}
		t, _ := a.turn(ctx, job{name: m.name, state: s.state, event: e})
		*m.into = append(*m.into, t)
	}
}
