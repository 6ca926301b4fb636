package isolation

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TenantRuns is two tenants that read each other's runs.
type TenantRuns struct {
	Tenants host.Tenants      `json:"tenants"`
	Reads   []host.TenantCall `json:"reads"`
	Own     host.Answered     `json:"own"`    // the first tenant's list of runs; not every host has one
	Others  host.Answered     `json:"others"` // the other tenant's list
	// Before and After are the first tenant's run around the reads.
	Before host.RunLog `json:"before"`
	After  host.RunLog `json:"after"`
}

// tenantsReadRuns has each tenant read the other's run.
var tenantsReadRuns = &scenarios.Drive[TenantRuns]{
	ID: "openwop/tenants-read-runs",
	Title: "has two tenants make a run each, and each ask for the other's and for one that never was: the snapshot, the " +
		"log, the stream, the ancestry and the list",
	Sends: []string{host.SendsTenants, "of the other's run and of one that never was: {read run}", "{poll log}", "{stream log}",
		"{read lineage}", "{list runs}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantRuns) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		if o.Tenants = made; made.First.RunID() == "" || made.Other.RunID() == "" {
			return
		}
		first := &host.Run{Host: h, ID: made.First.RunID(), Gone: func() {}}
		first.Created = first.Snapshot(ctx, "the run, before anybody asks for it")
		o.Before = first.Stands(ctx, "the run, before anybody asks for it")
		for _, ask := range []struct {
			by     host.Host
			name   string
			theirs string
		}{{t.Other, host.TheOther, made.First.RunID()}, {t.First, host.TheFirst, made.Other.RunID()}} {
			calls := readsOf(ctx, ask.by, ask.name, ask.theirs)
			o.Reads = append(o.Reads, calls...)
		}
		o.Own = runList(ctx, t.First, "the list of runs, by "+host.TheFirst)
		o.Others = runList(ctx, t.Other, "the list of runs, by "+host.TheOther)
		o.After = first.Stands(ctx, "the run, after the other tenant had asked for it")
	},
}

// readsOf tries every way to read an ended run.
func readsOf(ctx context.Context, h host.Host, by, theirs string) []host.TenantCall {
	var out []host.TenantCall
	for _, op := range []struct {
		what   string
		read   dialect.Operation
		needed bool
	}{
		{"the run", dialect.ReadRun, true}, {"the log of the run", dialect.PollLog, true},
		{"the stream of the run", dialect.StreamLog, true}, {"the ancestry of the run", dialect.ReadLineage, false},
	} {
		call := h.Intrude(ctx, by, op.what, op.needed, theirs, host.StrangerOf(theirs), func(id string) wire.Call {
			return wire.Call{Operation: op.read.Of(id)}
		})
		out = append(out, call)
	}
	return out
}

// runList reads the list of runs, which many hosts serve although the protocol has
// none. A list above the read limit counts as none.
func runList(ctx context.Context, h host.Host, what string) host.Answered {
	reply, err := scenarios.Attempt(func() *wire.Reply {
		return h.Do(wire.Misfit(ctx, openwop.OWPISO1), wire.Call{Operation: dialect.ListRuns.Of(), Label: what})
	})
	if errors.Is(err, wire.ErrOverLimit) {
		return host.Answered{Asked: what}
	}
	scenarios.End(err)
	return host.AnsweredBy(what, reply)
}

// TenantFork is a run that another tenant tried to fork, and that its own tenant forked.
type TenantFork struct {
	Tenants host.Tenants    `json:"tenants"`
	Call    host.TenantCall `json:"call"`
	Before  host.RunLog     `json:"before"`
	After   host.RunLog     `json:"after"`
	Forked  host.Answered   `json:"forked"` // by the run's own tenant
	Own     host.Answered   `json:"own"`    // the fork, read by its tenant
	Read    host.TenantCall `json:"read"`   // the fork, read by the other
}

// tenantsFork has a tenant fork another's run.
var tenantsFork = &scenarios.Drive[TenantFork]{
	ID:    "openwop/tenants-fork",
	Title: "has a tenant replay the run of another and one that never was, replays it as its own tenant, and has the other ask for the replay",
	Sends: []string{host.SendsTenants, "as the other tenant: {fork run}", "{fork run}", "{read run} (the replay), as both"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantFork) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		if o.Tenants = made; made.First.RunID() == "" {
			return
		}
		source := &host.Run{Host: h, ID: made.First.RunID(), Gone: func() {}}
		source.Created = source.Snapshot(ctx, "the run, before somebody forks it")
		o.Before = source.Stands(ctx, "the run, before somebody forks it")
		o.Call = t.Other.Intrude(ctx, host.TheOther, "to fork the run", true, source.ID, host.StrangerOf(source.ID), func(id string) wire.Call {
			return wire.Call{Operation: dialect.ForkRun.Of(id), Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0))}}
		})
		o.After = source.Stands(ctx, "the run, after the other tenant would have forked it")
		fork := h.Fork(ctx, source)
		if o.Forked = host.AnsweredBy("a fork of its own run", fork.Created); fork.ID == "" {
			return
		}
		own := fork.Snapshot(ctx, "the fork")
		o.Own = host.AnsweredBy("the fork", own)
		o.Read = readOf(ctx, t.Other, "the fork", fork.ID)
	},
}

// readOf reads a run's snapshot as the other tenant.
func readOf(ctx context.Context, h host.Host, what, id string) host.TenantCall {
	return h.Intrude(ctx, host.TheOther, what, true, id, host.StrangerOf(id), func(id string) wire.Call {
		return wire.Call{Operation: dialect.ReadRun.Of(id)}
	})
}

// TenantOffspring is a run with children that another tenant tried to read.
type TenantOffspring struct {
	Tenants  host.Tenants      `json:"tenants"`
	Log      host.RunLog       `json:"log"` // of the run
	Children []host.Answered   `json:"children"`
	Reads    []host.TenantCall `json:"reads"`
}

// tenantsOffspring has a tenant read the children of another's run.
var tenantsOffspring = &scenarios.Drive[TenantOffspring]{
	ID:    "openwop/tenants-offspring",
	Title: "runs a loop with workers, and has another tenant ask for each child",
	Sends: []string{host.SendsTenants, host.SendsLoop, "{poll log}", "{read run:childRunId}, as both tenants"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantOffspring) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		o.Tenants = made
		way := h.WorkersLoop()
		r := h.Create(ctx, "create the loop", way.Request(nil))
		if o.Log = r.Finish(ctx, "log of the loop"); !o.Log.Ended.Reached {
			return
		}
		for i, id := range host.ChildIDs(o.Log) {
			if i > len(way.Workers()) {
				break
			}
			child := h.ChildRun(ctx, id)
			o.Children = append(o.Children, host.AnsweredBy("the child "+id, child.Created))
			read := readOf(ctx, t.Other, "the child "+id, id)
			o.Reads = append(o.Reads, read)
		}
	},
}

// TenantCancel is a run under way that another tenant tried to cancel.
type TenantCancel struct {
	Tenants host.Tenants    `json:"tenants"`
	Way     string          `json:"way"`
	Created host.Answered   `json:"created"`
	Live    wire.Value      `json:"live"` // snapshot before
	Call    host.TenantCall `json:"call"`
	After   wire.Value      `json:"after"`  // snapshot after
	Cancel  host.Answered   `json:"cancel"` // by the run's own tenant
	Ended   wire.Wait       `json:"ended"`
}

// tenantsCancel has a tenant cancel another's run.
var tenantsCancel = &scenarios.Drive[TenantCancel]{
	ID:    "openwop/tenants-cancel",
	Title: "has a tenant cancel a run of another that is under way, and one that never was, and cancels it then as its own tenant",
	Sends: []string{host.SendsTenants, "{create run} (conformance-cancellable, conformance-delay or assay-loop-ask-user)",
		"as the other tenant: {cancel run}", "{read run}", "{cancel run}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantCancel) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		o.Tenants = made
		r, way := h.LastingRun(ctx)
		o.Way = way
		if o.Created = host.AnsweredBy("a run that lasts", r.Created); r.ID == "" {
			return
		}
		o.Live = r.Seen(ctx, "before anybody cancels it")
		o.Call = t.Other.Intrude(ctx, host.TheOther, "to cancel the run", true, r.ID, host.StrangerOf(r.ID), func(id string) wire.Call {
			return wire.Call{Operation: dialect.CancelRun.Of(id), Body: dialect.CancelRunRequest{}}
		})
		o.After = r.Seen(ctx, "after the other tenant would have cancelled it")
		o.Cancel = r.Stop(ctx, "to cancel its own run")
		o.Ended = r.AwaitEnd(ctx)
	},
}

// TenantAnswer is a suspended loop that another tenant tried to answer.
type TenantAnswer struct {
	Tenants host.Tenants `json:"tenants"`
	host.SuspendedLoop
	Call  host.TenantCall `json:"call"`
	After host.RunLog     `json:"after"` // after the call, before its own tenant answered
}

// tenantsAnswer has a tenant answer another's loop.
var tenantsAnswer = &scenarios.Drive[TenantAnswer]{
	ID:    "openwop/tenants-answer",
	Title: "holds a loop by a question, has another tenant answer it, looks at it, and answers as its own tenant",
	Sends: []string{host.SendsTenants, host.SendsLoop, "as the other tenant: {answer node}", "{read run}", "{poll log}", "{answer node}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TenantAnswer) {
		h := host.Host{Conn: c}
		t, made := h.TwoTenants(ctx)
		o.Tenants = made
		r, _, loop := h.SuspendAsking(ctx)
		if o.SuspendedLoop = loop; !loop.Held.Suspended.Reached {
			return
		}
		asked := host.Pending(loop.Held.Suspended.Last, loop.Held.Log)
		answer := asked.Answers(h.Marker())[0]
		o.Call = t.Other.Intrude(ctx, host.TheOther, "to answer the run", false, r.ID, host.StrangerOf(r.ID), func(id string) wire.Call {
			return wire.Call{Operation: dialect.AnswerNode.Of(id, asked.Node), Body: map[string]any{"resumeValue": answer}}
		})
		o.After = r.Stands(ctx, "the loop, after the other tenant would have answered it")
		r.Resumes(ctx, &o.SuspendedLoop)
	},
}
