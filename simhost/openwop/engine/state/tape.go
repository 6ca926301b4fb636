package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

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
