package live

import (
	"context"
	"fmt"
	"maps"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
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

func outsideLog(fromSeq, next int64) error {
	return codes.Refuse(codes.InvalidFromSeq, fmt.Sprintf("fromSeq %d: must be 0 to %d", fromSeq, next), "fromSeq", fromSeq, "maxSeq", next-1)
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
	link, source, err := sourceOf(e, ctx, runID, f)
	if err != nil {
		return ForkResult{}, err
	}
	records, _, err := e.read(ctx, link.RunID)
	if err != nil {
		return ForkResult{}, err
	}
	if link.Branch && underWayAbroad(records, link.Through) {
		return ForkResult{}, codes.Refuse(codes.InvalidFromSeq,
			fmt.Sprintf("at fromSeq %d a child is under way on another host, which cannot be of two runs", link.FromSeq),
			"fromSeq", link.FromSeq)
	}
	// The fork is what its source was, but nobody's child: its end is no parent's business.
	created := source.Created
	created.Scope = "" // which stays its source's
	created.Parent, created.Origin, created.AheadMs = nil, nil, 0
	created.Fork = &link
	started := (*event.RunStartedPayload)(nil)
	recalled, err := e.stores.recall(ctx, &source, records, link)
	if err != nil {
		return ForkResult{}, err
	}
	if link.Branch {
		if started, err = branchOff(e, &created, source, f); err != nil {
			return ForkResult{}, err
		}
	}
	id, snapshot, err := e.named(ctx, f.ID, func(id string) (*liveRun, error) {
		recalled.of(id, &created)
		return e.begin(id, source.Program, step.NewTape(id, link, records), created, started)
	})
	if err != nil {
		return ForkResult{}, err
	}
	return ForkResult{RunID: id, SourceRunID: link.RunID, Mode: f.Mode, FromSeq: link.FromSeq, Snapshot: snapshot}, nil
}

// sourceOf checks what is to be forked and how. Existence comes first, then the mode, then the bounds.
func sourceOf(e *Engine, ctx context.Context, id string, f Fork) (link state.ForkLink, s state.State, err error) {
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
		return link, s, outsideLog(*f.FromSeq, s.Next)
	}
	if !s.Ended() && !s.Waiting() {
		return link, s, codes.Refuse(codes.RunActive, fmt.Sprintf("run %s is under way: fork it when it has ended or is suspended", id),
			"activeRunId", id)
	}
	return link, s, nil
}

// branchOff lays an overlay over what a branch is made of, and checks that as if the run were created now. started is how the
// branch begins, nil where it takes that over from its source.
func branchOff(e *Engine, created *state.Created, source state.State, f Fork) (started *event.RunStartedPayload, err error) {
	c := Create{Inputs: source.Inputs, Configurable: created.Configurable, Tags: source.Tags, Metadata: source.Metadata, Owner: source.Owner}
	if o := f.Overlay; o != nil {
		c.Configurable, c.Metadata = lay(c.Configurable, o.Configurable), lay(c.Metadata, o.Metadata)
		if o.Tags != nil {
			c.Tags = o.Tags
		}
	}
	now, err := checked(e, source.Program, c)
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

// lay is a map with another one laid over it, key by key. nil is none.
func lay(below, above map[string]any) map[string]any {
	if above == nil {
		return below
	}
	both := make(map[string]any, len(below)+len(above))
	maps.Copy(both, below)
	maps.Copy(both, above)
	return both
}
