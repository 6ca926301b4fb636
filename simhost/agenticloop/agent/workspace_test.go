package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// files are the plain files below a folder, by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// clone is a folder whose files are links to those of another, as the gateway makes the workspace of a job.
func clone(t *testing.T, dir string) string {
	t.Helper()
	out := t.TempDir()
	for name := range files(t, dir) {
		to := filepath.Join(out, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Link(filepath.Join(dir, name), to)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func lines(t *testing.T, trace string) (did []string) {
	t.Helper()
	for line := range strings.Lines(trace) {
		var l struct{ Did, Run, Job, Event, At string }
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Run == "" || l.Job == "" || l.Event == "" || l.At == "" ||
			!strings.HasSuffix(line, "\n") {
			t.Errorf("line %q: %v", line, err)
		}
		did = append(did, l.Did)
	}
	return did
}

func TestThePaperTrail(t *testing.T) {
	s := newStory(t, scripted("fetch", "fabric", done))
	s.workspace = t.TempDir()
	run := s.asked(s.send(object{"type": "agentic.start", "dedupe_key": "k", "payload": object{"goal": "find\n# it",
		"context": object{"tone": "kind"}}})).RunID
	got := files(t, s.workspace)
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"context.md", "memory.md", "plan.md", "trace.jsonl"}) {
		t.Errorf("files %v", names)
	}
	if info, err := os.Stat(filepath.Join(s.workspace, "artifacts")); err != nil || !info.IsDir() {
		t.Errorf("artifacts: %v", err)
	}
	if !strings.Contains(got["context.md"], "    find\n    # it\n") || !strings.Contains(got["context.md"], `tone: "kind"`) ||
		!strings.Contains(got["plan.md"], "fetch") {
		t.Errorf("files: %q", got)
	}
	s.asked(s.send(result(run, 1, "fetch", "ok", object{"result": "short"})))
	last := s.completed(s.send(result(run, 2, "fabric", "ok", object{"result": strings.Repeat("long ", 1000)})))
	got = files(t, s.workspace)
	if did := lines(t, got["trace.jsonl"]); !slices.Equal(did, []string{"asked", "asked", "completed"}) {
		t.Errorf("trace: %v", did)
	}
	if !strings.Contains(got["memory.md"], "short") || !strings.Contains(got["memory.md"], "artifacts/step-02-fabric.txt") ||
		len(got["memory.md"]) > 4<<10 {
		t.Errorf("memory: %q", got["memory.md"])
	}
	if !slices.Equal(last.Artifacts, []string{"artifacts/step-02-fabric.txt"}) || got[last.Artifacts[0]] != strings.Repeat("long ", 1000) {
		t.Errorf("artifacts %v of %v", last.Artifacts, slices.Collect(maps.Keys(got)))
	}
}

func TestAncestorsStayAsTheyWere(t *testing.T) {
	s := newStory(t, scripted("fetch", "fabric", "fetch", done))
	s.workspace = t.TempDir()
	run := s.asked(s.send(start("k", "g"))).RunID
	for step, tool := range []string{"fetch", "fabric", "fetch"} {
		parent := s.workspace
		before := files(t, parent)
		s.workspace = clone(t, parent)
		s.send(result(run, step+1, tool, "ok", object{"result": strings.Repeat(tool, 500)}))
		if after := files(t, parent); !maps.Equal(after, before) {
			t.Errorf("step %d changed its ancestor", step+1)
		}
		now := files(t, s.workspace)
		for _, grows := range []string{"memory.md", "trace.jsonl"} {
			if !strings.HasPrefix(now[grows], before[grows]) || now[grows] == before[grows] {
				t.Errorf("step %d: %s did not grow", step+1, grows)
			}
		}
		if now["context.md"] != before["context.md"] {
			t.Errorf("step %d changed context.md", step+1)
		}
	}
}

func TestArtifactsOfATool(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		told bool
	}{
		"left":                {"artifacts/page.html", true},
		"did not leave":       {"artifacts/other.html", false},
		"left outside":        {"../page.html", false},
		"left by its root":    {"/etc/passwd", false},
		"linked to elsewhere": {"artifacts/link", false},
		"left as a folder":    {"artifacts", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, scripted("fetch", done))
			s.workspace = t.TempDir()
			run := s.asked(s.send(start("k", "g"))).RunID
			err := errors.Join(
				os.WriteFile(filepath.Join(s.workspace, "artifacts/page.html"), []byte("page"), 0o644),
				os.WriteFile(filepath.Join(s.workspace, "../page.html"), []byte("page"), 0o644),
				os.Symlink("/etc/passwd", filepath.Join(s.workspace, "artifacts/link")))
			if err != nil {
				t.Fatal(err)
			}
			last := s.completed(s.send(result(run, 1, "fetch", "ok", object{"result": object{"artifact_path": c.path}})))
			if told := slices.Contains(last.Artifacts, c.path); told != c.told {
				t.Errorf("artifacts %v", last.Artifacts)
			}
		})
	}
}

func TestWorkspacesThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	readOnly := t.TempDir()
	if err := os.Chmod(readOnly, 0o555); err != nil {
		t.Fatal(err)
	}
	for name, workspace := range map[string]any{
		"none": nil, "empty": "", "missing": filepath.Join(t.TempDir(), "missing"), "relative": "somewhere", "a file": file,
		"read-only": readOnly, "no name": "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, scripted("fetch", done))
			s.more = object{"workspace_dir": workspace}
			a := s.send(start("k", "g"))
			run := s.asked(a).RunID
			if told := strings.Contains(levels(a), "warn"); told != (name != "none" && name != "empty" && (name != "read-only" ||
				os.Getuid() != 0)) {
				t.Errorf("logs %v", a.Logs)
			}
			s.completed(s.send(result(run, 1, "fetch", "ok", object{"result": strings.Repeat("long ", 1000)})))
		})
	}
	s := newStory(t, scripted("fetch", done))
	s.refused(s.send(start("k", "g"), object{"workspace_dir": 7}), "workspace_dir")
}

// A tool that shares the workspace can leave traps in it.
func TestTrapsInAWorkspace(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for name, trap := range map[string]func(file string) error{
		"a link that leads out": func(file string) error { return os.Symlink(outside, file) },
		"a pipe":                func(file string) error { return syscall.Mkfifo(file, 0o644) },
		"a folder":              func(file string) error { return os.MkdirAll(filepath.Join(file, "full"), 0o755) },
		"half a line":           func(file string) error { return os.WriteFile(file, []byte(`{"did":`), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(outside, []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			s := newStory(t, scripted("fetch", "fabric", done))
			s.workspace = t.TempDir()
			run := s.asked(s.send(start("k", "g"))).RunID
			for _, file := range []string{"memory.md", "plan.md", "trace.jsonl", "context.md", ".plan.md.partial"} {
				full := filepath.Join(s.workspace, file)
				if err := os.Remove(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				if err := trap(full); err != nil {
					t.Fatal(err)
				}
			}
			s.asked(s.send(result(run, 1, "fetch", "ok", object{"result": strings.Repeat("long ", 1000)})))
			if content, err := os.ReadFile(outside); err != nil || string(content) != "mine" {
				t.Errorf("outside: %q, %v", content, err)
			}
		})
	}
}

// A turn is killed before each of its writes in turn: every file is then as it was before or as it is after, and the same turn,
// run again with the state of before, leads where it would have led.
func TestATurnThatIsKilledLeavesReadableFiles(t *testing.T) {
	begin := func() (*story, object) {
		s := newStory(t, scripted("fetch", "fabric", done))
		s.workspace = t.TempDir()
		run := s.asked(s.send(start("k", "g"))).RunID
		return s, result(run, 1, "fetch", "ok", object{"result": strings.Repeat("long ", 1000)})
	}
	whole, event := begin()
	before := files(t, whole.workspace)
	want := whole.send(event)
	after := files(t, whole.workspace)
	for writes := 0; ; writes++ {
		s, event := begin()
		state, turns, at, mortal := s.state, s.turns, s.at, s.agent
		left, killed := writes, false
		set := rules.Honest()
		set.Files.Writes = func(string) bool {
			if left == 0 {
				killed = true
				panic("killed")
			}
			left--
			return true
		}
		s.agent = agent.New(agent.Options{Rules: &set, Now: func() time.Time { return s.at }})
		s.send(event)
		for name, content := range files(t, s.workspace) {
			if content != before[name] && content != after[name] {
				t.Errorf("after %d writes %s is %q", writes, name, content)
			}
		}
		s.state, s.turns, s.at, s.agent = state, turns, at, mortal
		if again := s.send(event); !bytes.Equal(again.raw, want.raw) {
			t.Errorf("after %d writes: %s, want %s", writes, again.raw, want.raw)
		}
		if now := files(t, s.workspace); !maps.Equal(now, after) {
			t.Errorf("after %d writes the files are %q", writes, now)
		}
		if !killed {
			if writes < 4 {
				t.Errorf("the turn has %d writes only", writes)
			}
			break
		}
	}
}
