package openwop

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// bulkMost is how many runs a bulk cancel may name.
const bulkMost = 100

// BulkObservation is several runs that were cancelled by one request, after two
// requests that cannot be.
type BulkObservation struct {
	Way     string   `json:"way"`
	Created Answered `json:"created"` // the run under way that was made last
	// Large names more runs than can be, one of them under way; Spared is that
	// run after it. Empty names none.
	Large  Answered   `json:"large"`
	Spared wire.Value `json:"spared"`
	Empty  Answered   `json:"empty"`

	IDs   []string   `json:"ids"`   // in the order of the request
	Live  []string   `json:"live"`  // those under way
	Never string     `json:"never"` // one that never was
	Ended string     `json:"ended"` // one that had ended
	Done  wire.Value `json:"done"`  // its snapshot before
	Bulk  Answered   `json:"bulk"`
	Logs  []RunLog   `json:"logs"` // of those under way, as they ended
	After wire.Value `json:"after"`
}

// bulkCancelled cancels several runs by one request.
var bulkCancelled = &scenarios.Drive[BulkObservation]{
	ID:    "openwop/bulk-cancelled",
	Title: "makes two runs that last and one that ends, bulk-cancels 101 runs and none, then those three and one that never was, in random order",
	Sends: []string{"POST /v1/runs (conformance-cancellable, conformance-delay or assay-loop-ask-user), twice", "POST /v1/runs (a run that ends)",
		"POST /v1/runs:bulk-cancel with 101 ids, with none, and with four", "GET /v1/runs/{runId} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn) (BulkObservation, error) {
		h := host{c}
		var o BulkObservation
		done, err := h.doneRun(ctx, &o)
		if err != nil || done == nil {
			return o, err
		}
		if err := h.bulkOffered(ctx, done); err != nil {
			return o, err
		}
		live, err := h.liveRuns(ctx, &o)
		if err != nil || len(live) < 2 {
			return o, err
		}
		if err := h.bulkRefused(ctx, live[0], &o); err != nil {
			return o, err
		}
		o.Never = strangerOf(live[0].ID)
		o.IDs = []string{live[0].ID, live[1].ID, o.Ended, o.Never}
		h.Rand.Shuffle(len(o.IDs), func(i, k int) { o.IDs[i], o.IDs[k] = o.IDs[k], o.IDs[i] })
		if o.Bulk, err = h.bulkCancel(ctx, "to cancel four runs, one of which never was", o.IDs); err != nil {
			return o, err
		}
		if !succeeded(o.Bulk.Status) {
			return o, nil
		}
		for _, r := range live {
			l, err := r.finish(ctx, "log of a run that was cancelled with others")
			if err != nil {
				return o, err
			}
			o.Logs = append(o.Logs, l)
		}
		o.After, err = done.seen(ctx, "the run that had ended, after the bulk cancel")
		return o, err
	},
}

// doneRun makes a run that ends by itself; nil where there is none.
func (h host) doneRun(ctx context.Context, o *BulkObservation) (*run, error) {
	r, err := h.simpleRun(ctx, "create a run that ends")
	if err != nil {
		return nil, err
	}
	if o.Created = answered("a run that ends", r.Created); r.ID == "" {
		return nil, nil
	}
	ended, err := r.ended(ctx)
	if err != nil || !ended.Reached {
		return nil, err
	}
	o.Ended, o.Done = r.ID, ended.Last
	return r, nil
}

// bulkOffered stops a drive where there is no bulk cancel. To name a run that
// has ended changes nothing.
func (h host) bulkOffered(ctx context.Context, done *run) error {
	reply, err := h.bulk(ctx, "whether there is a bulk cancel", []string{done.ID})
	if err != nil {
		return err
	}
	return done.isOffered(ctx, "POST /v1/runs:bulk-cancel", reply)
}

func (h host) bulk(ctx context.Context, what string, ids []string) (*wire.Reply, error) {
	return h.do(ctx, wire.Call{Method: http.MethodPost, Path: "/v1/runs:bulk-cancel", Body: map[string]any{"runIds": ids}, Label: what})
}

func (h host) bulkCancel(ctx context.Context, what string, ids []string) (Answered, error) {
	reply, err := h.bulk(ctx, what, ids)
	if err != nil {
		return Answered{}, err
	}
	return answered(what, reply), nil
}

// liveRuns makes two runs that last.
func (h host) liveRuns(ctx context.Context, o *BulkObservation) (live []*run, err error) {
	for range 2 {
		long, err := h.lasting()
		if err != nil {
			return nil, err
		}
		r, err := h.create(ctx, "create a run that lasts", long)
		if err != nil {
			return nil, err
		}
		o.Way = long.WorkflowID
		if o.Created = answered("a run that lasts", r.Created); r.ID == "" {
			return nil, nil
		}
		live, o.Live = append(live, r), append(o.Live, r.ID)
	}
	return live, nil
}

// bulkRefused sends what cannot be a bulk cancel: the run is among more than
// there may be.
func (h host) bulkRefused(ctx context.Context, r *run, o *BulkObservation) (err error) {
	many := []string{r.ID}
	for len(many) <= bulkMost {
		many = append(many, h.Name("never"))
	}
	if o.Large, err = h.bulkCancel(ctx, "to cancel 101 runs", many); err != nil {
		return err
	}
	if o.Spared, err = r.seen(ctx, "a run among the 101"); err != nil {
		return err
	}
	o.Empty, err = h.bulkCancel(ctx, "to cancel no run", []string{})
	return err
}

// TenantControl is what a tenant was answered who would pause, cancel and
// compare the run of another.
type TenantControl struct {
	Tenants Tenants    `json:"tenants"`
	Way     string     `json:"way"`
	Created Answered   `json:"created"`
	Live    wire.Value `json:"live"`   // snapshot before
	Pause   TenantCall `json:"pause"`  // of the run
	Diff    TenantCall `json:"diff"`   // of a run of its own against the run
	Bulk    Answered   `json:"bulk"`   // naming the run and one that never was
	Never   string     `json:"never"`  // which that was
	After   wire.Value `json:"after"`  // snapshot after all of these
	Paused  Answered   `json:"paused"` // by its own tenant
	Diffed  Answered   `json:"diffed"`
	Cancel  Answered   `json:"cancel"` // in bulk
}

// tenantsControl has a tenant try the operations that not every host has on the
// run of another.
var tenantsControlRuns = &scenarios.Drive[TenantControl]{
	ID:    "openwop/tenants-control",
	Title: "has a tenant pause the run of another, compare one of its own with it and name it in a bulk cancel, then does so as its own tenant",
	Sends: []string{sendsTenants, "POST /v1/runs (conformance-cancellable, conformance-delay or assay-loop-ask-user)", "as each tenant: POST /v1/runs/{runId}:pause", "GET /v1/runs/{runId}:diff", "POST /v1/runs:bulk-cancel"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantControl, error) {
		h := host{c}
		var o TenantControl
		t, made, err := h.twoTenants(ctx)
		if isBlocked(err) {
			err = h.unlessControls(ctx, err)
		}
		if o.Tenants = made; err != nil || made.First.runID() == "" || made.Other.runID() == "" {
			return o, err
		}
		r, way, err := h.lastingRun(ctx)
		if o.Way = way; err != nil {
			return o, err
		}
		if o.Created = answered("a run that lasts", r.Created); r.ID == "" {
			return o, nil
		}
		if o.Live, err = r.seen(ctx, "before another tenant comes"); err != nil {
			return o, err
		}
		if err := t.other.controls(ctx, r.ID, made.Other.runID(), &o); err != nil {
			return o, err
		}
		if o.After, err = r.seen(ctx, "after the other tenant had come"); err != nil {
			return o, err
		}
		return o, r.controlled(ctx, made.First.runID(), &o)
	},
}

// unlessControls is why a drive is blocked, unless the host has none of the
// operations: then that is why.
func (h host) unlessControls(ctx context.Context, blocked error) error {
	return h.unlessLacking(ctx, blocked, func(r *run) error { return r.controlled(ctx, r.ID, &TenantControl{}) })
}

// controls is another tenant at work on the run.
func (h host) controls(ctx context.Context, theirs, own string, o *TenantControl) (err error) {
	o.Never = strangerOf(theirs)
	o.Pause, err = h.intrude(ctx, theOther, "to pause the run", false, theirs, o.Never, func(id string) wire.Call {
		return wire.Call{Method: http.MethodPost, Path: runPath(id) + ":pause", Body: map[string]any{"drainPolicy": openwopv1.PauseRunRequestDrainPolicyImmediate}}
	})
	if err != nil {
		return err
	}
	o.Diff, err = h.intrude(ctx, theOther, "to compare a run of its own with the run", false, theirs, o.Never, func(id string) wire.Call {
		return wire.Call{Method: http.MethodGet, Path: diffPath(own, id)}
	})
	if err != nil {
		return err
	}
	reply, err := h.Do(ctx, wire.Call{Method: http.MethodPost, Path: "/v1/runs:bulk-cancel", Body: map[string]any{"runIds": []string{theirs, o.Never}}, Label: "to cancel the run in bulk, by " + theOther})
	if err != nil {
		return err
	}
	o.Bulk = answered("to cancel the run in bulk, by "+theOther, reply)
	return nil
}

// controlled is the run's own tenant, who may.
func (r *run) controlled(ctx context.Context, own string, o *TenantControl) error {
	for _, op := range []struct {
		what string
		call wire.Call
		into *Answered
	}{
		{"to pause its own run", wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + ":pause", Body: map[string]any{}}, &o.Paused},
		{"to compare two runs of its own", wire.Call{Method: http.MethodGet, Path: diffPath(own, r.ID)}, &o.Diffed},
		{"to cancel its own run in bulk", wire.Call{Method: http.MethodPost, Path: "/v1/runs:bulk-cancel", Body: map[string]any{"runIds": []string{r.ID}}}, &o.Cancel},
	} {
		op.call.Label = op.what
		reply, err := r.do(ctx, op.call)
		if err != nil {
			return err
		}
		*op.into = answered(op.what, reply)
	}
	if notThere(o.Paused.status()) && notThere(o.Diffed.status()) && notThere(o.Cancel.status()) {
		return scenarios.NotOffered("the run's own tenant is answered HTTP " + o.Paused.Status.JSON() + " for a pause, " + o.Diffed.Status.JSON() + " for a diff and " + o.Cancel.Status.JSON() + " for a bulk cancel")
	}
	return nil
}
