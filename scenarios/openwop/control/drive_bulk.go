package control

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// bulkMost is the maximum number of runs in a bulk cancel.
const bulkMost = 100

// BulkObservation is several runs cancelled by one request, after two invalid
// requests.
type BulkObservation struct {
	Way     string        `json:"way"`
	Created host.Answered `json:"created"` // the live run that was made last
	// Large names too many runs, one of them live; Spared is that run after the
	// request. Empty names none.
	Large  host.Answered `json:"large"`
	Spared wire.Value    `json:"spared"`
	Empty  host.Answered `json:"empty"`

	IDs   []string      `json:"ids"`   // in the order of the request
	Live  []string      `json:"live"`  // the live ones
	Never string        `json:"never"` // a run that never existed; so did all that are neither live nor Ended
	Ended string        `json:"ended"` // a run that had ended
	Done  wire.Value    `json:"done"`  // snapshot of Ended before the requests
	Bulk  host.Answered `json:"bulk"`
	Logs  []host.RunLog `json:"logs"` // of the live ones, at their end
	After wire.Value    `json:"after"`
}

// bulkCancelled cancels several runs by one request.
var bulkCancelled = &scenarios.Drive[BulkObservation]{
	ID: "openwop/bulk-cancelled",
	Title: "makes two runs that last and one that ends, bulk-cancels 101 runs and none, then those three and others that never " +
		"were, in random order",
	Sends: []string{"{create run} (conformance-cancellable, conformance-delay or assay-loop-ask-user), twice",
		"{create run} (a run that ends)",
		"{cancel runs} with 101 ids, with none, and with as many as it takes", "{read run} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *BulkObservation) {
		h := host.Host{Conn: c}
		done := doneRun(ctx, h, o)
		if done == nil {
			return
		}
		bulkOffered(ctx, h, done)
		live := liveRuns(ctx, h, o)
		if len(live) < 2 {
			return
		}
		bulkRefused(ctx, h, live[0], o)
		o.Never = host.StrangerOf(live[0].ID)
		o.IDs = []string{live[0].ID, live[1].ID, o.Ended, o.Never}
		most := bulkMost
		if told, ok := o.Large.Body.At("/details/maxRunIds").Int(); ok && told > int64(len(o.IDs)) && told < bulkMost {
			most = int(told)
		}
		for len(o.IDs) < most {
			o.IDs = append(o.IDs, h.Name("never"))
		}
		h.Rand.Shuffle(len(o.IDs), func(i, k int) { o.IDs[i], o.IDs[k] = o.IDs[k], o.IDs[i] })
		o.Bulk = bulkCancel(ctx, h, fmt.Sprintf("to cancel %d runs, most of which never were", len(o.IDs)), o.IDs)
		if !host.Succeeded(o.Bulk.Status) {
			return
		}
		for _, r := range live {
			l := r.Finish(ctx, "log of a run that was cancelled with others")
			o.Logs = append(o.Logs, l)
		}
		o.After = done.Seen(ctx, "the run that had ended, after the bulk cancel")
	},
}

// doneRun makes a run that ends by itself, or returns nil if none is on offer.
func doneRun(ctx context.Context, h host.Host, o *BulkObservation) *host.Run {
	r := h.SimpleRun(ctx, "create a run that ends")
	if o.Created = host.AnsweredBy("a run that ends", r.Created); r.ID == "" {
		return nil
	}
	ended := r.AwaitEnd(ctx)
	if !ended.Reached {
		return nil
	}
	o.Ended, o.Done = r.ID, ended.Last
	return r
}

// bulkOffered ends the drive if the host has no bulk cancel. It names a run that
// has ended, which changes nothing.
func bulkOffered(ctx context.Context, h host.Host, done *host.Run) {
	reply := host.CancelMany(ctx, h, "whether there is a bulk cancel", []string{done.ID})
	done.IsOffered(ctx, "{cancel runs}", reply)
}

func bulkCancel(ctx context.Context, h host.Host, what string, ids []string) host.Answered {
	return host.AnsweredBy(what, host.CancelMany(ctx, h, what, ids))
}

// liveRuns makes two long runs.
func liveRuns(ctx context.Context, h host.Host, o *BulkObservation) (live []*host.Run) {
	for range 2 {
		long := h.Lasting()
		r := h.Create(ctx, "create a run that lasts", long)
		o.Way = long.WorkflowID
		if o.Created = host.AnsweredBy("a run that lasts", r.Created); r.ID == "" {
			return nil
		}
		live, o.Live = append(live, r), append(o.Live, r.ID)
	}
	return live
}

// bulkRefused sends invalid bulk cancels. One names the run among too many.
func bulkRefused(ctx context.Context, h host.Host, r *host.Run, o *BulkObservation) {
	many := []string{r.ID}
	for len(many) <= bulkMost {
		many = append(many, h.Name("never"))
	}
	o.Large = bulkCancel(wire.Misfit(ctx, openwop.OWPCTL17), h, "to cancel 101 runs", many)
	o.Spared = r.Seen(ctx, "a run among the 101")
	o.Empty = bulkCancel(wire.Misfit(ctx, openwop.OWPCTL18), h, "to cancel no run", []string{})
}

// TenantControl holds the host's replies to a tenant who tries to pause, cancel
// and compare another tenant's run.
type TenantControl struct {
	Tenants host.Tenants    `json:"tenants"`
	Way     string          `json:"way"`
	Created host.Answered   `json:"created"`
	Live    wire.Value      `json:"live"`   // snapshot before
	Pause   host.TenantCall `json:"pause"`  // of the run
	Diff    host.TenantCall `json:"diff"`   // of one of its own runs against the run
	Bulk    host.Answered   `json:"bulk"`   // naming the run and one that never existed
	Never   string          `json:"never"`  // the run that never existed
	After   wire.Value      `json:"after"`  // snapshot after all of these
	Paused  host.Answered   `json:"paused"` // by its own tenant
	Diffed  host.Answered   `json:"diffed"`
	Cancel  host.Answered   `json:"cancel"` // in bulk
}

// tenantsControlRuns makes one tenant try the optional operations on another
// tenant's run.
var tenantsControlRuns = &scenarios.Drive[TenantControl]{
	ID: "openwop/tenants-control",
	Title: "has a tenant pause the run of another, compare one of its own with it and name it in a bulk cancel, then does " +
		"so as its own tenant",
	Sends: []string{host.SendsTenants, "{create run} (conformance-cancellable, conformance-delay or assay-loop-ask-user)",
		"as each tenant: {pause run}", "{compare runs}", "{cancel runs}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantControl) {
		h := host.Host{Conn: c}
		var t host.TenantPair
		if err := scenarios.Try(func() { t, o.Tenants = h.TwoTenants(ctx) }); host.IsBlocked(err) {
			unlessControls(ctx, h, err)
		} else {
			scenarios.End(err)
		}
		if o.Tenants.First.RunID() == "" || o.Tenants.Other.RunID() == "" {
			return
		}
		r, way := h.LastingRun(ctx)
		o.Way = way
		if o.Created = host.AnsweredBy("a run that lasts", r.Created); r.ID == "" {
			return
		}
		o.Live = r.Seen(ctx, "before another tenant comes")
		controls(ctx, t.Other, r.ID, o.Tenants.Other.RunID(), o)
		o.After = r.Seen(ctx, "after the other tenant had come")
		controlled(ctx, r, o.Tenants.First.RunID(), o)
	},
}

// unlessControls ends the drive as blocked, or as not offered if the host has none
// of the operations.
func unlessControls(ctx context.Context, h host.Host, blocked error) {
	h.UnlessLacking(ctx, blocked, func(r *host.Run) { controlled(ctx, r, r.ID, &TenantControl{}) })
}

// controls tries the operations as the other tenant.
func controls(ctx context.Context, h host.Host, theirs, own string, o *TenantControl) {
	o.Never = host.StrangerOf(theirs)
	o.Pause = h.Intrude(ctx, host.TheOther, "to pause the run", false, theirs, o.Never, func(id string) wire.Call {
		return wire.Call{Operation: dialect.PauseRun.Of(id), Body: pauseOf(h, atOnce, afterNode)}
	})
	o.Diff = h.Intrude(ctx, host.TheOther, "to compare a run of its own with the run", false, theirs, o.Never, func(id string) wire.Call {
		return wire.Call{Operation: diffOf(own, id)}
	})
	reply := h.Do(ctx, wire.Call{Operation: dialect.CancelRuns.Of(), Body: map[string]any{"runIds": []string{theirs, o.Never}},
		Label: "to cancel the run in bulk, by " + host.TheOther})
	o.Bulk = host.AnsweredBy("to cancel the run in bulk, by "+host.TheOther, reply)
}

// pauseOf returns the body of a pause by the first of these policies by which the host pauses runs, or by the default.
func pauseOf(h host.Host, policies ...dialect.DrainPolicy) map[string]any {
	body := map[string]any{}
	if policy, ok := host.Drains(h, policies...); ok {
		body["drainPolicy"] = policy
	}
	return body
}

// controlled tries the operations as the run's own tenant.
func controlled(ctx context.Context, r *host.Run, own string, o *TenantControl) {
	for _, op := range []struct {
		what string
		call wire.Call
		into *host.Answered
	}{
		{"to pause its own run", wire.Call{Operation: dialect.PauseRun.Of(r.ID), Body: pauseOf(r.Host, afterNode, atOnce)}, &o.Paused},
		{"to compare two runs of its own", wire.Call{Operation: diffOf(own, r.ID)}, &o.Diffed},
		{"to cancel its own run in bulk", wire.Call{Operation: dialect.CancelRuns.Of(), Body: map[string]any{"runIds": []string{r.ID}}},
			&o.Cancel},
	} {
		op.call.Label = op.what
		reply := r.Send(ctx, op.call)
		*op.into = host.AnsweredBy(op.what, reply)
	}
	if host.NotThere(o.Paused.HTTPStatus()) && host.NotThere(o.Diffed.HTTPStatus()) && host.NotThere(o.Cancel.HTTPStatus()) {
		scenarios.End(scenarios.NotOffered("the run's own tenant is answered HTTP " + o.Paused.Status.JSON() + " for a pause, " +
			o.Diffed.Status.JSON() + " for a diff and " + o.Cancel.Status.JSON() + " for a bulk cancel"))
	}
}
