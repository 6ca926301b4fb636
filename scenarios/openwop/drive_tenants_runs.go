package openwop

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// TenantRuns are two tenants who look for each other's runs.
type TenantRuns struct {
	Tenants Tenants      `json:"tenants"`
	Reads   []TenantCall `json:"reads"`
	Own     Answered     `json:"own"`    // the list of runs, to the first tenant; not every host has one
	Others  Answered     `json:"others"` // to the other
	// Before and After are the run of the first tenant.
	Before RunLog `json:"before"`
	After  RunLog `json:"after"`
}

const sendsTenants = "as each of two tenants: POST /v1/runs, GET /v1/runs/{runId}"

// tenantsReadRuns has each tenant ask for the run of the other.
var tenantsReadRuns = &scenarios.Drive[TenantRuns]{
	ID:    "openwop/tenants-read-runs",
	Title: "has two tenants make a run each, and each ask for the other's and for one that never was: the snapshot, the log, the stream, the ancestry and the list",
	Sends: []string{sendsTenants, "of the other's run and of one that never was: GET /v1/runs/{runId}", "GET .../events/poll", "GET .../events", "GET .../ancestry", "GET /v1/runs"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantRuns, error) {
		h := host{c}
		var o TenantRuns
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil || made.First.runID() == "" || made.Other.runID() == "" {
			return o, err
		}
		first := &run{host: h, ID: made.First.runID(), gone: func() {}}
		if first.Created, err = first.snapshot(ctx, "the run, before anybody asks for it"); err != nil {
			return o, err
		}
		if o.Before, err = first.stands(ctx, "the run, before anybody asks for it"); err != nil {
			return o, err
		}
		for _, ask := range []struct {
			by     host
			name   string
			theirs string
		}{{t.other, theOther, made.First.runID()}, {t.first, theFirst, made.Other.runID()}} {
			calls, err := ask.by.readsOf(ctx, ask.name, ask.theirs)
			if err != nil {
				return o, err
			}
			o.Reads = append(o.Reads, calls...)
		}
		if o.Own, err = t.first.runList(ctx, "the list of runs, by "+theFirst); err != nil {
			return o, err
		}
		if o.Others, err = t.other.runList(ctx, "the list of runs, by "+theOther); err != nil {
			return o, err
		}
		o.After, err = first.stands(ctx, "the run, after the other tenant had asked for it")
		return o, err
	},
}

// readsOf asks in every way for a run that has ended.
func (h host) readsOf(ctx context.Context, by, theirs string) ([]TenantCall, error) {
	var out []TenantCall
	for _, op := range []struct {
		what, suffix string
		needed       bool
	}{{"the run", "", true}, {"the log of the run", "/events/poll?timeout=1", true}, {"the stream of the run", "/events", true}, {"the ancestry of the run", "/ancestry", false}} {
		call, err := h.intrude(ctx, by, op.what, op.needed, theirs, strangerOf(theirs), func(id string) wire.Call {
			return wire.Call{Method: http.MethodGet, Path: runPath(id) + op.suffix}
		})
		if err != nil {
			return out, err
		}
		out = append(out, call)
	}
	return out, nil
}

// runList asks for the list of runs, which the protocol does not have and many
// hosts do. One that is longer than we read is as good as none.
func (h host) runList(ctx context.Context, what string) (Answered, error) {
	reply, err := h.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/v1/runs", Label: what})
	if errors.Is(err, wire.ErrOverLimit) {
		return Answered{Asked: what}, nil
	}
	if err != nil {
		return Answered{}, err
	}
	return answered(what, reply), nil
}

// TenantFork is a run that another tenant would fork, and that its own does.
type TenantFork struct {
	Tenants Tenants    `json:"tenants"`
	Call    TenantCall `json:"call"`
	Before  RunLog     `json:"before"`
	After   RunLog     `json:"after"`
	Forked  Answered   `json:"forked"` // by its own tenant
	Own     Answered   `json:"own"`    // the fork, read by its own tenant
	Read    TenantCall `json:"read"`   // and by the other
}

// tenantsFork has a tenant fork the run of another.
var tenantsFork = &scenarios.Drive[TenantFork]{
	ID:    "openwop/tenants-fork",
	Title: "has a tenant replay the run of another and one that never was, replays it as its own tenant, and has the other ask for the replay",
	Sends: []string{sendsTenants, "as the other tenant: POST /v1/runs/{runId}:fork", "POST /v1/runs/{runId}:fork", "GET /v1/runs/{runId} (the replay), as both"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantFork, error) {
		h := host{c}
		var o TenantFork
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil || made.First.runID() == "" {
			return o, err
		}
		source := &run{host: h, ID: made.First.runID(), gone: func() {}}
		if source.Created, err = source.snapshot(ctx, "the run, before somebody forks it"); err != nil {
			return o, err
		}
		if o.Before, err = source.stands(ctx, "the run, before somebody forks it"); err != nil {
			return o, err
		}
		o.Call, err = t.other.intrude(ctx, theOther, "to fork the run", true, source.ID, strangerOf(source.ID), func(id string) wire.Call {
			return wire.Call{Method: http.MethodPost, Path: runPath(id) + ":fork", Body: openwopv1.ForkRunRequest{Mode: openwopv1.ForkModeReplay, FromSeq: new(int64(0))}}
		})
		if err != nil {
			return o, err
		}
		if o.After, err = source.stands(ctx, "the run, after the other tenant would have forked it"); err != nil {
			return o, err
		}
		fork, err := h.fork(ctx, source)
		if err != nil {
			return o, err
		}
		if o.Forked = answered("a fork of its own run", fork.Created); fork.ID == "" {
			return o, nil
		}
		own, err := fork.snapshot(ctx, "the fork")
		if err != nil {
			return o, err
		}
		o.Own = answered("the fork", own)
		o.Read, err = t.other.readOf(ctx, "the fork", fork.ID)
		return o, err
	},
}

// readOf asks as the other tenant for the snapshot of a run.
func (h host) readOf(ctx context.Context, what, id string) (TenantCall, error) {
	return h.intrude(ctx, theOther, what, true, id, strangerOf(id), func(id string) wire.Call {
		return wire.Call{Method: http.MethodGet, Path: runPath(id)}
	})
}

// TenantOffspring is a run with its children, which another tenant asks for.
type TenantOffspring struct {
	Tenants  Tenants      `json:"tenants"`
	Log      RunLog       `json:"log"` // of the run
	Children []Answered   `json:"children"`
	Reads    []TenantCall `json:"reads"`
}

// tenantsOffspring has a tenant ask for what the run of another dispatched.
var tenantsOffspring = &scenarios.Drive[TenantOffspring]{
	ID:    "openwop/tenants-offspring",
	Title: "runs a loop with workers, and has another tenant ask for each child",
	Sends: []string{sendsTenants, sendsLoop, "GET /v1/runs/{runId}/events/poll", "GET /v1/runs/{childRunId}, as both tenants"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantOffspring, error) {
		h := host{c}
		var o TenantOffspring
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil {
			return o, err
		}
		way, err := h.workersLoop()
		if err != nil {
			return o, err
		}
		r, err := h.create(ctx, "create the loop", way.request(nil))
		if err != nil {
			return o, err
		}
		if o.Log, err = r.finish(ctx, "log of the loop"); err != nil || !o.Log.Ended.Reached {
			return o, err
		}
		for i, id := range childIDs(o.Log) {
			if i > len(way.workers()) {
				break
			}
			child, err := h.childRun(ctx, id)
			if err != nil {
				return o, err
			}
			o.Children = append(o.Children, answered("the child "+id, child.Created))
			read, err := t.other.readOf(ctx, "the child "+id, id)
			if err != nil {
				return o, err
			}
			o.Reads = append(o.Reads, read)
		}
		return o, nil
	},
}

// TenantCancel is a run under way that another tenant would cancel.
type TenantCancel struct {
	Tenants Tenants    `json:"tenants"`
	Way     string     `json:"way"`
	Created Answered   `json:"created"`
	Live    wire.Value `json:"live"` // snapshot before
	Call    TenantCall `json:"call"`
	After   wire.Value `json:"after"`  // snapshot after
	Cancel  Answered   `json:"cancel"` // by its own tenant
	Ended   wire.Wait  `json:"ended"`
}

// tenantsCancel has a tenant cancel the run of another.
var tenantsCancel = &scenarios.Drive[TenantCancel]{
	ID:    "openwop/tenants-cancel",
	Title: "has a tenant cancel a run of another that is under way, and one that never was, and cancels it then as its own tenant",
	Sends: []string{sendsTenants, "POST /v1/runs (conformance-cancellable, conformance-delay or assay-loop-ask-user)", "as the other tenant: POST /v1/runs/{runId}/cancel", "GET /v1/runs/{runId}", "POST /v1/runs/{runId}/cancel"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantCancel, error) {
		h := host{c}
		var o TenantCancel
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil {
			return o, err
		}
		r, way, err := h.lastingRun(ctx)
		if o.Way = way; err != nil {
			return o, err
		}
		if o.Created = answered("a run that lasts", r.Created); r.ID == "" {
			return o, nil
		}
		if o.Live, err = r.seen(ctx, "before anybody cancels it"); err != nil {
			return o, err
		}
		o.Call, err = t.other.intrude(ctx, theOther, "to cancel the run", true, r.ID, strangerOf(r.ID), func(id string) wire.Call {
			return wire.Call{Method: http.MethodPost, Path: runPath(id) + "/cancel", Body: openwopv1.CancelRunRequest{}}
		})
		if err != nil {
			return o, err
		}
		if o.After, err = r.seen(ctx, "after the other tenant would have cancelled it"); err != nil {
			return o, err
		}
		if o.Cancel, err = r.stop(ctx, "to cancel its own run"); err != nil {
			return o, err
		}
		o.Ended, err = r.ended(ctx)
		return o, err
	},
}

// TenantAnswer is a suspended loop that another tenant would answer.
type TenantAnswer struct {
	Tenants Tenants `json:"tenants"`
	SuspendedLoop
	Call  TenantCall `json:"call"`
	After RunLog     `json:"after"` // before its own tenant answered
}

// tenantsAnswer has a tenant answer the loop of another.
var tenantsAnswer = &scenarios.Drive[TenantAnswer]{
	ID:    "openwop/tenants-answer",
	Title: "holds a loop by a question, has another tenant answer it, looks at it, and answers as its own tenant",
	Sends: []string{sendsTenants, sendsLoop, "as the other tenant: POST /v1/runs/{runId}/interrupts/{nodeId}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll", "POST /v1/runs/{runId}/interrupts/{nodeId}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (TenantAnswer, error) {
		h := host{c}
		var o TenantAnswer
		t, made, err := h.twoTenants(ctx)
		if o.Tenants = made; err != nil {
			return o, err
		}
		r, _, loop, err := h.suspendAsking(ctx)
		if o.SuspendedLoop = loop; err != nil || !loop.Held.Suspended.Reached {
			return o, err
		}
		asked := pending(loop.Held.Suspended.Last, loop.Held.Log)
		answer := asked.answers(h.marker())[0]
		o.Call, err = t.other.intrude(ctx, theOther, "to answer the run", false, r.ID, strangerOf(r.ID), func(id string) wire.Call {
			return wire.Call{Method: http.MethodPost, Path: runPath(id) + "/interrupts/" + url.PathEscape(asked.node), Body: map[string]any{"resumeValue": answer}}
		})
		if err != nil {
			return o, err
		}
		if o.After, err = r.stands(ctx, "the loop, after the other tenant would have answered it"); err != nil {
			return o, err
		}
		return o, r.resumes(ctx, &o.SuspendedLoop)
	},
}
