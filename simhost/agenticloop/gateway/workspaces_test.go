package gateway

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// writing is a plugin that writes a file of its workspace before it answers.
func writing(name, content string, flags int, then Handler) Handler {
	return func(ctx context.Context, request []byte) ([]byte, int) {
		dir := asked(request).WorkspaceDir
		f, err := os.OpenFile(filepath.Join(dir, name), flags|os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			_, err = f.WriteString(content)
			f.Close()
		}
		if err != nil {
			return []byte(err.Error()), 1
		}
		return then(ctx, request)
	}
}

// files are the files below a folder, with their contents.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		below, _ := filepath.Rel(dir, path)
		out[below] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Each job has a folder of its own that begins with its parent's files. They are the same files: what is written in place
// changes the ancestors' too, what is new does not.
func TestClonedWorkspaces(t *testing.T) {
	r := newRig(t, "jina-reader")
	r.o.Workspace, r.o.Workspaces = CloneWorkspace, t.TempDir()
	r.plugins["agentic-loop"] = inTurn(
		writing("plan", "one", 0, writing("trace", "a", 0, r.plugins["agentic-loop"])),
		writing("plan", "TWO", os.O_TRUNC, r.plugins["agentic-loop"]),
	)
	r.plugins["jina-reader"] = writing("page", "<html>", 0, reader)
	s := r.run("goal")
	if completed(s) != 1 {
		t.Fatal(strings.Join(shape(s), "\n"))
	}
	var got []map[string]string
	for _, j := range s.Jobs {
		got = append(got, files(t, filepath.Join(r.o.Workspaces, j.ID)))
	}
	want := []map[string]string{
		{"plan": "TWO", "trace": "a"},
		{"plan": "TWO", "trace": "a", "page": "<html>"},
		{"plan": "TWO", "trace": "a", "page": "<html>"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSharedAndNoWorkspaces(t *testing.T) {
	for _, mode := range []WorkspaceMode{SharedWorkspace, NoWorkspace} {
		r := newRig(t, "jina-reader")
		r.o.Workspace = mode
		if mode == SharedWorkspace {
			r.o.Workspaces = t.TempDir()
		}
		var seen []agenticloopv2.Request
		r.plugins["agentic-loop"] = told(&seen, r.plugins["agentic-loop"])
		r.run("goal")
		for _, req := range seen {
			want := ""
			if mode == SharedWorkspace {
				want = filepath.Join(r.o.Workspaces, "shared")
			}
			if req.WorkspaceDir != want {
				t.Errorf("%s: the workspace is %q", mode, req.WorkspaceDir)
			}
		}
	}
}

// A workspace is as the attempt before left it, and is made by the job's own turn where its gateway crashed before it was.
func TestWorkspacesOverCrashes(t *testing.T) {
	r := newRig(t, "jina-reader")
	r.o.Workspace, r.o.Workspaces = CloneWorkspace, t.TempDir()
	r.o.Crashes = []Crash{{AfterEnqueue, 1, 1}, {AfterAnswer, 3, 0}}
	r.plugins["agentic-loop"] = writing("trace", "a", os.O_APPEND, r.plugins["agentic-loop"])
	r.plugins["jina-reader"] = writing("page", "b", os.O_APPEND, reader)
	s := r.run("goal")
	if r.crashes != 2 || completed(s) != 1 {
		t.Fatalf("%d crashes\n%s", r.crashes, strings.Join(shape(s), "\n"))
	}
	got := files(t, filepath.Join(r.o.Workspaces, s.Jobs[1].ID))
	if got["page"] != "bb" || !strings.HasPrefix(got["trace"], "aa") {
		t.Errorf("the tool's workspace is %v", got)
	}
	entries, err := os.ReadDir(r.o.Workspaces)
	if err != nil || len(entries) != len(s.Jobs) {
		t.Errorf("%d workspaces of %d jobs, %v", len(entries), len(s.Jobs), err)
	}
}

// Links are not followed: a plugin cannot have files from elsewhere linked into a workspace.
func TestLinkTree(t *testing.T) {
	from, to, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(from, "artifacts"), 0o755),
		os.WriteFile(filepath.Join(from, "artifacts", "page"), []byte("page"), 0o644),
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644),
		os.Symlink(outside, filepath.Join(from, "out")),
		linkTree(from, to),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"artifacts/page": "page"}, files(t, to)); diff != "" {
		t.Error(diff)
	}
	if leads, err := os.Readlink(filepath.Join(to, "out")); err != nil || leads != outside {
		t.Errorf("the link leads to %q, %v", leads, err)
	}
	if err := linkTree(filepath.Join(from, "missing"), t.TempDir()); err != nil {
		t.Error(err)
	}
}

// A workspace that cannot be opened fails the job, and says why.
func TestWorkspaceCannotBeOpened(t *testing.T) {
	for _, mode := range []WorkspaceMode{CloneWorkspace, SharedWorkspace} {
		r := newRig(t, "jina-reader")
		r.o.Workspace, r.o.Workspaces = mode, file(t, "taken", "")
		if j := r.run("goal").Jobs[0]; j.Status != Failed || !strings.Contains(j.LastError, "its workspace could not be opened") {
			t.Errorf("%s: %s %s", mode, j.Status, j.LastError)
		}
	}
}

func TestWorkspaceOf(t *testing.T) {
	for mode, want := range map[WorkspaceMode]string{CloneWorkspace: "w/j", SharedWorkspace: "w/shared", NoWorkspace: ""} {
		o := Options{Workspace: mode, Workspaces: "w"}
		if got := o.WorkspaceOf("j"); got != want {
			t.Errorf("%s: %q", mode, got)
		}
	}
}
