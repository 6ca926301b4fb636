package state

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// breached is why a run fails after a breach of this kind.
func breached(e event.Event, p *event.BreachedPayload) *Failing {
	f := &Failing{Cause: e.ID, NodeID: e.NodeID, Kind: p.Kind, Limit: int64(p.Limit)}
	switch p.Kind {
	case event.LoopIterations:
		f.Err = openwopv1.RunError{
			Code:    codes.LoopLimit,
			Message: fmt.Sprintf("turn %.0f is over the bound of %.0f", p.Observed, p.Limit),
			Details: map[string]any{"iteration": p.Observed},
		}
	case event.RunDuration:
		f.Err = openwopv1.RunError{
			Code:    codes.Timeout,
			Message: fmt.Sprintf("the run took %.0f ms, over the bound of %.0f ms", p.Observed, p.Limit),
			Details: map[string]any{"elapsedMs": p.Observed},
		}
	default:
		f.Err = openwopv1.RunError{
			Code:    codes.NodeLimit,
			Message: fmt.Sprintf("node execution %.0f is over the bound of %.0f", p.Observed, p.Limit),
		}
	}
	return f
}

// divergedAtRefusal is why a replay fails at the call of a model.
func divergedAtRefusal(p *event.ReplayMeetsRefusalPayload) *event.Error {
	err := codes.Failure(codes.Refused, "the model's answer is a %s one, and in run %s it was a %s one", p.ReplayEnvelopeKind, p.SourceRunID,
		p.OriginalEnvelopeKind)
	err.Details = map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)}
	return err
}

// diverged folds that a replay is not as its source. It fails where it cannot be brought back to what its source did.
func (s *State) diverged(e event.Event, p *event.ReplayDivergedPayload) {
	if s.Stop == nil || s.Stop.Why != StopDiverged {
		s.Differs = true
		if link := s.Created.Fork; link != nil && link.RunID == p.SourceRunID {
			s.Asides = append(s.Asides, e.Sequence)
		}
		return
	}
	s.Failing = &Failing{
		Err: openwopv1.RunError{
			Code:    codes.Diverged,
			Message: "the replay does not take the steps that run " + p.SourceRunID + " took: this host must have changed since",
			Details: map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)},
		},
		Cause: e.ID,
	}
}
