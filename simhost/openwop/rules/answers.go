package rules

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Answers is which answers a run takes, from whom, and how they are answered themselves.
type Answers struct {
	// Minds tells whether an answer is refused for this.
	Minds func(AnswerFlaw) bool

	// Admits tells whether somebody may answer.
	Admits func(Respondent) bool

	// Decided tells whether a quorum has come to a decision.
	Decided func(t Tally) bool

	// Takes is what an answer is written down as; false: nothing, and the run stays as it is.
	Takes func(a Answer) (value json.RawMessage, taken bool)

	// Late is the code with which an answer is refused that nobody waits for. Where it is empty, the answer is acknowledged
	// and does nothing.
	Late func(l Late) string
}

// AnswerFlaw is what can be wrong with an answer.
type AnswerFlaw int

// The flaws of answers.
const (
	NotOffered   AnswerFlaw = iota // an approval does not offer the action
	Unrejectable                   // likewise, and the action is to reject it
	Misfit                         // it is not what the schema of its question says
	Unanswered                     // a question is not answered
	Missing                        // an event does not have a member of the correlation
	Uncorrelated                   // or has another value there
)

// Respondent is who answers.
type Respondent struct {
	Keyless    bool // nothing is known of them but that they have the token of the interrupt ...
	Profiled   bool // ... and the profile of the approval asks for more
	LacksScope bool // their key is not one that may answer
	Votes      int  // that they have cast at this approval ...
	Changes    bool // ... and now they vote otherwise
	Beside     bool // their key came beside the token of the interrupt
}

// Answer is what somebody says to a run.
type Answer struct {
	Kind    event.Interrupt // of what the run asked last
	Gate    bool            // that was a gate, and not a supervisor
	ByToken bool
	Astray  bool // nobody waits for it where it was sent
	Vote    bool // it takes several
	Refused bool // it cannot be an answer, or not here
	RunID   string
	Value   json.RawMessage
}

// Action is the action of an answer to an approval, "" where it has none.
func (a Answer) Action() openwopv1.ApprovalAction { return actionOf(a.Value) }

// Late is an answer that nobody waits for, or not there.
type Late struct {
	Answer
	Code   string          // of the refusal, as it should be
	Before json.RawMessage // what the run was answered last; nil where it was not
	Child  bool            // it was dispatched by another
	Asked  int             // how often the run has asked
}

// Codes of refusals of late answers.
const (
	InterruptNotFound = "interrupt_not_found"
	InterruptResolved = "interrupt_already_resolved"
	InterruptGone     = "interrupt_gone"
	InterruptExpired  = "interrupt_expired"
)

// Overrules tells whether the answer says something else than the one before it.
func (l Late) Overrules() bool { return actionOf(l.Before) != l.Action() }

// Tally are the votes at an approval by several people.
type Tally struct {
	Granted, Rejected, Required int
	Majority                    bool // decides about rejections; otherwise each has a veto
}

func honestAnswers() Answers {
	return Answers{
		Minds:   func(AnswerFlaw) bool { return true },
		Admits:  func(r Respondent) bool { return !(r.Keyless && r.Profiled) && !r.LacksScope && r.Votes == 0 },
		Decided: decided,
		Takes:   func(a Answer) (json.RawMessage, bool) { return a.Value, !a.Refused },
		Late:    func(l Late) string { return l.Code },
	}
}

func decided(t Tally) bool {
	return t.Granted >= t.Required || t.Rejected > 0 && !t.Majority || t.Rejected > t.Required/2
}

func actionOf(answer json.RawMessage) openwopv1.ApprovalAction {
	var said struct {
		Action openwopv1.ApprovalAction `json:"action"`
	}
	_ = json.Unmarshal(answer, &said) // what is no object has no action
	return said.Action
}
