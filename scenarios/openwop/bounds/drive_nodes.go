package bounds

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

const (
	sixNodes  = 6
	manyNodes = 256
	mostNodes = 1024
)

// NodesObservation is a workflow of several nodes run three times, with a bound
// below, at and above its number of nodes.
type NodesObservation struct {
	Way   string      `json:"way"` // the workflow
	Nodes int         `json:"nodes"`
	Bound int         `json:"bound" drawn:"true"` // of Below
	Below host.RunLog `json:"below"`
	At    host.RunLog `json:"at"`    // bound Nodes
	Above host.RunLog `json:"above"` // a higher bound
	Lull  host.Lull   `json:"lull"`  // of Below, after the others ended
	// Free is a loop without such a bound, zero if none is on offer, and Loops are the same with bounds below the nodes that it
	// started: two in a row, so that one of them refuses a supervisor's start and the other that of a dispatch.
	Free  host.RunLog `json:"free"`
	Loops []NodesLoop `json:"loops"`
}

// NodesLoop is a loop with a bound on nodes that it crosses.
type NodesLoop struct {
	Bound int         `json:"bound"`
	Log   host.RunLog `json:"log"`
}

// nodesAroundTheirBound runs one workflow under three bounds.
var nodesAroundTheirBound = &scenarios.Drive[NodesObservation]{
	ID: "openwop/nodes-around-their-bound",
	Title: "runs six nodes with a random recursionLimit below six, with six, and with a random one above; runs a sentinel, " +
		"waits a window and looks at the first again; runs a loop without a bound, and with two below the nodes that it started",
	Sends: []string{"{create run} (conformance-cap-breach, or another of several nodes) with configurable.recursionLimit, three times",
		"{create run} (sentinel)", "{create run} (assay-loop), three times",
		"{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *NodesObservation) {
		h := host.Host{Conn: c}
		way, nodes := severalNodes(h)
		*o = NodesObservation{Way: way, Nodes: nodes, Bound: h.Between(1, nodes-1)}
		var below *host.Run
		for _, run := range []struct {
			bound int
			log   *host.RunLog
		}{{o.Bound, &o.Below}, {nodes, &o.At}, {nodes + h.Between(1, 9), &o.Above}} {
			r, l := boundedNodes(ctx, h, way, run.bound)
			if *run.log = l; below == nil {
				below = r
			}
		}
		if below.ID == "" {
			return
		}
		o.Lull = below.Lull(ctx, host.Scripted{Fixture: way}, o.At.Pace())
		o.loops(ctx, h)
	},
}

// loops runs a loop without a bound, and with bounds below the nodes that it started.
func (o *NodesObservation) loops(ctx context.Context, h host.Host) {
	const turns = 4
	_, claimed := claims.ExecutionModel.Look(h.Discovery)
	if ceiling, _ := h.Ceiling(); !claimed || !h.Offers(fixture.Loop, fixture.Noop) || ceiling < turns {
		return
	}
	way := host.Scripted{Fixture: fixture.Loop, Plan: h.LoopPlan(turns), Chosen: true}
	o.Free = h.Create(ctx, "create the loop without a bound", way.Request(nil)).Finish(ctx, "log of the loop without a bound")
	nodes := len(starts(o.Free).Values)
	if nodes < 3 || !o.Free.Ended.Reached {
		return
	}
	first := h.Between(1, nodes-2)
	for _, bound := range []int{first, first + 1} {
		request := way.Request(nil)
		request.Configurable = &dialect.Configurable{RecursionLimit: new(int64(bound))}
		r := h.Create(ctx, fmt.Sprintf("create the loop with bound %d", bound), request)
		o.Loops = append(o.Loops, NodesLoop{bound, r.Finish(ctx, "log of a loop with a bound on nodes")})
	}
}

// mostCounted is the number of nodes beyond which the bound of a workflow of the host's own would say little about one node more.
const mostCounted = 50

// severalNodes returns a workflow of several nodes, and of how many: upstream's of six, else one that the host has, whose nodes a
// control run counted. It ends the drive if there is none, or the host's own limit ends it.
func severalNodes(h host.Host) (way string, nodes int) {
	most := mostCounted
	if n, ok := nodeLimit(h); ok && n < int64(most) {
		most = int(n)
	}
	if h.Offers(fixture.SixNodes) && most >= sixNodes {
		return fixture.SixNodes, sixNodes
	}
	own, ok := host.Find(h, func(o host.Own) bool { return o.Nodes > 1 && o.Nodes <= most }, host.Completes)
	switch {
	case ok:
		return own.Workflow, own.Nodes
	case most < sixNodes:
		scenarios.End(scenarios.Block("the host's own limits.maxNodeExecutions ends a run of six nodes before its end",
			"advertise a limits.maxNodeExecutions of at least 6 while the host is certified"))
	}
	h.Lacks("no workflow of several nodes is on offer", fixture.SixNodes)
	return "", 0
}

// boundedNodes runs a workflow to the end under a bound on nodes.
func boundedNodes(ctx context.Context, h host.Host, way string, bound int) (*host.Run, host.RunLog) {
	r := h.Create(ctx, fmt.Sprintf("create a run of several nodes with bound %d", bound), dialect.CreateRunRequest{
		WorkflowID: way, Configurable: &dialect.Configurable{RecursionLimit: new(int64(bound))}})
	l := r.Finish(ctx, fmt.Sprintf("log with bound %d", bound))
	return r, l
}

// nodesToTheLimit runs more nodes than the advertised limit.
var nodesToTheLimit = &scenarios.Drive[LimitObservation]{
	ID: "openwop/nodes-to-the-limit",
	Title: "runs more nodes than the advertised limits.maxNodeExecutions without run options, with other ones, and with a higher bound; " +
		"beyond quick, branches off the first with a higher bound",
	Sends: []string{"{create run} (assay-nodes, else assay-scripted-nodes)", "{create run} (the same, with options that bound no nodes)",
		"{create run} (the same, asking for a higher bound)",
		"{fork run} {mode: branch, fromSeq, runOptionsOverlay}", "{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LimitObservation) {
		h := host.Host{Conn: c}
		limit, ok := claims.Family(c.Discovery, "limits").Key("maxNodeExecutions").Int()
		workflow, nodes := fixture.ManyNodes, manyNodes
		switch {
		case limit < sixNodes && h.Offers(fixture.SixNodes):
			workflow, nodes = fixture.SixNodes, sixNodes
		case ok && limit >= manyNodes:
			workflow, nodes = fixture.ScriptedNodes, mostNodes
		}
		switch {
		case !ok || limit < 1:
			scenarios.End(scenarios.Block("the advertised limits.maxNodeExecutions is not a number of nodes", "advertise an integer of at least 1"))
		case limit >= int64(nodes):
			scenarios.End(scenarios.Block(fmt.Sprintf("no fixture has more than the advertised limit of %d nodes", limit),
				fmt.Sprintf("advertise a limits.maxNodeExecutions below %d while the host is certified", nodes)))
		case !h.Offers(workflow):
			h.Lacks("no workflow of more nodes than the limit is on offer", workflow)
		}
		*o = LimitObservation{Limit: int(limit)}
		var first *host.Run
		for _, ask := range []struct {
			bound *dialect.Configurable
			log   *host.RunLog
			label string
		}{{nil, &o.Unasked, "no bound asked"}, {unbounded(h), &o.Beside, "another option asked"},
			{&dialect.Configurable{RecursionLimit: new(limit + int64(h.Between(1, 999)))},
				&o.Overdone, "a higher bound asked"}} {
			r := h.Create(ctx, "create many nodes, "+ask.label, dialect.CreateRunRequest{WorkflowID: workflow, Configurable: ask.bound})
			if *ask.log = r.Finish(ctx, "log, "+ask.label); ask.bound == nil {
				first = r
			}
		}
		o.branch(ctx, first, dialect.Configurable{RecursionLimit: new(limit + int64(h.Between(1, 999)))})
	},
}

// ReplayedBreachObservation is a run that exceeded a bound, and its replay.
type ReplayedBreachObservation struct {
	Nodes    int         `json:"nodes"` // of its workflow, above the bound; 0 for a bound on time
	Source   host.RunLog `json:"source"`
	Replayed host.RunLog `json:"replayed"`
}

// replayedNodes replays a run that exceeded its bound on nodes.
var replayedNodes = &scenarios.Drive[ReplayedBreachObservation]{
	ID:    "openwop/replayed-nodes",
	Title: "runs six nodes with a random recursionLimit below six and replays the run from the first event",
	Sends: []string{"{create run} (conformance-cap-breach, or another of several nodes) with configurable.recursionLimit",
		"{fork run} {mode: replay}",
		"{read run}", "{poll log}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ReplayedBreachObservation) {
		h := host.Host{Conn: c}
		way, nodes := severalNodes(h)
		r, l := boundedNodes(ctx, h, way, h.Between(1, nodes-1))
		*o = ReplayedBreachObservation{Source: l, Nodes: nodes}
		if !l.Ended.Reached {
			return
		}
		o.Replayed = replayed(ctx, h, r)
	},
}

// replayed replays a finished run to its end.
func replayed(ctx context.Context, h host.Host, source *host.Run) host.RunLog {
	fork := h.Fork(ctx, source)
	return fork.Finish(ctx, "log of the replay")
}
