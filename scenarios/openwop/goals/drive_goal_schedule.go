package goals

import (
	"context"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalScheduleObservation is a goal on a schedule, and two more on the same schedule that ended meanwhile.
type GoalScheduleObservation struct {
	GoalAloneObservation
	GivenUp   GoalDisarmed `json:"givenUp"`
	Satisfied GoalDisarmed `json:"satisfied"` // by a tick, if the host has the seam
	// AnyArm is, where no goal fires, the HTTP status of a goal whose armRef is a word.
	AnyArm wire.Value `json:"anyArm"`
	// HostsOwn says that the host refuses our schedule and takes a goal without an armRef, which goes on when the host likes.
	HostsOwn bool `json:"hostsOwn,omitempty"`
	TooSlow  bool `json:"tooSlow,omitempty"` // that is too seldom to be watched
	// Edited is a goal on a schedule of a day that was put on that of the others; Moved is its first run.
	Edited GoalEdit  `json:"edited"`
	Moved  wire.Wait `json:"moved"`
	// Freed is a goal on the schedule that was escalated, answered and resumed: its next run. Zero where it does not come to that.
	Freed wire.Wait `json:"freed,omitzero"`
}

// GoalDisarmed is a goal that ended while it was armed.
type GoalDisarmed struct {
	Goal    host.GoalMade  `json:"goal"`
	Asked   wire.Value     `json:"asked"` // HTTP status of the request to end it
	Ended   wire.Wait      `json:"ended"`
	Settled host.GoalReply `json:"settled"` // after a run under way had time to end
	Later   host.GoalReply `json:"later"`   // after other goals on its schedule had moved on
}

// goalOnSchedule makes goals that continue on a schedule. Nothing but time
// makes them run.
var goalOnSchedule = &scenarios.Drive[GoalScheduleObservation]{
	ID: "openwop/goal-on-schedule",
	Title: "makes four goals on a schedule of a random short interval; abandons one and, where there is a seam, has one " +
		"judged as satisfied; puts another one, which is on a schedule of a day, on that of the others; beyond quick, has a run of one more " +
		"get stuck, answers it, resumes the goal and waits for another run; waits for the first run of the third, " +
		"pauses it, resumes it after two more runs of the fourth, " +
		"and waits for its end and for two runs of the fourth after that",
	Waits: 650 * time.Millisecond,
	Sends: []string{"{create goal} {continuation: {mode: schedule, armRef: every:<random>}, bounds: {maxLoopIterations: " +
		"random}}, four times", "{read goal}",
		"{edit goal} {continuation: {armRef: every:<random>}}",
		"{pause goal}", "{resume goal}", "{abandon goal}", "{tick goal} {verdict: {satisfied: true}}", "{tick goal} {escalate: true}",
		"{answer node}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalScheduleObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		interval := time.Duration(h.Between(50, 60)) * time.Millisecond
		for try := 1; ; try++ {
			bound := h.Between(3, 4)
			if err := scenarios.Try(func() { onSchedule(ctx, home, host.Every(interval), bound, o) }); host.IsBlocked(err) {
				if scenarios.Try(func() { onSchedule(ctx, home, "", bound, o) }) != nil {
					scenarios.End(err) // the host has no schedule of its own either
				}
				return
			} else if err != nil {
				scenarios.End(err)
			}
			// The goal may also have ended before it was seen to continue. A host that ends resumed goals
			// does so on every try.
			slow := o.outran() || o.GivenUp.outran() || o.Satisfied.outran() || try == 1 && hasEnded(o.Resumed.After.Body)
			if try == 5 || !slow {
				return
			}
			interval *= 3 // we were too slow this time
		}
	},
}

// seldom is the part of patience that may pass until the host's own schedule fires: four runs are waited for.
const seldom = 4

// onSchedule makes the goals on the schedule that an armRef names, or on the host's own if that is "".
func onSchedule(ctx context.Context, g host.GoalHome, every string, bound int, o *GoalScheduleObservation) {
	*o = GoalScheduleObservation{HostsOwn: every == ""}
	o.Bound = bound
	var givenUp, satisfied *host.Goal
	givenUp = endArmed(ctx, g, &o.GivenUp, every, giveUp)
	if satisfied = endArmed(ctx, g, &o.Satisfied, every, satisfy); !madeActive(o.GivenUp.Goal) || !madeActive(o.Satisfied.Goal) {
		return
	}
	p := createPair(ctx, g, &o.GoalAloneObservation, dialect.GoalContinuationModeSchedule, every)
	if !o.bothActive() {
		return
	}
	edited := onAnother(ctx, g, every, o)
	if o.Going = reaches(ctx, p.watched, 1); o.HostsOwn && (!o.Going.Reached || o.Going.Took > g.Patience/seldom) {
		o.TooSlow = true
		return
	}
	if !o.Going.Reached {
		ask, word := g.GoalRequest(host.BoundedTo(bound)), g.Marker()
		ask.Continuation = dialect.GoalContinuation{Mode: dialect.GoalContinuationModeSchedule, ArmRef: &word}
		o.AnyArm = g.Create(ctx, "create a goal with a word for a schedule", ask).Created.Status
		return
	}
	o.Paused = act(ctx, p.watched, dialect.PauseGoal)
	g.Quiet(ctx, 0) // for a run under way, and for a host that shows slightly stale data
	o.GivenUp.Settled = givenUp.Read(ctx, "the goal that was given up")
	o.Satisfied.Settled = satisfied.Read(ctx, "the goal that was satisfied")
	p.holds(ctx, &o.GoalAloneObservation, nil)
	if !isActive(o.Resumed.After.Body) {
		return
	}
	if o.Ended = awaitAllRuns(ctx, p.watched, o.Resumed.After.Body, o.Bound); !o.Ended.Reached {
		return
	}
	p.rests(ctx, &o.GoalAloneObservation, nil)
	if edited != nil {
		o.Moved = reaches(ctx, edited, 1)
		act(ctx, edited, dialect.AbandonGoal)
	}
	if g.Depth > scenarios.Quick {
		freed, err := scenarios.Attempt(func() wire.Wait { return goesOnFreed(ctx, g, every) })
		if o.Freed = freed; !host.IsBlocked(err) { // a host may have no room for one goal more
			scenarios.End(err)
		}
	}
	o.GivenUp.Later = givenUp.Read(ctx, "the goal that was given up, a while after")
	o.Satisfied.Later = satisfied.Read(ctx, "the goal that was satisfied, a while after")
}

// onAnother makes a goal on a schedule of a day and edits that to another one. It returns nil if it cannot.
func onAnother(ctx context.Context, g host.GoalHome, every string, o *GoalScheduleObservation) *host.Goal {
	if every == "" {
		return nil
	}
	ask, day := g.GoalRequest(host.BoundedTo(manyRuns)), host.Every(24*time.Hour)
	ask.Continuation = dialect.GoalContinuation{Mode: dialect.GoalContinuationModeSchedule, ArmRef: &day}
	made := g.Create(ctx, "create a goal on a schedule of a day", ask)
	if made.ID == "" {
		return nil
	}
	ask.Continuation.ArmRef = &every
	o.Edited = rewrite(ctx, made, "edit the schedule of a goal", dialect.EditGoalRequest{Continuation: &ask.Continuation},
		func(goal wire.Value) bool { return goal.At("/continuation/armRef").String() == every })
	if !host.Succeeded(o.Edited.Reply.Status) {
		return nil
	}
	return made
}

// goesOnFreed makes a goal on the schedule, has a run of it get stuck, answers that, resumes the goal, and waits for another run.
func goesOnFreed(ctx context.Context, g host.GoalHome, every string) (w wire.Wait) {
	made := createArmed(ctx, g, "create a goal that gets stuck", dialect.GoalContinuationModeSchedule, every, manyRuns)
	if made.ID == "" {
		return w
	}
	defer act(ctx, made, dialect.AbandonGoal)
	t, _ := ticked(ctx, made, "tick of a goal on a schedule, whose run gets stuck", dialect.GoalTickRequest{Escalate: new(true)})
	child := stuck(ctx, made, GoalObservation{Ticks: []GoalTick{t}})
	if !host.Succeeded(t.Status) || child.ID == "" {
		return w
	}
	r, status := answerStuck(ctx, made, child)
	if !host.Succeeded(status) {
		return w
	}
	r.AwaitEnd(ctx)
	resumed := change(ctx, made, dialect.ResumeGoal, isActive)
	if !host.Succeeded(resumed.Reply.Status) || !isActive(resumed.After.Body) {
		return w
	}
	if w = reaches(ctx, made, runCount(resumed.After.Body)+1); hasEnded(w.Last) { // the answer may have satisfied it
		return wire.Wait{}
	}
	return w
}

// outran reports whether the goal ended by itself before it could be ended.
func (d GoalDisarmed) outran() bool {
	status, _ := d.Asked.Int()
	return hasEnded(d.Goal.Fresh.Body) || status == http.StatusConflict && hasEnded(d.Settled.Body)
}

// endArmed makes a goal on a schedule and ends it.
func endArmed(ctx context.Context, g host.GoalHome, o *GoalDisarmed, every string, end func(context.Context,
	*host.Goal) wire.Value) *host.Goal {
	made := createArmed(ctx, g, "create a goal that ends", dialect.GoalContinuationModeSchedule, every, mostContributions)
	if o.Goal = made.Seen(ctx); !madeActive(o.Goal) {
		return made
	}
	if o.Asked = end(ctx, made); !host.Succeeded(o.Asked) {
		o.Settled = made.Read(ctx, "the goal that was to be ended")
		return made
	}
	o.Ended = awaitEnd(ctx, made)
	return made
}

func giveUp(ctx context.Context, g *host.Goal) wire.Value {
	reply := act(ctx, g, dialect.AbandonGoal)
	return reply.Status
}

func satisfy(ctx context.Context, g *host.Goal) wire.Value {
	t, reply := ticked(ctx, g, "tick, with a verdict that it is reached", satisfied(g.GoalHome.Host))
	if reply.Status != http.StatusAccepted { // it may happen in the host's own time
		host.NoStub(g.PathOf(g.To(dialect.TickGoal)), reply)
	}
	return t.Status
}
