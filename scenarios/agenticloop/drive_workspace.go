package agenticloop

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// WorkspaceObservation is a run whose jobs each have a workspace, which begins as links to the files of the one before.
type WorkspaceObservation struct {
	EndObservation
	Left  []wire.Value `json:"left"`  // the files of each job, when it had ended
	Later []wire.Value `json:"later"` // the same, when the run had ended
	// Beside is what stands in the folder that holds the workspaces, when the run had ended.
	Beside wire.Value `json:"beside"`
	Odd    []Turn     `json:"odd"` // starts with a workspace_dir that cannot be used
}

// inWorkspaces drives a run whose jobs have workspaces.
var inWorkspaces = &scenarios.Drive[WorkspaceObservation]{
	ID:    "agenticloop/in-workspaces",
	Title: "has a run complete, each job in a workspace of hard links to the one before, and starts runs whose workspace_dir cannot be used",
	Sends: []string{"one turn: agentic.start", "a turn for each step: agentic.tool_result", "five turns: agentic.start with another workspace_dir"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *WorkspaceObservation) {
		a := open(c, &o.Turns)
		*o = WorkspaceObservation{EndObservation: EndObservation{Goal: a.goal()}}
		root := scenarios.Get(wire.NewFolder("assay-workspaces-"))
		defer wire.RemoveFolder(root)
		a.inWorkspaces(ctx, o, root)
		a.oddWorkspaces(ctx, o, root)
	},
}

func (a *agent) inWorkspaces(ctx context.Context, o *WorkspaceObservation, root string) {
	p := a.twoSteps(ctx)
	defer p.close()
	var hints object
	if p != nil {
		o.Way, hints = p.via, p.context
	}
	var dirs []string
	next := func() string {
		dir := filepath.Join(root, fmt.Sprintf("job-%d", len(dirs)+1))
		scenarios.End(wire.MakeFolder(dir))
		if len(dirs) > 0 {
			scenarios.End(link(dirs[len(dirs)-1], dir))
		}
		dirs = append(dirs, dir)
		return dir
	}
	look := func(into *[]wire.Value, dir string) {
		*into = append(*into, a.ReadFolder("files of "+filepath.Base(dir), dir).Value(""))
	}
	dir := next()
	s, ok := a.begin(ctx, p.lays(job{name: "the start", event: a.start(o.Goal, hints), workspace: dir}))
	o.Start, o.Run = s.Turn, s.Run
	look(&o.Left, dir)
	if !ok {
		return
	}
	waits, state := s.pending, s.state
	for n := 1; n <= mostSteps; n++ {
		dir = next()
		t, after := a.turn(ctx, p.lays(job{name: fmt.Sprintf("the result of step %d", waits.Step), state: state, event: a.result(waits, p.body(n, a.long())), workspace: dir}))
		o.Steps, o.Taken, state = append(o.Steps, t), n, after
		look(&o.Left, dir)
		next, asks := waiting(t)
		if !asks {
			break
		}
		waits = next
	}
	for _, dir := range dirs {
		look(&o.Later, dir)
	}
	o.Beside = a.ReadFolder("the folder that holds the workspaces", root).Value("")
}

// long is a result with more text than a request should hold: it belongs into a file.
func (a *agent) long() object {
	body := a.anyResult()
	delete(body, "excerpt")
	body["content"] = strings.Repeat(body["content"].(string)+"\n", 4000)
	return body
}

// link makes dir a copy of another folder whose files are the same files.
func link(from, dir string) error {
	return filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == from {
			return err
		}
		name, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		switch {
		case d.IsDir():
			return wire.MakeFolder(to)
		case d.Type().IsRegular():
			return os.Link(at, to) //nolint:gosec // the agent that may write here has ended
		}
		return nil // a link may lead anywhere
	})
}

// relativeWorkspace is a workspace_dir that leads from where the process starts.
const relativeWorkspace = "workspace/job-1"

// oddWorkspaces starts runs whose workspace_dir cannot be used.
func (a *agent) oddWorkspaces(ctx context.Context, o *WorkspaceObservation, root string) {
	file, fixed := filepath.Join(root, "a-file"), filepath.Join(root, "read-only")
	scenarios.End(os.WriteFile(file, []byte("no folder"), 0o644))
	scenarios.End(os.Mkdir(fixed, 0o555)) // the plugin does not own it where we are root
	for _, w := range []struct{ name, dir string }{
		{"no workspace_dir", ""}, {"a workspace_dir that is not there", filepath.Join(root, "missing", "too")}, {"a relative workspace_dir", relativeWorkspace},
		{"a workspace_dir that is a file", file}, {"a workspace_dir that is read-only", fixed},
	} {
		t, _ := a.turn(ctx, job{name: "a start with " + w.name, event: a.start(a.goal(), nil), workspace: w.dir})
		o.Odd = append(o.Odd, t)
	}
}
