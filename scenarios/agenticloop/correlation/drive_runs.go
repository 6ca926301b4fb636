package correlation

import (
	"context"
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
	Large   host.Turn      `json:"large"`  // a result of 64 KiB
	Marker  string         `json:"marker"` // a text in that result
	Ended   string         `json:"ended"`  // a further run, which is done
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
	Title: "starts three runs in one state, delivers the result of one, a large one, and results that mix up two runs",
	Sends: []string{"three turns: agentic.start", "four turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RunsObservation) {
		p := host.Open(c, &o.Turns)
		o.Marker = strings.ReplaceAll(p.NewID(), "-", "")
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
		large := p.AnyResult()
		large["content"] = o.Marker + strings.Repeat(" and so it goes on", 64<<10/18) + o.Marker
		large["artifact_path"] = "artifacts/result.txt"
		delete(large, "excerpt")
		o.Large, _ = p.Turn(ctx,
			host.Job{Name: "a result of 64 KiB for run A", State: state, Event: p.Result(first, large)})
		apart := host.AtStep(state, second.Run, 3)
		aAsB := host.Pending{Run: first.Run, Step: 3, Tool: second.Tool}
		bAsA := host.Pending{Run: second.Run, Step: first.Step, Tool: first.Tool}
		t, _ := p.Deliver(ctx, "run A with step and tool of run B, which is further on", apart, aAsB)
		o.Crossed = append(o.Crossed, Crossing{t, first.Run, second.Run})
		t, _ = p.Deliver(ctx, "run B with step and tool of run A, which is behind", apart, bAsA)
		o.Crossed = append(o.Crossed, Crossing{t, second.Run, first.Run})
	},
}
