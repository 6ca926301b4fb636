package confidence

import (
	"context"
	"math"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// WeighedLoop is a loop with one decision whose confidence is under test.
type WeighedLoop struct {
	host.SuspendedLoop
	Confidence *float64     `json:"confidence,omitempty"` // of the decision of turn Held.Turn
	Worker     string       `json:"worker,omitempty"`     // of that decision; "" if it terminates
	Workers    []string     `json:"workers"`              // of all decisions, as planned
	Lull       host.Lull    `json:"lull"`                 // before the answer
	Children   []host.Child `json:"children"`             // at the end
	Ended      host.Lull    `json:"ended"`                // after the end
	// Decision is what the plan says for turn Held.Turn. Only loops that should be held have it.
	Decision map[string]any `json:"decision,omitempty"`
}

// wanted is a loop with one decision whose confidence is under test: a chosen confidence where the plan can be chosen, and else that of
// a script of the second family which fits.
type wanted struct {
	confidence *float64 // nil: none is stated
	last       bool     // the decision is that to terminate
	scripts    []string
	fits       func(confidence float64) bool // nil: none is stated
}

// below, at, above and lastAt are wanted loops with a decision around the floor. That of below may be the last.
func below(h host.Host, floor float64, last bool) wanted {
	w := wanted{new(drawBelow(h, floor)), last, []string{fixture.ScriptedDoubt}, func(c float64) bool { return c < floor }}
	if last {
		w.scripts = []string{fixture.ScriptedEnd}
	}
	return w
}

// sureScripts have decisions at the default floor, and at the highest.
var sureScripts = []string{fixture.ScriptedHalf, fixture.ScriptedSure}

func at(floor float64) wanted {
	return wanted{new(floor), false, sureScripts, func(c float64) bool { return c == floor }}
}

func above(h host.Host, floor float64) wanted {
	return wanted{new(drawAbove(h, floor)), false, sureScripts, func(c float64) bool { return c > floor }}
}

// lastAt is a loop that terminates at the floor, or above it where no script is at it.
func lastAt(floor float64) wanted {
	return wanted{new(floor), true, sureScripts, func(c float64) bool { return c >= floor }}
}

var unweighed = wanted{scripts: []string{fixture.ScriptedLoop}}

// offered returns the wanted loop, if there is one that the host runs.
func (w wanted) offered(h host.Host) (way host.Suspending, o WeighedLoop, ok bool) {
	if !h.PlansSuspension() {
		for _, script := range w.scripts {
			if way, o, ok = w.scripted(h, script); ok {
				return way, o, true
			}
		}
		return way, o, false
	}
	way, o = w.planned(h)
	return way, o, true
}

// scripted returns a loop of the second family, if its decision fits.
func (w wanted) scripted(h host.Host, script string) (way host.Suspending, o WeighedLoop, ok bool) {
	if way, ok = h.SuspendingScript(script); !ok {
		return way, o, false
	}
	o.Workers = way.Workers()
	if w.fits == nil {
		way.At, o.Worker = []int{2}, o.Workers[1]
		return way, o, true
	}
	turn := way.At[0]
	if w.last {
		turn = way.Turns()
	}
	way.At, o.Confidence = []int{turn}, new(way.Confidence(turn))
	if turn < way.Turns() {
		o.Worker = o.Workers[turn-1]
	}
	return way, o, w.fits(*o.Confidence)
}

// plan returns the wanted loop, and ends the drive if there is none.
func (w wanted) plan(h host.Host) (host.Suspending, WeighedLoop) {
	if way, o, ok := w.offered(h); ok {
		return way, o
	}
	return w.planned(h)
}

// planned plans a loop in which a random turn dispatches with this confidence, or the last one terminates with it. If the host offers
// another workflow, that turn dispatches it, so that a substituted worker shows.
func (w wanted) planned(h host.Host) (host.Suspending, WeighedLoop) {
	worker := fixture.Noop
	if h.Offers(fixture.HandoffChild) {
		worker = fixture.HandoffChild
	}
	inTurn := w.confidence
	if w.last {
		inTurn = nil
	}
	way := h.SuspendingLoop(1, func() any {
		return dialect.NextWorkerDecision{Kind: dialect.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{worker}, Confidence: inTurn}
	})
	o := WeighedLoop{Confidence: w.confidence, Worker: worker}
	for i := range max(0, way.Turns()-1) {
		if o.Workers = append(o.Workers, fixture.Noop); i+1 == way.At[0] {
			o.Workers[i] = worker
		}
	}
	if w.last {
		n := way.Turns()
		way.Plan[n-1] = dialect.TerminateDecision{Kind: dialect.TerminateDecisionKindTerminate, Reason: h.Name("done"), Confidence: w.confidence,
			SuccessCriteria: metCriteria(h)}
		way.At, o.Worker = []int{n}, ""
	}
	return way, o
}

// metCriteria returns criteria of success that are met. It returns none at quick, or if the host's version does not know them.
func metCriteria(h host.Host) []dialect.SuccessCriterion {
	if _, knows := claims.ExecutionModel6.Look(h.Discovery); h.Depth == scenarios.Quick || !knows {
		return nil
	}
	return []dialect.SuccessCriterion{{Key: h.Marker(), Met: true}, {Key: h.Marker(), Met: true}}
}

// doubtedLoop is a loop that should be held, and the answer to give then.
type doubtedLoop struct {
	*WeighedLoop
	way    host.Suspending
	label  string
	answer answering
	run    *host.Run
}

// holdAll makes the loops, waits until each is held, answers it and follows it
// to its end. It observes the loops for a while before the answers and after the ends.
func holdAll(ctx context.Context, h host.Host, loops ...*doubtedLoop) {
	var before, after []lulled
	for _, l := range loops {
		l.run, l.SuspendedLoop = h.Suspend(ctx, l.label, l.way)
		l.Decision, _ = l.way.Decisions()[l.way.At[0]-1].(map[string]any)
		if l.Held.Suspended.Reached {
			before = append(before, lulled{l.run, &l.Lull, l.Held.Log})
		}
	}
	lullAll(ctx, h, before...)
	for _, l := range loops {
		if !l.Held.Suspended.Reached {
			continue
		}
		reply := l.answer(ctx, l.run, host.Pending(l.Held.Suspended.Last, l.Held.Log), l.Held.Marker)
		if l.Held.Answered = reply.StatusValue(); !reply.Success() {
			continue
		}
		l.Log = l.run.Finish(ctx, "log after the answer")
		if !l.Log.Ended.Reached {
			continue
		}
		l.Children = h.Children(ctx, l.Log)
		after = append(after, lulled{l.run, &l.Ended, l.Held.Log}) // the later log shows how long we took to answer
	}
	lullAll(ctx, h, after...)
}

// lulled is a run to be observed without requests for a while.
type lulled struct {
	run  *host.Run
	into *host.Lull
	log  host.RunLog // its pace is the host's own
}

// lullAll is like [host.Run.Lull] for several runs at once: they share one sentinel and one window.
func lullAll(ctx context.Context, h host.Host, of ...lulled) {
	if len(of) == 0 {
		return
	}
	var pace time.Duration
	for _, l := range of {
		pace = max(pace, l.log.Pace())
	}
	first := of[0].run.Lull(ctx, host.Scripted{Fixture: fixture.Noop}, pace)
	*of[0].into = first
	for _, l := range of[1:] {
		*l.into = first
		l.into.Later = l.run.Stands(ctx, "the run after the same sentinel and window")
	}
}

// follow makes the loop and follows it until it ends or is held.
func (o *WeighedLoop) follow(ctx context.Context, h host.Host, label string, way host.Suspending) {
	o.Way, o.Turns, o.Kinds, o.Held.Turn = way.Fixture, way.Turns(), way.Kinds(), way.At[0]
	r := h.Create(ctx, "create "+label, way.Request(nil))
	if r.ID == "" {
		o.Log = r.ReadLog(ctx, "log of "+label)
		return
	}
	o.Log = r.Settle(ctx, "log of "+label)
}

// answering is a way to answer a held decision.
type answering func(ctx context.Context, r *host.Run, i host.Interrupt, text string) *wire.Reply

// accept accepts a held decision.
func accept(ctx context.Context, r *host.Run, i host.Interrupt, text string) *wire.Reply {
	return r.Resolve(ctx, i, text)
}

// reject rejects the approval that an interrupt asks for.
func reject(ctx context.Context, r *host.Run, i host.Interrupt, text string) *wire.Reply {
	return r.Do(ctx, wire.Call{Operation: dialect.AnswerNode.Of(r.ID, i.Node), Label: "reject",
		Body: map[string]any{"resumeValue": map[string]any{"action": dialect.ApprovalActionReject, "comment": text}}})
}

// weighed runs the wanted loop. It returns nil if the host offers none.
func weighed(ctx context.Context, h host.Host, label string, w wanted) *WeighedLoop {
	way, o, ok := w.offered(h)
	if !ok {
		return nil
	}
	o.follow(ctx, h, label, way)
	return &o
}

// drawBelow draws a confidence slightly below the floor, in thousandths.
func drawBelow(h host.Host, floor float64) float64 {
	return max(0, math.Floor(1000*(floor-h.Share(1, 99)))/1000)
}

// drawAbove draws a confidence slightly above the floor, in thousandths.
func drawAbove(h host.Host, floor float64) float64 {
	return min(1, math.Ceil(1000*(floor+h.Share(1, 99)))/1000)
}
