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
	Run: func(ctx context.Context, c *scenarios.Conn) (ResultsObservation, error) {
		a, err := open(c)
		if err != nil {
			return ResultsObservation{}, err
		}
		o := ResultsObservation{Live: a.live()}
		err = a.results(ctx, &o)
		o.Turns = a.turns
		return o, err
	},
}

func (a *agent) results(ctx context.Context, o *ResultsObservation) error {
	s, ok, err := a.begin(ctx, job{name: "the start"})
	o.Start, o.Pending = s.Turn, s.pending
	if err != nil || !ok {
		return err
	}
	p := s.pending
	input, err := json.Marshal(a.request(job{state: s.state, event: a.result(p, a.anyResult())}, a.deadline()))
	if err != nil {
		return err
	}
	var next object
	if o.Matching, next, err = a.turn(ctx, job{name: "the result that is pending", state: s.state, input: input}); err != nil || !o.Matching.answered() {
		return err
	}
	if o.Twin, _, err = a.turn(ctx, job{name: "the same request again", state: s.state, input: input}); err != nil {
		return err
	}
	for i := range 4 {
		t, after, err := a.turn(ctx, job{name: fmt.Sprintf("the result again (%d)", i+1), state: next, event: a.result(p, a.anyResult())})
		if err != nil {
			return err
		}
		next = after
		if i == 0 {
			o.Again = t
		}
		o.Late = append(o.Late, t)
	}
	third := at(s.state, p.Run, 3)
	deliver := func(name string, state object, p pending) (Turn, object, error) {
		return a.turn(ctx, job{name: name, state: state, event: a.result(p, a.anyResult())})
	}
	if o.Stale, _, err = deliver("step 2 while 3 is pending", third, pending{p.Run, 2, p.Tool}); err != nil {
		return err
	}
	if o.Old, _, err = deliver("step 1 while 3 is pending", third, p); err != nil {
		return err
	}
	if o.StaleWrong, _, err = deliver("step 2 of another tool while 3 is pending", third, pending{p.Run, 2, otherTool}); err != nil {
		return err
	}
	for _, l := range []struct {
		name  string
		state object
		step  int64
	}{{"the step after the pending one", s.state, p.Step + 1}, {"step 4 while 3 is pending", third, 4}, {"a step far above", s.state, 1000}} {
		t, _, err := deliver(l.name, l.state, pending{p.Run, l.step, p.Tool})
		if err != nil {
			return err
		}
		o.Later = append(o.Later, t)
	}
	var over object
	if o.Wrong, over, err = deliver("the pending step of another tool", s.state, pending{p.Run, p.Step, otherTool}); err != nil {
		return err
	}
	return a.deliverOdd(ctx, o, s, over, deliver)
}

// deliverOdd goes on with results for finished and unknown runs, and with those that cannot be read.
func (a *agent) deliverOdd(ctx context.Context, o *ResultsObservation, s started, over object, deliver func(string, object, pending) (Turn, object, error)) error {
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
		t, _, err := deliver(f.name, f.state, f.p)
		if err != nil {
			return err
		}
		o.Finished = append(o.Finished, t)
	}
	var err error
	o.Stranger = a.id()
	if o.Unknown, _, err = deliver("a run that never was", s.state, pending{o.Stranger, p.Step, p.Tool}); err != nil {
		return err
	}
	if err := a.deliverMisshapen(ctx, o, s); err != nil {
		return err
	}
	e := a.result(p, a.anyResult())
	e["timestamp"], e["source"], e["hop"] = "0001-01-01T00:00:00Z", "jina-reader", 3
	o.Zero, _, err = a.turn(ctx, job{name: "the pending result with the zero time", state: s.state, event: e})
	return err
}

func (a *agent) deliverMisshapen(ctx context.Context, o *ResultsObservation, s started) error {
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
		t, _, err := a.turn(ctx, job{name: m.name, state: s.state, event: e})
		if err != nil {
			return err
		}
		*m.into = append(*m.into, t)
	}
	return nil
}
