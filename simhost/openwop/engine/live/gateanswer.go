package live

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// checkAnswer refuses a value that does not resolve the interrupt that is open, or does not come from whom it must. An empty
// principal is somebody of whom nothing is known but that they were sent the token.
func checkAnswer(s *state.State, principal string, value json.RawMessage) error {
	g := s.OpenGate()
	if g == nil {
		return s.Program.CheckAnswer(s.Loop.Asked.Kind, value)
	}
	if !json.Valid(value) {
		return codes.Invalid("resumeValue", "must be JSON")
	}
	switch g.Asked.Kind {
	case openwopv1.InterruptKindClarification:
		return g.CheckAnswers(&s.Rules.Answers, value)
	case openwopv1.InterruptKindExternalEvent:
		return g.CheckEvent(&s.Rules.Answers, value)
	default:
		return g.CheckApproval(&s.Rules.Answers, s.GateNode(), principal, value)
	}
}
