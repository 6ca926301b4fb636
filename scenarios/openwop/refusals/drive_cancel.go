package refusals

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// CancelObservation is a run that was cancelled while it was under way, and one
// that had ended before.
type CancelObservation struct {
	Way     string        `json:"way"` // the fixture
	Created host.Answered `json:"created"`
	Live    wire.Value    `json:"live"` // snapshot before anybody cancelled it
	// Strangers are cancels without access, one after the other.
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

// cancelled cancels a run that is under way and one that has ended.
var cancelled = &scenarios.Drive[CancelObservation]{
	ID:    "openwop/cancelled",
	Title: "has strangers cancel a run that is under way, then cancels it twice; and cancels a run that has ended by itself",
	Sends: []string{"POST /v1/runs (conformance-cancellable, conformance-delay or assay-loop-ask-user)", "GET /v1/runs/{runId}", "POST /v1/runs/{runId}/cancel as a stranger, twice", "POST /v1/runs/{runId}/cancel, twice",
		"GET /v1/runs/{runId}/events/poll", "POST /v1/runs (a run that ends)", "POST /v1/runs/{runId}/cancel"},
	Run: func(ctx context.Context, c *scenarios.Conn) (CancelObservation, error) {
		h := host.Host{Conn: c}
		var o CancelObservation
		r, way, err := h.LastingRun(ctx)
		if o.Way = way; err != nil {
			return o, err
		}
		if o.Created = host.AnsweredBy(o.Way, r.Created); r.ID == "" {
			return o, nil
		}
		if err := refuseStrangers(ctx, r, &o); err != nil {
			return o, err
		}
		if o.Cancel, err = r.Stop(ctx, "to cancel the run"); err != nil {
			return o, err
		}
		if o.Log, err = r.Finish(ctx, "log of the cancelled run"); err != nil {
			return o, err
		}
		if o.Again, err = r.Stop(ctx, "to cancel it again"); err != nil {
			return o, err
		}
		if o.Later, err = r.Seen(ctx, "after the second cancel"); err != nil {
			return o, err
		}
		return o, cancelEnded(ctx, h, &o)
	},
}

// refuseStrangers has two strangers try to cancel the run.
func refuseStrangers(ctx context.Context, r *host.Run, o *CancelObservation) (err error) {
	if o.Live, err = r.Seen(ctx, "before anybody cancels it"); err != nil {
		return err
	}
	for _, who := range []host.Stranger{host.NoCredential, host.UnknownKey} {
		reply, err := r.AsStranger(ctx, who, wire.Call{Method: http.MethodPost, Path: host.RunPath(r.ID) + "/cancel", Body: openwopv1.CancelRunRequest{}, Label: "cancel " + string(who)})
		if err != nil {
			return err
		}
		o.Strangers = append(o.Strangers, host.AnsweredBy("to cancel the run "+string(who), reply))
	}
	o.Untouched, err = r.Seen(ctx, "after the strangers")
	return err
}

// cancelEnded cancels a run that ended by itself.
func cancelEnded(ctx context.Context, h host.Host, o *CancelObservation) error {
	r, err := h.SimpleRun(ctx, "create a run that ends")
	if err != nil || r.ID == "" {
		return err
	}
	if o.Done, err = r.AwaitEnd(ctx); err != nil || !o.Done.Reached {
		return err
	}
	if o.DoneReply, err = r.Stop(ctx, "to cancel a run that has ended"); err != nil {
		return err
	}
	o.DoneAfter, err = r.Seen(ctx, "the run that had ended, after the cancel")
	return err
}
