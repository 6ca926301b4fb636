package openwop

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
)

// fixtureLoopWorkspace notes what each turn sees, and writes where it is told to.
const fixtureLoopWorkspace = "assay-loop-workspace"

// loopThatWrites has one turn of a loop overwrite a file and make another.
var loopThatWrites = &scenarios.Drive[NotedLoop]{
	ID:    "openwop/loop-that-writes",
	Title: "runs a loop of random length in which a random turn overwrites a workspace file with random content, and makes another",
	Sends: []string{"PUT /v1/host/workspace/files/{path}", "GET /v1/host/workspace/files/{path}", "POST /v1/runs (assay-loop-workspace with a random plan)", "GET /v1/runs/{runId}", "GET /v1/runs/{runId}/events/poll"},
	Run: func(ctx context.Context, c *scenarios.Conn) (NotedLoop, error) {
		h := host{c}
		l, _, err := h.writingLoop(ctx, h.files())
		return l, err
	},
}

// writingLoop runs a loop whose files are changed by one of its turns. Two
// turns at least follow that one.
func (h host) writingLoop(ctx context.Context, f *files) (NotedLoop, *run, error) {
	n, err := h.notedTurns(3)
	if err != nil {
		return NotedLoop{}, nil, err
	}
	l := NotedLoop{Turns: n, Changed: h.between(1, n-2), Files: []FileChange{
		{Path: f.path("overwritten"), Before: h.marker(), After: h.marker(), ByTurn: true},
		{Path: f.path("made"), After: h.marker(), ByTurn: true},
	}}
	if err := f.setUp(ctx, l.Files); err != nil {
		return l, nil, err
	}
	r, err := h.create(ctx, "create the loop that writes", l.request(h.loopPlan(n)))
	if err != nil {
		return l, nil, err
	}
	l.Log, err = r.finish(ctx, "log of the loop that writes")
	return l, r, err
}

// notedTurns draws a number of turns for a loop that notes what they see.
func (h host) notedTurns(least int) (int, error) {
	if !h.offers(fixtureLoopWorkspace, fixtureNoop) {
		return 0, scenarios.Block("no loop that notes what its turns see is on offer: "+fixtureLoopWorkspace+" with "+fixtureNoop+" is not listed", loadFixtures)
	}
	return h.turnsFrom(least)
}

func (h host) turnsFrom(least int) (int, error) {
	ceiling, why := h.ceiling()
	if ceiling < least {
		return 0, scenarios.Block("the host lets no loop take enough turns: "+why, "advertise higher limits while the host is certified")
	}
	return h.between(least, min(least+4, ceiling)), nil
}

// setUp puts the files that are there before the run, and announces those a turn will make.
func (f *files) setUp(ctx context.Context, changes []FileChange) error {
	for i, c := range changes {
		if c.Before != "" {
			var err error
			if changes[i].Old, err = f.put(ctx, c.Path, c.Before); err != nil {
				return err
			}
		}
		if c.ByTurn {
			f.leave(c.Path)
		}
	}
	return nil
}

// change makes the changes that no turn makes.
func (f *files) change(ctx context.Context, changes []FileChange) error {
	for i, c := range changes {
		var err error
		switch {
		case c.ByTurn:
		case c.After == "":
			err = f.remove(ctx, c.Path)
		default:
			changes[i].New, err = f.put(ctx, c.Path, c.After)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fileWrite is one write of the fixture's variable writes.
type fileWrite struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// request asks for the loop, and for notes of every file.
func (l NotedLoop) request(p plan) openwopv1.CreateRunRequest {
	paths, written := make([]string, len(l.Files)), []fileWrite{}
	for i, f := range l.Files {
		paths[i] = f.Path
		if f.ByTurn {
			written = append(written, fileWrite{f.Path, f.After})
		}
	}
	writes := slices.Repeat([][]fileWrite{{}}, l.Changed)
	writes[l.Changed-1] = written
	return openwopv1.CreateRunRequest{WorkflowID: fixtureLoopWorkspace, Inputs: map[string]any{
		"plan": p, "reads": map[string]any{"workspace": paths}, "writes": writes,
	}}
}
