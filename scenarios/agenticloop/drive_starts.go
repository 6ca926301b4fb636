package agenticloop

import (
	"context"

	"github.com/openassay/assay/scenarios"
)

// StartsObservation is several starts, each with the state after the ones before.
type StartsObservation struct {
	Turns
	First   Turn   `json:"first"`
	Second  Turn   `json:"second"` // of the same goal, with the state after the first
	Trigger Turn   `json:"trigger"`
	NoGoal  []Turn `json:"noGoal"`
	Goal    string `json:"goal"` // of the first
	// Aliases are the plugins that a request may go to under another name than its tool's, with that tool.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// starts starts runs, with a goal and without.
var starts = &scenarios.Drive[StartsObservation]{
	ID:    "agenticloop/starts",
	Title: "starts two runs for one goal, the second with the state after the first, one as api.trigger, and tries to start one without a goal",
	Sends: []string{"three turns: agentic.start, agentic.start, api.trigger", "five turns: agentic.start without a goal that can be read"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StartsObservation) {
		a := open(c, &o.Turns)
		*o = StartsObservation{Goal: a.goal(), Aliases: a.profile.Aliases}
		a.starts(ctx, o)
	},
}

func (a *agent) starts(ctx context.Context, o *StartsObservation) {
	var state object
	o.First, state = a.turn(ctx, job{name: "the first start", event: a.start(o.Goal, nil)})
	o.Second, _ = a.turn(ctx, job{name: "another start", state: state, event: a.start(o.Goal, nil)})
	trigger := a.start(a.goal(), nil)
	trigger["type"] = "api.trigger"
	o.Trigger, _ = a.turn(ctx, job{name: "a start as api.trigger", event: trigger})
	for _, g := range []struct {
		name string
		goal any
	}{{"a start without a goal", nil}, {"a start with an empty goal", ""}, {"a start with a blank goal", " \t\n"}, {"a start whose goal is a number", 7}, {"a start whose goal is an object", object{"goal": "x"}}} {
		e := a.start("", nil)
		payload := e["payload"].(object)
		if payload["goal"] = g.goal; g.goal == nil {
			delete(payload, "goal")
		}
		t, _ := a.turn(ctx, job{name: g.name, event: e})
		o.NoGoal = append(o.NoGoal, t)
	}
}
