package goals

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalMisfitsObservation holds requests for invalid goals, and a valid one as the control.
type GoalMisfitsObservation struct {
	Control host.GoalMade `json:"control"`
	Judges  []GoalMisfit  `json:"judges"`
	Modes   []GoalMisfit  `json:"modes"`
	Bounds  []GoalMisfit  `json:"bounds"`
}

// GoalMisfit is a goal requested with one invalid member.
type GoalMisfit struct {
	What string        `json:"what"`
	Made host.GoalMade `json:"made"`
}

// goalAsked is a create request whose members accept any value.
type goalAsked struct {
	Objective    string         `json:"objective"`
	Completion   map[string]any `json:"completion"`
	Continuation map[string]any `json:"continuation"`
	Bounds       map[string]any `json:"bounds"`
}

// goalMisfits requests goals with invalid judges, continuations and bounds.
var goalMisfits = &scenarios.Drive[GoalMisfitsObservation]{
	ID: "openwop/goal-misfits",
	Title: "asks for goals with a judge and a continuation that nobody knows, with those that the host does not advertise, " +
		"and with bounds that cannot be; as the control for one that can",
	Sends: []string{"{create goal}, for each", "{read goal}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalMisfitsObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		if _, o.Control = home.Begin(ctx, host.BoundedTo(h.Between(2, 9))); !madeActive(o.Control) {
			return
		}
		ask := func(to *[]GoalMisfit, unfit, what string, spoil func(*goalAsked)) {
			*to = append(*to, GoalMisfit{What: what, Made: misfit(wire.Misfit(ctx, unfit), home, what, spoil)})
		}
		ask(&o.Judges, openwop.OWP0097B2, "judged by somebody that nobody knows", func(a *goalAsked) { a.Completion["check"] = h.Name("judge") })
		ask(&o.Judges, openwop.OWP0097B2, "judged by the other judge than the host advertises", func(a *goalAsked) {
			a.Completion["check"] = other(h.GoalJudge())
		})
		ask(&o.Modes, openwop.OWP0097B3, "continued in a way that nobody knows", func(a *goalAsked) { a.Continuation["mode"] = h.Name("mode") })
		for _, mode := range unofferedModes(h) {
			ask(&o.Modes, openwop.OWP0097B3, "continued by "+string(mode)+", which the host does not advertise", func(a *goalAsked) {
				a.Continuation = map[string]any{"mode": mode, "armRef": h.Name("arm")}
			})
		}
		for _, b := range []struct {
			what, name string
			value      any
		}{
			{"bounded to no run", "maxLoopIterations", 0},
			{"bounded to less than no run", "maxLoopIterations", -h.Between(1, 99)},
			{"bounded to part of a run", "maxLoopIterations", float64(h.Between(1, 99)) + 0.5},
			{"bounded to a word of runs", "maxLoopIterations", h.Name("many")},
			{"bounded to less than no time", "runTimeoutMs", -h.Between(1, 99)},
			{"bounded to less than no cost", "maxCostUsd", -h.Between(1, 99)},
		} {
			ask(&o.Bounds, openwop.OWP0097B5, b.what, func(a *goalAsked) { a.Bounds = map[string]any{b.name: b.value} })
		}
	},
}

// misfit requests an invalid goal, and reads it if it was made all the same.
func misfit(ctx context.Context, g host.GoalHome, what string, spoil func(*goalAsked)) host.GoalMade {
	a := goalAsked{
		Objective:    g.DrawObjective(),
		Completion:   map[string]any{"check": g.GoalJudge()},
		Continuation: map[string]any{"mode": g.GoalMode()},
		Bounds:       map[string]any{"maxLoopIterations": g.Between(2, 9)},
	}
	spoil(&a)
	made := g.CreateAs(ctx, "create a goal "+what, a.Objective, a)
	return made.Seen(ctx)
}

// other returns the other judge.
func other(judge dialect.GoalCheck) dialect.GoalCheck {
	if judge == dialect.GoalCheckHost {
		return dialect.GoalCheckVerifier
	}
	return dialect.GoalCheckHost
}

// unofferedModes returns the continuation modes that the host does not advertise.
func unofferedModes(h host.Host) (modes []dialect.GoalContinuationMode) {
	for _, mode := range []dialect.GoalContinuationMode{dialect.GoalContinuationModeManual, dialect.GoalContinuationModeSchedule,
		dialect.GoalContinuationModeHeartbeat, dialect.GoalContinuationModeCommitment} {
		if _, on := claims.GoalsBy(mode, "").Look(h.Discovery); !on {
			modes = append(modes, mode)
		}
	}
	return modes
}
