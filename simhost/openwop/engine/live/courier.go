package live

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// How often and how long a peer is asked that does not answer. Whether it made a child that it did not tell of, the key finds out.
const (
	peerTries    = 4
	peerPause    = 50 * time.Millisecond // before the first repetition; then twice as long each time
	peerPauseMax = 5 * time.Second
	peerPace     = 10 * time.Millisecond // between two looks at a log that goes on
	peerPatience = time.Minute
)

// courier goes to a peer and back for one child. What it knows is guarded by the lock of the parent.
type courier struct {
	child string             // as this host calls it
	known *step.ChildReport  // nil as long as there is no word
	halt  context.CancelFunc // has the child stopped
}

// lookAbroad is lookAfterChild for a child that a peer runs. It waits for nothing: a courier does, without the parent's lock.
func (e children) lookAbroad(r *liveRun, c *state.Child) *step.ChildReport {
	if r.courier == nil || r.courier.child != c.RunID {
		r.courier = e.sendCourier(r, *c)
	}
	if r.state.Stop != nil && c.Phase == state.ChildRunning {
		if !e.o.Rules.Handoff.Stops(rules.Descendant{Depth: r.state.Depth() + 1, Abroad: true}) {
			return &step.ChildReport{Status: openwopv1.RunStatusCancelled, Remote: c.Remote}
		}
		r.courier.halt()
	}
	if r.courier.known == nil {
		return &step.ChildReport{Pending: true}
	}
	return r.courier.known
}

func (e children) sendCourier(r *liveRun, c state.Child) *courier {
	refused := func(why *event.Error) *courier {
		return &courier{child: c.RunID, known: &step.ChildReport{Refused: why, Remote: c.Remote}, halt: func() {}}
	}
	peer, known := e.o.Peers[c.Remote.Peer]
	depth := r.state.Depth() + 1
	switch {
	case !known:
		return refused(codes.Failure(codes.PeerUnknown, "there is no peer %q any more", c.Remote.Peer))
	case depth > step.MaxDepth:
		return refused(codes.Failure(codes.TooDeep, "runs dispatch runs %d deep: more than this host follows", depth))
	}
	_, workflow, _ := strings.Cut(c.WorkerID, "/")
	trace := traceOf(&r.state)
	create := PeerCreate{
		Key: c.RunID, WorkflowID: workflow, Inputs: c.Inputs, ParentRunID: r.id, Depth: depth, TraceParent: traceParent(trace, c.RunID),
	}
	on, halt := context.WithCancel(e.ctx)
	k := &courier{child: c.RunID, halt: halt}
	leave, err := e.enter()
	if err != nil { // closed: the log knows what is to be done
		halt()
		return k
	}
	done := clock.Working(e.o.Clock)
	go func() {
		defer leave()
		defer done()
		defer halt()
		e.travel(on, peer, create, *c.Remote, func(report *step.ChildReport) {
			r.mu.Lock()
			k.known = report
			r.mu.Unlock()
			e.wake(r)
		})
	}()
	return k
}

// travel has a child created, unless that has been done, and waits for its end; when on ends it is stopped first. tell hears of both.
func (e children) travel(on context.Context, peer Peer, create PeerCreate, child state.Remote, tell func(*step.ChildReport)) {
	if child.RunID == "" {
		made, err := createAbroad(e.ctx, peer, create)
		if err != nil {
			e.tellFailure(err, codes.PeerUnreachable, child, tell)
			return
		}
		child.RunID, child.HostID = made.RunID, made.HostID
		created := child
		tell(&step.ChildReport{Status: made.Status, Remote: &created})
	}
	end, err := follow(on, peer, child.RunID)
	if err != nil && on.Err() != nil && e.ctx.Err() == nil {
		end, err = stopAbroad(e.ctx, peer, child.RunID)
	}
	if err != nil {
		e.tellFailure(err, codes.PeerLost, child, tell)
		return
	}
	child.EndID = end.EventID
	tell(&step.ChildReport{Status: end.Status, Variables: end.Variables, Outputs: end.Outputs, Err: end.Error, Remote: &child})
}

// tellFailure words why nothing more is known of a child. A host that is being closed says nothing: the next one asks again.
func (e children) tellFailure(err error, code string, child state.Remote, tell func(*step.ChildReport)) {
	if e.ctx.Err() != nil {
		return
	}
	why := codes.Failure(code, "peer %s: %v", child.Peer, err)
	refused := (*refusal.Error)(nil)
	// Not finding a run that it has made is losing it; not finding the workflow is refusing it.
	if errors.As(err, &refused) && (child.RunID == "" || refused.Code != codes.NotFound) {
		why = step.WordRefusal(refused)
	}
	tell(&step.ChildReport{Refused: why, Status: openwopv1.RunStatusRunning, Remote: &child})
}

func createAbroad(ctx context.Context, peer Peer, c PeerCreate) (made PeerRun, err error) {
	pause := peerPause
	for try := 1; ; try++ {
		made, err = peer.Create(ctx, c)
		if err == nil && state.Ended(made.Status) { // how it ended is read of its log
			made.Status = openwopv1.RunStatusRunning
		}
		if err == nil || isFinal(err) || try == peerTries || !rest(ctx, pause) {
			return made, err
		}
		pause *= 3
	}
}

// follow waits until a run has ended. A peer that cannot be asked for peerPatience has lost it.
func follow(ctx context.Context, peer Peer, runID string) (PeerState, error) {
	cursor, pause, failing := int64(-1), peerPause, time.Time{}
	for {
		state, err := peer.Look(ctx, runID, cursor)
		switch {
		case err == nil && state.Ended:
			return state, nil
		case err == nil:
			cursor, pause, failing = state.Cursor, peerPause, time.Time{}
			if !rest(ctx, peerPace) {
				return state, ctx.Err()
			}
			continue
		case isFinal(err), ctx.Err() != nil:
			return state, err
		case failing.IsZero():
			failing = time.Now()
		case time.Since(failing) > peerPatience:
			return state, err
		}
		if !rest(ctx, pause) {
			return state, ctx.Err()
		}
		pause = min(2*pause, peerPauseMax)
	}
}

// stopAbroad has a run ended whose parent is to end.
func stopAbroad(ctx context.Context, peer Peer, runID string) (PeerState, error) {
	ctx, cancel := context.WithTimeout(ctx, peerPatience)
	defer cancel()
	for pause := peerPause; ; pause = min(2*pause, peerPauseMax) {
		err := peer.Cancel(ctx, runID, parentCancelled)
		switch {
		case err == nil:
			return follow(ctx, peer, runID)
		case isFinal(err) || !rest(ctx, pause):
			return PeerState{}, err
		}
	}
}

func isFinal(err error) bool {
	refused := (*refusal.Error)(nil)
	return errors.As(err, &refused)
}

// rest lets time pass; false where ctx ended before.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
