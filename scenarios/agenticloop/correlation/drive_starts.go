package correlation

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// StartsObservation is several starts.
type StartsObservation struct {
	host.Turns
	First   host.Turn   `json:"first"`
	Second  host.Turn   `json:"second"` // of the same goal, with the state after the first
	Trigger host.Turn   `json:"trigger"`
	NoGoal  []host.Turn `json:"noGoal"`
	Goal    string      `json:"goal"` // of the first
	// Aliases maps a plugin to its tool, for requests whose route has another name than their tool.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// Starts starts runs, with a goal and without.
var Starts = &scenarios.Drive[StartsObservation]{
	ID: "agenticloop/starts",
	Title: "starts two runs for one goal, the second with the state after the first, one as api.trigger, " +
		"and tries to start one without a goal",
	Sends: []string{
		"three turns: agentic.start, agentic.start, api.trigger",
		"five turns: agentic.start without a goal that can be read",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StartsObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Goal, o.Aliases = p.NewGoal(), p.Profile.Aliases
		var state host.Object
		o.First, state = p.Turn(ctx, host.Job{Name: "the first start", Event: p.Start(o.Goal, nil)})
		o.Second, _ = p.Turn(ctx, host.Job{Name: "another start", State: state, Event: p.Start(o.Goal, nil)})
		trigger := p.Start(p.NewGoal(), nil)
		trigger["type"] = host.Trigger
		o.Trigger, _ = p.Turn(ctx, host.Job{Name: "a start as api.trigger", Event: trigger})
		for _, g := range []struct {
			name string
			goal any // nil removes it
		}{
			{"a start without a goal", nil},
			{"a start with an empty goal", ""},
			{"a start with a blank goal", " \t\n"},
			{"a start whose goal is a number", 7},
			{"a start whose goal is an object", host.Object{"goal": "x"}},
		} {
			e := p.Start("", nil)
			payload := e["payload"].(host.Object)
			if payload["goal"] = g.goal; g.goal == nil {
				delete(payload, "goal")
			}
			t, _ := p.Turn(ctx, host.Job{Name: g.name, Event: e})
			o.NoGoal = append(o.NoGoal, t)
		}
	},
}
