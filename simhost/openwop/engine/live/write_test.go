package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
)

func TestScriptsThatAreRefused(t *testing.T) {
	h := newStoreHost(t)
	many := func(n int, value string) string { return "[" + strings.Repeat(value+",", n-1) + value + "]" }
	for _, c := range []struct{ input, script, field string }{
		{"reads", `{"files":["a"]}`, "inputs.reads"},
		{"reads", `{"workspace":"a"}`, "inputs.reads.workspace"},
		{"reads", `{"workspace":["a",""]}`, "inputs.reads.workspace[1]"},
		{"reads", `{"workspace":["` + strings.Repeat("a", 257) + `"]}`, "inputs.reads.workspace[0]"},
		{"reads", `{"memory":[1]}`, "inputs.reads.memory[0]"},
		{"reads", `{"workspace":` + many(65, `"a"`) + `}`, "inputs.reads"},
		{"reads", `{"memory":` + many(65, `"a"`) + `}`, "inputs.reads"},
		{"writes", `[{"path":"a","content":"b"}]`, "inputs.writes[0]"},
		{"writes", `[[],["a"]]`, "inputs.writes[1][0]"},
		{"writes", `[[{"path":"a"}]]`, "inputs.writes[0][0]"},
		{"writes", `[[{"path":"a","content":1}]]`, "inputs.writes[0][0]"},
		{"writes", `[[{"path":"","content":"b"}]]`, "inputs.writes[0][0]"},
		{"writes", `[[{"path":"a","content":"b","contentType":"text/plain"}]]`, "inputs.writes[0][0]"},
		{"writes", `[[{"memory":{"content":"b"},"path":"a"}]]`, "inputs.writes[0][0]"},
		{"writes", `[[{"memory":"b"}]]`, "inputs.writes[0][0]"},
		{"writes", `[[{"memory":{"tags":["a"]}}]]`, "inputs.writes[0][0].memory"},
		{"writes", `[[{"memory":{"content":"a","ttl":1}}]]`, "inputs.writes[0][0].memory"},
		{"writes", `[[{"memory":{"content":"a","tags":["a",""]}}]]`, "inputs.writes[0][0].memory.tags[1]"},
		{"writes", `[` + many(65, `{"path":"a","content":"b"}`) + `]`, "inputs.writes[0]"},
	} {
		create := noting(t, twoTurns, "", "")
		create.Inputs[c.input] = parse[any](t, c.script)
		_, err := h.Create(soon(t), create)
		if refused := refusalOf(err); refused == nil || refused.Code != codes.Validation || refused.Details["field"] != c.field {
			t.Errorf("%.100s: %v", c.script, err)
		}
	}
	// What is as large as it may be is taken.
	for range 2 {
		create := noting(t, twoTurns, `{"workspace":`+many(64, `"a"`)+`,"memory":`+many(64, `"a"`)+`}`,
			`[`+many(64, `{"path":"a","content":"b"}`)+`]`)
		if s := h.create(create); s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("64 reads and writes: %v", s.Error)
		}
	}
	if file, err := h.files.Get(soon(t), shelf, "a", 0); err != nil || file.Version != 128 {
		t.Errorf("after 128 writes: %+v, %v", file, err)
	}
}

// A script that goes wrong only later fails the node, and says where.
func TestScriptsThatBecomeWrong(t *testing.T) {
	d := fixtures(t)["assay-loop-workspace"]
	d.Nodes[1].Config = map[string]any{"outputMapping": map[string]any{"reads": "next", "writes": "next"}}
	for _, c := range []struct{ value, port, code, says string }{
		{`{"workspace":1}`, "reads", codes.Script, "mockReads.workspace: must be an array"},
		{`[[],[7]]`, "writes", codes.Script, "mockWrites[1][0]: must be {path, content}"},
		{`7`, "writes", codes.Script, "mockWrites: must be an array"},
	} {
		child := parse[openwopv1.WorkflowDefinition](t, `{"id":"writer","name":"w","version":"1","edges":[],
			"triggers":[],"metadata":{},"settings":{},
			"nodes":[{"id":"n","typeId":"core.noop","name":"n","position":{"x":0,"y":0},"config":{},"inputs":{}}],
			"variables":[{"name":"next","type":"object","defaultValue":`+c.value+`}]}`)
		d.Nodes[1].Config = map[string]any{"outputMapping": map[string]any{c.port: "next"}}
		h := newStoreHost(t, func(o *Options) { o.Workflows["writer"] = child })
		create := noting(t, `[{"kind":"next-worker","nextWorkerIds":["writer"]}]`, "", "")
		create.Definition = &d
		s := h.create(create)
		expectLawful(t, s, h.events(s.RunID), 5)
		if s.Error == nil || s.Error.Code != c.code || !strings.Contains(s.Error.Message, c.says) {
			t.Errorf("%s: the run is %s: %+v", c.value, s.Status, s.Error)
		}
	}
}

func TestWritesThatTheStoreRefuses(t *testing.T) {
	for _, c := range []struct{ write, code, says string }{
		{`{"path":"../a","content":"b"}`, refusal.Validation, "mockWrites[0][1]: path"},
		{`{"path":"a/../b","content":"b"}`, refusal.Validation, "mockWrites[0][1]: path"},
		{`{"path":"a","content":"` + strings.Repeat("x", workspace.DefaultMaxFileBytes+1) + `"}`, "workspace_too_large",
			"mockWrites[0][1]: file"},
		{`{"memory":{"content":"` + strings.Repeat("x", 65537) + `"}}`, refusal.TooLarge, "mockWrites[0][1]: "},
	} {
		h := newStoreHost(t)
		s := h.create(noting(t, twoTurns, "", `[[{"path":"good.md","content":"x"},`+c.write+`,{"path":"never.md","content":"x"}]]`))
		events := h.events(s.RunID)
		expectLawful(t, s, events, 5)
		if s.Error == nil || s.Error.Code != c.code || !strings.Contains(s.Error.Message, c.says) {
			t.Errorf("%.60s: the run is %s: %+v", c.write, s.Status, s.Error)
		}
		if last := story(events[3:]); !slices.Equal(last, []string{
			`3 workspace.updated @supervisor {"path":"good.md","version":1} <-UNKNOWN`,
			"4 node.failed @supervisor " + c.code, "5 run.failed " + c.code + " <-4",
		}) {
			t.Errorf("%.60s: the log ends with %v", c.write, last)
		}
		expectNotes(t, s, "1 begin assay/notes.md@0")
		if _, err := h.files.Get(soon(t), shelf, "never.md", 0); code(err) != refusal.NotFound {
			t.Errorf("%.60s: the write behind it: %v", c.write, err)
		}
		h.expectReplays(s.RunID)
	}
}

func TestStoresThatTheHostLacks(t *testing.T) {
	both := noting(t, "", `{"workspace":["a"],"memory":["m"]}`, `[]`)
	for _, c := range []struct {
		name   string
		create Create
		lacks  []string
		want   string
	}{
		{"the fixture", noting(t, "", "", ""), []string{workflow.CapabilityWorkspace}, workflow.CapabilityWorkspace},
		{"the fixture without memory", noting(t, "", "", ""), []string{workflow.CapabilityMemory}, ""},
		{"reads both", both, []string{workflow.CapabilityMemory}, workflow.CapabilityMemory},
		{"reads both, lacks both", both, []string{workflow.CapabilityMemory, workflow.CapabilityWorkspace}, workflow.CapabilityWorkspace},
		{"reads nothing", noting(t, "", `{}`, `[]`), []string{workflow.CapabilityMemory, workflow.CapabilityWorkspace}, ""},
		{"reads nothing of either", noting(t, "", `{"workspace":[],"memory":[]}`, `[[],[]]`), []string{workflow.CapabilityMemory,
			workflow.CapabilityWorkspace}, ""},
		{"writes in a later turn", noting(t, "", `{}`, `[[],[],[{"memory":{"content":"x"}}]]`), []string{workflow.CapabilityMemory},
			workflow.CapabilityMemory},
		{"another workflow", Create{WorkflowID: "assay-loop"}, []string{workflow.CapabilityMemory, workflow.CapabilityWorkspace}, ""},
	} {
		for _, h := range []*host{
			newStoreHost(t, func(o *Options) { o.Lacks = c.lacks }),
			newHost(t, func(o *Options) { o.Lacks = c.lacks }),
		} {
			id, err := h.Create(soon(t), c.create)
			switch {
			case c.want == "" && !h.stores && len(c.lacks) < 2: // a host without stores lacks both
			case c.want == "" && err != nil:
				t.Errorf("%s: %v", c.name, err)
			case c.want == "":
				s := h.settled(id.RunID)
				if s.Status != openwopv1.RunStatusCompleted || (s.Workspace == nil) != slices.Contains(c.lacks, workflow.CapabilityWorkspace) {
					t.Errorf("%s: the run is %s and reads %v: %v", c.name, s.Status, s.Workspace, s.Error)
				}
			case c.want != "":
				refused := refusalOf(err)
				if refused == nil || refused.Code != codes.Capability || h.stores && refused.Details["requiredCapability"] != c.want ||
					refused.Details["nodeId"] != "supervisor" {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		}
	}
	needs, err := workflow.Needs(fixtures(t)["assay-loop-workspace"])
	if want := []string{workflow.CapabilityOrchestrator, workflow.CapabilityWorkspace, workflow.CapabilityDispatch}; err != nil ||
		!slices.Equal(needs, want) {
		t.Errorf("the fixture needs %v, %v", needs, err)
	}
	if _, err := workflow.Needs(openwopv1.WorkflowDefinition{}); code(err) != codes.Validation {
		t.Errorf("a definition that is none needs: %v", err)
	}
}

// A host that is started again without the stores that a run began with, or with stores that it began without.
func TestStoresThatComeAndGo(t *testing.T) {
	const later = `[[],[{"path":"a","content":"b"}]]`
	for _, c := range []struct {
		name, reads, writes string
		says                string
	}{
		{"reads", `{"workspace":["a"]}`, `[]`, `needs workspace`},
		{"remembers", `{"memory":["a"]}`, `[]`, `needs memory`},
		{"writes", `{}`, later, `needs workspace`},
		{"nothing", `{}`, `[]`, ``},
	} {
		h := newStoreHost(t)
		h.put("a.md", "x")
		s := h.create(noting(t, askedOnce, c.reads, c.writes))
		h.stores = false
		h.o.Files, h.o.Memory = nil, nil
		h.restart()
		s = h.resolve(s.RunID, yes)
		expectLawful(t, s, h.events(s.RunID), 5)
		if c.says == "" {
			if s.Status != openwopv1.RunStatusCompleted || len(s.Workspace) != 1 {
				t.Errorf("%s: the run is %s and reads %v: %v", c.name, s.Status, s.Workspace, s.Error)
			}
		} else if s.Error == nil || s.Error.Code != codes.Capability || !strings.Contains(s.Error.Message, c.says) {
			t.Errorf("%s: the run is %s: %v", c.name, s.Status, s.Error)
		}
		h.expectReplays(s.RunID)
	}
	for _, lacked := range [][]string{{workflow.CapabilityWorkspace}, {workflow.CapabilityMemory}, {workflow.CapabilityWorkspace,
		workflow.CapabilityMemory}} {
		h := newStoreHost(t, func(o *Options) { o.Lacks = lacked })
		s := h.create(noting(t, askedTwice, `{}`, `[]`))
		before := s.Workspace
		h.o.Lacks = nil
		h.restart()
		h.put("a.md", "x")
		h.remember("x", 0, "m")
		s = h.resolve(s.RunID, yes)
		if had := !slices.Contains(lacked, workflow.CapabilityWorkspace); (before != nil) != had || had != (len(s.Workspace) == 1) {
			t.Errorf("the run began without %v, with %v, and reads %v", lacked, before, s.Workspace)
		}
		err := h.with(soon(t), s.RunID, func(r *liveRun) error {
			if v := r.state.View; (v.Mark != nil) == slices.Contains(lacked, workflow.CapabilityMemory) || v.Mark == nil && !v.At.IsZero() {
				t.Errorf("the run began without %v and sees %+v", lacked, v)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if s = h.resolve(s.RunID, yes); s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("the run is %s: %v", s.Status, s.Error)
		}
	}
}

// crash is a host that dies when it has announced a write: before the write, or right after it.
type crash struct {
	Files
	log     *memoryLog
	written bool
}

func (c crash) Put(ctx context.Context, o workspace.Owner, p workspace.Put) (file openwopv1.WorkspaceFile, err error) {
	if c.written {
		file, err = c.Files.Put(ctx, o, p)
	}
	c.log.kill(0)
	return file, errors.Join(err, c.log.alive())
}

// refusing are files that take nothing more.
type refusing struct{ Files }

func (refusing) Put(context.Context, workspace.Owner, workspace.Put) (openwopv1.WorkspaceFile, error) {
	return openwopv1.WorkspaceFile{}, refusal.Invalid("path", "no more")
}

// A write that was announced is told of, whatever becomes of the host and of the run in between; and a fork of that run is
// stopped at the same place.
func TestARunThatIsStoppedTellsWhatItWrote(t *testing.T) {
	for _, c := range []struct {
		name             string
		written, refused bool // before the host died; by the next host
		files            int
	}{
		{"announced", false, false, 1},
		{"written", true, false, 1},
		{"announced, then refused", false, true, 0},
	} {
		h := newStoreHost(t)
		h.Close()
		h.stores = false
		h.o.Files = crash{h.files, h.log, c.written}
		h.start()
		id := h.begin(noting(t, twoTurns, `{}`, `[[{"path":"a","content":"b"},{"path":"b","content":"b"}]]`))
		<-h.dead()
		h.Close()
		h.log = h.log.survivor()
		h.o.Log = h.log
		h.openStores()
		if c.refused {
			h.o.Files = refusing{h.files}
		}
		e, err := New(h.o) // which does not go on with the run before it is asked to stop it
		if err != nil {
			t.Fatal(err)
		}
		h.Engine = e
		s, err := h.Cancel(soon(t), id, "enough")
		events := h.events(id)
		expectLawful(t, s, events, 5)
		if err != nil || s.Status != openwopv1.RunStatusCancelled {
			t.Errorf("%s: the run is %s, %v: %v", c.name, s.Status, err, story(events))
		}
		told := 0
		for _, e := range events {
			if e.Type == event.WorkspaceUpdated {
				told++
			}
		}
		files, err := h.files.List(soon(t), shelf, "")
		if err != nil || len(files) != c.files || told != c.files {
			t.Errorf("%s: %d files, and the log tells of %d: %v, %v", c.name, len(files), told, story(events), err)
		}
		h.expectReplays(id)
	}
}

// expectReplays forks a run that has ended from everywhere, and checks that the forks are the same and write nothing.
func (h *host) expectReplays(id string) {
	h.t.Helper()
	source := h.snapshot(id)
	want := essence(h.events(id))
	appends := h.log.count()
	for from := range int64(len(want) + 1) {
		f, err := h.Fork(soon(h.t), id, Fork{Mode: "replay", FromSeq: &from})
		if err != nil {
			h.t.Fatal(err)
		}
		s := h.settled(f.RunID)
		got := essence(h.events(f.RunID))
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], f.RunID, id)
		}
		if !slices.Equal(got, want) {
			h.t.Fatalf("from %d the fork is\n  %s\nwant\n  %s", from, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
		if s.Status != source.Status || fmt.Sprint(s.Variables) != fmt.Sprint(source.Variables) || !slices.Equal(s.Workspace, source.Workspace) {
			h.t.Errorf("from %d the fork is %+v", from, s)
		}
		expectLawful(h.t, s, h.events(f.RunID), h.o.Version)
	}
	if n := h.log.count() - appends; n != len(want)+1 {
		h.t.Errorf("%d appends for %d forks: a replay must write nothing", n, len(want)+1)
	}
}
