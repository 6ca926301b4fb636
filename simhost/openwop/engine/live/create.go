package live

import (
	"context"
	"errors"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Create is what a run is to be. Values are as encoding/json makes them of JSON; they are the engine's from then on.
type Create struct {
	// ID makes the run's id; creating it again finds the run that is there, and changes nothing. Zero takes one of Options.IDs.
	ID [16]byte

	WorkflowID string                        // of Options.Workflows
	Definition *openwopv1.WorkflowDefinition // runs instead of one of those

	Inputs       map[string]any
	Configurable map[string]any
	Tags         []string
	Metadata     map[string]any
	Owner        *event.Owner
	Scope        string // what the caller has it for; "" for nothing in particular
	Sole         bool   // it must be the only live one of its owner and scope

	Trace  string        // id of the trace that who asks is in, 32 hex digits; "" where there is none
	Origin *state.Origin // the run on another host that dispatches this one; nil where none does

	memory memory.Line   // handed down; nil where the run has its agent's
	ahead  time.Duration // by which its clock is ahead of the host's
}

// Create starts a run and returns it as it is after its first append: ended, where it has to wait for nothing. Refusals:
// not_found for the workflow, validation_error (details.field or details.nodeId), capability_required, payload_too_large,
// run_already_active (details.activeRunId) where it is not the only one that it must be.
func (e *Engine) Create(ctx context.Context, c Create) (openwopv1.RunSnapshot, error) {
	leave, err := e.enter()
	if err != nil {
		return openwopv1.RunSnapshot{}, err
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return openwopv1.RunSnapshot{}, err
	}
	if c.Sole {
		e.claims.Lock()
		defer e.claims.Unlock()
		if err := claimed(e, c); err != nil {
			return openwopv1.RunSnapshot{}, err
		}
	}
	_, snapshot, err := e.named(ctx, c.ID, func(id string) (*liveRun, error) { return e.create(id, c, nil) })
	return snapshot, err
}

// named begins a run under the id of the caller's choice, or a new one. Where there is a run of the chosen id already, it
// is that.
func (e *Engine) named(ctx context.Context, chosen [16]byte, begin func(id string) (*liveRun, error)) (
	id string, snapshot openwopv1.RunSnapshot, err error,
) {
	id = e.newRunID(chosen)
	r, err := begin(id)
	for errors.Is(err, eventlog.ErrConflict) {
		if chosen != ([16]byte{}) {
			snapshot, err = e.look(ctx, id)
			e.wakeID(id) // whoever began it may be gone
			return id, snapshot, err
		}
		// Ids from a seed begin anew with every process, over the runs of the one before.
		if err := ctx.Err(); err != nil {
			return id, snapshot, err
		}
		id = e.newRunID(chosen)
		r, err = begin(id)
	}
	if err != nil {
		return id, snapshot, err
	}
	// Nobody else has its lock for long, and what it is now is at least what its first append made it.
	r.mu.Lock()
	defer r.mu.Unlock()
	return id, r.state.Snapshot(), nil
}

// create starts a run, a child where there is a parent.
func (e *Engine) create(id string, c Create, parent *state.Parent) (*liveRun, error) {
	p, err := e.programs.find(c)
	if err != nil {
		return nil, err
	}
	created, err := checked(e, p, c)
	if err != nil {
		return nil, err
	}
	created.Parent = parent
	created.Origin, created.Trace = c.Origin, c.Trace
	return e.begin(id, p, nil, created, c.started(p))
}

// checked is what a run that is created now is made of, if it can be.
func checked(e *Engine, p *workflow.Program, c Create) (created state.Created, err error) {
	if err := p.CheckNeeds(c.Inputs, e.o.Lacks); err != nil {
		return created, err
	}
	if err := p.CheckInputs(c.Inputs); err != nil {
		return created, err
	}
	created = state.Created{
		Definition:   p.Digest,
		Version:      e.o.Version,
		Configurable: c.Configurable,
		Floor:        e.o.ConfidenceFloor,
		Escalation:   e.o.EscalationKind,
		Memory:       c.memory,
		Scope:        c.Scope,
		AheadMs:      c.ahead.Milliseconds(),
		Verifies:     e.o.Rules.Claims.Serves(rules.ServesVerdicts, e.o.Verifies && e.o.Version >= 6),
		Gates:        e.o.Gates,
	}
	if created.Bounds, err = e.o.bounds(c.Configurable); err != nil {
		return created, err
	}
	if created.AgentThreshold, err = threshold(c.Configurable); err != nil {
		return created, err
	}
	view, err := e.stores.view(e.ctx, p.Viewer(c.Owner, c.memory), e.now().Add(c.ahead))
	if err != nil {
		return created, err
	}
	if !view.Empty() {
		created.View = &view
	}
	return created, nil
}

// started is the first event of a run that is created anew.
func (c Create) started(p *workflow.Program) *event.RunStartedPayload {
	return &event.RunStartedPayload{
		WorkflowID: p.Definition.ID,
		Inputs:     c.Inputs,
		Owner:      c.Owner,
		Tags:       c.Tags,
		Metadata:   c.Metadata,
	}
}

// begin takes the first steps of a run and appends them. started is nil for a fork that begins as its source did. Where
// the log has a run of this id already, the error is
// eventlog.ErrConflict.
func (e *Engine) begin(id string, p *workflow.Program, t *step.Tape, created state.Created,
	started *event.RunStartedPayload) (*liveRun, error) {
	if err := e.programs.keep(p); err != nil {
		return nil, tooLarge(err)
	}
	r := &liveRun{id: id, state: state.New(id, p, &e.o.Rules), tape: t}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Ahead = time.Duration(created.AheadMs) * time.Millisecond // its first event is by its own clock
	m := &step.Move{}
	e.equip(r, m)
	m.Start(created, started)
	w := e.steps(m)
	// A run that goes on after its first append must be findable before it, else a reader might make another of it from the
	// log; and marked, so that a restart finds it.
	if m.Err == nil && w != step.WaitsForNothing {
		if e.share(r) != r {
			return nil, eventlog.ErrConflict
		}
		r.pending = true
		if err := e.o.Log.MarkPending(e.ctx, id); err != nil {
			m.Err = err
		}
	}
	if err := e.commit(r, m); err != nil {
		if errors.Is(err, eventlog.ErrConflict) {
			unmark(e, id)
		}
		return nil, tooLarge(err)
	}
	switch {
	case w == step.WaitsForNothing:
		e.keepEnded(r)
		tellLate(e, r)
	case w == step.WaitsToCreate && r.state.Inherits():
		children{e}.createHeir(r)
	case w.Short():
		e.wake(r)
	default:
		e.arm(r, w)
	}
	return r, nil
}

// unmark takes back the mark of a run that somebody else began, if it has ended since.
func unmark(e *Engine, id string) {
	if r, err := e.load(e.ctx, id); err == nil && r != nil && r.state.Ended() {
		e.o.Log.ClearPending(id)
	}
}

// tooLarge turns the log's word for it into a refusal.
func tooLarge(err error) error {
	if errors.Is(err, eventlog.ErrTooLarge) {
		return codes.Refuse(codes.TooLarge, err.Error())
	}
	return err
}

// ID is the id of the run that Create makes with this one chosen for it.
func (e *Engine) ID(chosen [16]byte) string {
	shape := workflow.Letters
	if n := len(e.o.Shapes); n > 0 {
		shape = e.o.Shapes[int(chosen[0])%n]
	}
	return shape.Run(chosen)
}

// newRunID is the id of a run that is created from outside: of the caller's choice, or a new one.
func (e *Engine) newRunID(chosen [16]byte) string {
	if chosen == ([16]byte{}) {
		chosen = e.o.IDs.Next()
	}
	return e.ID(chosen)
}
