package live

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Fork starts a run that replays another one, or branches off it. The other one has ended or is suspended. Refusals:
// not_found; invalid_from_seq; run_already_active where the source is under way; validation_error for another mode, for a
// branch that does not say from where, and for an overlay on a replay; replay_memory_snapshot_unavailable where the memory as
// of that event is no longer kept; for a branch also those of Create.
func (e *Engine) Fork(ctx context.Context, runID string, f step.Fork) (step.ForkResult, error) {
	leave, err := e.enter()
	if err != nil {
		return step.ForkResult{}, err
	}
	defer leave()
	link, source, err := e.source(ctx, runID, f)
	if err != nil {
		return step.ForkResult{}, err
	}
	records, _, err := e.read(ctx, link.RunID)
	if err != nil {
		return step.ForkResult{}, err
	}
	if link.Branch && underWayAbroad(records, link.Through) {
		return step.ForkResult{}, codes.Refuse(codes.InvalidFromSeq,
			fmt.Sprintf("at fromSeq %d a child is under way on another host, which cannot be of two runs", link.FromSeq),
			"fromSeq", link.FromSeq)
	}
	// The fork is what its source was, but nobody's child: its end is no parent's business.
	created := source.Created
	created.Parent, created.Origin = nil, nil
	created.Fork = &link
	started := (*openwopv1.RunStartedPayload)(nil)
	recalled, err := e.stores.recall(ctx, &source, records, link)
	if err != nil {
		return step.ForkResult{}, err
	}
	if link.Branch {
		if started, err = e.branch(&created, source, f); err != nil {
			return step.ForkResult{}, err
		}
	}
	id, snapshot, err := e.named(ctx, f.ID, func(id string) (*liveRun, error) {
		recalled.of(id, &created)
		return e.begin(id, source.Program, step.NewTape(id, link, records), created, started)
	})
	if err != nil {
		return step.ForkResult{}, err
	}
	return step.ForkResult{RunID: id, SourceRunID: link.RunID, Mode: f.Mode, FromSeq: link.FromSeq, Snapshot: snapshot}, nil
}

// source checks what is to be forked and how. Existence comes first, then the mode, then the bounds.
func (e *Engine) source(ctx context.Context, id string, f step.Fork) (link state.ForkLink, s state.State, err error) {
	err = e.with(ctx, id, func(r *liveRun) error {
		s = r.state.Clone()
		return nil
	})
	if err != nil {
		return link, s, err
	}
	asked := rules.ForkAsk{SourceID: id, Mode: openwopv1.ForkMode(f.Mode), FromSeq: f.FromSeq, Overlaid: f.Overlay != nil, Next: s.Next}
	link = state.ForkLink{RunID: id, FromSeq: asked.From(), Through: e.o.Rules.Replay.Through(asked), Branch: asked.Branch()}
	switch e.o.Rules.Replay.Flaw(asked) {
	case rules.NoMode:
		return link, s, codes.Invalid("mode", "must be replay or branch, not %q", f.Mode)
	case rules.ReplayOverlay:
		return link, s, codes.Invalid("runOptionsOverlay", "a replay takes the options of its source: leave it off, or use mode branch")
	case rules.NoPlace:
		return link, s, codes.Invalid("fromSeq", "must be given: a branch says where it leaves its source")
	case rules.OutsideLog:
		return link, s, step.OutsideLog(*f.FromSeq, s.Next)
	}
	if !s.Ended() && !s.Waiting() {
		return link, s, codes.Refuse(codes.RunActive, fmt.Sprintf("run %s is under way: fork it when it has ended or is suspended", id),
			"activeRunId", id)
	}
	return link, s, nil
}

// branch lays an overlay over what a branch is made of, and checks that as if the run were created now. started is how the
// branch begins, nil where it takes that over from its source.
func (e *Engine) branch(created *state.Created, source state.State, f step.Fork) (started *openwopv1.RunStartedPayload, err error) {
	c := Create{Inputs: source.Inputs, Configurable: created.Configurable, Tags: source.Tags, Metadata: source.Metadata, Owner: source.Owner}
	if o := f.Overlay; o != nil {
		lay := e.o.Rules.Replay.Lays
		c.Configurable, c.Metadata = lay(c.Configurable, o.Configurable), lay(c.Metadata, o.Metadata)
		if o.Tags != nil {
			c.Tags = o.Tags
		}
	}
	now, err := e.made(source.Program, c)
	if err != nil {
		return nil, err
	}
	created.Configurable, created.Bounds, created.AgentThreshold = now.Configurable, now.Bounds, now.AgentThreshold
	if created.Fork.FromSeq == 0 {
		created.View, created.Labels = now.View, nil
		return c.started(source.Program), nil
	}
	created.Labels = &state.Labels{Tags: c.Tags, Metadata: c.Metadata}
	return nil, nil
}
