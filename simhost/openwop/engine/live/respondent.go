package live

import (
	"context"
	"encoding/json"
	"reflect"

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

// retryKey marks in a context what may have been done before.
type retryKey struct{}

// Retry returns a context in which an answer is given that may have been taken already, by a process that ended before it could
// say so. Who gives it again is told that it was taken.
func Retry(ctx context.Context) context.Context { return context.WithValue(ctx, retryKey{}, true) }

// taken reports whether an answer is a retry, and the last interrupt that it can be meant for was resolved with the same.
func taken(ctx context.Context, s *state.State, answer json.RawMessage, meant func(state.Interrupt) bool) bool {
	if ctx.Value(retryKey{}) == nil {
		return false
	}
	for i := len(s.Interrupts) - 1; i >= 0; i-- {
		if last := s.Interrupts[i]; meant(last) {
			return last.Resolved && sameJSON(last.Answer, answer)
		}
	}
	return false
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
