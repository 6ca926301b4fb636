package live

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/statetest"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
)

// library is a host whose loops read and write, while others write from outside.
type library struct {
	*world
	ledger *ledger
	files  bookedFiles
	memory bookedMemory
	texts  int // no two writes are the same
	served map[string][]servedAt
	// origins are those of the writes that runs announced.
	origins map[string]bool
}

// servedAt is what was served of a run; appends is how many its log had, 0 where that was not looked at.
type servedAt struct {
	appends  int
	snapshot string
}

var (
	paths = []string{"a.md", "b.md", "c/d.md"}
	tags  = []string{"m", "n"}
)

// TestTurnsSeeWhatTheRulesSay lets loops write, others write from outside, people answer, the time pass and the host die,
// in any order. Every note holds what there was when its turn began (RFC 0061 C), and before version 5 when its run began
// (RFC 0059 D); a fork notes what its source did; no write happens twice; and every state that was ever served is the fold
// of a prefix of the log.
func TestTurnsSeeWhatTheRulesSay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		version := rapid.SampledFrom([]int{0, 4, 5, 5, 5, 6}).Draw(rt, "version")
		cut := rapid.SampledFrom([]int{0, 0, 1, 900}).Draw(rt, "cut")
		escalation := rapid.SampledFrom([]event.Interrupt{event.Clarification,
			event.Approval}).Draw(rt, "escalation")
		l := &library{
			world:  &world{rt: rt, version: version, checked: map[string]int{}},
			ledger: &ledger{origins: map[string]int{}},
			served: map[string][]servedAt{}, origins: map[string]bool{},
		}
		l.host = newHost(t, func(o *Options) {
			o.Version, o.EscalationKind, o.cut = version, escalation, cut
			delete(o.Workflows, "assay-loop-endless")
		})
		l.reopen()
		defer func() { l.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"create":   l.create,
			"put":      l.put,
			"delete":   l.delete,
			"remember": l.remember,
			"resolve":  l.resolve,
			"fork":     l.fork,
			"kill":     l.kill,
			"restart":  func(*rapid.T) { l.reopen() },
			"wait": func(rt *rapid.T) {
				l.clock.Advance(time.Duration(rapid.IntRange(1, 60).Draw(rt, "seconds")) * time.Second)
			},
			"": l.check,
		})
		l.expectPrefixes(rt)
	})
}

// reopen ends the process, if it has not died, and starts another one over the log.
func (l *library) reopen() {
	l.Close()
	l.openStores()
	l.files, l.memory = bookedFiles{l.host.files, l.log, l.ledger}, bookedMemory{l.host.memory, l.log, l.ledger}
	l.o.Files, l.o.Memory = l.files, l.memory
	l.start()
	for _, id := range l.runs {
		l.settled(id)
	}
}

func (l *library) text() string {
	l.texts++
	return fmt.Sprintf("text %d", l.texts)
}

func (l *library) create(rt *rapid.T) {
	next, ask := map[string]any{"kind": workflow.NextWorker, "nextWorkerIds": []any{"conformance-noop"}},
		map[string]any{"kind": workflow.AskUser, "prompt": "p"}
	held := map[string]any{"kind": workflow.NextWorker, "nextWorkerIds": []any{"conformance-noop"}, "confidence": 0.1}
	var plan, writes []any
	for range rapid.IntRange(1, 4).Draw(rt, "turns") {
		plan = append(plan, rapid.SampledFrom([]map[string]any{next, ask, held}).Draw(rt, "decision"))
		turn := []any{}
		for range rapid.IntRange(0, 3).Draw(rt, "writes") {
			if rapid.Bool().Draw(rt, "file") {
				turn = append(turn, map[string]any{"path": rapid.SampledFrom(paths).Draw(rt, "path"), "content": l.text()})
			} else {
				turn = append(turn, map[string]any{"memory": map[string]any{"content": l.text(),
					"tags": []any{rapid.SampledFrom(tags).Draw(rt, "tag")}}})
			}
		}
		writes = append(writes, turn)
	}
	reads := map[string]any{"workspace": anys(paths), "memory": anys(tags)}
	s, err := l.Create(soon(l.t), Create{WorkflowID: "assay-loop-workspace", Owner: somebody, Inputs: map[string]any{
		"plan": plan, "reads": reads, "writes": writes,
	}})
	if err != nil {
		rt.Fatalf("create: %v", err)
	}
	l.took(s)
	l.settled(s.RunID)
}

func anys(texts []string) (list []any) {
	for _, text := range texts {
		list = append(list, text)
	}
	return list
}

// took notes what was served of a run that is the test's from now on.
func (l *library) took(s openwopv1.RunSnapshot) {
	if !slices.Contains(l.runs, s.RunID) {
		l.runs = append(l.runs, s.RunID)
	}
	l.served[s.RunID] = append(l.served[s.RunID], servedAt{0, show(s)})
}

func (l *library) put(rt *rapid.T) {
	path := rapid.SampledFrom(paths).Draw(rt, "path")
	if _, err := l.files.Put(soon(l.t), shelf, workspace.Put{Path: path, Content: l.text()}); err != nil {
		rt.Fatalf("put: %v", err)
	}
}

func (l *library) delete(rt *rapid.T) {
	err := l.files.delete(soon(l.t), shelf, rapid.SampledFrom(paths).Draw(rt, "path"))
	if err != nil && code(err) != refusal.NotFound {
		rt.Fatalf("delete: %v", err)
	}
}

func (l *library) remember(rt *rapid.T) {
	w := memory.Write{Content: l.text(), Tags: rapid.SliceOfNDistinct(rapid.SampledFrom(tags), 1, 2, rapid.ID).Draw(rt, "tags")}
	w.TTL = time.Duration(rapid.IntRange(0, 90).Draw(rt, "seconds")) * time.Second
	if _, err := l.memory.Add(soon(l.t), memory.Of(memories), w); err != nil {
		rt.Fatalf("remember: %v", err)
	}
}

func (l *library) resolve(rt *rapid.T) {
	s := l.anyRun(rt)
	if s.Interrupt == nil {
		rt.Skip("nothing to resolve")
	}
	value := rapid.SampledFrom([]string{yes, `{"action":"accept"}`, `{"action":"reject"}`}).Draw(rt, "value")
	s, err := l.ResolveInterrupt(soon(l.t), s.RunID, *s.Interrupt.InterruptID, json.RawMessage(value))
	switch code(err) {
	case "<nil>":
		l.took(s)
		l.settled(s.RunID)
	case codes.Validation:
	default:
		rt.Fatalf("resolve: %v", err)
	}
}

func (l *library) fork(rt *rapid.T) {
	s := l.anyRun(rt)
	from := rapid.Int64Range(0, int64(len(l.events(s.RunID)))).Draw(rt, "from")
	f, err := l.Fork(soon(l.t), s.RunID, Fork{Mode: "replay", FromSeq: &from})
	if err != nil {
		rt.Fatalf("fork: %v", err)
	}
	l.took(f.Snapshot)
	l.settled(f.RunID)
}

// anyRun is one that was asked for.
func (l *library) anyRun(rt *rapid.T) openwopv1.RunSnapshot {
	if len(l.runs) == 0 {
		rt.Skip("no run yet")
	}
	return l.snapshot(rapid.SampledFrom(l.runs).Draw(rt, "run"))
}

// kill lets the host die within its next appends, those to the stores included, while a run goes on; and starts another.
func (l *library) kill(rt *rapid.T) {
	s := l.anyRun(rt)
	if s.Interrupt == nil {
		rt.Skip("nothing goes on")
	}
	l.log.kill(rapid.IntRange(0, 8).Draw(rt, "appends left"))
	if s, err := l.ResolveInterrupt(soon(l.t), s.RunID, *s.Interrupt.InterruptID,
		json.RawMessage(`{"answers":{"q1":"yes"},"action":"accept"}`)); err == nil {
		l.took(s)
	}
	l.quiet()
	l.Close()
	l.log = l.log.survivor()
	l.o.Log = l.log
	l.reopen()
}

// check holds every run to the rules.
func (l *library) check(rt *rapid.T) {
	for _, id := range l.log.grown(l.checked) {
		if !slices.Contains(l.runs, id) {
			continue // a child
		}
		s, events, appends := l.snapshot(id), l.events(id), l.appendsOf(id)
		if problems := unlawful(s, events, l.version); len(problems) > 0 {
			rt.Fatalf("%v in\n%s", problems, strings.Join(story(events), "\n"))
		}
		if s.Interrupt == nil && s.Status != openwopv1.RunStatusCompleted {
			rt.Fatalf("run %s is %s: %v", id, s.Status, s.Error)
		}
		l.served[id] = append(l.served[id], servedAt{len(appends), show(s)})
		for _, a := range appends {
			for _, f := range a.record.Facts {
				if f.Write != nil {
					l.origins[f.Write.Origin] = true
				}
			}
		}
		l.expectNoted(rt, s, appends)
	}
	for origin := range l.origins {
		if n := l.ledger.origins[origin]; n != 1 {
			rt.Fatalf("write %s happened %d times", origin, n)
		}
	}
	for origin := range l.ledger.origins {
		if origin != "" && !l.origins[origin] {
			rt.Fatalf("write %s was never announced", origin)
		}
	}
}

// logged is an append of a run.
type logged struct {
	revision uint64
	record   state.Record
}

func (l *library) appendsOf(id string) (all []logged) {
	entries, err := l.log.Read(soon(l.t), id, 0)
	if err != nil {
		l.rt.Fatal(err)
	}
	for _, entry := range entries {
		record, err := state.DecodeRecord(entry.Data)
		if err != nil {
			l.rt.Fatal(err)
		}
		all = append(all, logged{entry.Revision, record})
	}
	return all
}

// moment is what a turn is to see.
type moment struct {
	revision uint64
	at       time.Time
	sequence int64 // of the event with which it came
}

// expectNoted checks every note of a run, from what its log says about its turns and the ledger about the stores.
func (l *library) expectNoted(rt *rapid.T, s openwopv1.RunSnapshot, appends []logged) {
	created := createdIn(appends[0].record)
	through := int64(-1) // what a fork has from its source
	var source []event.Event
	if link := created.Fork; link != nil {
		through, source = link.Through, l.events(link.RunID)
	}
	var turn moment
	noted := []any{}
	for _, a := range appends {
		for _, e := range a.record.Events {
			switch e.Type {
			case event.NodeStarted:
				if e.NodeID == "supervisor" {
					turn = moment{a.revision, e.Timestamp, e.Sequence}
				}
			case event.VariableChanged:
				p := parse[event.VariableChangedPayload](l.t, string(e.Payload))
				if p.Name != "seen" {
					continue
				}
				before := noted
				noted = parse[[]any](l.t, string(p.Next))
				if len(noted) != len(before)+1 || text(noted[:len(before)]) != text(before) {
					rt.Fatalf("event %d changed earlier notes: %s after %s", e.Sequence, p.Next, text(before))
				}
				var want string
				got := text(noted[len(before)])
				switch {
				case e.Sequence <= through:
					want = lastOf(l.t, source[e.Sequence])
				case turn.sequence <= through: // begun by the source
					want = strings.Replace(text(before[len(before)-1]), `"at":"begin"`, `"at":"end"`, 1)
				default:
					want = l.expected(len(before), l.moment(s.RunID, turn), created.Memory)
				}
				if got != want {
					rt.Fatalf("run %s noted\n%s\nwant\n%s\nin\n%s", s.RunID, got, want, strings.Join(story(l.events(s.RunID)), "\n"))
				}
			}
		}
	}
	decided := 0
	for _, e := range l.events(s.RunID) {
		if e.Type == event.Decided {
			decided++
		}
	}
	if want := 2*decided - len(noted); want != 0 && (s.Interrupt == nil || want != 1) {
		rt.Fatalf("run %s has %d turns and %d notes", s.RunID, decided, len(noted))
	}
	if seen, _ := s.Variables["seen"].([]any); text(seen) != text(noted) {
		rt.Fatalf("the variable holds %s, the log %s", text(seen), text(noted))
	}
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// lastOf is the last note in an event that changed the notes.
func lastOf(t testing.TB, e event.Event) string {
	if e.Type != event.VariableChanged {
		return "no note, but " + string(e.Type)
	}
	all := parse[[]any](t, string(parse[event.VariableChangedPayload](t, string(e.Payload)).Next))
	return text(all[len(all)-1])
}

// moment is when the stores were looked at for a turn: from version 5 on when it began, before that when the first of its
// run's ancestors did.
func (l *library) moment(id string, turn moment) moment {
	if l.version >= 5 {
		return turn
	}
	for {
		first := l.appendsOf(id)[0]
		link := createdIn(first.record).Fork
		if link == nil {
			return moment{first.revision, first.record.Events[0].Timestamp, 0}
		}
		id = link.RunID
	}
}

// expected is the n-th note of a run, of a turn that sees this moment. line is the run's, nil for its agent's.
func (l *library) expected(n int, m moment, line memory.Line) string {
	if line == nil {
		line = memory.Of(memories)
	}
	note := map[string]any{"iteration": n/2 + 1, "at": []string{state.TurnBegins, state.TurnEnds}[n%2]}
	files, entries := []any{}, []any{}
	for _, path := range paths {
		f := l.ledger.fileAsOf(m.revision, path)
		seen := map[string]any{"path": path, "version": f.ref.Version}
		if f.ref.Version > 0 {
			seen["content"] = f.content
		}
		files = append(files, seen)
	}
	known := map[string]bool{}
	for _, tag := range tags {
		for _, e := range l.ledger.remembered(line, m.revision, tag, m.at) {
			if !known[e.ID] {
				entries = append(entries, parse[any](l.t, text(state.SeenEntry(e))))
			}
			known[e.ID] = true
		}
	}
	note["workspace"], note["memory"] = files, entries
	return text(note)
}

// expectPrefixes folds every prefix of every log, and finds what was served among the states.
func (l *library) expectPrefixes(rt *rapid.T) {
	for id, served := range l.served {
		appends := l.appendsOf(id)
		p, err := l.programs.program(soon(l.t), createdIn(appends[0].record).Definition)
		if err != nil {
			rt.Fatal(err)
		}
		folded, err := statetest.New(id, p.Definition)
		if err != nil {
			rt.Fatal(err)
		}
		states := []string{show(folded.Snapshot())}
		for _, a := range appends {
			if folded, err = statetest.Fold(folded, a.record); err != nil {
				rt.Fatal(err)
			}
			states = append(states, show(folded.Snapshot()))
		}
		for _, s := range served {
			if s.appends > 0 && s.snapshot != states[s.appends] || !slices.Contains(states, s.snapshot) {
				rt.Fatalf("after %d appends, served was\n%s\nthe fold is\n%s", s.appends, s.snapshot, states[s.appends])
			}
		}
	}
}
