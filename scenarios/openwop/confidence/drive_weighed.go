package confidence

import (
	"context"
	"math"
	"time"

	"github.com/openassay/assay/scenarios"
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
}

// weigh plans a loop in which a random turn dispatches with this confidence. If the
// host offers another workflow, that turn dispatches it, so that a substituted worker
// shows.
func weigh(h host.Host, confidence *float64) (host.Suspending, WeighedLoop) {
	worker := fixture.Noop
	if h.Offers(fixture.HandoffChild) {
		worker = fixture.HandoffChild
	}
	way := h.SuspendingLoop(1, func() any {
		return dialect.NextWorkerDecision{Kind: dialect.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{worker}, Confidence: confidence}
	})
	o := WeighedLoop{Confidence: confidence, Worker: worker}
	for i := range max(0, way.Turns()-1) {
		if o.Workers = append(o.Workers, fixture.Noop); i+1 == way.At[0] {
			o.Workers[i] = worker
		}
	}
	return way, o
}

// doubt plans a loop in which a turn dispatches with a confidence below the floor, drawn close to it where the plan can be chosen.
func doubt(h host.Host, floor float64) (host.Suspending, WeighedLoop) {
	chosen := h.Offers(fixture.LoopAskUser, fixture.Noop) || h.Offers(fixture.Loop, fixture.Noop)
	if chosen || !h.OffersScripted(fixture.ScriptedDoubt) {
		return weigh(h, new(drawBelow(h, floor)))
	}
	s, _ := h.Script(fixture.ScriptedDoubt)
	way, o := host.Suspending{Scripted: s}, WeighedLoop{Workers: s.Workers()}
	for i, d := range s.Decisions() {
		d := d.(map[string]any)
		if c, doubts := d["confidence"].(float64); doubts {
			way.At, o.Confidence, o.Worker = []int{i + 1}, &c, o.Workers[i]
		}
	}
	if o.Confidence == nil || *o.Confidence >= floor {
		scenarios.End(scenarios.Block("the doubt of "+s.Fixture+" is not below the advertised confidenceEscalationFloor",
			"offer assay-loop, or advertise a number from 0.5 to 1"))
	}
	return way, o
}

// weighLast plans a loop that terminates with this confidence.
func weighLast(h host.Host, confidence *float64) (host.Suspending, WeighedLoop) {
	way, o := weigh(h, nil)
	n := way.Turns()
	way.Plan[n-1] = dialect.TerminateDecision{Kind: dialect.TerminateDecisionKindTerminate, Reason: h.Name("done"), Confidence: confidence}
	way.At = []int{n}
	o.Confidence, o.Worker = confidence, ""
	return way, o
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

// weighed runs a loop with this confidence in one of its turns.
func weighed(ctx context.Context, h host.Host, label string, confidence *float64) WeighedLoop {
	way, o := weigh(h, confidence)
	o.follow(ctx, h, label, way)
	return o
}

// drawBelow draws a confidence slightly below the floor, in thousandths.
func drawBelow(h host.Host, floor float64) float64 {
	return max(0, math.Floor(1000*(floor-h.Share(1, 99)))/1000)
}

// drawAbove draws a confidence slightly above the floor, in thousandths.
func drawAbove(h host.Host, floor float64) float64 {
	return min(1, math.Ceil(1000*(floor+h.Share(1, 99)))/1000)
}
