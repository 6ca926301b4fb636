package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// CancelObservation is a run that was cancelled while it was under way, and one
// that had ended before.
type CancelObservation struct {
	Way     string     `json:"way"` // the fixture
	Created Answered   `json:"created"`
	Live    wire.Value `json:"live"` // snapshot before anybody cancelled it
	// Strangers are cancels without access, one after the other.
	Strangers []Answered `json:"strangers"`
	Untouched wire.Value `json:"untouched"` // snapshot after them
	Cancel    Answered   `json:"cancel"`
	Log       RunLog     `json:"log"`   // Ended.Last is the snapshot at the end
	Again     Answered   `json:"again"` // a second cancel
	Later     wire.Value `json:"later"` // snapshot after it

	Done      wire.Wait  `json:"done"` // another run, which ended by itself
	DoneReply Answered   `json:"doneReply"`
	DoneAfter wire.Value `json:"doneAfter"`
}

// cancelled cancels a run that is under way and one that has ended.
var cancelled = &scenarios.Drive[CancelObservation]{
	ID:    "openwop/cancelled",
	Title: "has strangers cancel a run that is under way, then cancels it twice; and cancels a run that has ended by itself",
	Sends: []string{"POST /v1/runs (conformance-cancellable, conformance-delay or assay-loop-ask-user)", "GET /v1/runs/{runId}", "POST /v1/runs/{runId}/cancel as a stranger, twice", "POST /v1/runs/{runId}/cancel, twice",
		"GET /v1/runs/{runId}/events/poll", "POST /v1/runs (a run that ends)", "POST /v1/runs/{runId}/cancel"},
	Run: func(ctx context.Context, c *scenarios.Conn) (CancelObservation, error) {
		h := host{c}
		var o CancelObservation
		r, way, err := h.lastingRun(ctx)
		if o.Way = way; err != nil {
			return o, err
		}
		if o.Created = answered(o.Way, r.Created); r.ID == "" {
			return o, nil
		}
		if err := r.refuseStrangers(ctx, &o); err != nil {
			return o, err
		}
		if o.Cancel, err = r.stop(ctx, "to cancel the run"); err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the cancelled run"); err != nil {
			return o, err
		}
		if o.Again, err = r.stop(ctx, "to cancel it again"); err != nil {
			return o, err
		}
		if o.Later, err = r.seen(ctx, "after the second cancel"); err != nil {
			return o, err
		}
		return o, h.cancelEnded(ctx, &o)
	},
}

// refuseStrangers has two strangers try to cancel the run.
func (r *run) refuseStrangers(ctx context.Context, o *CancelObservation) (err error) {
	if o.Live, err = r.seen(ctx, "before anybody cancels it"); err != nil {
		return err
	}
	for _, who := range []Stranger{noCredential, unknownKey} {
		reply, err := r.asStranger(ctx, who, wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + "/cancel", Body: openwopv1.CancelRunRequest{}, Label: "cancel " + string(who)})
		if err != nil {
			return err
		}
		o.Strangers = append(o.Strangers, answered("to cancel the run "+string(who), reply))
	}
	o.Untouched, err = r.seen(ctx, "after the strangers")
	return err
}

// cancelEnded cancels a run that ended by itself.
func (h host) cancelEnded(ctx context.Context, o *CancelObservation) error {
	r, err := h.simpleRun(ctx, "create a run that ends")
	if err != nil || r.ID == "" {
		return err
	}
	if o.Done, err = r.ended(ctx); err != nil || !o.Done.Reached {
		return err
	}
	if o.DoneReply, err = r.stop(ctx, "to cancel a run that has ended"); err != nil {
		return err
	}
	o.DoneAfter, err = r.seen(ctx, "the run that had ended, after the cancel")
	return err
}

const fixtureCancellable = "conformance-cancellable"

// lasting asks for a run that is under way until somebody cancels it.
func (h host) lasting() (openwopv1.CreateRunRequest, error) {
	wait := map[string]any{"delayMs": h.between(20_000, 29_000)}
	ceiling, _ := h.ceiling()
	switch {
	case h.offers(fixtureCancellable):
		return openwopv1.CreateRunRequest{WorkflowID: fixtureCancellable, Inputs: wait}, nil
	case h.offers(fixtureDelay):
		return openwopv1.CreateRunRequest{WorkflowID: fixtureDelay, Inputs: wait}, nil
	case h.offers(fixtureLoopAskUser, fixtureNoop) && ceiling >= 2:
		return scripted{fixtureLoopAskUser, plan{askUser("Shall this run be cancelled?"), terminate("done")}, true}.request(nil), nil
	}
	return openwopv1.CreateRunRequest{}, scenarios.Block("no run is on offer that lasts until it is cancelled", loadFixtures)
}

// lastingRun makes such a run. way is its workflow.
func (h host) lastingRun(ctx context.Context) (r *run, way string, err error) {
	long, err := h.lasting()
	if err != nil {
		return nil, "", err
	}
	r, err = h.create(ctx, "create a run that lasts", long)
	return r, long.WorkflowID, err
}

func (r *run) stop(ctx context.Context, what string) (Answered, error) {
	reply, err := r.do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + "/cancel", Body: openwopv1.CancelRunRequest{}, Label: what})
	if err != nil {
		return Answered{}, err
	}
	return answered(what, reply), nil
}

// seen is the run's snapshot as it stands.
func (r *run) seen(ctx context.Context, label string) (wire.Value, error) {
	reply, err := r.snapshot(ctx, label)
	if err != nil {
		return wire.Value{}, err
	}
	return reply.Value(""), nil
}
