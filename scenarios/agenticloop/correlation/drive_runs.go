package correlation

import (
	"context"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// RunsObservation is three runs in one state, and results for one of them.
type RunsObservation struct {
	host.Turns
	Starts  []host.Turn    `json:"starts"`
	Pending []host.Pending `json:"pending"`
	One     host.Turn      `json:"one"`     // the result of the second run
	Crossed []host.Turn    `json:"crossed"` // the id of one run with step and tool of another
	Of      []string       `json:"of"`      // for each of these, the run that it names
	Not     []string       `json:"not"`     // and the run that it describes
	Large   host.Turn      `json:"large"`   // a result of 64 KiB
	Marker  string         `json:"marker"`  // that stands in it
	Ended   string         `json:"ended"`   // a further run, which is done
	Grown   int            `json:"grown"`   // by how many bytes the state grew with it
}

// severalRuns has three runs in one state.
var SeveralRuns = &scenarios.Drive[RunsObservation]{
	ID:    "agenticloop/several-runs",
	Title: "starts three runs in one state, delivers the result of one, a large one, and results that mix up two runs",
	Sends: []string{"three turns: agentic.start", "four turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RunsObservation) {
		p := host.Open(c, &o.Turns)
		*o = RunsObservation{Marker: strings.ReplaceAll(p.NewID(), "-", "")}
		runThree(ctx, p, o)
	},
}

func runThree(ctx context.Context, p *host.Plugin, o *RunsObservation) {
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
	if !kept { // the run was lost: the turns show it
		return
	}
	over["status"], over["pending_step"], over["pending_tool"] = "done", nil, nil
	state = host.Clone(state)
	host.RunsOf(state)[o.Ended] = over
	o.One, _ = p.Turn(ctx, host.Job{Name: "the result of run B", State: state, Event: p.Result(second, p.AnyResult())})
	large := p.AnyResult()
	large["content"] = o.Marker + strings.Repeat(" and so it goes on", 64<<10/18) + o.Marker
	large["artifact_path"] = "artifacts/result.txt"
	delete(large, "excerpt")
	t, after := p.Turn(ctx, host.Job{Name: "a result of 64 KiB for run A", State: state, Event: p.Result(first, large)})
	o.Large, o.Grown = t, host.SizeOf(after)-host.SizeOf(state)
	apart := host.AtStep(state, second.Run, 3)
	for _, x := range []struct {
		name  string
		run   string
		as    host.Pending
		other string
	}{
		{"run A with step and tool of run B, which is further on", first.Run, host.Pending{Run: second.Run, Step: 3, Tool: second.Tool}, second.Run},
		{"run B with step and tool of run A, which is behind", second.Run, first, first.Run},
	} {
		t, _ := p.Turn(ctx, host.Job{Name: x.name, State: apart, Event: p.Result(host.Pending{Run: x.run, Step: x.as.Step, Tool: x.as.Tool}, p.AnyResult())})
		o.Crossed, o.Of, o.Not = append(o.Crossed, t), append(o.Of, x.run), append(o.Not, x.other)
	}
}
