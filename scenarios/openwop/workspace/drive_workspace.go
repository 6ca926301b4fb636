package workspace

import (
	"context"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// loopThatWrites makes one turn of a loop overwrite a file and create another.
var loopThatWrites = &scenarios.Drive[NotedLoop]{
	ID:    "openwop/loop-that-writes",
	Title: "runs a loop of random length in which a random turn overwrites a workspace file twice with random content, and makes another",
	Sends: []string{"{write file}", "{read file}", "{create run} (assay-loop-workspace with a random plan)", "{read run}", "{poll log}"},
	Uses:  []string{host.WorkspaceFiles},
	Run: host.WithFiles(func(ctx context.Context, f *host.Files, o *NotedLoop) {
		*o, _ = writingLoop(ctx, f.Host, f)
	}),
}

// writingLoop runs a loop in which one turn changes files. At least two turns
// follow it.
func writingLoop(ctx context.Context, h host.Host, f *host.Files) (NotedLoop, *host.Run) {
	n := notedTurns(h, 3)
	l := NotedLoop{Turns: n, Changed: h.Between(1, n-2), Files: []FileChange{
		{Path: f.Path("overwritten"), Before: h.Marker(), Once: h.Marker(), After: h.Marker(), ByTurn: true},
		{Path: f.Path("made"), After: h.Marker(), ByTurn: true},
	}}
	setUp(ctx, f, l.Files)
	r := h.Create(ctx, "create the loop that writes", l.request(h.LoopPlan(n)))
	l.Log = r.Finish(ctx, "log of the loop that writes")
	return l, r
}

// notedTurns draws a number of turns for a loop that notes what its turns see.
func notedTurns(h host.Host, least int) int {
	if !h.Offers(fixture.LoopWorkspace, fixture.Noop) {
		h.Lacks("no loop that notes what its turns see is on offer", fixture.LoopWorkspace, fixture.Noop)
	}
	return h.TurnsFrom(least)
}

// setUp writes the files that exist before the run, and registers those that a
// turn will create.
func setUp(ctx context.Context, f *host.Files, changes []FileChange) {
	for i, c := range changes {
		if c.Before != "" {
			changes[i].Old = f.Put(ctx, c.Path, c.Before)
		}
		if c.ByTurn {
			f.LeaveFile(c.Path)
		}
	}
}

// change makes the changes from outside the run.
func change(ctx context.Context, f *host.Files, changes []FileChange) {
	for i, c := range changes {
		switch {
		case c.ByTurn:
		case c.After == "":
			remove(ctx, f, c.Path)
		default:
			changes[i].New = f.Put(ctx, c.Path, c.After)
		}
	}
}

// fileWrite is one entry of the fixture's variable writes.
type fileWrite struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// request asks for the loop, with notes of every file.
func (l NotedLoop) request(p host.Plan) dialect.CreateRunRequest {
	paths, written := make([]string, len(l.Files)), []fileWrite{}
	for i, f := range l.Files {
		paths[i] = f.Path
		if f.ByTurn && f.Once != "" {
			written = append(written, fileWrite{f.Path, f.Once})
		}
		if f.ByTurn {
			written = append(written, fileWrite{f.Path, f.After})
		}
	}
	writes := slices.Repeat([][]fileWrite{{}}, l.Changed)
	writes[l.Changed-1] = written
	return dialect.CreateRunRequest{WorkflowID: fixture.LoopWorkspace, Inputs: map[string]any{
		"plan": p, "reads": map[string]any{"workspace": paths}, "writes": writes,
	}}
}
