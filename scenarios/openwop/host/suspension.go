package host

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// What judges of suspended loops have in common.

// Given stops a judge where there was no suspension to look at.
func (s Suspension) Given(j *scenarios.Judge) {
	s.Log.Exists(j, openwop.OWP0037A6)
	s.Log.Readable(j)
	if s.Suspended.Reached {
		return
	}
	_, actual := check.Reached().MatchSeen(s.Suspended)
	j.Block("setup failed: "+actual, fmt.Sprintf("have the decision of turn %d suspend the run with a waiting status (docs/seams.md)", s.Turn))
}

// CheckAnswered stops a judge that needs the answer to have been taken.
func (s Suspension) CheckAnswered(j *scenarios.Judge) {
	if code, _ := s.Answered.Int(); code/100 == 2 {
		return
	}
	j.Block("setup failed: the host refused the answer that resumes the loop: HTTP "+s.Answered.JSON(),
		"take the answer at {answer node} (docs/seams.md), and let the key that is given answer interrupts")
}

// CheckStill compares a run with what it was before the lull.
func (l Lull) CheckStill(j *scenarios.Judge, id scenarios.RequirementID, before RunLog, since string) {
	j.Need(openwop.OWP0037A1, l.Sentinel)
	l.Later.Readable(j)
	j.Require(j.Check(id, Steps(l.Later).Each("/eventId")).To(check.SameAs(Steps(before).Each("/eventId")),
		"steps of the run %s, when another had ended and %s had gone by", since, l.Window))
}

// CheckWaiting is checkStill of a run that is suspended.
func (l Lull) CheckWaiting(j *scenarios.Judge, id scenarios.RequirementID, before RunLog, since string) {
	l.CheckStill(j, id, before, since)
	const slip = "waiting-clarification" // which is in use, and no status of the schema's (OWP-R8)
	if l.Later.Status().Actual() == slip {
		j.Find(id, "the status of the suspended run is %s, which no schema knows", slip)
	}
	j.Require(j.Check(id, l.Later.Status()).To(check.OneOf("waiting-input", "waiting-approval", "waiting-external", slip),
		"status of the suspended run"))
}

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
type Suspending struct {
	Scripted
	At []int
}

// SuspendingLoop has so many different random turns suspend the loop, each by the decision it is given.
func (h Host) SuspendingLoop(count int, decide func() any) Suspending {
	workflow := fixture.LoopAskUser
	switch {
	case h.Offers(fixture.LoopAskUser, fixture.Noop):
	case h.Offers(fixture.Loop, fixture.Noop):
		workflow = fixture.Loop
	default:
		scenarios.End(scenarios.Block("no loop that can be suspended is on offer", fixture.Load))
		return Suspending{}
	}
	n := h.TurnsFrom(3 + count)
	s := Suspending{Scripted: Scripted{workflow, h.LoopPlan(n), true}}
	for _, i := range h.Rand.Perm(n - 3)[:count] {
		s.At = append(s.At, i+2)
		s.Plan[i+1] = decide()
	}
	slices.Sort(s.At)
	return s
}

// sendsLoop is what making such a loop sends.
const SendsLoop = "{create run} (assay-loop-ask-user or assay-loop with a random plan)"

// AskingLoop asks a person in so many turns.
func (h Host) AskingLoop(questions int) Suspending {
	return h.SuspendingLoop(questions, func() any { return AskUser("Which way? " + h.Marker()) })
}

// Kinds are those of the plan's decisions.
func (s Scripted) Kinds() []string {
	var out []string
	for _, d := range s.Decisions() {
		kind, _ := d.(map[string]any)["kind"].(string)
		out = append(out, kind)
	}
	return out
}

// Suspend makes the loop and waits until it is suspended for the first time.
func (h Host) Suspend(ctx context.Context, label string, way Suspending) (*Run, SuspendedLoop) {
	o := SuspendedLoop{Way: way.Fixture, Turns: way.Turns(), Kinds: way.Kinds()}
	r := h.Create(ctx, "create "+label, way.Request(nil))
	o.Held = r.Held(ctx, way.At[0], 0)
	return r, o
}

// SuspendAsking makes a loop that asks in one random turn, and waits until it does.
func (h Host) SuspendAsking(ctx context.Context) (*Run, Suspending, SuspendedLoop) {
	way := h.AskingLoop(1)
	r, o := h.Suspend(ctx, "the loop that asks", way)
	return r, way, o
}

// Held waits until the run is suspended, with at least so many decisions on its
// log, and reads the log as it stands then.
func (r *Run) Held(ctx context.Context, turn, decisions int) Suspension {
	s := Suspension{Turn: turn, Marker: r.Marker()}
	if r.ID != "" {
		s.Suspended = r.AwaitSuspended(ctx, decisions)
	}
	s.Log = r.ReadLog(ctx, "log while suspended")
	return s
}

// Resolves answers with the suspension's own marker. It returns whether the answer was taken.
func (r *Run) Resolves(ctx context.Context, s *Suspension) bool {
	if !s.Suspended.Reached {
		return false
	}
	reply := r.Resolve(ctx, Pending(s.Suspended.Last, s.Log), s.Marker)
	s.Answered = reply.StatusValue()
	return reply.Success()
}

// Resumes answers and follows the loop to its end.
func (r *Run) Resumes(ctx context.Context, o *SuspendedLoop) {
	taken := r.Resolves(ctx, &o.Held)
	if !taken {
		return
	}
	o.Log = r.Finish(ctx, "log of the resumed loop")
}

// Lull lets a while go by and reads the run again.
func (r *Run) Lull(ctx context.Context, way Scripted, pace time.Duration) Lull {
	var l Lull
	other := r.Create(ctx, "sentinel", r.Sentinel(way))
	if other.ID == "" {
		return l
	}
	l.Sentinel = other.AwaitEnd(ctx)
	l.Window = r.Quiet(ctx, pace)
	l.Later = r.Stands(ctx, "the run after the sentinel and a quiet window")
	return l
}
