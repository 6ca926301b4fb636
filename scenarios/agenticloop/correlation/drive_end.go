package correlation

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// ToTheEnd drives a run to its end, and delivers its last result again.
var ToTheEnd = &scenarios.Drive[host.EndObservation]{
	ID: "agenticloop/to-the-end",
	Title: "has a run complete after two steps, where its decisions can be steered, and delivers the last result " +
		"three times more",
	Sends: []string{"one turn: agentic.start", "a turn for each step: agentic.tool_result",
		"three turns: the last result again"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *host.EndObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Goal = p.NewGoal()
		p.RunToEnd(ctx, o)
	},
}
