package bounds

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// What bounds that are set together draw.
var (
	stepsOf  = &scenarios.Dimension{Name: "nodes that a bound lets a run start", Least: 1, Most: [3]int{8, 200, 255}, Edges: []int{1, 2, 10}}
	turnsOf  = &scenarios.Dimension{Name: "turns that a bound lets a loop take", Least: 1, Most: [3]int{3, 9, 40}, Edges: []int{1, 2}}
	spareOf  = &scenarios.Dimension{Name: "what a bound leaves to spare", Least: 0, Most: [3]int{9, 500, 5_000}, Edges: []int{0, 1}}
	together = []*scenarios.Dimension{stepsOf, turnsOf, spareOf}
)

// TogetherObservation is runs with several bounds at once.
type TogetherObservation struct {
	Nodes []Bounded `json:"nodes"` // runs of no loop, that cross a bound on nodes or keep all of theirs
	Loops []Bounded `json:"loops"` // loops, that cross a bound on turns or keep all of theirs
}

// Bounded is a run with several bounds, at most one of which it crosses.
type Bounded struct {
	What    string               `json:"what"`
	Options dialect.Configurable `json:"options"`
	Crosses int                  `json:"crosses"`        // the bound that it crosses; 0 for none
	Held    *host.Suspension     `json:"held,omitempty"` // if it waits for an answer before that
	Pause   host.ShortPause      `json:"pause,omitzero"` // while it waits
	Log     host.RunLog          `json:"log"`
}

// hugeTimeout is a runTimeoutMs that no run here is over.
const hugeTimeout = 600_000

// boundsTogether runs workflows under bounds of every kind at once.
var boundsTogether = &scenarios.Drive[TogetherObservation]{
	ID: "openwop/bounds-together",
	Title: "starts workflows with several nodes, an approval or a loop, sets recursionLimit, runTimeoutMs, maxLoopIterations and " +
		"escalationThreshold on every run, pauses the one that waits beyond quick, and lets each run cross at most one of these bounds",
	Sends: []string{"{create run} (assay-nodes or another of several nodes; assay-approval; assay-loop) with every bound in configurable",
		"{pause run}", "{resume run}", "{answer node}", "{read run}", "{poll log}"},
	Dimensions: together,
	Timeout:    5 * time.Minute, // its logs are long, and pages may be short
	Run: func(ctx context.Context, c *scenarios.Conn, o *TogetherObservation) {
		h := host.Host{Conn: c}
		var calls []func(context.Context)
		add := func(into *[]Bounded, b Bounded, request dialect.CreateRunRequest, marker string) {
			i := len(*into)
			*into = append(*into, b)
			calls = append(calls, func(ctx context.Context) { (*into)[i].run(ctx, h, request, marker) })
		}
		way, nodes := several(h)
		limit := h.DrawUpTo(stepsOf, nodes-1, fmt.Sprintf("the workflow has %d nodes", nodes))
		crossed := bounded(h, limit, 1)
		add(&o.Nodes, Bounded{What: "a run of several nodes", Options: crossed, Crosses: limit}, dialect.CreateRunRequest{WorkflowID: way}, "")
		kept := bounded(h, nodes+h.DrawUpTo(spareOf, max(0, mostNodesOf(h)-nodes), "limits.maxNodeExecutions"), 1)
		add(&o.Nodes, Bounded{What: "a run of as many nodes as that, or fewer", Options: kept}, dialect.CreateRunRequest{WorkflowID: way}, "")
		if h.Offers(fixture.Approval) {
			held := Bounded{What: "a run that an approval holds at its bound", Options: bounded(h, 1, 1), Crosses: 1, Held: &host.Suspension{}}
			add(&o.Nodes, held, dialect.CreateRunRequest{WorkflowID: fixture.Approval}, h.Marker())
		}
		if _, claimed := claims.ExecutionModel.Look(c.Discovery); claimed && h.Offers(fixture.Loop, fixture.Noop) {
			o.addLoops(h, add)
		}
		h.AtOnce(ctx, calls...)
	},
}

// addLoops adds a loop that crosses a bound on turns and one that keeps it.
func (o *TogetherObservation) addLoops(h host.Host, add func(*[]Bounded, Bounded, dialect.CreateRunRequest, string)) {
	ceiling, why := h.Ceiling()
	if ceiling < 3 {
		return
	}
	n := h.DrawUpTo(turnsOf, ceiling-1, why)
	for _, loop := range []struct {
		turns, bound, crosses int
		what                  string
	}{
		{n + 1 + h.Rand.IntN(2), n, n, "a loop that needs more turns than its bound"},
		{n + 1, n + 1 + h.DrawUpTo(spareOf, max(0, ceiling-n-1), why), 0, "a loop that needs no more turns than its bound"},
	} {
		scripted := host.Scripted{Fixture: fixture.Loop, Plan: h.LoopPlan(loop.turns), Chosen: true}
		options := bounded(h, mostNodesOf(h), loop.bound)
		request := scripted.Request(nil)
		add(&o.Loops, Bounded{What: loop.what, Options: options, Crosses: loop.crosses}, request, "")
	}
}

// bounded returns bounds of every kind: these, and a time and a threshold that nobody crosses.
func bounded(h host.Host, nodes, turns int) dialect.Configurable {
	threshold := h.Share(1, 999)
	return dialect.Configurable{RecursionLimit: new(int64(nodes)), MaxLoopIterations: new(int64(turns)),
		RunTimeoutMs: new(int64(hugeTimeout + h.Between(0, 1000))), EscalationThreshold: &threshold}
}

// mostNodesOf is a bound on nodes that no loop here crosses: the host's own, else a large one.
func mostNodesOf(h host.Host) int {
	if n, ok := nodeLimit(h); ok {
		return int(min(n, 1<<30))
	}
	return 100_000
}

// several is [severalNodes], of many where the host has them.
func several(h host.Host) (way string, nodes int) {
	if h.Offers(fixture.ManyNodes) && mostNodesOf(h) >= manyNodes {
		return fixture.ManyNodes, manyNodes
	}
	return severalNodes(h)
}

// run runs it to its end, and answers what it waits for.
func (b *Bounded) run(ctx context.Context, h host.Host, request dialect.CreateRunRequest, marker string) {
	request.Configurable = &b.Options
	r := h.Create(ctx, "create "+b.What, request)
	if b.Held != nil {
		*b.Held = r.HeldAs(ctx, marker, 1, 0)
		if b.Held.Suspended.Reached && h.Depth > scenarios.Quick {
			if b.Pause = r.PausesShortly(ctx, b.What); host.Succeeded(b.Pause.GoOn.Status) {
				r.AwaitSuspended(ctx, 0)
			}
		}
		if !r.Resolves(ctx, b.Held) {
			return
		}
	}
	b.Log = r.Finish(ctx, "log of "+b.What)
}
