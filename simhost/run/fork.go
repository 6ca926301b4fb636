package run

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
)

// Fork is how a run is to be forked. FromSeq is the first sequence that is run again; nil is 0.
type Fork struct {
	// ID makes the fork's id; forking again finds the fork that is there, and changes nothing. Zero takes one of Options.IDs.
	ID [16]byte

	Mode    string
	FromSeq *int64
}

// ForkResult is the fork that was made.
type ForkResult struct {
	RunID       string
	SourceRunID string
	Mode        string
	FromSeq     int64
	Snapshot    openwopv1.RunSnapshot
}

// Fork starts a run that replays another one, which has ended or is suspended. Refusals: not_found; invalid_from_seq;
// run_already_active where the source is under way; capability_not_provided for mode branch; validation_error for another
// mode.
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
	// The fork is what its source was, but nobody's child: its end is no parent's business.
	created := source.created
	created.Parent = nil
	created.Fork = &link
	id, snapshot, err := e.named(ctx, f.ID, func(id string) (*liveRun, error) {
		return e.begin(id, source.program, newTape(link, records), created, nil)
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
	link = ForkLink{RunID: id, Through: s.next - 1}
	if f.FromSeq != nil {
		link.FromSeq = *f.FromSeq
	}
	switch {
	case f.Mode == string(openwopv1.ForkModeBranch):
		err = refuse(CodeNotProvided, "this host does not fork in mode branch: use replay", "mode", f.Mode)
	case f.Mode != string(openwopv1.ForkModeReplay):
		err = invalid("mode", "must be replay, not %q", f.Mode)
	case link.FromSeq < 0 || link.FromSeq > s.next:
		err = refuse(CodeInvalidFromSeq, fmt.Sprintf("fromSeq %d: must be 0 to %d", link.FromSeq, s.next),
			"fromSeq", link.FromSeq, "maxSeq", s.next-1)
	case !s.Ended() && !s.Waiting():
		err = refuse(CodeRunActive, fmt.Sprintf("run %s is under way: fork it when it has ended or is suspended", id),
			"activeRunId", id)
	}
	return link, s, err
}
