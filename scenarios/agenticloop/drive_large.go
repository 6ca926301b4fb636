package agenticloop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
)

// LargeObservation is what the agent does where the state would become too large, and what with a large result.
type LargeObservation struct {
	Turns
	Start   Turn    `json:"start"`   // with a state of ordinary size
	Goal    Turn    `json:"goal"`    // a start whose goal is larger than the state may be
	Crowded Turn    `json:"crowded"` // a start in a state of 200 finished runs
	After   int     `json:"after"`   // bytes of the state after it
	Result  Turn    `json:"result"`  // a result of 20 MiB
	Pending pending `json:"pending"`
}

// largeThings hands the agent more than it can keep. It runs alone: it takes much memory.
var largeThings = &scenarios.Drive[LargeObservation]{
	ID:        "agenticloop/large-things",
	Title:     "starts a run with a goal of 2 MiB, one in a state of 200 finished runs, and delivers a result of 20 MiB",
	Sends:     []string{"three turns: agentic.start", "one turn: agentic.tool_result of 20 MiB"},
	Exclusive: true,
	Run: func(ctx context.Context, c *scenarios.Conn, o *LargeObservation) {
		a := open(c, &o.Turns)
		a.largeThings(ctx, o)
	},
}

func (a *agent) largeThings(ctx context.Context, o *LargeObservation) {
	s, ok := a.begin(ctx, job{name: "the start"})
	o.Start, o.Pending = s.Turn, s.pending
	if !ok {
		return
	}
	var state object
	o.Goal, _ = a.turn(ctx, job{name: "a start with a goal of 2 MiB", event: a.start(strings.Repeat("and then some ", 150_000), nil)})
	crowd := copied(s.state)
	finished, _ := runsOf(crowd)[s.Run].(object)
	finished["status"], finished["pending_step"], finished["pending_tool"] = "done", nil, nil
	for i := range 200 {
		run := copied(finished)
		run["goal"] = fmt.Sprintf("goal %d %s", i, strings.Repeat("of many words ", 290))
		runsOf(crowd)[fmt.Sprintf("finished-%d-%s", i, a.id())] = run
	}
	// What is left of the MiB is less than one more run of that size.
	filler := mostState - sizeOf(crowd) - 2000
	if filler > 0 {
		run := copied(finished)
		run["goal"] = strings.Repeat("x", filler)
		runsOf(crowd)["finished-filler"] = run
	}
	o.Crowded, state = a.turn(ctx, job{name: "a start in a state of 200 finished runs", state: crowd, event: a.start("goal "+strings.Repeat("of many words ", 290), nil)})
	o.After = sizeOf(state)
	text := strings.Repeat("a sentence of twenty-two ", 20<<20/25)
	body := object{"content_type": "text/plain", "text": text}
	o.Result, _ = a.turn(ctx, job{name: "a result of 20 MiB", state: s.state, event: a.result(s.pending, body), timeout: max(a.deadline(), time.Minute)})
}
