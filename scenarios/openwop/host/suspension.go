package host

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Given blocks the judge unless the run was suspended.
func (s Suspension) Given(j *scenarios.Judge) {
	s.Log.Exists(j, openwop.OWPCAP19)
	s.Log.Readable(j)
	if s.Suspended.Reached {
		return
	}
	if passed := s.passedOver(); passed.Present() {
		j.Violates(openwop.OWPDSP3, passed,
			fmt.Sprintf("setup failed: the loop decided again behind its question of turn %d, which nobody was asked", s.Turn))
	}
	_, actual := check.Reached().MatchSeen(s.Suspended)
	j.Block("setup failed: "+actual, fmt.Sprintf("have the decision of turn %d suspend the run with a waiting status (docs/seams.md)", s.Turn))
}

// passedOver returns the decision that follows the question at once, with no suspension between them. It is absent if there is none.
func (s Suspension) passedOver() wire.Value {
	decided := s.Log.Decided().Values
	if s.Turn < 1 || s.Turn >= len(decided) {
		return wire.Value{}
	}
	ask, next := decided[s.Turn-1], decided[s.Turn]
	if ask.At("/payload/decision/kind").String() != string(dialect.AskUserDecisionKindAskUser) {
		return wire.Value{}
	}
	if n, counted := ask.At("/payload/iteration").Int(); counted && n != int64(s.Turn) { // a decision is on the log once more
		return wire.Value{}
	}
	between := s.Log.All().Where(func(e wire.Value) bool {
		return Sequence(e) > Sequence(ask) && Sequence(e) < Sequence(next) && !IsA(dialect.NodeStarted, dialect.NodeCompleted)(e)
	})
	if len(between.Values) > 0 {
		return wire.Value{}
	}
	return next
}

// CheckAnswered blocks the judge unless the host accepted the answer.
func (s Suspension) CheckAnswered(j *scenarios.Judge) {
	if code, _ := s.Answered.Int(); code/100 == 2 {
		return
	}
	j.Block("setup failed: the host refused the answer that resumes the loop: HTTP "+s.Answered.JSON(),
		"take the answer at {answer node} (docs/seams.md), and let the key that is given answer interrupts")
}

// CheckPassed blocks the judge if the gate that was accepted failed on the log of its run.
func (s Suspension) CheckPassed(j *scenarios.Judge, log RunLog) {
	node := Pending(s.Suspended.Last, s.Log).Node
	failed := log.OfType(dialect.NodeFailed).Where(func(e wire.Value) bool { return e.Key("nodeId").String() == node })
	if len(failed.Values) > 0 {
		const reason = "setup failed: the approval that was accepted failed its node"
		j.Violates(openwop.OWPINT16, failed, reason)
		j.Block(reason, "have the run of the fixture go on when its approval is accepted")
	}
}

// CheckStill checks that the run took no step during the lull.
func (l Lull) CheckStill(j *scenarios.Judge, id scenarios.RequirementID, before RunLog, since string) {
	SentinelEnded(j, l.Sentinel)
	l.Later.Readable(j)
	j.Require(j.Check(id, Steps(l.Later).Each("/eventId")).To(check.SameAs(Steps(before).Each("/eventId")),
		"steps of the run %s, when another had ended and %s had gone by", since, l.Window))
}

// CheckWaiting is like CheckStill, and checks that the run is still suspended.
func (l Lull) CheckWaiting(j *scenarios.Judge, id scenarios.RequirementID, before RunLog, since string) {
	l.CheckStill(j, id, before, since)
	if l.Later.Status().Actual() == Slip {
		j.Find("", "the status of the suspended run is %s, which no schema knows: OWP-R8", Slip)
	}
	j.Require(j.Check(id, l.Later.Status()).To(Waiting(), "status of the suspended run"))
}

// Suspension is a suspended run and the reply to its answer.
type Suspension struct {
	Turn      int        `json:"turn"`      // the turn of the plan that suspends
	Suspended wire.Wait  `json:"suspended"` // Last is the snapshot
	Log       RunLog     `json:"log"`       // as read while suspended
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

// Lull is a period without requests to a run. Another run was made and ended, and then a window passed in which
// the host could have advanced this one.
type Lull struct {
	Sentinel wire.Wait     `json:"sentinel"`
	Window   time.Duration `json:"windowNs"`
	Later    RunLog        `json:"later"` // the run after the lull
}

// Suspending is a scripted loop with turns that suspend it. At least one turn precedes them, and two follow.
type Suspending struct {
	Scripted
	At []int
}

// SuspendingLoop returns a loop that count random turns suspend. decide returns the decision of each.
func (h Host) SuspendingLoop(count int, decide func() any) Suspending {
	workflow := fixture.LoopAskUser
	switch {
	case h.Offers(fixture.LoopAskUser, fixture.Noop):
	case h.Offers(fixture.Loop, fixture.Noop):
		workflow = fixture.Loop
	default:
		h.Lacks("no loop that can be suspended is on offer", fixture.LoopAskUser, fixture.Loop, fixture.ScriptedAsk)
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

// SendsLoop describes the request that creates such a loop.
const SendsLoop = "{create run} (assay-loop-ask-user or assay-loop with a random plan)"

// PlansSuspension reports whether the host runs a loop whose plan is chosen for the run, so that any of its turns can suspend it.
func (h Host) PlansSuspension() bool {
	return h.Offers(fixture.LoopAskUser, fixture.Noop) || h.Offers(fixture.Loop, fixture.Noop)
}

// SuspendingScript returns a loop of the second family, if the host runs it. Its turns that ask, or state a confidence, are those that
// may suspend it.
func (h Host) SuspendingScript(loop string) (s Suspending, offered bool) {
	if !OffersScripted(h, loop) {
		return s, false
	}
	s.Scripted, _ = ScriptOf(h, loop)
	for i, d := range s.Decisions() {
		d, _ := d.(map[string]any)
		if _, weighed := d["confidence"]; weighed || d["kind"] == string(dialect.AskUserDecisionKindAskUser) {
			s.At = append(s.At, i+1)
		}
	}
	ceiling, _ := h.Ceiling()
	return s, ceiling >= s.Turns()
}

// Confidence returns that of the decision of a turn, from 1; 0 if it states none.
func (s Scripted) Confidence(turn int) float64 {
	d, _ := s.Decisions()[turn-1].(map[string]any)
	c, _ := d["confidence"].(float64)
	return c
}

// AskingLoop returns a loop that asks a person in this many turns.
func (h Host) AskingLoop(questions int) Suspending {
	if !h.PlansSuspension() {
		for _, loop := range []string{fixture.ScriptedAsk, fixture.ScriptedTwice} {
			if s, ok := h.SuspendingScript(loop); ok && len(s.At) == questions {
				return s
			}
		}
	}
	return h.SuspendingLoop(questions, func() any { return AskUser("Which way? " + h.Marker()) })
}

// Kinds returns the kinds of the plan's decisions.
func (s Scripted) Kinds() []string {
	var out []string
	for _, d := range s.Decisions() {
		kind, _ := d.(map[string]any)["kind"].(string)
		out = append(out, kind)
	}
	return out
}

// Suspend creates the loop and waits for its first suspension.
func (h Host) Suspend(ctx context.Context, label string, way Suspending) (*Run, SuspendedLoop) {
	o := SuspendedLoop{Way: way.Fixture, Turns: way.Turns(), Kinds: way.Kinds()}
	r := h.Create(ctx, "create "+label, way.Request(nil))
	o.Held = r.Held(ctx, way.At[0], 0)
	return r, o
}

// SuspendAsking creates a loop that asks in one random turn, and waits until it does.
func (h Host) SuspendAsking(ctx context.Context) (*Run, Suspending, SuspendedLoop) {
	way := h.AskingLoop(1)
	r, o := h.Suspend(ctx, "the loop that asks", way)
	return r, way, o
}

// Held waits until the run is suspended with at least this many decisions in its log, and reads the log.
func (r *Run) Held(ctx context.Context, turn, decisions int) Suspension {
	return r.HeldAs(ctx, r.Marker(), turn, decisions)
}

// HeldAs is [Run.Held] with a marker that was drawn before, for runs that are held side by side.
func (r *Run) HeldAs(ctx context.Context, marker string, turn, decisions int) Suspension {
	s := Suspension{Turn: turn, Marker: marker}
	if r.ID != "" {
		s.Suspended = r.AwaitSuspended(ctx, decisions)
	}
	s.Log = r.ReadLog(ctx, "log while suspended")
	return s
}

// Resolves answers with the suspension's marker and reports whether the host accepted the answer.
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

// Lull waits for a sentinel run and a quiet window, then reads the run again.
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
