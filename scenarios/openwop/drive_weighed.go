package openwop

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/wire"
)

// WeighedLoop is a loop with one decision whose confidence matters.
type WeighedLoop struct {
	SuspendedLoop
	Confidence *float64 `json:"confidence,omitempty"` // of the decision of turn Held.Turn
	Worker     string   `json:"worker,omitempty"`     // of that decision; "" where it terminates
	Workers    []string `json:"workers"`              // of all decisions, as planned
	Lull       Lull     `json:"lull"`                 // before the answer
	Children   []Child  `json:"children"`             // at the end
	Ended      Lull     `json:"ended"`                // after the end
}

// weigh plans a loop in which a random turn dispatches with this confidence,
// where the host offers another workflow to a worker of its own: then a worker
// in its place is seen.
func (h host) weigh(confidence *float64) (suspending, WeighedLoop, error) {
	worker := fixtureNoop
	if h.offers(fixtureHandoffKid) {
		worker = fixtureHandoffKid
	}
	way, err := h.suspendingLoop(1, func() any {
		return openwopv1.NextWorkerDecision{Kind: openwopv1.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{worker}, Confidence: confidence}
	})
	o := WeighedLoop{Confidence: confidence, Worker: worker}
	for i := range max(0, way.turns()-1) {
		if o.Workers = append(o.Workers, fixtureNoop); i+1 == way.at[0] {
			o.Workers[i] = worker
		}
	}
	return way, o, err
}

// weighLast plans a loop that terminates with this confidence.
func (h host) weighLast(confidence *float64) (suspending, WeighedLoop, error) {
	way, o, err := h.weigh(nil)
	if err != nil {
		return way, o, err
	}
	n := way.turns()
	way.Plan[n-1] = openwopv1.TerminateDecision{Kind: openwopv1.TerminateDecisionKindTerminate, Reason: h.Name("done"), Confidence: confidence}
	way.at = []int{n}
	o.Confidence, o.Worker = confidence, ""
	return way, o, nil
}

// doubtedLoop is a loop that is to be held, and what is to be answered then.
type doubtedLoop struct {
	*WeighedLoop
	way    suspending
	label  string
	answer func(*run, context.Context, interrupt, string) (*wire.Reply, error)
	run    *run
}

// holdAll makes the loops, waits until each is held, answers each and follows it
// to its end, with a while before the answers and one after the ends.
func (h host) holdAll(ctx context.Context, loops ...*doubtedLoop) (err error) {
	var before, after []lulled
	for _, l := range loops {
		if l.run, l.SuspendedLoop, err = h.suspend(ctx, l.label, l.way); err != nil {
			return err
		}
		if l.Held.Suspended.Reached {
			before = append(before, lulled{l.run, &l.Lull, l.Held.Log})
		}
	}
	if err := h.lulls(ctx, before...); err != nil {
		return err
	}
	for _, l := range loops {
		if !l.Held.Suspended.Reached {
			continue
		}
		reply, err := l.answer(l.run, ctx, pending(l.Held.Suspended.Last, l.Held.Log), l.Held.Marker)
		if err != nil {
			return err
		}
		if l.Held.Answered = reply.StatusValue(); !reply.Success() {
			continue
		}
		if l.Log, err = l.run.finish(ctx, "log after the answer"); err != nil {
			return err
		}
		if !l.Log.Ended.Reached {
			continue
		}
		if l.Children, err = h.children(ctx, l.Log); err != nil {
			return err
		}
		after = append(after, lulled{l.run, &l.Ended, l.Held.Log}) // the later log shows how long we took to answer
	}
	return h.lulls(ctx, after...)
}

// lulled is a run that nothing is asked of for a while.
type lulled struct {
	run  *run
	into *Lull
	log  RunLog // whose pace is the host's own
}

// lulls is [run.lull] of several runs at once: one sentinel and one window.
func (h host) lulls(ctx context.Context, of ...lulled) error {
	if len(of) == 0 {
		return nil
	}
	var pace time.Duration
	for _, l := range of {
		pace = max(pace, l.log.Pace())
	}
	first, err := of[0].run.lull(ctx, scripted{Fixture: fixtureNoop}, pace)
	if err != nil {
		return err
	}
	*of[0].into = first
	for _, l := range of[1:] {
		*l.into = first
		if l.into.Later, err = l.run.stands(ctx, "the run after the same sentinel and window"); err != nil {
			return err
		}
	}
	return nil
}

// goes makes the loop and follows it to where it ends or is held.
func (o *WeighedLoop) goes(ctx context.Context, h host, label string, way suspending) error {
	o.Way, o.Turns, o.Kinds, o.Held.Turn = way.Fixture, way.turns(), way.kinds(), way.at[0]
	r, err := h.create(ctx, "create "+label, way.request(nil))
	if err != nil {
		return err
	}
	if r.ID == "" {
		o.Log, err = r.log(ctx, "log of "+label)
		return err
	}
	o.Log, err = r.settle(ctx, "log of "+label)
	return err
}

// reject answers an interrupt that takes an approval with a refusal.
func (r *run) reject(ctx context.Context, i interrupt, text string) (*wire.Reply, error) {
	return r.Do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + "/interrupts/" + url.PathEscape(i.node), Label: "reject",
		Body: map[string]any{"resumeValue": map[string]any{"action": openwopv1.ApprovalActionReject, "comment": text}}})
}

// weighed runs a loop with this confidence in one of its turns.
func (h host) weighed(ctx context.Context, label string, confidence *float64) (WeighedLoop, error) {
	way, o, err := h.weigh(confidence)
	if err != nil {
		return o, err
	}
	err = o.goes(ctx, h, label, way)
	return o, err
}

// below draws a confidence that is a little lower, in thousandths.
func (h host) below(floor float64) float64 {
	return max(0, math.Floor(1000*(floor-h.share(1, 99)))/1000)
}

// above draws a confidence that is a little higher, in thousandths.
func (h host) above(floor float64) float64 {
	return min(1, math.Ceil(1000*(floor+h.share(1, 99)))/1000)
}
