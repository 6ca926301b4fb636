package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// WorkspaceObservation is a run whose jobs each have a workspace, which begins as links to the files of the job before.
type WorkspaceObservation struct {
	host.EndObservation
	Left   []wire.Value `json:"left"`   // the files of each job after its turn
	Later  []wire.Value `json:"later"`  // the files of each job after the run
	Beside wire.Value   `json:"beside"` // the folder that holds the workspaces, after the run
	Failed wire.Value   `json:"failed"` // the files of a job that took a failure
	// Kept are the files of a job that took a long result, and Then the same after another long result for that step. None at quick.
	Kept wire.Value `json:"kept"`
	Then wire.Value `json:"then"`
	// Old are the files of a job whose trace.jsonl is some MiB long, and Older the same after one more result. None at quick.
	Old   wire.Value  `json:"old"`
	Older wire.Value  `json:"older"`
	Aged  *host.Turn  `json:"aged,omitempty"` // the turn between them
	Odd   []host.Turn `json:"odd"`            // starts with a workspace_dir that cannot be used
}

// inWorkspaces drives a run whose jobs have workspaces.
var inWorkspaces = &scenarios.Drive[WorkspaceObservation]{
	ID: "agenticloop/in-workspaces",
	Title: "has a run complete, each job in a workspace of hard links to the one before, and starts runs whose " +
		"workspace_dir cannot be used",
	Sends: []string{"one turn: agentic.start", "a turn for each step: agentic.tool_result",
		"five turns: agentic.start with another workspace_dir",
		"from depth standard on, three turns: agentic.start, agentic.tool_result of a failure, and the tool's own event",
		"from depth standard on, three turns: agentic.start, and agentic.tool_result twice for one step",
		"from depth standard on, two turns: agentic.start, and agentic.tool_result where trace.jsonl has some MiB"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *WorkspaceObservation) {
		p := host.Open(ctx, c, &o.Turns)
		o.Goal = p.NewGoal()
		root := scenarios.Get(wire.NewFolder("workspaces-"))
		defer wire.RemoveFolder(root)
		o.runInWorkspaces(ctx, p, root)
		if c.Depth > scenarios.Quick {
			o.failInWorkspace(ctx, p, filepath.Join(root, "job-that-fails"))
			o.comeLate(ctx, p, filepath.Join(root, "job-that-hears-twice"))
		}
		o.startInOddOnes(ctx, p, root)
		if c.Depth > scenarios.Quick {
			o.growOld(ctx, p, filepath.Join(root, "job-that-is-old"))
		}
	},
}

func (o *WorkspaceObservation) runInWorkspaces(ctx context.Context, p *host.Plugin, root string) {
	plan := p.SteerTwoSteps(ctx)
	defer plan.Close()
	o.Way = plan.Via
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
		*into = append(*into, p.ReadFolder("files of "+filepath.Base(dir), dir).Value(""))
	}
	dir := next()
	s, ok := p.Begin(ctx, plan.Lay(host.Job{Name: "the start", Event: p.Start(o.Goal, plan.Context), Workspace: dir}))
	o.Start, o.Run = s.Turn, s.Run
	look(&o.Left, dir)
	if !ok {
		return
	}
	due, state := s.Pending, s.State
	for n := 1; n <= host.MostSteps; n++ {
		dir = next()
		t, after := p.Turn(ctx, plan.Lay(host.Job{
			Name: fmt.Sprintf("the result of step %d", due.Step), State: state,
			Event: p.Result(due, plan.Body(n, long(p))), Workspace: dir,
		}))
		o.Steps, o.Taken, state = append(o.Steps, t), n, after
		look(&o.Left, dir)
		next, asks := host.PendingOf(t)
		if !asks {
			break
		}
		due = next
	}
	for _, dir := range dirs {
		look(&o.Later, dir)
	}
	o.Beside = p.ReadFolder("the folder that holds the workspaces", root).Value("")
}

// coloured is what a program says on a terminal: characters that JSON has to escape, and other notations escape otherwise.
const coloured = "\x1b[31mfatal:\x1b[0m no such file: \"C:\\notes\"\a\v\u00a0\u2028 (\U0001F4C4)"

// failInWorkspace has the tool of a run fail with an error that is hard to write down.
func (o *WorkspaceObservation) failInWorkspace(ctx context.Context, p *host.Plugin, dir string) {
	scenarios.End(wire.MakeFolder(dir))
	s, ok := p.Begin(ctx, host.Job{Name: "the start of a run whose tool fails", Workspace: dir})
	if !ok {
		return
	}
	failure := p.Failure(s.Pending)
	failure["payload"].(host.Object)["error"] = coloured
	t, after := p.Turn(ctx, host.Job{Name: "a failure with colours of a terminal", State: s.State, Event: failure, Workspace: dir})
	if next, asks := host.PendingOf(t); asks && p.Can(agenticloopv2.CapabilityContextDelivery) {
		p.Turn(ctx, host.Job{Name: "the tool's own event, whose type is as hard to write down", State: after, Workspace: dir,
			Event:   p.Event("content_ready "+coloured, p.AnyResult(), ""),
			Context: host.Object{"run_id": next.Run, "step": next.Step, "tool": next.Tool}})
	}
	o.Failed = p.ReadFolder("files of the job that fails", dir).Value("")
}

// comeLate has a long result come for a step, and another one when the step is over.
func (o *WorkspaceObservation) comeLate(ctx context.Context, p *host.Plugin, dir string) {
	scenarios.End(wire.MakeFolder(dir))
	s, ok := p.Begin(ctx, host.Job{Name: "the start of a run that hears twice of a step", Workspace: dir})
	if !ok {
		return
	}
	t, after := p.Turn(ctx, host.Job{Name: "a long result", State: s.State, Event: p.Result(s.Pending, long(p)), Workspace: dir})
	if _, asks := host.PendingOf(t); !asks {
		return
	}
	o.Kept = p.ReadFolder("files of the job that hears twice", dir).Value("")
	p.Turn(ctx, host.Job{Name: "another long result for the step that is over", State: after, Event: p.Result(s.Pending, long(p)),
		Workspace: dir})
	o.Then = p.ReadFolder("files of the job that hears twice, at last", dir).Value("")
}

// oldTrace is how long a trace.jsonl is made, in bytes: longer than what most programs read at once, shorter than what a listing reads.
const oldTrace = 3 << 20

// growOld delivers a result for a run whose trace.jsonl was made long: it has the agent's own lines many times.
func (o *WorkspaceObservation) growOld(ctx context.Context, p *host.Plugin, dir string) {
	scenarios.End(wire.MakeFolder(dir))
	s, ok := p.Begin(ctx, host.Job{Name: "the start of a run with a long life", Workspace: dir})
	if !ok || !lengthen(filepath.Dir(dir), filepath.Join(filepath.Base(dir), "trace.jsonl")) {
		return // the file need not be there from the start (AL-R20)
	}
	o.Old = p.ReadFolder("files of the job with a long life", dir).Value("")
	t, _ := p.Turn(ctx, host.Job{Name: "a result where trace.jsonl is long", State: s.State, Event: p.Result(s.Pending, p.AnyResult()),
		Workspace: dir})
	o.Older, o.Aged = p.ReadFolder("files of the job with a long life, at last", dir).Value(""), &t
}

// lengthen repeats the lines of a file until it has more than oldTrace bytes, and returns whether it could. The plugin may have
// put a link in its place that leads out of root: such a link is not followed.
func lengthen(root, name string) bool {
	r := scenarios.Get(os.OpenRoot(root))
	defer func() { _ = r.Close() }()
	f, err := r.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	lines, err := io.ReadAll(io.LimitReader(f, oldTrace))
	if err != nil || len(lines) == 0 || len(lines) == oldTrace {
		return false
	}
	more := lines
	if lines[len(lines)-1] != '\n' {
		lines = append(lines, '\n')
		more = append([]byte{'\n'}, lines...)
	}
	_, err = f.Write(append(more, bytes.Repeat(lines, oldTrace/len(lines))...))
	return err == nil
}

// long draws the body of a result with more text than a request should hold: it belongs into a file.
func long(p *host.Plugin) host.Object {
	body := p.AnyResult()
	delete(body, "excerpt")
	body["content"] = strings.Repeat(body["content"].(string)+"\n", 4000)
	return body
}

// link makes dir a copy of another folder, with hard links to its files.
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
			return os.Link(at, to) //nolint:gosec // the plugin that may write here has ended
		}
		return nil // a link may lead anywhere
	})
}

// relativeWorkspace is a workspace_dir relative to the folder in which the process starts.
const relativeWorkspace = "workspace/job-1"

// startInOddOnes starts runs whose workspace_dir cannot be used.
func (o *WorkspaceObservation) startInOddOnes(ctx context.Context, p *host.Plugin, root string) {
	file, fixed := filepath.Join(root, "a-file"), filepath.Join(root, "read-only")
	scenarios.End(os.WriteFile(file, []byte("no folder"), 0o644))
	scenarios.End(os.Mkdir(fixed, 0o555)) // as root, we own it and the plugin does not
	for _, w := range []struct{ name, dir string }{
		{"no workspace_dir", ""},
		{"a workspace_dir that is not there", filepath.Join(root, "missing", "too")},
		{"a relative workspace_dir", relativeWorkspace},
		{"a workspace_dir that is a file", file},
		{"a workspace_dir that is read-only", fixed},
	} {
		t, _ := p.Turn(ctx, host.Job{Name: "a start with " + w.name, Event: p.Start(p.NewGoal(), nil),
			Workspace: w.dir})
		o.Odd = append(o.Odd, t)
	}
}
