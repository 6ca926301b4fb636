package workspace

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// HeldLoop is a loop held by a question in one turn, while its files were changed
// from outside.
type HeldLoop struct {
	Way       string     `json:"way"` // the fixture
	Loop      NotedLoop  `json:"loop"`
	Suspended wire.Wait  `json:"suspended"`
	Answered  wire.Value `json:"answered"` // HTTP status of the answer
	// If no turn notes what it sees, the run's snapshot may list the versions it
	// reads: Suspended holds the first list, Later the one after the files
	// changed, Again the one after the next turn asked.
	Later wire.Value `json:"later"`
	Again wire.Wait  `json:"again"`
}

// resumed reports whether the host accepted the answer.
func (o HeldLoop) resumed() bool {
	status, _ := o.Answered.Int()
	return status/100 == 2
}

// noted reports whether the turns themselves noted what they saw.
func (o HeldLoop) noted() bool { return o.Way == fixture.LoopWorkspace }

// loopWrittenTo changes the files of a loop while it is suspended.
var loopWrittenTo = &scenarios.Drive[HeldLoop]{
	ID:    "openwop/loop-written-to",
	Title: "holds a loop by a question in a random turn, meanwhile overwrites, makes and deletes workspace files from outside, and answers",
	Sends: []string{
		"{write file}", "{read file}", "{delete file}", "{create run} (assay-loop-workspace with a random plan; else assay-loop-ask-user)",
		"{answer node}", "{read run}", "{poll log}",
	},
	Uses: []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *HeldLoop) {
		h := f.Host
		changes := []FileChange{
			{Path: f.Path("overwritten"), Before: h.Marker(), After: h.Marker()},
			{Path: f.Path("deleted"), Before: h.Marker()},
			{Path: f.Path("made"), After: h.Marker()},
		}
		if !h.Offers(fixture.LoopWorkspace, fixture.Noop) && h.Offers(fixture.LoopAskUser, fixture.Noop) {
			*o = listedLoop(ctx, h, f, changes)
			return
		}
		// A turn must not see its own writes either.
		own := FileChange{Path: f.Path("own"), Before: h.Marker(), After: h.Marker(), ByTurn: true}
		*o = notedLoop(ctx, h, f, append(changes, own))
	}),
}

// loopEmptied deletes the only file of a workspace while a loop is suspended.
var loopEmptied = &scenarios.Drive[HeldLoop]{
	ID: "openwop/loop-emptied",
	Title: "holds a loop by a question in a random turn, meanwhile deletes the only file of the workspace, of another tenant if there is " +
		"one, and answers",
	Sends: []string{"{write file}", "{read file}", "{delete file}", "{create run} (assay-loop-workspace with a random plan)", "{answer node}",
		"{read run}", "{poll log}"},
	Excludes: host.WorkspaceFiles,
	Run: func(ctx context.Context, c *scenarios.Conn, o *HeldLoop) {
		h := host.Host{Conn: c}
		if other, ok := h.Other(); ok { // the first tenant's workspace may hold files that are not ours
			h = host.Host{Conn: other}
		}
		f := h.Files()
		*o = notedLoop(ctx, h, f, []FileChange{{Path: f.Path("only"), Before: h.Marker()}})
		f.Tidy(ctx)
	},
}

// notedLoop runs a loop whose turns note what they see. It is answered once.
func notedLoop(ctx context.Context, h host.Host, f *host.Files, changes []FileChange) HeldLoop {
	n := notedTurns(h, 3)
	o := HeldLoop{Way: fixture.LoopWorkspace, Loop: NotedLoop{Turns: n, Changed: h.Between(2, n-1), Files: changes}}
	p := h.LoopPlan(n)
	p[o.Loop.Changed-1] = host.AskUser("Which way? " + h.Marker())
	r := hold(ctx, h, f, &o, o.Loop.request(p))
	if !o.resumed() {
		return o
	}
	o.Loop.Log = r.Finish(ctx, "log of the loop that was held")
	return o
}

// listedLoop runs a loop that asks in two consecutive turns. Each time, the run's
// snapshot lists the versions it reads.
func listedLoop(ctx context.Context, h host.Host, f *host.Files, changes []FileChange) HeldLoop {
	n := h.TurnsFrom(4)
	o := HeldLoop{Way: fixture.LoopAskUser, Loop: NotedLoop{Turns: n, Changed: h.Between(2, n-2), Files: changes}}
	p := h.LoopPlan(n)
	p[o.Loop.Changed-1], p[o.Loop.Changed] = host.AskUser("Which way? "+h.Marker()), host.AskUser("And then? "+h.Marker())
	r := hold(ctx, h, f, &o, host.Scripted{Fixture: fixture.LoopAskUser, Plan: p, Chosen: true}.Request(nil))
	if !o.resumed() {
		return o
	}
	o.Again = r.AwaitSuspended(ctx, o.Loop.Changed+1)
	return o
}

// hold runs a loop to its question, changes the files and answers.
func hold(ctx context.Context, h host.Host, f *host.Files, o *HeldLoop, request dialect.CreateRunRequest) *host.Run {
	setUp(ctx, f, o.Loop.Files)
	r := h.Create(ctx, "create the loop that asks", request)
	o.Loop.Log = host.RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}
	if r.ID == "" {
		return r
	}
	if o.Suspended = r.AwaitSuspended(ctx, 0); !o.Suspended.Reached {
		return r
	}
	change(ctx, f, o.Loop.Files)
	later := r.Snapshot(ctx, "the suspended run, when its files had changed")
	o.Later = later.Value("")
	reply := r.Answer(ctx, o.Suspended, h.Marker())
	o.Answered = reply.StatusValue()
	return r
}
