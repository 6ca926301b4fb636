package goal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

// The workflows of contributing runs: one whose outputs are what its inputs say, and one that asks a person.
const (
	workflowWork  = "assay-goal-work"
	workflowStuck = "assay-goal-stuck"
)

// Tick fires the next run of a goal and says what it is to come to.
type Tick struct {
	Verdict *openwopv1.ScriptedVerdict // nil: not satisfied
	CostUSD float64
	// Escalate has the run wait for a person; it then has no verdict, and no cost that anybody knows.
	Escalate bool
	// ElapsedMs is by how much the goal's own clock moves on first, in ms.
	ElapsedMs int64
}

// Ticked is what a tick came to.
type Ticked struct {
	Goal   openwopv1.Goal
	RunID  string                // "" where no run was fired
	Events []openwopv1.GoalEvent // that it added to the goal's log
}

// Tick moves the goal's clock on, fires a run and has it judged. No run is fired where the goal is paused, and where its
// deadline has passed, which closes it. Ticks of one goal wait for one another; ctx is heard as long as this one waits for
// the others, and not any more once it has begun. Refusals: CodeNotFound, CodeValidation, CodeClosed.
func (g *Goals) Tick(ctx context.Context, id string, t Tick) (Ticked, error) {
	leave, err := g.enter()
	if err != nil {
		return Ticked{}, err
	}
	defer leave()
	if err := t.check(); err != nil {
		return Ticked{}, err
	}
	if _, err := g.Get(ctx, id); err != nil {
		return Ticked{}, err
	}
	release, err := g.take(ctx, id)
	if err != nil {
		return Ticked{}, err
	}
	defer release()
	return g.advance(id, func() (outcome, error) { return g.begin(id, t) })
}

// advance begins a tick and does what is left of it. One that an error kept from its end is ended first. The caller has
// the turn.
func (g *Goals) advance(id string, begin func() (outcome, error)) (Ticked, error) {
	begun, err := begin()
	for errors.Is(err, errUnderWay) {
		if _, _, err = g.finish(id); err == nil {
			begun, err = begin()
		}
	}
	if err != nil {
		return Ticked{}, err
	}
	done, runID, err := g.finish(id)
	if err != nil {
		return Ticked{}, err
	}
	return Ticked{done.goal, runID, append(begun.events, done.events...)}, nil
}

func (t Tick) check() error {
	switch {
	case t.Escalate && t.Verdict != nil:
		return invalid("verdict", "a run that gets stuck has none: leave it off, or escalate")
	case t.Escalate && t.CostUSD != 0:
		return invalid("costUsd", "nobody knows it of a run that gets stuck: leave it off, or escalate")
	case t.Verdict != nil && t.Verdict.Confidence != nil && !(*t.Verdict.Confidence >= 0 && *t.Verdict.Confidence <= 1):
		return invalid("verdict.confidence", "must be 0 to 1")
	case !(t.CostUSD >= 0 && t.CostUSD <= math.MaxFloat64):
		return invalid("costUsd", "must be a number that is not negative")
	case t.ElapsedMs < 0 || t.ElapsedMs > farOff:
		return invalid("elapsedMs", "must be 0 to %d", int64(farOff))
	}
	return nil
}

// errUnderWay: a tick was begun that an error kept from its end.
var errUnderWay = errors.New("another tick is under way")

// begin writes down that the clock moves on, and what follows from that: that a run is fired, or that the goal closes.
func (g *Goals) begin(id string, t Tick) (outcome, error) {
	return g.change(context.Background(), id, func(s *state) (*record, error) {
		ahead := s.ahead + time.Duration(t.ElapsedMs)*time.Millisecond
		switch {
		case s.begun != nil:
			return nil, errUnderWay
		case !s.fires():
			return nil, closed(s, "it fires no run")
		case ahead > farOff*time.Millisecond:
			return nil, invalid("elapsedMs", "the clock of a goal moves on by %d ms in all, at most", int64(farOff))
		}
		r := &record{At: g.now(ahead), AheadMs: t.ElapsedMs}
		switch {
		case s.lapses() && s.late(r.At):
			r.Closed = openwopv1.GoalStateBoundExceeded
		case !s.held(openwopv1.GoalContinuationModeManual):
			r.Fired = &script{t.Verdict, t.CostUSD, t.Escalate}
		case r.AheadMs == 0:
			return nil, nil
		}
		return r, nil
	})
}

// finish does what is left of the tick that was begun: it finds or creates the run, waits for it and has it judged. runID
// is "" where there was nothing to do. Whoever calls it has the turn, and may have lost patience: it is finished all the
// same.
func (g *Goals) finish(id string) (o outcome, runID string, err error) {
	var create *live.Create
	open := false
	err = g.look(g.ctx, id, func(s *state) {
		o.goal, open = s.show(), s.fires()
		if s.begun != nil {
			create = s.begun.create(s)
		}
	})
	switch {
	case err != nil || create == nil:
		return o, "", err
	case !open:
		return g.dropAny(id, *create)
	}
	fired, err := g.o.Runs.Create(g.ctx, *create)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		o, dropErr := g.drop(id, "")
		return o, "", errors.Join(err, dropErr)
	}
	if err != nil {
		return o, "", err
	}
	settled, err := g.settled(g.ctx, fired.RunID)
	if err != nil {
		return o, "", err
	}
	found, err := g.judge(settled)
	if err != nil {
		return o, "", err
	}
	o, err = g.conclude(id, fired.RunID, found)
	return o, fired.RunID, err
}

// create is the run of a tick. Its id derives from the goal and the count of its runs.
func (t *script) create(s *state) *live.Create {
	sum := sha256.Sum256(fmt.Appendf(nil, "contributing run\x00%s\x00%d", s.id, s.fired))
	c := &live.Create{
		ID:         [16]byte(sum[:16]),
		WorkflowID: workflowStuck,
		Metadata:   map[string]any{"goalId": s.id},
		Owner:      new(s.Owner),
	}
	if t.Escalate {
		return c
	}
	c.WorkflowID = workflowWork
	c.Inputs = map[string]any{"satisfied": false, "costUsd": t.CostUSD}
	if v := t.Verdict; v != nil {
		c.Inputs["satisfied"] = v.Satisfied
		if v.Confidence != nil {
			c.Inputs["confidence"] = *v.Confidence
		}
	}
	return c
}

// conclude ends the tick with what the judge found; nil is a run that got stuck.
func (g *Goals) conclude(id, runID string, found *verdict) (outcome, error) {
	return g.change(context.Background(), id, func(s *state) (*record, error) {
		r := &record{At: g.now(s.ahead)}
		switch {
		case !s.active():
			r.Dropped, r.Ran = true, runID
		case found == nil:
			r.Stuck, r.Closed = runID, openwopv1.GoalStateEscalated
		default:
			r.Judged, r.Closed = found, s.ending(*found, r.At)
		}
		return r, nil
	})
}

// dropAny ends a tick whose goal has ended. A former process may have created its run.
func (g *Goals) dropAny(id string, create live.Create) (o outcome, runID string, err error) {
	runID = g.o.Runs.ID(create.ID)
	_, err = g.o.Runs.Snapshot(g.ctx, runID)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) && refused.Code == refusal.NotFound {
		runID, err = "", nil
	}
	if err != nil {
		return o, "", err
	}
	o, err = g.drop(id, runID)
	return o, runID, err
}

// drop ends the tick without a verdict; runID is "" where no run was created.
func (g *Goals) drop(id, runID string) (outcome, error) {
	return g.change(context.Background(), id, func(s *state) (*record, error) {
		return &record{At: g.now(s.ahead), Dropped: true, Ran: runID}, nil
	})
}
