package handoff

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// AncestryObservation is the ancestries that a host serves for a loop and its relatives.
type AncestryObservation struct {
	Advertised string      `json:"advertised"` // crossHostCausation.hostId
	Root       host.RunLog `json:"root"`       // a loop with workers
	Childless  bool        `json:"childless"`  // no loop is on offer: Root is a run of another kind
	OfRoot     Ancestry    `json:"ofRoot"`
	Children   []KinsRun   `json:"children"` // and behind a child that is a loop the children of it
	Never      Ancestry    `json:"never"`    // of an id that no run has
	// Forked is a replay of the root, zero unless forks are claimed.
	Forked host.Answered `json:"forked"`
	OfFork Ancestry      `json:"ofFork"`
	// OfHeir is that of a replay of a child, zero at quick or unless there is one.
	OfHeir Ancestry `json:"ofHeir,omitzero"`
}

// Ancestry is the host's reply about where a run comes from.
type Ancestry struct {
	RunID string `json:"runId"`
	host.Answered
}

// KinsRun is a run below the loop and its ancestry.
type KinsRun struct {
	Parent string      `json:"parent"` // id of the run that dispatched it
	Log    host.RunLog `json:"log"`
	Of     Ancestry    `json:"of"`
}

// ancestries reads the ancestry of a loop, its children, a fork of it, and an unknown run.
var ancestries = &scenarios.Drive[AncestryObservation]{
	ID: "openwop/ancestries",
	Title: "runs a loop with random workers, the last of them a loop as well, and asks where it, each run below it, a replay of it and " +
		"a run that never was come from; beyond quick a replay of a child, too",
	Sends: []string{"{create run} (assay-loop with random workers; else conformance-multi-agent-handoff or " +
		"conformance-orchestrator-dispatch; else a run that ends)", "{read run}", "{poll log}",
		"{fork run} {mode: replay}", "{read lineage}, of each and of one that never was"},
	Replies: 50,
	Run: func(ctx context.Context, c *scenarios.Conn, o *AncestryObservation) {
		h := host.Host{Conn: c}
		*o = AncestryObservation{Advertised: claims.Model(c.Discovery).At("/crossHostCausation/hostId").String()}
		way, err := scenarios.Attempt(h.WorkersLoop)
		if host.IsBlocked(err) { // any run has an ancestry; only children take a loop
			simple, none := scenarios.Attempt(h.Simple)
			if none != nil {
				scenarios.End(err)
			}
			way, o.Childless = host.Scripted{Fixture: simple.WorkflowID}, true
		} else {
			scenarios.End(err)
		}
		if ceiling, _ := h.Ceiling(); way.Chosen && len(way.Plan) < ceiling && ceiling >= innerTurns {
			way.Plan = slices.Insert(way.Plan, len(way.Plan)-1, any(host.NextWorker(fixture.Loop)))
		}
		r := h.Create(ctx, "create the loop", way.Request(nil))
		if o.Root = r.Finish(ctx, "log of the loop"); !o.Root.Ended.Reached {
			return
		}
		o.OfRoot = ancestry(ctx, h, "the loop", r.ID)
		o.Never = ancestry(ctx, h, "a run that never was", host.StrangerOf(r.ID))
		children := h.ChildRuns(ctx, o.Root, len(way.Workers()))
		for _, child := range children {
			of := ancestry(ctx, h, "the child "+child.ID, child.ID)
			o.Children = append(o.Children, KinsRun{r.ID, child.Log, of})
			for _, below := range host.ChildIDs(child.Log) {
				run := h.ChildRun(ctx, below)
				of := ancestry(ctx, h, "the grandchild "+below, below)
				o.Children = append(o.Children, KinsRun{child.ID, run.FinishAsChild(ctx), of})
			}
		}
		if _, claimed := claims.AncestryForks.Look(c.Discovery); !claimed {
			return
		}
		fork := h.Fork(ctx, r)
		if o.Forked = host.AnsweredBy("a fork of the loop", fork.Created); fork.ID == "" {
			return
		}
		o.OfFork = ancestry(ctx, h, "the fork", fork.ID)
		if h.Depth == scenarios.Quick || len(children) == 0 {
			return
		}
		child := children[h.Rand.IntN(len(children))]
		reply := h.Do(ctx, wire.Call{Operation: dialect.ForkRun.Of(child.ID), Label: "replay of a child",
			Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0))}})
		if heir := h.Adopt(reply); reply.Success() && heir.ID != "" {
			o.OfHeir = ancestry(ctx, h, "the fork of a child", heir.ID)
		}
	},
}

// innerTurns is how many turns a loop takes whose plan nobody chose.
const innerTurns = 4

// ancestry reads the ancestry of a run.
func ancestry(ctx context.Context, h host.Host, what, id string) Ancestry {
	reply := h.Permitted(ctx, wire.Call{Operation: dialect.ReadLineage.Of(id), Label: "ancestry of " + what})
	return Ancestry{id, host.AnsweredBy("the ancestry of "+what, reply)}
}
