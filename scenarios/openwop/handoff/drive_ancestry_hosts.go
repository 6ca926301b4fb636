package handoff

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// The texts define no dispatch to another host, so the fixture uses our own: docs/seams.md.
// A host that lists it offers it.
const (
	giveSecond = "name the host that the target knows as " + wire.SecondName + " with --second-host, and its key with --second-host-key"
)

// HostsObservation is a loop whose workers ran on a second host.
type HostsObservation struct {
	First  string        `json:"first"`  // hostId that the target advertises
	Second host.Answered `json:"second"` // discovery document of the second host
	Trace  string        `json:"trace"`  // trace id of the request for the loop
	Span   string        `json:"span"`   // parent id of that request
	Root   host.RunLog   `json:"root"`
	Kids   []KinsRun     `json:"kids"`   // as the second host serves them, in the order in which the loop names them
	Cancel wire.Value    `json:"cancel"` // HTTP status, if the loop was cancelled
	Waited wire.Wait     `json:"waited"` // for a child, before the cancel
}

// hostsChain runs a loop whose workers end by themselves on the second host.
var hostsChain = &scenarios.Drive[HostsObservation]{
	ID:    "openwop/hosts-chain",
	Title: "runs a loop whose workers run on a second host, within a trace of its own, and reads what both hosts say of it",
	Sends: []string{"{read discovery}, of the second host",
		"{create run} (assay-dispatch-remote, random workers, with a traceparent)", "{read run}", "{poll log}",
		"{read run}, /events/poll and /ancestry of each child, on the second host"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HostsObservation) {
		h := host.Host{Conn: c}
		workers := []string{fixture.Echo, fixture.Fail, fixture.Echo}
		h.Rand.Shuffle(len(workers), func(i, k int) { workers[i], workers[k] = workers[k], workers[i] })
		r, other, seen := dispatchRemote(ctx, h, workers...)
		*o = seen
		if o.Root = r.Finish(ctx, "log of the loop"); !o.Root.Ended.Reached {
			return
		}
		readChildren(ctx, other, o, len(workers))
	},
}

// hostsCancel cancels a loop while its worker runs on the second host.
var hostsCancel = &scenarios.Drive[HostsObservation]{
	ID:    "openwop/hosts-cancel",
	Title: "cancels a loop while its worker is under way on a second host, and reads what both hosts say of it",
	Sends: []string{"{read discovery}, of the second host",
		"{create run} (assay-dispatch-remote, a worker that waits, with a traceparent)", "{read run}", "{poll log}",
		"{cancel run}", "{read run}, /events/poll and /ancestry of the child, on the second host"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *HostsObservation) {
		h := host.Host{Conn: c}
		h.GoFirst() // the worker does not wait for ever
		r, other, seen := dispatchRemote(ctx, h, fixture.Wait)
		*o = seen
		if o.Waited, o.Root = r.AwaitChildren(ctx, 1); !o.Waited.Reached {
			return
		}
		o.Cancel = r.Cancel(ctx, h.Name("enough"))
		if o.Root = r.Finish(ctx, "log of the cancelled loop"); !o.Root.Ended.Reached {
			return
		}
		readChildren(ctx, other, o, 1)
	},
}

// dispatchRemote starts a loop that runs these workers on the second host, one a turn.
func dispatchRemote(ctx context.Context, h host.Host, workers ...string) (*host.Run, host.Host, HostsObservation) {
	o := HostsObservation{
		First: claims.Model(h.Discovery).At("/crossHostCausation/hostId").String(),
		Trace: fmt.Sprintf("%016x%016x", h.Rand.Uint64()|1, h.Rand.Uint64()), Span: fmt.Sprintf("%016x", h.Rand.Uint64()|1),
	}
	second, ok := h.Second()
	if !ok {
		scenarios.End(scenarios.Block("this takes a second host, and no --second-host was given", giveSecond))
	}
	other := host.Host{Conn: second}
	reply := other.Send(ctx, wire.Call{Operation: dialect.Discover.Of(), Label: "discovery of the second host", Discovery: true})
	o.Second = host.AnsweredBy("discovery of the second host", reply)
	other.Discovery = scenarios.Discovery{Document: o.Second.Body, Status: o.Second.Status}
	if !other.Offers(workers...) {
		scenarios.End(scenarios.Block(fmt.Sprintf("the second host does not list the workers %q", workers),
			"give --second-host the fixtures, too: assay fixtures export DIR writes them"))
	}
	p := host.Plan{}
	for _, w := range workers {
		p = append(p, host.NextWorker(wire.SecondName+"/"+w))
	}
	body := dialect.CreateRunRequest{WorkflowID: fixture.Remote,
		Inputs: map[string]any{"plan": append(p, host.Terminate(h.Name("done"))), "said": h.Marker()}}
	reply, err := scenarios.Attempt(func() *wire.Reply {
		return h.Send(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: body, Label: "create the loop",
			Header: map[string]string{"Traceparent": "00-" + o.Trace + "-" + o.Span + "-01"}})
	})
	if err != nil {
		h.Lost(fixture.Remote, err)
		return nil, other, o
	}
	return h.Adopt(reply), other, o
}

// readChildren reads the children of a loop on the host where they ran.
func readChildren(ctx context.Context, h host.Host, o *HostsObservation, planned int) {
	children := h.ChildRuns(ctx, o.Root, planned)
	for _, child := range children {
		of := ancestry(ctx, h, "the child "+child.ID+" on the second host", child.ID)
		o.Kids = append(o.Kids, KinsRun{o.Root.RunID, child.Log, of})
	}
}
