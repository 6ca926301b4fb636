package live

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// refuses says what is wrong with an answer to the interrupt that is open.
func (r *liveRun) refuses(principal string, value json.RawMessage) error {
	s := &r.state
	if err := refusePaused(s); err != nil {
		return err
	}
	if r.tape.Covers(s) {
		return codes.Refuse(codes.InterruptResolved, fmt.Sprintf("run %s still replays what became of this in its source", s.RunID), "runId", s.RunID)
	}
	return checkAnswer(s, principal, value)
}

// heard notes to what a run is answered.
func heard(s *state.State, a *rules.Answer) {
	if i := s.LastInterrupt(); i != nil {
		a.Kind, a.Gate = i.Kind, s.GateAt(i.NodeID) != nil
	}
	a.RunID, a.Vote = s.RunID, s.Gate.Quorum.Several()
}

// tooLate tells whether nobody waits for an answer, given what says so, and how it is refused then; nil is not at all.
func tooLate(s *state.State, a rules.Answer, closed error) (late bool, refused error) {
	e := (*refusal.Error)(nil)
	if !errors.As(closed, &e) {
		return closed != nil, closed
	}
	l := rules.Late{Answer: a, Code: e.Code, Child: s.Created.Parent != nil}
	if i := s.LastInterrupt(); i != nil {
		l.Before = i.Answer
	}
	switch code := s.Rules.Answers.Late(l); code {
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
