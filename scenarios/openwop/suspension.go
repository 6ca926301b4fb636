package openwop

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Suspension is a run that waits for somebody, and what came of the answer.
type Suspension struct {
	Turn      int        `json:"turn"`      // of the plan, that suspends
	Suspended wire.Wait  `json:"suspended"` // Last is the snapshot
	Log       RunLog     `json:"log"`       // as it stood then
	Marker    string     `json:"marker"`    // the answer, which nobody else can know
	Answered  wire.Value `json:"answered"`  // its HTTP status
}

// SuspendedLoop is a loop of known turns that was suspended and answered.
type SuspendedLoop struct {
	Way   string     `json:"way"` // the fixture
	Turns int        `json:"turns"`
	Kinds []string   `json:"kinds"` // of the decisions, as planned
	Held  Suspension `json:"held"`
	Log   RunLog     `json:"log"` // after the answer, to the end
}

// Lull is a while in which nothing was asked of a run: another run was made
// and ended, and a window went by in which the host could have moved this one.
type Lull struct {
	Sentinel wire.Wait     `json:"sentinel"`
	Window   time.Duration `json:"windowNs"`
	Later    RunLog        `json:"later"` // as the run stood then
}

// suspending is a scripted loop with turns that suspend it. Some turn comes
// before them, and two after them.
type suspending struct {
	scripted
	at []int
}

// suspendingLoop has so many different random turns suspend the loop, each by the decision it is given.
func (h host) suspendingLoop(count int, decide func() any) (suspending, error) {
	fixture := fixtureLoopAskUser
	switch {
	case h.offers(fixtureLoopAskUser, fixtureNoop):
	case h.offers(fixtureLoop, fixtureNoop):
		fixture = fixtureLoop
	default:
		return suspending{}, scenarios.Block("no loop that can be suspended is on offer", loadFixtures)
	}
	n, err := h.turnsFrom(3 + count)
	if err != nil {
		return suspending{}, err
	}
	s := suspending{scripted: scripted{fixture, h.loopPlan(n), true}}
	for _, i := range h.Rand.Perm(n - 3)[:count] {
		s.at = append(s.at, i+2)
		s.Plan[i+1] = decide()
	}
	slices.Sort(s.at)
	return s, nil
}

// sendsLoop is what making such a loop sends.
const sendsLoop = "POST /v1/runs (assay-loop-ask-user or assay-loop with a random plan)"

// askingLoop asks a person in so many turns.
func (h host) askingLoop(questions int) (suspending, error) {
	return h.suspendingLoop(questions, func() any { return askUser("Which way? " + h.marker()) })
}

// doubtful is a decision to dispatch that the supervisor has too little
// confidence in.
func (h host) doubtful(floor float64) (decision any, confidence float64) {
	confidence = math.Floor(1000*floor*h.Rand.Float64()) / 1000
	return openwopv1.NextWorkerDecision{Kind: openwopv1.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{fixtureNoop}, Confidence: &confidence}, confidence
}

// kinds are those of the plan's decisions.
func (s scripted) kinds() []string {
	var out []string
	for _, d := range s.decisions() {
		kind, _ := d.(map[string]any)["kind"].(string)
		out = append(out, kind)
	}
	return out
}

// suspend makes the loop and waits until it is suspended for the first time.
func (h host) suspend(ctx context.Context, label string, way suspending) (*run, SuspendedLoop, error) {
	o := SuspendedLoop{Way: way.Fixture, Turns: way.turns(), Kinds: way.kinds()}
	r, err := h.create(ctx, "create "+label, way.request(nil))
	if err != nil {
		return nil, o, err
	}
	o.Held, err = r.held(ctx, way.at[0], 0)
	return r, o, err
}

// suspendAsking makes a loop that asks in one random turn, and waits until it does.
func (h host) suspendAsking(ctx context.Context) (*run, suspending, SuspendedLoop, error) {
	way, err := h.askingLoop(1)
	if err != nil {
		return nil, way, SuspendedLoop{}, err
	}
	r, o, err := h.suspend(ctx, "the loop that asks", way)
	return r, way, o, err
}

// held waits until the run is suspended, with at least so many decisions on its
// log, and reads the log as it stands then.
func (r *run) held(ctx context.Context, turn, decisions int) (Suspension, error) {
	s := Suspension{Turn: turn, Marker: r.marker()}
	if r.ID != "" {
		var err error
		if s.Suspended, err = r.suspended(ctx, decisions); err != nil {
			return s, err
		}
	}
	var err error
	s.Log, err = r.log(ctx, "log while suspended")
	return s, err
}

// resolves answers with the suspension's own marker. It returns whether the answer was taken.
func (r *run) resolves(ctx context.Context, s *Suspension) (bool, error) {
	if !s.Suspended.Reached {
		return false, nil
	}
	reply, err := r.resolve(ctx, pending(s.Suspended.Last, s.Log), s.Marker)
	if err != nil {
		return false, err
	}
	s.Answered = reply.StatusValue()
	return reply.Success(), nil
}

// resumes answers and follows the loop to its end.
func (r *run) resumes(ctx context.Context, o *SuspendedLoop) error {
	taken, err := r.resolves(ctx, &o.Held)
	if err != nil || !taken {
		return err
	}
	o.Log, err = r.finish(ctx, "log of the resumed loop")
	return err
}

// lull lets a while go by and reads the run again.
func (r *run) lull(ctx context.Context, way scripted, pace time.Duration) (Lull, error) {
	var l Lull
	other, err := r.create(ctx, "sentinel", r.sentinel(way))
	if err != nil || other.ID == "" {
		return l, err
	}
	if l.Sentinel, err = other.ended(ctx); err != nil {
		return l, err
	}
	if l.Window, err = r.Quiet(ctx, pace); err != nil {
		return l, err
	}
	l.Later, err = r.stands(ctx, "the run after the sentinel and a quiet window")
	return l, err
}

// listen opens the run's event stream. Whether and how the host answers is not
// the question: somebody who listens must not move the run.
func (r *run) listen(ctx context.Context) (hangUp func(), err error) {
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	stream, _, err := r.Open(short, wire.Call{Method: http.MethodGet, Path: runPath(r.ID) + "/events", Label: "listen to the suspended run"})
	switch {
	case errors.Is(err, wire.ErrNoAnswer) && ctx.Err() == nil, err == nil && stream == nil:
		return cancel, nil
	case err != nil:
		cancel()
		return nil, err
	}
	return func() { stream.Close(); cancel() }, nil
}
