package handoff

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// TreeObservation is a run, its child and its grandchild. The run was cancelled
// while the grandchild was at work.
type TreeObservation struct {
	Way       string       `json:"way"`
	Running   wire.Wait    `json:"running"`   // the grandchild is at work; Last is its snapshot
	Pause     TreePause    `json:"pause"`     // of a member below the top, before the cancel
	Cancelled wire.Value   `json:"cancelled"` // HTTP status of the cancel
	Members   []TreeMember `json:"members"`   // from the top, as many as were found
	// Sentinel and Window separate the two logs of each member.
	Sentinel wire.Wait     `json:"sentinel"`
	Window   time.Duration `json:"windowNs"`
	// Bulk is another such tree, whose top a bulk cancel named, beyond quick and where the host took that.
	Bulk *TreeObservation `json:"bulk,omitempty"`
}

// TreePause is a pause of a member of the tree. Not every host pauses runs.
type TreePause struct {
	Member int           `json:"member" drawn:"true"` // 1 for the child, 2 for the grandchild
	Reply  host.Answered `json:"reply"`               // zero if the host lists policies and not the immediate one
	Still  wire.Wait     `json:"still"`               // until its status is paused
}

// TreeMember is one run of the tree, read at its end and again later.
type TreeMember struct {
	Name  string      `json:"name"`
	Log   host.RunLog `json:"log"`
	Later host.RunLog `json:"later"`
}

// cancelledTree cancels the top of a tree of three runs.
var cancelledTree = &scenarios.Drive[TreeObservation]{
	ID: "openwop/tree-that-is-cancelled",
	Title: "runs a loop whose worker is a loop whose worker waits half a minute, pauses one of the two below where the host pauses " +
		"runs, cancels the first, runs a sentinel, waits a window and looks at all three; beyond quick cancels another tree in bulk",
	Sends: []string{
		"{create run} (assay-loop with the worker assay-loop-waits)", "{read run}, of each", "{poll log}, of each",
		"{pause run}, of one", "{cancel run}", "{cancel runs}", "{create run} (sentinel)",
	},
	Replies: 40,
	Run: func(ctx context.Context, c *scenarios.Conn, o *TreeObservation) {
		h := host.Host{Conn: c}
		way := host.Scripted{Fixture: fixture.Loop, Plan: host.Plan{host.NextWorker(fixture.LoopWaits), host.Terminate(h.Name("done"))},
			Chosen: true}
		switch {
		case h.Offers(fixture.Loop, fixture.LoopWaits, fixture.Wait):
		// That of the loop shows that scripts are read: the tree is not followed to its end.
		case host.OffersScripted(h, fixture.ScriptedLoop) && host.OffersScripted(h, fixture.ScriptedTree):
			way, _ = host.ScriptOf(h, fixture.ScriptedTree)
		default:
			h.Lacks("the host does not offer the fixtures for a tree of three runs", fixture.Loop, fixture.LoopWaits)
		}
		*o = TreeObservation{Way: way.Fixture}
		h.GoFirst() // its last worker does not wait for ever
		top := h.Create(ctx, "create the tree", way.Request(nil))
		runs := []*host.Run{top}
		runs = descend(ctx, h, runs, &o.Running)
		for i, r := range runs {
			m := TreeMember{Name: []string{"the run", "its child", "its grandchild"}[i]}
			m.Log = r.ReadLog(ctx, "log of "+m.Name)
			o.Members = append(o.Members, m)
		}
		if !o.Running.Reached {
			return
		}
		o.Pause.Member = h.Between(1, len(runs)-1)
		o.Pause.Reply, o.Pause.Still = runs[o.Pause.Member].PauseIfOffered(ctx, "to pause a run below the one that is cancelled")
		cut(ctx, h, runs, way, o)
		if h.Depth > scenarios.Quick {
			o.inBulk(ctx, h, way)
		}
	},
}

// inBulk cancels the top of another tree with a bulk cancel. Not every host offers that.
func (o *TreeObservation) inBulk(ctx context.Context, h host.Host, way host.Scripted) {
	b := &TreeObservation{Way: way.Fixture}
	runs := descend(ctx, h, []*host.Run{h.Create(ctx, "create another tree", way.Request(nil))}, &b.Running)
	if !b.Running.Reached {
		return
	}
	reply := host.CancelMany(ctx, h, "to cancel the top of another tree in bulk", []string{runs[0].ID})
	b.Cancelled = reply.StatusValue()
	if results := reply.Value("").Key("results").Items(); len(results) == 0 || results[0].Key("ok").Actual() != true {
		return
	}
	for i, r := range runs {
		name := o.Members[i].Name
		b.Members = append(b.Members, TreeMember{Name: name + ", cancelled in bulk", Log: r.Finish(ctx, "log of "+name+", cancelled in bulk")})
	}
	o.Bulk = b
}

// descend finds the run's child and grandchild.
func descend(ctx context.Context, h host.Host, runs []*host.Run, running *wire.Wait) []*host.Run {
	for len(runs) < 3 {
		last := runs[len(runs)-1]
		if last.ID == "" {
			return runs
		}
		child := worker(ctx, last, running)
		if !running.Reached {
			return runs
		}
		runs = append(runs, child)
	}
	return runs
}

// cut cancels the top of the tree and reads every member twice.
func cut(ctx context.Context, h host.Host, runs []*host.Run, way host.Scripted, o *TreeObservation) {
	o.Cancelled = runs[0].Cancel(ctx, h.Name("enough"))
	var before, after []host.RunLog
	for i, r := range runs {
		before = append(before, o.Members[i].Log)
		o.Members[i].Log = r.Finish(ctx, "log of "+o.Members[i].Name)
		after = append(after, o.Members[i].Log)
	}
	other := h.Create(ctx, "sentinel", h.Sentinel(way))
	if other.ID == "" {
		return
	}
	o.Sentinel = other.AwaitEnd(ctx)
	o.Window = h.Quiet(ctx, host.Spread(before, after))
	for i, r := range runs {
		o.Members[i].Later = r.Stands(ctx, o.Members[i].Name+" after the sentinel and a quiet window")
	}
}
