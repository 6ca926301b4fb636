package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/memory"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// recall returns the contents that a turn read at its begin or its end.
type recall func(turn int, at string) []string

// but replaces the contents read in one turn.
func (r recall) but(turn int, contents ...string) recall {
	return func(n int, at string) []string {
		if n == turn {
			return contents
		}
		return r(n, at)
	}
}

func reads(contents ...string) recall { return func(int, string) []string { return contents } }

// since adds contents from a turn on.
func (r recall) since(turn int, contents ...string) recall {
	return func(n int, at string) []string {
		if n < turn {
			return r(n, at)
		}
		return append(slices.Clone(r(n, at)), contents...)
	}
}

// idOf returns the id of the entry with this content. The id does not show the content.
func idOf(content string) string { return fmt.Sprintf("%x", content) }

func remembered(content string) map[string]any {
	return map[string]any{"id": idOf(content), "content": content, "tags": []any{"tag"}, "createdAt": "2026-01-02T03:04:05.678Z"}
}

// looks returns the notes of this number of turns.
func (r recall) looks(turns int) []any {
	var notes []any
	for turn := 1; turn <= turns; turn++ {
		for _, at := range []string{"begin", "end"} {
			entries := []any{}
			for _, c := range r(turn, at) {
				entries = append(entries, remembered(c))
			}
			notes = append(notes, map[string]any{"iteration": turn, "at": at, "memory": entries})
		}
	}
	return notes
}

// run returns a run whose turns took these notes, and whose log reports writes of the told contents.
func (r recall) run(t *testing.T, id string, turns int, told ...string) host.RunLog {
	t.Helper()
	return rememberingRun(t, id, "completed", r.looks(turns), told...)
}

func rememberingRun(t *testing.T, id, status string, seen any, told ...string) host.RunLog {
	t.Helper()
	s := hosttest.Story{Id: id, Status: status, Events: []hosttest.Event{{Kind: "run.started", Payload: nil}}}
	for _, c := range told {
		s = s.Then(hosttest.Event{Kind: "memory.written", Payload: map[string]any{"memoryRef": "m", "memoryId": idOf(c), "tags": []any{"tag"}}})
	}
	l := s.Then(hosttest.Event{Kind: "run." + status, Payload: nil}).Log(t)
	l.Ended.Reached = true
	l.Ended.Last = wiretest.Value(t, map[string]any{"runId": id, "status": status, "variables": map[string]any{"seen": seen}})
	return l
}

// family is a loop of five turns that wrote in the first, with two workers in the third.
type family struct{ loop, first, second recall }

func honestFamily() family {
	return family{
		loop:   reads().since(2, "own").since(4, "one", "two"),
		first:  reads("own").since(2, "one"),
		second: reads("own", "one"),
	}
}

func (f family) observed(t *testing.T) memory.MemoryFamily {
	t.Helper()
	return memory.MemoryFamily{
		Turns: 5, Wrote: 1, Handed: 3, Own: "own", First: "one", Second: "two", Tag: "tag", Log: f.loop.run(t, "r", 5, "own"),
		Children: []host.ChildRun{{ID: "c1", Log: f.first.run(t, "c1", 2, "one")}, {ID: "c2", Log: f.second.run(t, "c2", 1, "two")}},
	}
}

func TestJudgesOfWhatAFamilyRemembers(t *testing.T) {
	const c2, c6, passed, blocked = openwop.OWP0061C2, openwop.OWP0061C6, "passed", "blocked"
	const m1, m2, m6 = openwop.OWPMEM1, openwop.OWPMEM2, openwop.OWPMEM6
	for _, c := range []struct {
		name                                  string
		change                                func(*family)
		turn, inherits, brings, inOrder, told string
	}{
		{"honest", func(*family) {}, passed, passed, passed, passed, passed},
		{"reads through", func(f *family) { f.loop = f.loop.but(1, "own") }, c2, passed, passed, passed, passed},
		{"a turn late", func(f *family) { f.loop = reads().since(3, "own").since(4, "one", "two") }, c6, passed, passed, passed, passed},
		{"the turn that hands over sees its workers", func(f *family) { f.loop = f.loop.but(3, "own", "one", "two") }, c2, passed,
			passed, passed, passed},
		{"as of the start of the run", func(f *family) { f.loop = reads() }, c6, passed, m2, blocked, blocked},
		{"workers bring nothing", func(f *family) { f.loop = reads().since(2, "own") }, passed, passed, m2, blocked, blocked},
		{"the second worker alone brings something", func(f *family) { f.loop = reads().since(2, "own").since(4, "two") }, passed,
			passed, m2, blocked, blocked},
		{"forgotten after a turn", func(f *family) { f.loop = f.loop.but(5, "own") }, passed, passed, m2, passed, passed},
		{"workers begin with nothing", func(f *family) { f.first, f.second = reads().since(2, "one"), reads() }, passed, m1, passed, m6, passed},
		{"workers apart", func(f *family) { f.second = reads("own") }, passed, passed, passed, m6, passed},
		{"workers at once", func(f *family) { f.first = reads("own").since(2, "one", "two") }, passed, passed, passed, m6, passed},
		{"brought in another order", func(f *family) { f.loop = reads().since(2, "own").since(4, "two", "one") }, passed, passed,
			passed, m6, passed},
		{"a worker sees the others' before", func(f *family) { f.first = reads("own", "two") }, passed, m1, passed, m6, passed},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := honestFamily()
			c.change(&f)
			o := f.observed(t)
			hosttest.Expect(t, "as-of-turn", o, c.turn)
			hosttest.Expect(t, "child-inherits", o, c.inherits)
			hosttest.Expect(t, "child-brings", o, c.brings)
			hosttest.Expect(t, "siblings-in-order", o, c.inOrder)
			hosttest.Expect(t, "writes-told-by-id", o, c.told)
		})
	}
}

func TestJudgesOfNotesThatSayNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: many observations")
	}
	names := []string{"as-of-turn", "child-inherits", "child-brings", "siblings-in-order", "writes-told-by-id", "entries-shaped"}
	for name, spoil := range map[string]func(*memory.MemoryFamily){
		"no notes": func(o *memory.MemoryFamily) {
			o.Log = rememberingRun(t, "r", "completed", nil)
			o.Children[0].Log = o.Log
			o.Children[1].Log = o.Log
		},
		"of files only": func(o *memory.MemoryFamily) {
			l := rememberingRun(t, "r", "completed", hosttest.Noted(5, nil, nil))
			o.Log, o.Children[0].Log, o.Children[1].Log = l, l, l
		},
		"numbers": func(o *memory.MemoryFamily) {
			l := rememberingRun(t, "r", "completed", notesOf(5, 7))
			o.Log, o.Children[0].Log, o.Children[1].Log = l, l, l
		},
		"without end": func(o *memory.MemoryFamily) {
			l := rememberingRun(t, "r", "completed", notesOf(5, slices.Repeat([]any{remembered("x")}, 10_000)...))
			o.Log, o.Children[0].Log, o.Children[1].Log = l, l, l
		},
		"a run without end": func(o *memory.MemoryFamily) { o.Log.Ended.Reached = false },
		"no run":            func(o *memory.MemoryFamily) { *o = memory.MemoryFamily{Turns: 5, Handed: 3} },
		"no child named": func(o *memory.MemoryFamily) {
			o.Log = rememberingRun(t, "r", "completed", notesOf(4))
			o.Children = nil
		},
		"a child not served": func(o *memory.MemoryFamily) {
			o.Log = rememberingRun(t, "r", "completed", notesOf(4))
			o.Children[0].Log.Created = wiretest.Status(t, 404)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, scenario := range names {
				o := honestFamily().observed(t)
				spoil(&o)
				hosttest.Expect(t, scenario, o, "blocked")
			}
		})
	}
}

// notesOf returns notes of this number of turns with these entries in each.
func notesOf(turns int, entries ...any) []any {
	var notes []any
	for turn := 1; turn <= turns; turn++ {
		for _, at := range []string{"begin", "end"} {
			notes = append(notes, map[string]any{"iteration": turn, "at": at, "memory": append([]any{}, entries...)})
		}
	}
	return notes
}

func TestJudgeOfEntries(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(entry map[string]any)
		want  string
	}{
		{"honest", func(map[string]any) {}, "passed"},
		{"with an expiry", func(e map[string]any) { e["expiresAt"] = "2026-01-02T03:04:05+01:00" }, "passed"},
		{"no id", func(e map[string]any) { delete(e, "id") }, openwop.OWPMEM8},
		{"the id of another", func(e map[string]any) { e["id"] = idOf("two") }, openwop.OWPMEM8},
		{"no tags", func(e map[string]any) { delete(e, "tags") }, openwop.OWPMEM8},
		{"other tags", func(e map[string]any) { e["tags"] = []any{"tag", "x"} }, openwop.OWPMEM8},
		{"no time", func(e map[string]any) { delete(e, "createdAt") }, openwop.OWPMEM8},
		{"a number for a time", func(e map[string]any) { e["createdAt"] = 1767322800 }, openwop.OWPMEM8},
		{"an expiry of null", func(e map[string]any) { e["expiresAt"] = nil }, openwop.OWPMEM8},
		{"something else", func(e map[string]any) { e["score"] = 0.5 }, openwop.OWPMEM8},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, looks := honestFamily().observed(t), honestFamily().loop.looks(5)
			c.spoil(looks[6].(map[string]any)["memory"].([]any)[1].(map[string]any))
			o.Log = rememberingRun(t, "r", "completed", looks, "own")
			hosttest.Expect(t, "entries-shaped", o, c.want)
		})
	}
}

func TestJudgeOfWhatIsTold(t *testing.T) {
	const m14, m15 = openwop.OWPMEM14, openwop.OWPMEM15
	told := func(payload map[string]any) hosttest.Event {
		return hosttest.Event{Kind: "memory.written", Payload: payload}
	}
	for _, c := range []struct {
		name   string
		events []hosttest.Event
		want   string
	}{
		{"honest", []hosttest.Event{told(map[string]any{"memoryRef": "m", "memoryId": idOf("own"), "nodeId": "supervisor"})}, "passed"},
		{"nothing", nil, m14},
		{"twice", slices.Repeat([]hosttest.Event{told(map[string]any{"memoryRef": "m", "memoryId": idOf("own")})}, 2), m14},
		{"no ref", []hosttest.Event{told(map[string]any{"memoryId": idOf("own")})}, m14},
		{"no id", []hosttest.Event{told(map[string]any{"memoryRef": "m"})}, m14},
		{"an id under which nobody reads it", []hosttest.Event{told(map[string]any{"memoryRef": "m", "memoryId": idOf("one")})}, m14},
		{"other tags", []hosttest.Event{told(map[string]any{"memoryRef": "m", "memoryId": idOf("own"), "tags": []any{"x"}})}, m14},
		{"with the content", []hosttest.Event{told(map[string]any{"memoryRef": "m", "memoryId": idOf("own"),
			"entry": map[string]any{"text": "so own is it"}})}, m15},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := honestFamily().observed(t)
			s := hosttest.Story{Id: "r", Status: "completed", Events: append([]hosttest.Event{{Kind: "run.started", Payload: nil}}, c.events...)}
			o.Log.Events = s.Then(hosttest.Event{Kind: "run.completed", Payload: nil}).Log(t).Events
			hosttest.Expect(t, "writes-told-by-id", o, c.want)
		})
	}
}

func heldWorker(t *testing.T, loop, while, after recall) memory.HeldWorker {
	t.Helper()
	return memory.HeldWorker{
		Tag: "tag", Lasting: "lasting", Long: "long", Brief: "brief", TTL: 60, Found: wire.Wait{Reached: true},
		Worker: host.Suspension{Suspended: wire.Wait{Reached: true}, Answered: wiretest.Status(t, 200)},
		While:  while.run(t, "w", 1), Log: loop.run(t, "r", 3), After: after.run(t, "a", 1),
	}
}

func TestJudgesOfAHeldWorker(t *testing.T) {
	honest := reads().since(2, "lasting", "long")
	const m2, m3, m5, m9 = openwop.OWPMEM2, openwop.OWPMEM3, openwop.OWPMEM5, openwop.OWPMEM9
	for _, c := range []struct {
		name               string
		loop, while, after recall
		hidden, expires    string
	}{
		{"honest", honest, reads(), reads("lasting", "long"), "passed", "passed"},
		{"others see it at once", honest, reads("brief", "lasting", "long"), reads("lasting", "long"), m3, "passed"},
		{"the parent sees it at once", reads("lasting", "long"), reads(), reads("lasting", "long"), m3, "passed"},
		{"it counts from the merge", honest.but(2, "lasting", "long", "brief"), reads(), reads("lasting", "long"), "passed", m5},
		{"it never expires", honest.since(2, "brief"), reads(), reads("lasting", "long", "brief"), "passed", m5},
		{"it is gone for its parent only", honest, reads(), reads("lasting", "long", "brief"), "passed", m9},
		{"whatever expires is never there", reads().since(2, "lasting"), reads(), reads("lasting"), "passed", m5},
		{"nothing comes", reads(), reads(), reads(), m2, hosttest.BlockedOn("")},
		{"nothing is shared", honest, reads(), reads(), "blocked", "passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := heldWorker(t, c.loop, c.while, c.after)
			hosttest.Expect(t, "held-child-hidden", o, c.hidden)
			hosttest.Expect(t, "expiry-from-childs-write", o, c.expires)
		})
	}
	for name, spoil := range map[string]func(*memory.HeldWorker){
		"no child":        func(o *memory.HeldWorker) { o.Found.Reached = false },
		"not suspended":   func(o *memory.HeldWorker) { o.Worker.Suspended.Reached = false },
		"not answered":    func(o *memory.HeldWorker) { o.Worker.Answered = wiretest.Status(t, 500) },
		"no loop":         func(o *memory.HeldWorker) { o.Log = host.RunLog{} },
		"loop never ends": func(o *memory.HeldWorker) { o.Log.Ended.Reached = false },
	} {
		t.Run(name, func(t *testing.T) {
			o := heldWorker(t, honest, reads(), reads("lasting", "long"))
			spoil(&o)
			hosttest.Expect(t, "held-child-hidden", o, "blocked")
			hosttest.Expect(t, "expiry-from-childs-write", o, "blocked")
		})
	}
}

// A host is accused of a loss only if the worker is known to have written and completed.
func TestAnEntryIsLostOnlyIfItWasWritten(t *testing.T) {
	completed := hosttest.Event{Kind: "core.workflowChain.event", Payload: map[string]any{"phase": "child.completed",
		"workerId": "assay-memory-worker", "childRunId": "c", "parentRunId": "r"}}
	written := hosttest.Story{Id: "c", Status: "waiting-input", Events: []hosttest.Event{{Kind: "memory.written"}}}
	for name, c := range map[string]struct {
		spoil func(*memory.HeldWorker)
		want  string
	}{
		"written and completed": {func(*memory.HeldWorker) {}, hosttest.BlockedOn(openwop.OWPMEM2)},
		"not written":           {func(o *memory.HeldWorker) { o.Worker.Log = host.RunLog{} }, hosttest.BlockedOn("")},
		"not completed":         {func(o *memory.HeldWorker) { o.Log.Events = nil }, hosttest.BlockedOn("")},
	} {
		t.Run(name, func(t *testing.T) {
			o := heldWorker(t, reads(), reads(), reads())
			o.Worker.Log = written.Log(t)
			o.Log.Events = hosttest.Story{Id: "r", Events: []hosttest.Event{completed}}.Log(t).Events
			c.spoil(&o)
			hosttest.Expect(t, "expiry-from-childs-write", o, c.want)
		})
	}
}

func TestJudgeOfAResumedTurn(t *testing.T) {
	honest := reads().since(2, "early").since(4, "own", "theirs")
	const c2, c6, d2 = openwop.OWP0061C2, openwop.OWP0061C6, openwop.OWP0061D2
	atEnd := func(contents ...string) recall {
		return func(turn int, at string) []string {
			if turn == 3 && at == "end" {
				return contents
			}
			return honest(turn, at)
		}
	}
	held := func(loop, reader recall) memory.HeldMemory {
		suspension := host.Suspension{Suspended: wire.Wait{Reached: true}, Log: loop.run(t, "r", 4), Answered: wiretest.Status(t, 200)}
		return memory.HeldMemory{
			Turns: 4, Asked: 3, Early: "early", Own: "own", Theirs: "theirs", Tag: "tag", Held: suspension, Log: loop.run(t, "r", 4),
			Writer: reads().run(t, "w", 1), Reader: reader.run(t, "x", 1),
		}
	}
	for _, c := range []struct {
		name   string
		loop   recall
		reader recall
		want   string
	}{
		{"honest", honest, reads("early", "theirs"), "passed"},
		{"the resumed turn reads what came meanwhile", atEnd("early", "theirs"), reads("early", "theirs"), d2},
		{"the resumed turn reads what it wrote", atEnd("early", "own"), reads("early", "theirs"), d2},
		{"the resumed turn has forgotten", atEnd(), reads("early", "theirs"), d2},
		{"the next turn reads as the one before", honest.but(4, "early"), reads("early", "theirs"), c6},
		{"what came meanwhile is never there", honest.but(4, "early", "own"), reads("early", "theirs"), c2},
		{"written before it was", honest.but(1, "early"), reads("early", "theirs"), c2},
		{"runs share nothing", honest.but(4, "early", "own"), reads(), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "as-of-turn-after-resume", held(c.loop, c.reader), c.want) })
	}
	for name, spoil := range map[string]func(*memory.HeldMemory){
		"not suspended": func(o *memory.HeldMemory) { o.Held.Suspended.Reached = false },
		"not answered":  func(o *memory.HeldMemory) { o.Held.Answered = wiretest.Status(t, 409) },
		"no writer":     func(o *memory.HeldMemory) { o.Writer = host.RunLog{} },
	} {
		o := held(honest, reads("early", "theirs"))
		spoil(&o)
		t.Run(name, func(t *testing.T) { hosttest.Expect(t, "as-of-turn-after-resume", o, "blocked") })
	}
}

func TestJudgeOfLostWorkers(t *testing.T) {
	honest := reads().since(2, "own")
	lost := func(loop, reader recall) memory.LostWorkers {
		return memory.LostWorkers{
			Tag: "tag", Own: "own", Failed: "failed", Cancelled: "cancelled", Found: wire.Wait{Reached: true}, Running: wire.Wait{Reached: true},
			Log: loop.run(t, "r", 4), Reader: reader.run(t, "x", 1), Children: []host.ChildRun{
				{ID: "c1", Log: rememberingRun(t, "c1", "failed", nil, "failed")},
				{ID: "c2", Log: rememberingRun(t, "c2", "cancelled", reads("cancelled").looks(1))},
			},
		}
	}
	const m4 = openwop.OWPMEM4
	for _, c := range []struct {
		name         string
		loop, reader recall
		want         string
	}{
		{"honest", honest, reads("own"), "passed"},
		{"turns that see nothing since the start", reads(), reads("own"), "passed"}, // below version 5
		{"the failed one left it", honest.since(2, "failed"), reads("own", "failed"), m4},
		{"the cancelled one left it", honest.since(3, "cancelled"), reads("own", "cancelled"), m4},
		{"for others only", honest, reads("own", "cancelled"), m4},
		{"nothing is shared", honest, reads(), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "lost-child-leaves-nothing", lost(c.loop, c.reader), c.want) })
	}
	for name, spoil := range map[string]func(*memory.LostWorkers){
		"no second worker":      func(o *memory.LostWorkers) { o.Found.Reached = false },
		"not suspended":         func(o *memory.LostWorkers) { o.Running.Reached = false },
		"it did not fail":       func(o *memory.LostWorkers) { o.Children[0].Log = reads("failed").run(t, "c1", 1) },
		"it was not cancelled":  func(o *memory.LostWorkers) { o.Children[1].Log = reads("cancelled").run(t, "c2", 1) },
		"it did not write":      func(o *memory.LostWorkers) { o.Children[0].Log = rememberingRun(t, "c1", "failed", nil) },
		"one child is not told": func(o *memory.LostWorkers) { o.Children = o.Children[:1] },
	} {
		o := lost(honest, reads("own"))
		spoil(&o)
		t.Run(name, func(t *testing.T) { hosttest.Expect(t, "lost-child-leaves-nothing", o, "blocked") })
	}
}

func TestJudgesOfForksThatRemember(t *testing.T) {
	honest := reads().since(2, "p").since(3, "q")
	refusal := func(status int, code string) host.Forked {
		details := map[string]any{"fromSeq": 3, "sourceRunId": "r", "reason": "retention_expired"}
		return host.Forked{FromSeq: 3, Reply: wiretest.Value(t, map[string]any{"error": code, "details": details}),
			Log: host.RunLog{Created: wiretest.Status(t, status)}}
	}
	forked := func(r recall) host.Forked { return host.Forked{Log: r.run(t, "f", 4)} }
	observed := func(source, reader recall, forks ...host.Forked) memory.ForkedMemory {
		return memory.ForkedMemory{
			Turns: 4, Wrote: [2]int{1, 2}, Own: []string{"p", "q"}, Theirs: "theirs", Tag: "tag", Source: source.run(t, "r", 4),
			Writer: reads().run(t, "w", 1),
			Reader: reader.run(t, "x", 1), Forks: forks, Begins: 4,
		}
	}
	there := reads("p", "q", "theirs")
	within := func(status string, r recall) memory.ForkedMemory {
		o := observed(honest, there, forked(honest))
		o.Within = host.Forked{Log: rememberingRun(t, "f", status, r.looks(4))}
		return o
	}
	const m17 = openwop.OWPMEM17
	for _, c := range []struct {
		name             string
		o                memory.ForkedMemory
		replayed, branch string
	}{
		{"honest", observed(honest, there, forked(honest), forked(honest)), "passed", "passed"},
		{"refused", observed(honest, there, refusal(422, "replay_memory_snapshot_unavailable")), "passed", "passed"},
		{"refused with 410", observed(honest, there, forked(honest), refusal(410, "replay_memory_snapshot_unavailable")), "passed", "passed"},
		{"refused in other words", observed(honest, there, refusal(422, "invalid_from_seq")), hosttest.BlockedOn(""), hosttest.BlockedOn("")},
		{"reads what is there now", observed(honest, there, forked(reads("p", "q", "theirs"))), m17, m17},
		{"the last turn reads what is there now", observed(honest, there, forked(honest.since(4, "theirs"))), m17, m17},
		{"the first turns do", observed(honest, there, forked(honest.but(1, "theirs"))), m17, "passed"},
		{"reads nothing", observed(honest, there, forked(reads())), m17, m17},
		{"the second fork only", observed(honest, there, forked(honest), forked(reads("theirs"))), m17, m17},
		{"its source for its fork", observed(honest, there, host.Forked{Log: honest.run(t, "r", 4)}), hosttest.BlockedOn(openwop.OWPRPL1),
			hosttest.BlockedOn(openwop.OWPRPL1)},
		{"nobody reads what was written since", observed(honest, reads("p", "q"), forked(honest)), hosttest.BlockedOn(""),
			hosttest.BlockedOn("")},
		{"within a turn, it remembers once", within("completed", honest), "passed", "passed"},
		{"within a turn, it remembers twice", within("completed", honest.since(3, "p", "q", "q")), "passed", m17},
		{"within a turn, it fails", within("failed", reads()), "passed", "passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "replay-as-of-index", c.o, c.replayed)
			hosttest.Expect(t, "branch-as-of-index", c.o, c.branch)
		})
	}
}

func TestARefusalForWantOfMemorySaysWhy(t *testing.T) {
	honest := reads().since(2, "p").since(3, "q")
	o := memory.ForkedMemory{
		Turns: 4, Wrote: [2]int{1, 2}, Own: []string{"p", "q"}, Theirs: "theirs", Tag: "tag", Source: honest.run(t, "r", 4),
		Writer: reads().run(t, "w", 1), Reader: reads("p", "q", "theirs").run(t, "x", 1), Begins: 4,
		Forks: []host.Forked{{FromSeq: 3, Reply: wiretest.Value(t, map[string]any{"error": "replay_memory_snapshot_unavailable",
			"details": map[string]any{"fromSeq": 3, "sourceRunId": "r"}}), Log: host.RunLog{Created: wiretest.Status(t, 422)}}},
	}
	hosttest.Expect(t, "replay-as-of-index", o, hosttest.BlockedOn(openwop.OWPMEM18))
}

func TestJudgeOfWhatTenantsRemember(t *testing.T) {
	apart := func(before, own, kept recall) memory.TenantMemory {
		return memory.TenantMemory{
			Tenants: hosttest.TwoTenants(t), Tag: "tag", Mine: "mine", Theirs: "theirs", Wrote: reads().run(t, "w1", 1),
			Other:  reads().run(t, "w2", 1),
			Before: before.run(t, "x", 1), Own: own.run(t, "y", 1), Kept: kept.run(t, "z", 1),
		}
	}
	const iso = openwop.OWPISO9
	for _, c := range []struct {
		name              string
		before, own, kept recall
		want              string
	}{
		{"honest", reads(), reads("theirs"), reads("mine"), "passed"},
		{"one memory for all", reads("mine"), reads("mine", "theirs"), reads("mine", "theirs"), iso},
		{"the other one reads", reads("mine"), reads("theirs"), reads("mine"), iso},
		{"the first one reads", reads(), reads("theirs"), reads("mine", "theirs"), iso},
		{"the other one reads later on", reads(), reads("mine", "theirs"), reads("mine"), iso},
		{"the first one forgets", reads(), reads("theirs"), reads(), "blocked"},
		{"the other one forgets", reads(), reads(), reads("mine"), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "tenants-apart", apart(c.before, c.own, c.kept), c.want) })
	}
	for name, tenants := range hosttest.NobodyToKeepApart(t) {
		t.Run(name, func(t *testing.T) {
			o := apart(reads(), reads("theirs"), reads("mine"))
			o.Tenants = tenants
			hosttest.Expect(t, "tenants-apart", o, "blocked")
		})
	}
}
