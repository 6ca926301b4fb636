package engine

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Fork is how a run is to be forked. FromSeq is the first sequence that is run again; nil is 0, which a branch has to say.
type Fork struct {
	// ID makes the fork's id; forking again finds the fork that is there, and changes nothing. Zero takes one of Options.IDs.
	ID [16]byte

	Mode    string
	FromSeq *int64

	// Overlay is what a branch has other than its source, nil for nothing; a replay takes none.
	Overlay *Overlay
}

// Overlay is laid over the options of a run: over its configurable and metadata key by key, over its tags as a whole. What
// is nil changes nothing.
type Overlay struct {
	Configurable map[string]any
	Tags         []string
	Metadata     map[string]any
}

// ForkResult is the fork that was made.
type ForkResult struct {
	RunID       string
	SourceRunID string
	Mode        string
	FromSeq     int64
	Snapshot    openwopv1.RunSnapshot
}

// Fork starts a run that replays another one, or branches off it. The other one has ended or is suspended. Refusals:
// not_found; invalid_from_seq; run_already_active where the source is under way; validation_error for another mode, for a
// branch that does not say from where, and for an overlay on a replay; replay_memory_snapshot_unavailable where the memory as
// of that event is no longer kept; for a branch also those of Create.
func (e *Engine) Fork(ctx context.Context, runID string, f Fork) (ForkResult, error) {
	leave, err := e.enter()
	if err != nil {
		return ForkResult{}, err
	}
	defer leave()
	link, source, err := e.source(ctx, runID, f)
	if err != nil {
		return ForkResult{}, err
	}
	records, _, err := e.read(ctx, link.RunID)
	if err != nil {
		return ForkResult{}, err
	}
	if link.Branch && underWayAbroad(records, link.Through) {
		return ForkResult{}, refuse(CodeInvalidFromSeq,
			fmt.Sprintf("at fromSeq %d a child is under way on another host, which cannot be of two runs", link.FromSeq),
			"fromSeq", link.FromSeq)
	}
	// The fork is what its source was, but nobody's child: its end is no parent's business.
	created := source.created
	created.Parent, created.Origin = nil, nil
	created.Fork = &link
	started := (*openwopv1.RunStartedPayload)(nil)
	recalled, err := e.recall(ctx, &source, records, link)
	if err != nil {
		return ForkResult{}, err
	}
	if link.Branch {
		if started, err = e.branch(&created, source, f); err != nil {
			return ForkResult{}, err
		}
	}
	id, snapshot, err := e.named(ctx, f.ID, func(id string) (*liveRun, error) {
		recalled.of(id, &created)
		return e.begin(id, source.program, newTape(id, link, records), created, started)
	})
	if err != nil {
		return ForkResult{}, err
	}
	return ForkResult{RunID: id, SourceRunID: link.RunID, Mode: f.Mode, FromSeq: link.FromSeq, Snapshot: snapshot}, nil
}

// source checks what is to be forked and how. Existence comes first, then the mode, then the bounds.
func (e *Engine) source(ctx context.Context, id string, f Fork) (link ForkLink, s State, err error) {
	err = e.with(ctx, id, func(r *liveRun) error {
		s = r.state.clone()
		return nil
	})
	if err != nil {
		return link, s, err
	}
	asked := rules.ForkAsk{SourceID: id, Mode: openwopv1.ForkMode(f.Mode), FromSeq: f.FromSeq, Overlaid: f.Overlay != nil, Next: s.next}
	link = ForkLink{RunID: id, FromSeq: asked.From(), Through: e.o.Rules.Replay.Through(asked), Branch: asked.Branch()}
	switch e.o.Rules.Replay.Flaw(asked) {
	case rules.NoMode:
		return link, s, invalid("mode", "must be replay or branch, not %q", f.Mode)
	case rules.ReplayOverlay:
		return link, s, invalid("runOptionsOverlay", "a replay takes the options of its source: leave it off, or use mode branch")
	case rules.NoPlace:
		return link, s, invalid("fromSeq", "must be given: a branch says where it leaves its source")
	case rules.OutsideLog:
		return link, s, outsideLog(*f.FromSeq, s.next)
	}
	if !s.Ended() && !s.Waiting() {
		return link, s, refuse(CodeRunActive, fmt.Sprintf("run %s is under way: fork it when it has ended or is suspended", id),
			"activeRunId", id)
	}
	return link, s, nil
}

func outsideLog(fromSeq, next int64) error {
	return refuse(CodeInvalidFromSeq, fmt.Sprintf("fromSeq %d: must be 0 to %d", fromSeq, next), "fromSeq", fromSeq, "maxSeq", next-1)
}

// branch lays an overlay over what a branch is made of, and checks that as if the run were created now. started is how the
// branch begins, nil where it takes that over from its source.
func (e *Engine) branch(created *Created, source State, f Fork) (started *openwopv1.RunStartedPayload, err error) {
	c := Create{Inputs: source.inputs, Configurable: created.Configurable, Tags: source.tags, Metadata: source.metadata, Owner: source.owner}
	if o := f.Overlay; o != nil {
		lay := e.o.Rules.Replay.Lays
		c.Configurable, c.Metadata = lay(c.Configurable, o.Configurable), lay(c.Metadata, o.Metadata)
		if o.Tags != nil {
			c.Tags = o.Tags
		}
	}
	now, err := e.made(source.program, c)
	if err != nil {
		return nil, err
	}
	created.Configurable, created.Bounds, created.AgentThreshold = now.Configurable, now.Bounds, now.AgentThreshold
	if created.Fork.FromSeq == 0 {
		created.View, created.Labels = now.View, nil
		return c.started(source.program), nil
	}
	created.Labels = &Labels{Tags: c.Tags, Metadata: c.Metadata}
	return nil, nil
}
