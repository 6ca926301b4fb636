package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// divergedAtRefusal is why a replay fails at the call of a model.
func divergedAtRefusal(p *openwopv1.ReplayDivergedAtRefusalPayload) *openwopv1.EventError {
	err := codes.Failure(codes.Refused, "the model's answer is a %s one, and in run %s it was a %s one", p.ReplayEnvelopeKind, p.SourceRunID,
		p.OriginalEnvelopeKind)
	err.Details = map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)}
	return err
}
