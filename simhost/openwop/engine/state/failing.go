package state

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// breached is why a run fails after a breach of this kind.
func breached(event openwopv1.RunEvent, p *openwopv1.CapBreachedPayload) *Failing {
	f := &Failing{Cause: event.EventID, NodeID: event.NodeID, Kind: p.Kind, Limit: int64(p.Limit)}
	switch p.Kind {
	case openwopv1.CapKindLoopIterations:
		f.Err = openwopv1.RunError{
			Code:    codes.LoopLimit,
			Message: fmt.Sprintf("turn %.0f is over the bound of %.0f", p.Observed, p.Limit),
			Details: map[string]any{"iteration": p.Observed},
		}
	case openwopv1.CapKindRunDuration:
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
func divergedAtRefusal(p *openwopv1.ReplayDivergedAtRefusalPayload) *openwopv1.EventError {
	err := codes.Failure(codes.Refused, "the model's answer is a %s one, and in run %s it was a %s one", p.ReplayEnvelopeKind, p.SourceRunID,
		p.OriginalEnvelopeKind)
	err.Details = map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)}
	return err
}

// diverged folds that a replay is not as its source. It fails where it cannot be brought back to what its source did.
func (s *State) diverged(event openwopv1.RunEvent, p *openwopv1.ReplayDivergedPayload) {
	if s.Stop == nil || s.Stop.Why != StopDiverged {
		s.Differs = true
		if link := s.Created.Fork; link != nil && link.RunID == p.SourceRunID {
			s.Asides = append(s.Asides, event.Sequence)
		}
		return
	}
	s.Failing = &Failing{
		Err: openwopv1.RunError{
			Code:    codes.Diverged,
			Message: "the replay does not take the steps that run " + p.SourceRunID + " took: this host must have changed since",
			Details: map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)},
		},
		Cause: event.EventID,
	}
}
