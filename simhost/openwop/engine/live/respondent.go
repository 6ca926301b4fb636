package live

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// respondentKey carries in a context who answers an interrupt.
type respondentKey struct{}

// As returns a context in which the principal of this name answers an interrupt. Without one nothing is known of who answers
// but that they were sent the interrupt's token.
func As(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, respondentKey{}, state.Respondent{Principal: principal, Keyless: principal == ""})
}

// AsBound is As for a principal whom a token names. keyless says that no key came with the token.
func AsBound(ctx context.Context, principal string, keyless bool) context.Context {
	return context.WithValue(ctx, respondentKey{}, state.Respondent{Principal: principal, Keyless: keyless, Bound: true})
}

// keyVoter is the member of an answer that says who votes, where the host trusts that.
const keyVoter = "voter"

// maxVoter bounds the name of a voter, in bytes: it stands in the event of each vote.
const maxVoter = 256

// respondent is who answers: the principal of the context, or, at an approval of a host that trusts its voters, the one whom
// the answer names. An answer by the token of one voter that names another is refused.
func respondent(ctx context.Context, s *state.State, answer json.RawMessage, trusts bool) (state.Respondent, error) {
	who, known := ctx.Value(respondentKey{}).(state.Respondent)
	who.Keyless = who.Keyless || !known
	g := s.OpenGate()
	if !trusts || g == nil || g.Asked.Kind != event.Approval {
		return who, nil
	}
	said := workflow.Member(answer, keyVoter)
	if said == nil {
		return who, nil
	}
	var voter string
	switch err := json.Unmarshal(said, &voter); {
	case err != nil || voter == "" || len(voter) > maxVoter:
		return who, codes.Invalid("resumeValue."+keyVoter, "must name who votes, in 1 to %d bytes", maxVoter)
	case who.Bound && voter != who.Principal:
		return who, codes.Refuse(codes.Forbidden, "this token is another voter's: leave resumeValue.voter out, or send their own token",
			"nodeId", s.GateNode().ID, "interruptId", g.Asked.InterruptID)
	}
	who.Principal = voter
	return who, nil
}
