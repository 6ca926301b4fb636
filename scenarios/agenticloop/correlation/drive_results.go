package correlation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// ResultsObservation is one run and all kinds of results for it, each delivered to a state that the plugin left.
type ResultsObservation struct {
	host.Turns
	Start      host.Turn    `json:"start"`
	Pending    host.Pending `json:"pending"`
	Matching   host.Turn    `json:"matching"`         // the result that is pending
	Twin       host.Turn    `json:"twin"`             // the same request, byte for byte
	Again      host.Turn    `json:"again"`            // the same result once more, with the state after it
	Late       []host.Turn  `json:"late"`             // and again and again
	Stale      host.Turn    `json:"stale"`            // a step below the pending one
	Old        host.Turn    `json:"old"`              // a step that is older still
	StaleWrong host.Turn    `json:"staleWrong"`       // a stale step of another tool
	Later      []host.Turn  `json:"later"`            // a step above the pending one
	Wrong      host.Turn    `json:"wrong"`            // the pending step of another tool
	Finished   []host.Turn  `json:"finished"`         // results for runs that are done or escalated
	Unknown    host.Turn    `json:"unknown"`          // a run that never was
	Misshapen  []host.Turn  `json:"misshapen"`        // results of no run that is known, or of a step that is over
	Unmatched  []host.Turn  `json:"unmatched"`        // results that do not match, and do not say which check they fail
	Rounded    []host.Turn  `json:"rounded"`          // steps that some languages take for the pending one
	Statuses   []host.Turn  `json:"statuses"`         // neither ok nor error
	Zero       host.Turn    `json:"zero"`             // the pending result with what a gateway in Go adds
	Behind     *host.Turn   `json:"behind,omitempty"` // the pending result of a tool whose clock is behind
	// BehindAgain is the same for a step that was asked for again. Nil at quick, or where none was.
	BehindAgain *host.Turn `json:"behind_again,omitempty"`
	Stranger    string     `json:"stranger"` // the id of the run that never was
	Live        bool       `json:"live"`     // decisions may differ, as far as the profile says
}

// nearStatuses are those that a careless comparison takes for ok.
var nearStatuses = []string{"OK", "Ok", " ok", "ok ", "ok\n", "\tOK ", "okay", "ok, but", "o", "not ok"}

const otherTool = "other-tool"

// Results delivers every kind of result to one run. Each goes to a state that the plugin left, in which at most fields
// that the RFC names were changed.
var Results = &scenarios.Drive[ResultsObservation]{
	ID: "agenticloop/results",
	Title: "starts a run and delivers to it, each from the agent's own state, a result that matches, comes twice, " +
		"is stale, too early, of another tool, misshapen, or for a run that is over",
	Sends: []string{"one turn: agentic.start", "about 30 turns: agentic.tool_result",
		"from depth standard on, one turn: agentic.tool_result that was completed an hour ago"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ResultsObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Live = p.Live()
		s, ok := p.Begin(ctx, host.Job{Name: "the start"})
		o.Start, o.Pending = s.Turn, s.Pending
		if !ok {
			return
		}
		due := s.Pending
		request := p.Request(host.Job{State: s.State, Event: p.Result(due, p.AnyResult())}, p.Deadline())
		input := scenarios.Get(json.Marshal(request))
		matching := host.Job{Name: "the result that is pending", State: s.State, Input: input}
		var next, over host.Object
		if o.Matching, next = p.Turn(ctx, matching); !o.Matching.Answered() {
			return
		}
		o.Twin, _ = p.Turn(ctx, host.Job{Name: "the same request again", State: s.State, Input: input})
		o.Again, next = p.Deliver(ctx, "the result again (1)", next, due)
		o.Late = []host.Turn{o.Again}
		for n := 2; n <= 4; n++ {
			var t host.Turn
			t, next = p.Deliver(ctx, fmt.Sprintf("the result again (%d)", n), next, due)
			o.Late = append(o.Late, t)
		}
		third := host.AtStep(s.State, due.Run, 3)
		o.Stale, _ = p.Deliver(ctx, "step 2 while 3 is pending", third, due.At(2))
		o.Old, _ = p.Deliver(ctx, "step 1 while 3 is pending", third, due)
		o.StaleWrong, _ = p.Deliver(ctx, "step 2 of another tool while 3 is pending", third, due.At(2).Of(otherTool))
		o.Later = deliverEach(ctx, p, []delivery{
			{"the step after the pending one", s.State, due.At(due.Step + 1)},
			{"step 4 while 3 is pending", third, due.At(4)},
			{"a step far above", s.State, due.At(1000)},
		})
		o.Wrong, over = p.Deliver(ctx, "the pending step of another tool", s.State, due.Of(otherTool))
		o.Finished = deliverEach(ctx, p, deliveriesAfterTheEnd(s, over))
		o.Stranger = p.NewID()
		stranger := host.Pending{Run: o.Stranger, Step: due.Step, Tool: due.Tool}
		o.Unknown, _ = p.Deliver(ctx, "a run that never was", s.State, stranger)
		o.deliverMisshapen(ctx, p, s)
		e := p.Result(due, p.AnyResult())
		e["timestamp"], e["source"], e["hop"] = "0001-01-01T00:00:00Z", "jina-reader", 3
		o.Zero, _ = p.Turn(ctx, host.Job{Name: "the pending result with the zero time", State: s.State, Event: e})
		if c.Depth > scenarios.Quick { // run_id, step and tool alone say what a result is about
			const name = "the pending result of a tool whose clock is an hour behind"
			o.Behind = behind(ctx, p, name, s.State, due)
			failed, after := p.Turn(ctx, host.Job{Name: "the failure of a step", State: s.State, Event: p.Failure(due)})
			if again, asked := host.PendingOf(failed); asked && again == due {
				o.BehindAgain = behind(ctx, p, name+", of a step that was asked for again", after, due)
			}
		}
	},
}

// behind delivers a result that says it was completed an hour ago.
func behind(ctx context.Context, p *host.Plugin, name string, state host.Object, due host.Pending) *host.Turn {
	e := p.Result(due, p.AnyResult())
	e["payload"].(host.Object)["completed_at"] = p.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	t, _ := p.Turn(ctx, host.Job{Name: name, State: state, Event: e})
	return &t
}

// delivery is a result that is delivered to a state.
type delivery struct {
	name  string
	state host.Object
	due   host.Pending
}

func deliverEach(ctx context.Context, p *host.Plugin, deliveries []delivery) (turns []host.Turn) {
	for _, d := range deliveries {
		t, _ := p.Deliver(ctx, d.name, d.state, d.due)
		turns = append(turns, t)
	}
	return turns
}

// deliveriesAfterTheEnd are results for finished runs. over is the state in which the plugin itself escalated the run.
func deliveriesAfterTheEnd(s host.Started, over host.Object) []delivery {
	due := s.Pending
	done := host.WithFields(s.State, due.Run, host.Object{"status": "done", "pending_step": nil, "pending_tool": nil})
	// The pending fields may still be set: that the run is over comes first.
	marked := host.WithFields(s.State, due.Run, host.Object{"status": "done"})
	escalated := host.WithFields(s.State, due.Run, host.Object{"status": "escalated"})
	return []delivery{
		{"the last result for a done run", done, due},
		{"another tool for a done run", done, due.Of(otherTool)},
		{"a later step for a done run", done, due.At(due.Step + 1)},
		{"the pending result for a run marked as done", marked, due},
		{"the pending result for an escalated run", escalated, due},
		{"another tool for an escalated run", escalated, due.Of(otherTool)},
		{
			"a later step for the run that was escalated",
			host.WithFields(over, due.Run, host.Object{"status": "escalated"}), due.At(due.Step + 1),
		},
	}
}

// misfit is a result with a member that is not as it has to be.
type misfit struct {
	name, key string
	value     any // nil removes the member
	into      *[]host.Turn
}

func (o *ResultsObservation) deliverMisshapen(ctx context.Context, p *host.Plugin, s host.Started) {
	all := []misfit{
		{"a result without run_id", "run_id", nil, &o.Misshapen},
		{"a result without step", "step", nil, &o.Unmatched},
		{"a result without tool", "tool", nil, &o.Unmatched},
		{"step 0", "step", 0, &o.Misshapen},
		{"step -1", "step", -1, &o.Misshapen},
		{"a step that is a word", "step", "x", &o.Unmatched},
		{"a step that is a text", "step", fmt.Sprint(s.Step), &o.Rounded},
		{"step 1e30", "step", json.Number("1e30"), &o.Unmatched},
		{"a step that is an object", "step", host.Object{"n": s.Step}, &o.Unmatched},
		{"a run_id that is a list", "run_id", []any{s.Run}, &o.Misshapen},
		{"a step with a fraction", "step", json.Number(fmt.Sprintf("%d.9", s.Step)), &o.Rounded},
		{"a step that is true", "step", true, &o.Rounded},
		{"no status", "status", nil, &o.Statuses},
		{"the status pending", "status", "pending", &o.Statuses},
		{"the status 1", "status", 1, &o.Statuses},
		{"the status true", "status", true, &o.Statuses},
	}
	if p.Depth > scenarios.Quick {
		for _, i := range p.Rand.Perm(len(nearStatuses))[:3] {
			all = append(all, misfit{fmt.Sprintf("the status %q", nearStatuses[i]), "status", nearStatuses[i], &o.Statuses})
		}
	}
	for _, m := range all {
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
