package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// refuses says what is wrong with an answer to the interrupt that is open.
func (r *liveRun) refuses(principal string, value json.RawMessage) error {
	s := &r.state
	if err := refusePaused(s); err != nil {
		return err
	}
	if r.tape.covers(s) {
		return refuse(CodeInterruptResolved, fmt.Sprintf("run %s still replays what became of this in its source", s.runID), "runId", s.runID)
	}
	return checkAnswer(s, principal, value)
}

// heard notes to what a run is answered.
func heard(s *State, a *rules.Answer) {
	if i := s.lastInterrupt(); i != nil {
		a.Kind, a.Gate = i.Kind, s.gateAt(i.NodeID) != nil
	}
	a.RunID, a.Vote = s.runID, s.gate.quorum.several()
}

// tooLate tells whether nobody waits for an answer, given what says so, and how it is refused then; nil is not at all.
func tooLate(s *State, a rules.Answer, closed error) (late bool, refused error) {
	e := (*refusal.Error)(nil)
	if !errors.As(closed, &e) {
		return closed != nil, closed
	}
	l := rules.Late{Answer: a, Code: e.Code, Child: s.created.Parent != nil}
	if i := s.lastInterrupt(); i != nil {
		l.Before = i.Answer
	}
	switch code := s.rules.Answers.Late(l); code {
	case "":
		return true, nil
	case e.Code:
		return true, closed
	default:
		other := *e
		other.Code = code
		return true, &other
	}
}

// askedLast is the kind of the interrupt that was raised last, "" where there was none.
func askedLast(s *State) openwopv1.InterruptKind {
	if i := s.lastInterrupt(); i != nil {
		return i.Kind
	}
	return ""
}
