package refusals

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// CancelObservation is a run that was cancelled under way, and one that was
// cancelled after its end.
type CancelObservation struct {
	Way     string        `json:"way"` // the fixture
	Created host.Answered `json:"created"`
	Live    wire.Value    `json:"live"` // snapshot before any cancel
	// Strangers holds cancels without access, one after the other.
	Strangers []host.Answered `json:"strangers"`
	Untouched wire.Value      `json:"untouched"` // snapshot after them
	Cancel    host.Answered   `json:"cancel"`
	Log       host.RunLog     `json:"log"`   // Ended.Last is the snapshot at the end
	Again     host.Answered   `json:"again"` // a second cancel
	Later     wire.Value      `json:"later"` // snapshot after it

	Done      wire.Wait     `json:"done"` // another run, which ended by itself
	DoneReply host.Answered `json:"doneReply"`
	DoneAfter wire.Value    `json:"doneAfter"`
}

const mostTries = 4

// tooLate reports whether the run completed before anybody could cancel it.
func (o CancelObservation) tooLate() bool {
	return o.Untouched.Key("status").String() == "completed"
}

// cancelled cancels a run under way and an ended run.
var cancelled = &scenarios.Drive[CancelObservation]{
	ID:    "openwop/cancelled",
	Title: "has strangers cancel a run that is under way, then cancels it twice; and cancels a run that has ended by itself",
	Sends: []string{"{create run} (conformance-cancellable, conformance-delay or assay-loop-ask-user)", "{read run}",
		"{cancel run} as a stranger, twice", "{cancel run}, twice",
		"{poll log}", "{create run} (a run that ends)", "{cancel run}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CancelObservation) {
		h := host.Host{Conn: c}
		var r *host.Run
		for try := 1; try == 1 || try <= mostTries && o.tooLate(); try++ { // it may not last as long as we were held back
			*o = CancelObservation{}
			r, o.Way = h.LastingRun(ctx)
			if o.Created = host.AnsweredBy(o.Way, r.Created); r.ID == "" {
				return
			}
			refuseStrangers(ctx, r, o)
		}
		o.Cancel = r.Stop(ctx, "to cancel the run")
		o.Log = r.Finish(ctx, "log of the cancelled run")
		o.Again = r.Stop(ctx, "to cancel it again")
		o.Later = r.Seen(ctx, "after the second cancel")
		cancelEnded(ctx, h, o)
	},
}

// refuseStrangers has two strangers try to cancel the run.
func refuseStrangers(ctx context.Context, r *host.Run, o *CancelObservation) {
	o.Live = r.Seen(ctx, "before anybody cancels it")
	for _, who := range []host.Stranger{host.NoCredential, host.UnknownKey} {
		reply := r.AsStranger(ctx, who, wire.Call{Operation: dialect.CancelRun.Of(r.ID), Body: dialect.CancelRunRequest{},
			Label: "cancel " + string(who)})
		o.Strangers = append(o.Strangers, host.AnsweredBy("to cancel the run "+string(who), reply))
	}
	o.Untouched = r.Seen(ctx, "after the strangers")
}

// cancelEnded cancels a run that ended by itself.
func cancelEnded(ctx context.Context, h host.Host, o *CancelObservation) {
	r := h.SimpleRun(ctx, "create a run that ends")
	if r.ID == "" {
		return
	}
	if o.Done = r.AwaitEnd(ctx); !o.Done.Reached {
		return
	}
	o.DoneReply = r.Stop(ctx, "to cancel a run that has ended")
	o.DoneAfter = r.Seen(ctx, "the run that had ended, after the cancel")
}
