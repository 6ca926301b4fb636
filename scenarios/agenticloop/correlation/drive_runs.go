package correlation

import (
	"context"
	"fmt"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// RunsObservation is three runs in one state, and results for some of them.
type RunsObservation struct {
	host.Turns
	Starts  []host.Turn    `json:"starts"`
	Pending []host.Pending `json:"pending"`
	One     host.Turn      `json:"one"` // the result of the second run
	Crossed []Crossing     `json:"crossed"`
	Half    host.Turn      `json:"half"`  // a result of 32 KiB
	Large   host.Turn      `json:"large"` // in its place, a result of 64 KiB
	Ended   string         `json:"ended"` // a further run, which is done
}

// Crossing is a turn that was handed the id of one run with step and tool of another.
type Crossing struct {
	Turn host.Turn `json:"turn"`
	Of   string    `json:"of"`  // the run that the result names
	Not  string    `json:"not"` // the run that it describes
}

// SeveralRuns has three runs in one state.
var SeveralRuns = &scenarios.Drive[RunsObservation]{
	ID:    "agenticloop/several-runs",
	Title: "starts three runs in one state, delivers the result of one, two large ones, and results that mix up two runs",
	Sends: []string{"three turns: agentic.start", "five turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RunsObservation) {
		p := host.Open(ctx, c, &o.Turns)
		var state host.Object
		for _, name := range []string{"the start of run A", "the start of run B", "the start of run C"} {
			s, ok := p.Begin(ctx, host.Job{Name: name, State: state})
			o.Starts = append(o.Starts, s.Turn)
			if !ok {
				return
			}
			o.Pending = append(o.Pending, s.Pending)
			state = s.State
		}
		first, second := o.Pending[0], o.Pending[1]
		o.Ended = "ended-" + p.NewID()
		over, kept := host.Clone(host.RunsOf(state)[first.Run]).(host.Object)
		if !kept { // the run was lost, as the turns show
			return
		}
		over["status"], over["pending_step"], over["pending_tool"] = "done", nil, nil
		state = host.Clone(state)
		host.RunsOf(state)[o.Ended] = over
		o.One, _ = p.Deliver(ctx, "the result of run B", state, second)
		long := func(kib int) host.Turn {
			body := p.AnyResult()
			body["content"] = strings.Repeat("so it goes on and on and on and ", kib<<10/32)
			body["artifact_path"] = "artifacts/result.txt"
			delete(body, "excerpt")
			t, _ := p.Turn(ctx,
				host.Job{Name: fmt.Sprintf("a result of %d KiB for run A", kib), State: state, Event: p.Result(first, body)})
			return t
		}
		o.Half, o.Large = long(32), long(64)
		apart := host.AtStep(state, second.Run, 3)
		aAsB := host.Pending{Run: first.Run, Step: 3, Tool: second.Tool}
		bAsA := host.Pending{Run: second.Run, Step: first.Step, Tool: first.Tool}
		t, _ := p.Deliver(ctx, "run A with step and tool of run B, which is further on", apart, aAsB)
		o.Crossed = append(o.Crossed, Crossing{t, first.Run, second.Run})
		t, _ = p.Deliver(ctx, "run B with step and tool of run A, which is behind", apart, bAsA)
		o.Crossed = append(o.Crossed, Crossing{t, second.Run, first.Run})
	},
}
