package openwop

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
)

const (
	fixtureSixNodes  = "conformance-cap-breach"
	fixtureManyNodes = "assay-nodes"

	sixNodes  = 6
	manyNodes = 256
)

// NodesObservation is a workflow of several nodes run three times: with a bound
// below, at and above the nodes that it has.
type NodesObservation struct {
	Nodes int    `json:"nodes"`
	Bound int    `json:"bound"` // of Below
	Below RunLog `json:"below"`
	At    RunLog `json:"at"`    // bound Nodes
	Above RunLog `json:"above"` // a higher bound
	Lull  Lull   `json:"lull"`  // of Below, when the others had ended
}

// nodesAroundTheirBound runs one workflow under three bounds.
var nodesAroundTheirBound = &scenarios.Drive[NodesObservation]{
	ID:    "openwop/nodes-around-their-bound",
	Title: "runs six nodes with a random recursionLimit below six, with six, and with a random one above; runs a sentinel, waits a window and looks at the first again",
	Sends: []string{"POST /v1/runs (conformance-cap-breach) with configurable.recursionLimit, three times", "POST /v1/runs (sentinel)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (NodesObservation, error) {
		h := host{c}
		if err := h.offersSixNodes(); err != nil {
			return NodesObservation{}, err
		}
		o := NodesObservation{Nodes: sixNodes, Bound: h.between(1, sixNodes-1)}
		var below *run
		for _, way := range []struct {
			bound int
			log   *RunLog
		}{{o.Bound, &o.Below}, {sixNodes, &o.At}, {sixNodes + h.between(1, 9), &o.Above}} {
			r, l, err := h.boundedNodes(ctx, way.bound)
			if err != nil {
				return o, err
			}
			if *way.log = l; below == nil {
				below = r
			}
		}
		if below.ID == "" {
			return o, nil
		}
		var err error
		o.Lull, err = below.lull(ctx, scripted{Fixture: fixtureSixNodes}, o.At.Pace())
		return o, err
	},
}

// offersSixNodes stops a drive that needs the six nodes to run.
func (h host) offersSixNodes() error {
	if n, ok := family(h.Discovery, "limits").Key("maxNodeExecutions").Int(); ok && n < sixNodes {
		return scenarios.Block("the host's own limits.maxNodeExecutions ends a run of six nodes before its end", "advertise a limits.maxNodeExecutions of at least 6 while the host is certified")
	}
	if !h.offers(fixtureSixNodes) {
		return scenarios.Block("no workflow of several nodes is on offer", loadFixtures)
	}
	return nil
}

// boundedNodes runs the six nodes with a bound, to the end.
func (h host) boundedNodes(ctx context.Context, bound int) (*run, RunLog, error) {
	r, err := h.create(ctx, fmt.Sprintf("create six nodes with bound %d", bound), openwopv1.CreateRunRequest{
		WorkflowID: fixtureSixNodes, Configurable: &openwopv1.Configurable{RecursionLimit: new(int64(bound))}})
	if err != nil {
		return nil, RunLog{}, err
	}
	l, err := r.finish(ctx, fmt.Sprintf("log with bound %d", bound))
	return r, l, err
}

// nodesToTheLimit runs more nodes than the host advertises to execute.
var nodesToTheLimit = &scenarios.Drive[LimitObservation]{
	ID:    "openwop/nodes-to-the-limit",
	Title: "runs more nodes than the advertised limits.maxNodeExecutions, once without asking for a bound and once asking for a higher one",
	Sends: []string{"POST /v1/runs (assay-nodes)", "POST /v1/runs (the same, asking for a higher bound)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (LimitObservation, error) {
		h := host{c}
		limit, ok := family(c.Discovery, "limits").Key("maxNodeExecutions").Int()
		fixture, nodes := fixtureManyNodes, manyNodes
		if limit < sixNodes && h.offers(fixtureSixNodes) {
			fixture, nodes = fixtureSixNodes, sixNodes
		}
		switch {
		case !ok || limit < 1:
			return LimitObservation{}, scenarios.Block("the advertised limits.maxNodeExecutions is no number of nodes", "advertise an integer of at least 1")
		case limit >= int64(nodes):
			return LimitObservation{}, scenarios.Block(fmt.Sprintf("no fixture has more than the advertised limit of %d nodes", limit),
				fmt.Sprintf("advertise a limits.maxNodeExecutions below %d while the host is certified", nodes))
		case !h.offers(fixture):
			return LimitObservation{}, scenarios.Block("no workflow of more nodes than the limit is on offer", loadFixtures)
		}
		o := LimitObservation{Limit: int(limit)}
		for _, ask := range []struct {
			bound *openwopv1.Configurable
			log   *RunLog
			label string
		}{{nil, &o.Unasked, "no bound asked"}, {&openwopv1.Configurable{RecursionLimit: new(limit + int64(h.between(1, 999)))}, &o.Overdone, "a higher bound asked"}} {
			r, err := h.create(ctx, "create many nodes, "+ask.label, openwopv1.CreateRunRequest{WorkflowID: fixture, Configurable: ask.bound})
			if err != nil {
				return o, err
			}
			if *ask.log, err = r.finish(ctx, "log, "+ask.label); err != nil {
				return o, err
			}
		}
		return o, nil
	},
}

// ReplayedBreachObservation is a run that crossed a bound, and a replay of it.
type ReplayedBreachObservation struct {
	Source   RunLog `json:"source"`
	Replayed RunLog `json:"replayed"`
}

// replayedNodes forks a run that crossed its bound on nodes.
var replayedNodes = &scenarios.Drive[ReplayedBreachObservation]{
	ID:    "openwop/replayed-nodes",
	Title: "runs six nodes with a random recursionLimit below six and replays the run from the first event",
	Sends: []string{"POST /v1/runs (conformance-cap-breach) with configurable.recursionLimit", "POST /v1/runs/{runId}:fork {mode: replay}", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (ReplayedBreachObservation, error) {
		h := host{c}
		if err := h.offersSixNodes(); err != nil {
			return ReplayedBreachObservation{}, err
		}
		r, l, err := h.boundedNodes(ctx, h.between(1, sixNodes-1))
		o := ReplayedBreachObservation{Source: l}
		if err != nil || !l.Ended.Reached {
			return o, err
		}
		o.Replayed, err = h.replayed(ctx, r)
		return o, err
	},
}

// replayed replays a finished run to its end.
func (h host) replayed(ctx context.Context, source *run) (RunLog, error) {
	fork, err := h.fork(ctx, source)
	if err != nil {
		return RunLog{}, err
	}
	return fork.finish(ctx, "log of the replay")
}
