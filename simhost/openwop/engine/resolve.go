package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Interrupt is a suspension of a run, and where it stands.
type Interrupt struct {
	ID          string
	NodeID      string
	Kind        openwopv1.InterruptKind
	Key         string
	Data        json.RawMessage // what is asked, in the shape of the kind
	RequestedAt time.Time
	Due         time.Time       // when nobody can answer any more; zero: never
	Answer      json.RawMessage // that resolved it
	Resolved    bool
	Expired     bool // nobody resolved it in time
	Gone        bool // the run was stopped before anybody resolved it
}

// Resolve answers the interrupt that is open at a node, and the run goes on. What value must be depends on the interrupt's
// kind; what does not fit is refused with validation_error and changes nothing. Of several who resolve the same interrupt,
// or cancel its run, one wins. The others hear interrupt_already_resolved, or interrupt_gone where the run was
// stopped and interrupt_expired where it was too late; where the node never asked anything it is interrupt_not_found. Who
// answers is said by As; an interrupt that is not theirs to answer is refused with forbidden.
func (e *Engine) Resolve(ctx context.Context, runID, nodeID string, value json.RawMessage) (openwopv1.RunSnapshot, error) {
	return e.resolve(ctx, runID, rules.Answer{Value: value}, func(s *State) error { return refuseUnlessAsked(s, nodeID) })
}

// ResolveInterrupt is Resolve for the interrupt with this id and no other, whichever is open at its node now.
func (e *Engine) ResolveInterrupt(ctx context.Context, runID, interruptID string, value json.RawMessage) (openwopv1.RunSnapshot, error) {
	return e.resolve(ctx, runID, rules.Answer{Value: value, ByToken: true}, func(s *State) error { return refuseUnlessOpen(s, interruptID) })
}

// resolve answers the interrupt that is open, unless open refuses it.
func (e *Engine) resolve(ctx context.Context, runID string, a rules.Answer, open func(*State) error) (
	snapshot openwopv1.RunSnapshot, err error,
) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		s := &r.state
		heard(s, &a)
		late, refused := tooLate(s, a, open(s))
		if late && refused == nil {
			snapshot = s.Snapshot()
			return nil
		}
		if !late {
			refused = r.refuses(principalOf(ctx), a.Value)
		}
		a.Astray = late
		if refused != nil && (!r.waiting() || s.rules.Answers.Leaves(a)) {
			return refused
		}
		before := s.status
		m := &move{answer: s.rules.Answers.Takes(a), principal: principalOf(ctx)}
		again, err := e.move(r, m)
		if err != nil {
			return tooLarge(err)
		}
		if again {
			e.goOn(r)
		}
		if m.answer != nil {
			return open(s) // the run, or the interrupt, was over its time before the answer came
		}
		snapshot = s.Snapshot()
		if m.defers {
			snapshot.Status = before
		}
		return refused
	})
	return snapshot, err
}

// Interrupt returns an interrupt of a run, also one that was resolved long ago. Refusals: not_found for the run,
// interrupt_not_found.
func (e *Engine) Interrupt(ctx context.Context, runID, interruptID string) (found Interrupt, err error) {
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
func findInterrupt(s *State, id string) *Interrupt {
	for i := range s.interrupts {
		if s.interrupts[i].ID == id {
			return &s.interrupts[i]
		}
	}
	return nil
}

// lastInterrupt is the interrupt that was raised last, nil where there was none.
func (s *State) lastInterrupt() *Interrupt {
	if len(s.interrupts) == 0 {
		return nil
	}
	return &s.interrupts[len(s.interrupts)-1]
}

// refuseUnlessOpen refuses where the interrupt with this id is not open.
func refuseUnlessOpen(s *State, id string) error {
	i := findInterrupt(s, id)
	switch {
	case i == nil:
		return noInterrupt(s, id)
	case i.Expired:
		return refuse(CodeInterruptExpired, fmt.Sprintf("nobody answered interrupt %s of run %s in time", id, s.runID),
			"runId", s.runID, "interruptId", id)
	case i.Resolved, s.decision() != nil:
		return refuse(CodeInterruptResolved, fmt.Sprintf("interrupt %s of run %s was answered before", id, s.runID),
			"runId", s.runID, "interruptId", id)
	case i.Gone:
		return refuse(CodeInterruptGone, fmt.Sprintf("nobody waits for interrupt %s any more: run %s was stopped", id, s.runID),
			"runId", s.runID, "interruptId", id)
	case !s.Waiting():
		return noInterrupt(s, id) // it is about to be requested
	}
	return nil
}

func noInterrupt(s *State, id string) error {
	return refuse(CodeInterruptNotFound, fmt.Sprintf("run %s has no interrupt %q", s.runID, id), "runId", s.runID, "interruptId", id)
}

// refuseUnlessAsked refuses where no interrupt is open at a node.
func refuseUnlessAsked(s *State, nodeID string) error {
	n := s.node(nodeID)
	refuse := func(code, format string) error {
		return refuse(code, fmt.Sprintf(format, nodeID, s.runID), "runId", s.runID, "nodeId", nodeID)
	}
	switch {
	case n != nil && s.Waiting() && n.status == nodeSuspended:
		return nil
	case n != nil && n.expired:
		return refuse(CodeInterruptExpired, "nobody answered node %q of run %s in time")
	case n != nil && n.gone:
		return refuse(CodeInterruptGone, "nobody waits at node %q any more: run %s was stopped")
	case n != nil && (n.resolved > 0 || n.status == nodeSuspended && s.decision() != nil):
		return refuse(CodeInterruptResolved, "node %q of run %s was answered before")
	default:
		return refuse(CodeInterruptNotFound, "no interrupt is open at node %q of run %s")
	}
}
