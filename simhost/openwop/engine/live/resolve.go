package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// Resolve answers the interrupt that is open at a node, and the run goes on. What value must be depends on the interrupt's
// kind; what does not fit is refused with validation_error and changes nothing. Of several who resolve the same interrupt,
// or cancel its run, one wins. The others hear interrupt_already_resolved, or interrupt_gone where the run was
// stopped and interrupt_expired where it was too late; where the node never asked anything it is interrupt_not_found. Who
// answers is said by As; an interrupt that is not theirs to answer is refused with forbidden. A vote that is repeated
// changes nothing and is no error.
func (e *Engine) Resolve(ctx context.Context, runID, nodeID string, value json.RawMessage) (openwopv1.RunSnapshot, error) {
	return e.resolve(ctx, runID, rules.Answer{Value: value}, func(s *state.State) error { return refuseUnlessAsked(s, nodeID) },
		func(i state.Interrupt) bool { return i.NodeID == nodeID })
}

// ResolveInterrupt is Resolve for the interrupt with this id and no other, whichever is open at its node now.
func (e *Engine) ResolveInterrupt(ctx context.Context, runID, interruptID string, value json.RawMessage) (openwopv1.RunSnapshot, error) {
	return e.resolve(ctx, runID, rules.Answer{Value: value, ByToken: true},
		func(s *state.State) error { return refuseUnlessOpen(s, interruptID) },
		func(i state.Interrupt) bool { return i.ID == interruptID })
}

// resolve answers the interrupt that is open, unless open refuses it. meant tells which it is for.
func (e *Engine) resolve(ctx context.Context, runID string, a rules.Answer, open func(*state.State) error,
	meant func(state.Interrupt) bool) (snapshot openwopv1.RunSnapshot, err error) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		s := &r.state
		heard(s, &a)
		who, unclear := respondent(ctx, s, a.Value, e.o.TrustVoters)
		late, refused := tooLate(s, a, open(s))
		if !late {
			refused = cmp.Or(unclear, r.refuses(who, a.Value))
		}
		if late && refused == nil || errors.Is(refused, state.ErrRepeated) || late && taken(ctx, s, a.Value, meant) {
			snapshot = s.Snapshot()
			return nil
		}
		if refused != nil && !r.waiting() {
			return refused
		}
		a.Astray, a.Refused = late, refused != nil
		answer, counts := s.Rules.Answers.Takes(a)
		if !counts {
			return refused
		}
		before := s.Status
		m := &step.Move{Seen: step.Seen{Answer: answer, Principal: who.Principal}}
		again, err := e.move(r, m)
		if err != nil {
			return tooLarge(err)
		}
		if again {
			e.goOn(r)
		}
		if m.Answer != nil {
			return open(s) // the run, or the interrupt, was over its time before the answer came
		}
		snapshot = s.Snapshot()
		if m.Defers {
			snapshot.Status = before
		}
		return refused
	})
	return snapshot, err
}

// Interrupt returns an interrupt of a run, also one that was resolved long ago. Refusals: not_found for the run,
// interrupt_not_found.
func (e *Engine) Interrupt(ctx context.Context, runID, interruptID string) (found state.Interrupt, err error) {
	leave, err := e.enter()
	if err != nil {
		return found, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		i := findInterrupt(&r.state, interruptID)
		if i == nil {
			return noInterrupt(&r.state, interruptID)
		}
		found = *i
		return nil
	})
	return found, err
}

// findInterrupt is the interrupt with this id, nil where the run never raised it.
func findInterrupt(s *state.State, id string) *state.Interrupt {
	for i := range s.Interrupts {
		if s.Interrupts[i].ID == id {
			return &s.Interrupts[i]
		}
	}
	return nil
}

// refuseUnlessOpen refuses where the interrupt with this id is not open.
func refuseUnlessOpen(s *state.State, id string) error {
	i := findInterrupt(s, id)
	switch {
	case i == nil:
		return noInterrupt(s, id)
	case i.Expired:
		return codes.Refuse(codes.InterruptExpired, fmt.Sprintf("nobody answered interrupt %s of run %s in time", id, s.RunID),
			"runId", s.RunID, "interruptId", id)
	case i.Resolved, s.Decision() != nil:
		return codes.Refuse(codes.InterruptResolved, fmt.Sprintf("interrupt %s of run %s was answered before", id, s.RunID),
			"runId", s.RunID, "interruptId", id)
	case i.Gone:
		return codes.Refuse(codes.InterruptGone, fmt.Sprintf("nobody waits for interrupt %s any more: run %s was stopped", id, s.RunID),
			"runId", s.RunID, "interruptId", id)
	case !s.Waiting():
		return noInterrupt(s, id) // it is about to be requested
	}
	return nil
}

func noInterrupt(s *state.State, id string) error {
	return codes.Refuse(codes.InterruptNotFound, fmt.Sprintf("run %s has no interrupt %q", s.RunID, id), "runId", s.RunID, "interruptId", id)
}

// refuseUnlessAsked refuses where no interrupt is open at a node.
func refuseUnlessAsked(s *state.State, nodeID string) error {
	n := s.Node(nodeID)
	refuse := func(code, format string) error {
		return codes.Refuse(code, fmt.Sprintf(format, nodeID, s.RunID), "runId", s.RunID, "nodeId", nodeID)
	}
	switch {
	case n != nil && s.Waiting() && n.Status == state.NodeSuspended:
		return nil
	case n != nil && n.Expired:
		return refuse(codes.InterruptExpired, "nobody answered node %q of run %s in time")
	case n != nil && n.Gone:
		return refuse(codes.InterruptGone, "nobody waits at node %q any more: run %s was stopped")
	case n != nil && (n.Resolved > 0 || n.Status == state.NodeSuspended && s.Decision() != nil):
		return refuse(codes.InterruptResolved, "node %q of run %s was answered before")
	default:
		return refuse(codes.InterruptNotFound, "no interrupt is open at node %q of run %s")
	}
}

// refuses says what is wrong with an answer to the interrupt that is open.
func (r *liveRun) refuses(who state.Respondent, value json.RawMessage) error {
	s := &r.state
	if err := refusePaused(s); err != nil {
		return err
	}
	if r.tape.Covers(s) {
		return codes.Refuse(codes.InterruptResolved, fmt.Sprintf("run %s still replays what became of this in its source", s.RunID),
			"runId", s.RunID)
	}
	return checkAnswer(s, who, value)
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
	l := rules.Late{Answer: a, Code: e.Code, Child: s.Created.Parent != nil, Asked: len(s.Interrupts)}
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

// checkAnswer refuses a value that does not resolve the interrupt that is open, or does not come from whom it must.
func checkAnswer(s *state.State, who state.Respondent, value json.RawMessage) error {
	g := s.OpenGate()
	if g == nil {
		return s.Program.CheckAnswer(s.Loop.Asked.Kind, value)
	}
	if !json.Valid(value) {
		return codes.Invalid("resumeValue", "must be JSON")
	}
	switch g.Asked.Kind {
	case event.Clarification:
		return g.CheckAnswers(&s.Rules.Answers, value)
	case event.ExternalEvent:
		return g.CheckEvent(&s.Rules.Answers, value)
	default:
		return g.CheckApproval(&s.Rules.Answers, s.GateNode(), who, value)
	}
}
