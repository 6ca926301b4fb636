package agenticloop

import (
	"context"
	"strings"

	"github.com/openassay/assay/scenarios"
)

// RunsObservation is three runs in one state, and results for one of them.
type RunsObservation struct {
	Turns
	Starts  []Turn    `json:"starts"`
	Pending []pending `json:"pending"`
	One     Turn      `json:"one"`     // the result of the second run
	Crossed []Turn    `json:"crossed"` // the id of one run with step and tool of another
	Of      []string  `json:"of"`      // for each of these, the run that it names
	Not     []string  `json:"not"`     // and the run that it describes
	Large   Turn      `json:"large"`   // a result of 64 KiB
	Marker  string    `json:"marker"`  // that stands in it
	Ended   string    `json:"ended"`   // a further run, which is done
	Grown   int       `json:"grown"`   // by how many bytes the state grew with it
}

// severalRuns has three runs in one state.
var severalRuns = &scenarios.Drive[RunsObservation]{
	ID:    "agenticloop/several-runs",
	Title: "starts three runs in one state, delivers the result of one, a large one, and results that mix up two runs",
	Sends: []string{"three turns: agentic.start", "four turns: agentic.tool_result"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RunsObservation) {
		a := open(c, &o.Turns)
		*o = RunsObservation{Marker: strings.ReplaceAll(a.id(), "-", "")}
		a.severalRuns(ctx, o)
	},
}

func (a *agent) severalRuns(ctx context.Context, o *RunsObservation) {
	var state object
	for _, name := range []string{"the start of run A", "the start of run B", "the start of run C"} {
		s, ok := a.begin(ctx, job{name: name, state: state})
		o.Starts = append(o.Starts, s.Turn)
		if !ok {
			return
		}
		o.Pending = append(o.Pending, s.pending)
		state = s.state
	}
	first, second := o.Pending[0], o.Pending[1]
	o.Ended = "ended-" + a.id()
	over, kept := copied(runsOf(state)[first.Run]).(object)
	if !kept { // the run was lost: the turns show it
		return
	}
	over["status"], over["pending_step"], over["pending_tool"] = "done", nil, nil
	state = copied(state)
	runsOf(state)[o.Ended] = over
	o.One, _ = a.turn(ctx, job{name: "the result of run B", state: state, event: a.result(second, a.anyResult())})
	large := a.anyResult()
	large["content"] = o.Marker + strings.Repeat(" and so it goes on", 64<<10/18) + o.Marker
	large["artifact_path"] = "artifacts/result.txt"
	delete(large, "excerpt")
	t, after := a.turn(ctx, job{name: "a result of 64 KiB for run A", state: state, event: a.result(first, large)})
	o.Large, o.Grown = t, sizeOf(after)-sizeOf(state)
	apart := at(state, second.Run, 3)
	for _, x := range []struct {
		name  string
		run   string
		as    pending
		other string
	}{
		{"run A with step and tool of run B, which is further on", first.Run, pending{second.Run, 3, second.Tool}, second.Run},
		{"run B with step and tool of run A, which is behind", second.Run, first, first.Run},
	} {
		t, _ := a.turn(ctx, job{name: x.name, state: apart, event: a.result(pending{x.run, x.as.Step, x.as.Tool}, a.anyResult())})
		o.Crossed, o.Of, o.Not = append(o.Crossed, t), append(o.Of, x.run), append(o.Not, x.other)
	}
}
