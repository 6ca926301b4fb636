package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
)

var (
	somebody = &event.Owner{Tenant: "t1", Workspace: "w1"}
	shelf    = workspace.Owner{Tenant: "t1", Workspace: "w1"}
	memories = memory.Scope{Tenant: "t1", Ref: "default"}
)

// noting is a run of the fixture whose turns note what they see; each part is JSON, and empty where the default is to stand.
func noting(t testing.TB, plan, reads, writes string) Create {
	t.Helper()
	c := Create{WorkflowID: "assay-loop-workspace", Owner: somebody, Inputs: map[string]any{}}
	for name, script := range map[string]string{"plan": plan, "reads": reads, "writes": writes} {
		if script != "" {
			c.Inputs[name] = parse[any](t, script)
		}
	}
	return c
}

// notes are what a run noted, a line each: iteration, when, and what it saw.
func notes(t testing.TB, s openwopv1.RunSnapshot) (lines []string) {
	t.Helper()
	raw, err := json.Marshal(s.Variables["seen"])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range parse[[]struct {
		At        string
		Iteration int
		Workspace []struct {
			Path    string
			Version int
			Content *string
		}
		Memory []struct {
			Content string
			Tags    []string
		}
	}](t, string(raw)) {
		line := new(strings.Builder)
		fmt.Fprintf(line, "%d %s", n.Iteration, n.At)
		for _, f := range n.Workspace {
			fmt.Fprintf(line, " %s@%d", f.Path, f.Version)
			if f.Content != nil {
				line.WriteString("=" + *f.Content)
			}
		}
		for _, e := range n.Memory {
			fmt.Fprintf(line, " %v=%s", e.Tags, e.Content)
		}
		lines = append(lines, line.String())
	}
	return lines
}

func expectNotes(t testing.TB, s openwopv1.RunSnapshot, want ...string) {
	t.Helper()
	if got := notes(t, s); !slices.Equal(got, want) {
		t.Errorf("the notes are\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func (h *host) put(path, content string) {
	h.t.Helper()
	if _, err := h.files.Put(soon(h.t), shelf, workspace.Put{Path: path, Content: content}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) remember(content string, ttl time.Duration, tags ...string) {
	h.t.Helper()
	if _, err := h.memory.Write(soon(h.t), memories, memory.Write{Content: content, Tags: tags, TTL: ttl}); err != nil {
		h.t.Fatal(err)
	}
}

const (
	twoTurns  = `[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]},{"kind":"terminate"}]`
	askedOnce = `[{"kind":"ask-user","prompt":"go on?"},{"kind":"terminate"}]`
	yes       = `{"answers":{"q1":"yes"}}`
)

func TestAWriteIsSeenFromTheNextTurnOn(t *testing.T) {
	h := newStoreHost(t)
	s := h.create(noting(t, "", "", ""))
	expectLawful(t, s, h.events(s.RunID), 5)
	expectNotes(t, s,
		"1 begin assay/notes.md@0",
		"1 end assay/notes.md@0",
		"2 begin assay/notes.md@1=written in turn 1",
		"2 end assay/notes.md@1=written in turn 1",
		"3 begin assay/notes.md@1=written in turn 1",
		"3 end assay/notes.md@1=written in turn 1",
	)
	if want := []openwopv1.WorkspaceFileRef{{Path: "assay/notes.md", Version: 1}}; !slices.Equal(s.Workspace, want) {
		t.Errorf("in the end the run reads %v", s.Workspace)
	}
}

func TestNotesOnTheLog(t *testing.T) {
	h := newStoreHost(t)
	h.put("a.md", "x")
	s := h.create(noting(t, twoTurns, `{"workspace":["a.md"],"memory":["m"]}`,
		`[[{"path":"a.md","content":"y"},{"memory":{"content":"z","tags":["m"]}}]]`))
	events := h.events(s.RunID)
	expectLawful(t, s, events, 5)
	id := parse[event.MemoryWrittenPayload](t, string(events[4].Payload)).MemoryID
	entry := `{"content":"z","createdAt":"` + h.clock.Now().UTC().Format(time.RFC3339) + `","id":"` + id + `","tags":["m"]}`
	var (
		begun1 = `{"at":"begin","iteration":1,"memory":[],"workspace":[{"content":"x","path":"a.md","version":1}]}`
		ended1 = `{"at":"end","iteration":1,"memory":[],"workspace":[{"content":"x","path":"a.md","version":1}]}`
		begun2 = `{"at":"begin","iteration":2,"memory":[` + entry + `],"workspace":[{"content":"y","path":"a.md","version":2}]}`
		ended2 = `{"at":"end","iteration":2,"memory":[` + entry + `],"workspace":[{"content":"y","path":"a.md","version":2}]}`
	)
	expectStory(t, events,
		"0 run.started",
		"1 node.started @supervisor",
		"2 variable.changed @supervisor seen=["+begun1+"] <-1",
		`3 workspace.updated @supervisor {"path":"a.md","version":2} <-1`,
		`4 memory.written @supervisor {"agentId":"assay.supervisor","memoryId":"`+id+
			`","memoryRef":"default","nodeId":"supervisor","tags":["m"]} <-1`,
		"5 runOrchestrator.decided @supervisor #1 next-worker conformance-noop",
		"6 node.completed @supervisor",
		"7 node.started @dispatch <-5",
		"8 core.workflowChain.event @dispatch dispatch.began conformance-noop <-5",
		"9 core.workflowChain.event @dispatch dispatch.succeeded conformance-noop child1 <-8",
		"10 node.dispatched @dispatch child1 completed <-5",
		"11 core.workflowChain.event @dispatch child.completed conformance-noop child1 <-9",
		"12 node.completed @dispatch <-5",
		"13 variable.changed @supervisor seen=["+begun1+","+ended1+"] <-5",
		"14 node.started @supervisor",
		"15 variable.changed @supervisor seen=["+begun1+","+ended1+","+begun2+"] <-14",
		"16 runOrchestrator.decided @supervisor #2 terminate",
		"17 node.completed @supervisor",
		"18 variable.changed @supervisor seen=["+begun1+","+ended1+","+begun2+","+ended2+"] <-16",
		"19 run.completed <-16",
	)
}

// What is written from outside while a turn lasts belongs to the next one, however the turn is suspended.
func TestASuspendedTurnKeepsWhatItSaw(t *testing.T) {
	held := func(kind string) string {
		return `[{"kind":"` + kind + `","nextWorkerIds":["conformance-noop"],"confidence":0.1},{"kind":"terminate"}]`
	}
	for _, c := range []struct {
		name, plan, answer string
		escalation         event.Interrupt
	}{
		{"asked", askedOnce, yes, event.Clarification},
		{"held and clarified", held("next-worker"), yes, event.Clarification},
		{"held and accepted", held("next-worker"), `{"action":"accept"}`, event.Approval},
		{"held and rejected", held("next-worker"), `{"action":"reject"}`, event.Approval},
	} {
		for _, restarted := range []bool{false, true} {
			h := newStoreHost(t, func(o *Options) { o.EscalationKind = c.escalation })
			h.put("a.md", "before")
			h.remember("early", 0, "m")
			s := h.create(noting(t, c.plan, `{"workspace":["a.md","b.md"],"memory":["m"]}`, `[]`))
			if s.Interrupt == nil {
				t.Fatalf("%s: the run is %s", c.name, s.Status)
			}
			h.put("a.md", "meanwhile")
			h.put("b.md", "meanwhile")
			h.remember("late", 0, "m")
			if restarted {
				h.restart()
			}
			s = h.resolve(s.RunID, c.answer)
			expectLawful(t, s, h.events(s.RunID), 5)
			expectNotes(t, s,
				"1 begin a.md@1=before b.md@0 [m]=early",
				"1 end a.md@1=before b.md@0 [m]=early",
				"2 begin a.md@2=meanwhile b.md@1=meanwhile [m]=early [m]=late",
				"2 end a.md@2=meanwhile b.md@1=meanwhile [m]=early [m]=late",
			)
		}
	}
}

// An agent that is unsure decides again in the same turn, which neither notes nor writes a second time.
func TestAnUnsureTurnNotesOnce(t *testing.T) {
	d := fixtures(t)["assay-loop-workspace"]
	d.Nodes[0].Config = map[string]any{
		"mockNotes": "seen", "mockConfidence": 0.1, "mockPendingDecision": map[string]any{"kind": "terminate"},
	}
	d.Nodes[0].Inputs = without(d.Nodes[0].Inputs, "mockDispatchPlan")
	h := newStoreHost(t)
	s := h.create(Create{Definition: &d, Owner: somebody})
	s = h.resolve(s.RunID, `{"action":"reject"}`)
	expectLawful(t, s, h.events(s.RunID), 5)
	expectNotes(t, s, "1 begin assay/notes.md@0", "1 end assay/notes.md@0")
	if file, err := h.files.Get(soon(t), shelf, "assay/notes.md", 0); err != nil || file.Version != 1 {
		t.Errorf("the file is %+v, %v", file, err)
	}
}

func without[V any](m map[string]V, key string) map[string]V {
	m = maps.Clone(m)
	delete(m, key)
	return m
}

// RFC 0059 D: before version 5 a run sees the files of its own beginning; RFC 0061 C: then those of the turn's.
func TestWhichRungSeesWhat(t *testing.T) {
	for v := range 7 {
		h := newStoreHost(t, version(v))
		h.put("a.md", "1")
		s := h.create(noting(t, `[{"kind":"ask-user","prompt":"a"},{"kind":"ask-user","prompt":"b"},{"kind":"terminate"}]`,
			`{"workspace":["a.md"]}`, `[]`))
		for _, content := range []string{"2", "3"} {
			h.put("a.md", content)
			s = h.resolve(s.RunID, yes)
		}
		want := []string{"1 begin a.md@1=1", "1 end a.md@1=1", "2 begin a.md@1=1", "2 end a.md@1=1", "3 begin a.md@1=1", "3 end a.md@1=1"}
		version := int64(1)
		if v >= 5 {
			want = []string{"1 begin a.md@1=1", "1 end a.md@1=1", "2 begin a.md@2=2", "2 end a.md@2=2", "3 begin a.md@3=3", "3 end a.md@3=3"}
			version = 3
		}
		expectNotes(t, s, want...)
		expectLawful(t, s, h.events(s.RunID), v)
		if len(s.Workspace) != 1 || s.Workspace[0].Version != version {
			t.Errorf("version %d: in the end the run reads %v", v, s.Workspace)
		}
	}
}

// Entries are those of the turn's begin in every way: what expires while the turn lasts is still seen, what had expired is
// not.
func TestMemoryAsOfTheTurn(t *testing.T) {
	h := newStoreHost(t)
	h.remember("brief", time.Minute, "m")
	h.remember("both", time.Hour, "m", "n")
	h.remember("other", 0, "x")
	s := h.create(noting(t, askedOnce, `{"memory":["n","m"]}`, `[]`))
	h.clock.Advance(2 * time.Minute)
	h.restart()
	s = h.resolve(s.RunID, yes)
	expectNotes(t, s,
		"1 begin [m n]=both [m]=brief",
		"1 end [m n]=both [m]=brief",
		"2 begin [m n]=both",
		"2 end [m n]=both",
	)
}

func TestTheMemoryIsTheAgents(t *testing.T) {
	d := fixtures(t)["assay-loop-workspace"]
	agent := *d.Nodes[0].Agent
	agent.MemoryRef = "mine"
	d.Nodes[0].Agent = &agent
	h := newStoreHost(t)
	h.remember("of another memory", 0, "m")
	c := noting(t, twoTurns, `{"memory":["m"]}`, `[[{"memory":{"content":"of mine","tags":["m"]}}]]`)
	c.WorkflowID, c.Definition = "", &d
	expectNotes(t, h.create(c), "1 begin", "1 end", "2 begin [m]=of mine", "2 end [m]=of mine")
	// Nor does another tenant's run see any of it.
	c.Owner = &event.Owner{Tenant: "t2", Workspace: "w1"}
	c.Inputs["writes"] = []any{}
	expectNotes(t, h.create(c), "1 begin", "1 end", "2 begin", "2 end")
	c.Owner = nil
	if s := h.create(c); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("a run of nobody's is %s", s.Status)
	}
}

// What a turn looks at is fixed when it begins, even where its own worker changes the script.
func TestReadsAreThoseOfTheTurnsBegin(t *testing.T) {
	d := fixtures(t)["assay-loop-workspace"]
	d.Nodes[1].Config = map[string]any{"outputMapping": map[string]any{"reads": "next", "seen": "nothing"}}
	child := parse[openwopv1.WorkflowDefinition](t, `{"id":"writer","name":"w","version":"1","edges":[],"triggers":[],"metadata":{},"settings":{},
		"nodes":[{"id":"n","typeId":"core.noop","name":"n","position":{"x":0,"y":0},"config":{},"inputs":{}}],
		"variables":[{"name":"next","type":"object","defaultValue":{"workspace":["b.md"]}},{"name":"nothing","type":"string","defaultValue":"gone"}]}`)
	h := newStoreHost(t, func(o *Options) { o.Workflows["writer"] = child })
	c := noting(t, `[{"kind":"next-worker","nextWorkerIds":["writer"]}]`, `{"workspace":["a.md"]}`, `[]`)
	c.Definition = &d
	// The worker also put something else in the place of the notes: they begin anew.
	expectNotes(t, h.create(c), "1 end a.md@0", "2 begin b.md@0", "2 end b.md@0")
}

func TestNotesWithoutReads(t *testing.T) {
	d := fixtures(t)["assay-loop-workspace"]
	d.Nodes[0].Inputs = without(without(d.Nodes[0].Inputs, "mockReads"), "mockWrites")
	h := newHost(t)
	s := h.create(Create{Definition: &d, Inputs: plan(t, twoTurns)})
	expectNotes(t, s, "1 begin", "1 end", "2 begin", "2 end")
	if s.Workspace != nil {
		t.Errorf("without a workspace the run reads %v", s.Workspace)
	}
	// In a config instead of a port.
	d.Nodes[0].Config = map[string]any{"mockNotes": "seen", "mockReads": parse[any](t, `{"workspace":["a.md"]}`),
		"mockWrites": parse[any](t, `[[],[{"path":"a.md","content":"x"}]]`)}
	h = newStoreHost(t)
	h.put("a.md", "")
	s = h.create(Create{Definition: &d, Owner: somebody, Inputs: plan(t, twoTurns)})
	expectNotes(t, s, "1 begin a.md@1=", "1 end a.md@1=", "2 begin a.md@1=", "2 end a.md@1=")
	if file, err := h.files.Get(soon(t), shelf, "a.md", 0); err != nil || file.Content != "x" {
		t.Errorf("the last turn's write left %+v, %v", file, err)
	}
}

func TestTheSnapshotSaysWhatIsRead(t *testing.T) {
	h := newStoreHost(t)
	s := h.create(Create{WorkflowID: "conformance-noop", Owner: somebody})
	if s.Workspace == nil || len(s.Workspace) != 0 {
		t.Errorf("of an empty workspace a run reads %#v", s.Workspace)
	}
	h.restart()
	if again := h.snapshot(s.RunID); again.Workspace == nil || show(again) != show(s) {
		t.Errorf("read again, it is %#v", again.Workspace)
	}
	h.put("b.md", "x")
	h.put("a.md", "x")
	h.put("a.md", "y")
	s = h.create(Create{WorkflowID: "conformance-noop", Owner: somebody})
	if want := []openwopv1.WorkspaceFileRef{{Path: "a.md", Version: 2}, {Path: "b.md", Version: 1}}; !slices.Equal(s.Workspace, want) {
		t.Errorf("a run reads %v, want %v", s.Workspace, want)
	}
	// A child sees the files when it begins itself.
	s = h.create(noting(t, `[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]}]`, "", `[[{"path":"c.md","content":"x"}]]`))
	if child := h.child(s, 0); len(child.Workspace) != 3 {
		t.Errorf("the child reads %v", child.Workspace)
	}
}

// A view is on the log once, and again only where something of it has changed.
func TestViewsAreSmall(t *testing.T) {
	h := newStoreHost(t)
	h.put("a.md", "x")
	s := h.create(noting(t, `[{"kind":"ask-user","prompt":"a"},{"kind":"ask-user","prompt":"b"},{"kind":"ask-user","prompt":"c"}]`, "", `[]`))
	s = h.resolve(s.RunID, yes)
	h.put("a.md", "y")
	for !state.Ended(s.Status) {
		s = h.resolve(s.RunID, yes)
	}
	entries, err := h.log.Read(soon(t), s.RunID, 0)
	if err != nil {
		t.Fatal(err)
	}
	files, marks := 0, 0
	for _, entry := range entries {
		files += strings.Count(string(entry.Data), `"files":`)
		marks += strings.Count(string(entry.Data), `"mark":`)
	}
	if files != 2 || marks != 1 {
		t.Errorf("%d lists and %d marks on the log", files, marks)
	}
}

func TestNotesThatGrowTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: large notes")
	}
	h := newStoreHost(t)
	// JSON escapes each of these with six bytes: one note takes 360 KiB, and there is no room for a second one.
	h.put("f", strings.Repeat("<", 60<<10))
	s := h.create(noting(t, askedOnce, `{"workspace":["f"]}`, `[]`))
	if s.Status != openwopv1.RunStatusWaitingInput {
		t.Fatalf("after the first note the run is %s: %v", s.Status, s.Error)
	}
	s = h.resolve(s.RunID, yes)
	for range 2 {
		events := h.events(s.RunID)
		expectLawful(t, s, events, 5)
		if s.Error == nil || s.Error.Code != codes.Notes || !strings.Contains(s.Error.Message, `"seen"`) || len(notes(t, s)) > 1 {
			t.Errorf("the run is %s: %+v", s.Status, s.Error)
		}
		h.expectReplays(s.RunID)
		// A reading that is too large by itself fails the turn.
		s = h.create(noting(t, askedOnce, `{"workspace":["f","f"]}`, `[]`))
	}
}

// What cannot be noted anyway is not put together first.
func TestReadingsAreBounded(t *testing.T) {
	h := newStoreHost(t)
	for range state.MaxNotes/60000 + 1 {
		h.remember(strings.Repeat("x", 60000), 0, "m")
	}
	s := h.create(noting(t, askedOnce, `{"memory":["n"]}`, `[]`))
	err := h.with(soon(t), s.RunID, func(r *liveRun) error {
		state := r.state.Clone()
		state.Loop.Reads = map[string]any{"memory": []any{"m"}}
		got, err := h.Engine.stores.readFor(soon(t), &state)
		if err != nil || got.Refused == nil || got.Refused.Code != codes.Notes || len(got.Memory) > 0 {
			t.Errorf("a reading of %d entries, %+v, %v", len(got.Memory), got.Refused, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
