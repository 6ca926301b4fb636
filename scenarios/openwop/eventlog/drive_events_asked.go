package eventlog

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// AskedAgain is a loop that asked a second question while two of its streams were open, one of them with the longest buffer.
type AskedAgain struct {
	First    host.Suspension `json:"first"`
	Second   host.Suspension `json:"second"`
	Plain    wire.Wait       `json:"plain"`    // until the unbuffered stream showed what followed the answer
	Gathered wire.Wait       `json:"gathered"` // until the buffered stream did
	Refused  bool            `json:"refused"`  // the host refused the buffered stream, or closed it before that
}

const (
	longestHold = 5_000 // ms
	// promptly is the time in which a batch must come that is not held back, counted from when the other stream has shown the same.
	promptly = longestHold * time.Millisecond * 3 / 5
)

// hearAsked answers the first question of a loop while streams are open, and notes when they have told what followed.
func hearAsked(ctx context.Context, h host.Host) (o AskedAgain) {
	way, err := scenarios.Attempt(func() host.Suspending { return h.AskingLoop(2) })
	if host.IsBlocked(err) {
		return o
	}
	scenarios.End(err)
	r := h.Create(ctx, "create the loop that asks twice", way.Request(nil))
	if o.First = r.Held(ctx, way.At[0], way.At[0]); !o.First.Suspended.Reached {
		return o
	}
	listening, hangUp := context.WithCancel(ctx)
	defer hangUp()
	plain, gathered := newEar(), newEar()
	listen := func(e *ear, in listenIn) func(context.Context) {
		in.heard = e.heard
		return func(context.Context) {
			defer close(e.gone)
			_, _ = scenarios.Attempt(func() Listening { return hear(listening, r, in) }) // a host may refuse a second one
		}
	}
	h.AtOnce(ctx, listen(plain, listenIn{label: "listen to a loop that asks"}),
		listen(gathered, listenIn{label: "listen to it in batches", parameter: holding(longestHold)}),
		func(ctx context.Context) {
			defer hangUp()
			plain.await(ctx, time.Second, func(frames int) bool { return frames >= len(o.First.Log.Events) })
			gathered.await(ctx, time.Second, func(frames int) bool { return frames > 0 })
			before, inBatches := plain.count.Load(), gathered.count.Load()
			if !r.Resolves(ctx, &o.First) {
				return
			}
			if o.Second = r.Held(ctx, way.At[1], way.At[1]); o.Second.Suspended.Reached {
				o.Plain = plain.tells(ctx, r, before)
				o.Gathered = gathered.tells(ctx, r, inBatches)
				o.Refused = gathered.over()
			}
		})
	r.Stop(ctx, "to cancel the loop that asks twice")
	return o
}

// tells waits for another frame than these. If none comes it reads the run, to see that the host still answers.
func (e *ear) tells(ctx context.Context, r *host.Run, before int64) wire.Wait {
	w := wire.Wait{What: "the stream tells of the question", Patience: promptly}
	start := r.Now()
	more := func(frames int) bool { return int64(frames) > before }
	e.await(ctx, promptly, more)
	if w.Took, w.Reached = r.Now().Sub(start), more(int(e.count.Load())); !w.Reached {
		reply := r.Snapshot(ctx, "the loop that waits again")
		w.Answers, w.Last = 1, reply.Value("")
	}
	return w
}
