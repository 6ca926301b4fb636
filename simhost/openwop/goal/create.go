package goal

import (
	"context"
	"encoding/hex"
	"math"
	"unicode/utf8"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Create is what a goal is to be.
type Create struct {
	// ID makes the goal's id; creating it again finds the goal that is there, and changes nothing. Zero takes one of
	// Options.IDs.
	ID [16]byte

	Objective    string // 1 to 8192 characters
	Completion   openwopv1.GoalCompletionRequest
	Continuation openwopv1.GoalContinuation
	Bounds       openwopv1.GoalBounds
}

// Edit is what of a goal is to change; what is zero stays.
type Edit struct {
	Objective    string                           `json:"objective,omitzero"`
	Completion   *openwopv1.GoalCompletionRequest `json:"completion,omitempty"`
	Continuation *openwopv1.GoalContinuation      `json:"continuation,omitempty"`
}

// maxObjective is in characters.
const maxObjective = 8192

// Create sets up a goal, which is active from then on. Refusals: CodeUnbounded, CodeValidation (details.field), and
// CodeFull.
func (g *Goals) Create(ctx context.Context, c Create) (openwopv1.Goal, error) {
	leave, err := g.enter()
	if err != nil {
		return openwopv1.Goal{}, err
	}
	defer leave()
	objective, err := g.objective(c.Objective)
	if err != nil {
		return openwopv1.Goal{}, err
	}
	if err := g.acceptable(c); err != nil {
		return openwopv1.Goal{}, err
	}
	made := &created{
		Objective:    objective,
		Completion:   named(c.Completion),
		Continuation: c.Continuation,
		Bounds:       c.Bounds,
		Owner:        event.Owner{Tenant: g.o.Tenant},
	}
	id, err := g.newID(ctx, c.ID)
	if err != nil {
		return openwopv1.Goal{}, err
	}
	err = g.boards.Append(ctx, g.log, func(b *board) ([]byte, error) {
		if b.byID[id] != nil {
			return nil, nil
		}
		if len(b.order) >= g.o.MaxGoals {
			return nil, full(g.o.MaxGoals)
		}
		r := record{GoalID: id, At: g.now(0), Created: made}
		return r.encode()
	})
	if err != nil {
		return openwopv1.Goal{}, err
	}
	return g.armed(ctx, id)
}

// newID is the id of a goal: of the caller's choice, or a new one.
func (g *Goals) newID(ctx context.Context, chosen [16]byte) (id string, err error) {
	if chosen != ([16]byte{}) {
		return goalID(chosen), nil
	}
	err = g.view(ctx, func(b *board) error {
		for id == "" || b.byID[id] != nil { // ids from a seed begin anew with every process
			id = goalID(g.o.IDs.Next())
		}
		return nil
	})
	return id, err
}

func goalID(id [16]byte) string { return "goal-" + hex.EncodeToString(id[:]) }

// acceptable refuses what cannot be a goal here.
func (g *Goals) acceptable(c Create) error {
	b := c.Bounds
	if err := g.checkJudge(c.Completion); err != nil {
		return err
	}
	if err := g.checkContinuation(c.Continuation); err != nil {
		return err
	}
	switch {
	case b.MaxLoopIterations != nil && !g.o.Rules.Takes("bounds.maxLoopIterations", *b.MaxLoopIterations >= 1):
		return invalid("bounds.maxLoopIterations", "must be at least 1")
	case b.RunTimeoutMs != nil && *b.RunTimeoutMs < 0:
		return invalid("bounds.runTimeoutMs", "must not be negative")
	case b.RunTimeoutMs != nil && *b.RunTimeoutMs < g.o.LeastTime.Milliseconds():
		return invalid("bounds.runTimeoutMs", "must be at least %d", g.o.LeastTime.Milliseconds())
	case b.MaxCostUSD != nil && !(*b.MaxCostUSD >= 0 && *b.MaxCostUSD <= math.MaxFloat64):
		return invalid("bounds.maxCostUsd", "must be a number that is not negative")
	case g.o.RequireBounds && !g.o.Rules.Takes("bounds", b != openwopv1.GoalBounds{}):
		return refuse(CodeUnbounded, "bounds: a goal must have one: give maxLoopIterations, runTimeoutMs or maxCostUsd", "field", "bounds")
	}
	return checkEnds(c.Continuation, b)
}

// objective is a text as it is kept. The marker of a secret can be longer than the secret, and no objective is ever shown
// that could not be sent.
func (g *Goals) objective(text string) (redacted string, err error) {
	redacted = g.redact.Text(text)
	if n := max(utf8.RuneCountInString(text), utf8.RuneCountInString(redacted)); n < 1 || n > maxObjective {
		return "", invalid("objective", "must be 1 to %d characters", maxObjective)
	}
	return redacted, nil
}

// checkOffered refuses judges and continuations that this host does not have. What is not to change was not asked for.
func (g *Goals) checkOffered(e Edit) error {
	if e.Completion != nil {
		if err := g.checkJudge(*e.Completion); err != nil {
			return err
		}
	}
	if e.Continuation != nil {
		return g.checkContinuation(*e.Continuation)
	}
	return nil
}

// Edit changes a goal while it is active. Refusals: CodeNotFound, CodeValidation, CodeClosed.
func (g *Goals) Edit(ctx context.Context, id string, e Edit) (openwopv1.Goal, error) {
	if e.Objective != "" {
		objective, err := g.objective(e.Objective)
		if err != nil {
			return openwopv1.Goal{}, err
		}
		e.Objective = objective
	}
	if err := g.checkOffered(e); err != nil {
		return openwopv1.Goal{}, err
	}
	if e.Completion != nil {
		e.Completion = new(named(*e.Completion))
	}
	return g.ask(ctx, id, func(s *state) (*record, error) {
		if !g.o.Rules.Edits(s.status, e.Objective != "") {
			return nil, closed(s, "only an active goal can be edited")
		}
		if e.Continuation != nil {
			if err := checkEnds(*e.Continuation, s.Bounds); err != nil {
				return nil, err
			}
		}
		return &record{At: g.now(s.ahead), Edited: &e}, nil
	})
}
