package rules

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// Answers is which answers a run takes, from whom, and how they are answered themselves.
type Answers struct {
	// Offers tells whether an approval can be answered by an action.
	Offers func(offered []openwopv1.ApprovalAction, action openwopv1.ApprovalAction) bool

	// Fits tells whether an answer is one to its question, given whether it is what the question's schema says.
	Fits func(valid bool) bool

	// Needs tells whether each of so many questions must be answered.
	Needs func(questions int) bool

	// Correlates tells whether a member of an event is what the correlation wants; there is whether the event has it.
	Correlates func(want, got any, there bool) bool

	// NeedsKey tells whether an approval asks for more than its token, given whether its profile says so.
	NeedsKey func(profiled bool) bool

	// Responds tells whether a key may answer, given whether it lacks the scope.
	Responds func(lacksScope bool) bool

	// Again tells whether who has voted so often may vote once more.
	Again func(votes int) bool

	// Decided tells whether a quorum has come to a decision.
	Decided func(t Tally) bool

	// Takes is what an answer is written down as.
	Takes func(a Answer) json.RawMessage

	// Leaves tells whether an answer that is refused leaves the run as it is.
	Leaves func(a Answer) bool

	// Late is the code with which an answer is refused that nobody waits for. Where it is empty, the answer is acknowledged
	// and does nothing.
	Late func(l Late) string
}

// Answer is what somebody says to a run.
type Answer struct {
	Kind    openwopv1.InterruptKind // of what the run asked last
	Gate    bool                    // that was a gate, and not a supervisor
	ByToken bool
	Astray  bool // nobody waits for it where it was sent
	Vote    bool // it takes several
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
		Offers:     slices.Contains[[]openwopv1.ApprovalAction],
		Fits:       func(valid bool) bool { return valid },
		Needs:      func(int) bool { return true },
		Correlates: func(want, got any, there bool) bool { return there && reflect.DeepEqual(want, got) },
		NeedsKey:   func(profiled bool) bool { return profiled },
		Responds:   func(lacksScope bool) bool { return !lacksScope },
		Again:      func(votes int) bool { return votes == 0 },
		Decided:    decided,
		Takes:      func(a Answer) json.RawMessage { return a.Value },
		Leaves:     func(Answer) bool { return true },
		Late:       func(l Late) string { return l.Code },
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
