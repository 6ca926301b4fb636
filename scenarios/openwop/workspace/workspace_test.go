package workspace_test

import (
	"encoding/json"
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/workspace"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// honestly shows of each file its content at the start of the turn.
func honestly(changed int) hosttest.Sight {
	return func(turn int, _ string, f workspace.FileChange) string {
		if turn <= changed {
			return f.Before
		}
		return f.After
	}
}

// but changes what some looks see.
func but(s hosttest.Sight, otherwise func(turn int, at string, f workspace.FileChange) (content string, ok bool)) hosttest.Sight {
	return func(turn int, at string, f workspace.FileChange) string {
		if content, ok := otherwise(turn, at, f); ok {
			return content
		}
		return s(turn, at, f)
	}
}

// entry returns the k-th entry of the i-th note, for the test to spoil.
func entry(notes []any, i, k int) map[string]any {
	return notes[i].(map[string]any)["workspace"].([]any)[k].(map[string]any)
}

// withNotes is a loop of five turns with this value in its run variable seen.
func withNotes(t *testing.T, s hosttest.Story, seen any) host.RunLog {
	t.Helper()
	l := s.Log(t)
	l.Ended.Last = wiretest.Value(t, map[string]any{"runId": s.Id, "status": s.Status, "variables": map[string]any{"seen": seen}})
	return l
}

const changedIn = 2 // of the five turns

func writtenFiles() []workspace.FileChange {
	return []workspace.FileChange{{Path: "p/overwritten.md", Before: "old", After: "new", ByTurn: true},
		{Path: "p/made.md", After: "fresh", ByTurn: true}}
}

func writingLoop(t *testing.T, s hosttest.Story, seen any) workspace.NotedLoop {
	t.Helper()
	return workspace.NotedLoop{Turns: 5, Changed: changedIn, Files: writtenFiles(), Log: withNotes(t, s, seen)}
}

func TestJudgeOfWritesInTurn(t *testing.T) {
	honest := honestly(changedIn)
	looks := func(s hosttest.Sight) []any { return hosttest.Noted(5, writtenFiles(), s) }
	shifted := func(by int) hosttest.Sight {
		return func(turn int, at string, f workspace.FileChange) string { return honest(turn-by, at, f) }
	}
	spoilt := func(spoil func(notes []any) any) any { return spoil(looks(honest)) }
	for _, c := range []struct {
		name string
		seen any
		want string
	}{
		{"honest", looks(honest), "passed"},
		{"read-through in the turn", looks(but(honest, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return f.After, turn == changedIn && at == "end"
		})), requirement.OWP0061C6},
		{"only the new file is read through", looks(but(honest, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return f.After, turn == changedIn && at == "end" && f.Before == ""
		})), requirement.OWP0061C6},
		{"a turn late", looks(shifted(1)), requirement.OWP0061C6},
		{"two turns late", looks(shifted(2)), requirement.OWP0061C6},
		{"never visible", looks(shifted(9)), requirement.OWP0061C6},
		{"visible for one turn only", looks(but(honest, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return f.Before, turn == changedIn+2
		})), requirement.OWP0061C6},
		{"the new file comes with the end of the next turn", looks(but(honest, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return "", turn == changedIn+1 && at == "begin" && f.Before == ""
		})), requirement.OWP0061C6},
		{"what somebody else wrote", looks(but(honest, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return "theirs", turn > changedIn
		})), requirement.OWP0061C6},
		{"what somebody else wrote, from the start", looks(but(honest, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return "theirs", turn == 1
		})), requirement.OWP0061C3},
		{"files from before the run are not there", looks(but(honest, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return "", turn <= changedIn
		})), requirement.OWP0061C3},
		{"the write is there before it was made", looks(shifted(-1)), requirement.OWP0061C3},
		{"an empty text for a file that is not there", spoilt(func(n []any) any { entry(n, 0, 1)["content"] = ""; return n }), "passed"},
		{"a turn that noted twice", spoilt(func(n []any) any { return append(n, n[3]) }), "passed"},
		{"a turn that noted twice, and saw more the second time", append(looks(honest),
			looks(but(honest, func(int, string, workspace.FileChange) (string, bool) { return "new", true }))[2]), requirement.OWP0061C3},

		{"no variable", nil, "blocked"},
		{"a word for the notes", "seen", "blocked"},
		{"numbers for notes", []any{1, 2, nil, []any{}}, "blocked"},
		{"no note of the last turn", spoilt(func(n []any) any { return n[:9] }), "blocked"},
		{"no end of the turn that wrote", spoilt(func(n []any) any { return slices.Delete(n, 3, 4) }), "blocked"},
		{"notes of one file only", spoilt(func(n []any) any { delete(entry(n, 4, 1), "path"); return n }), "blocked"},
		{"a word for a version", spoilt(func(n []any) any { entry(n, 4, 1)["version"] = "2"; return n }), "blocked"},
		{"a version below 0", spoilt(func(n []any) any { entry(n, 4, 1)["version"] = -2; return n }), "blocked"},
		{"a number for a content", spoilt(func(n []any) any { entry(n, 4, 0)["content"] = 7; return n }), "blocked"},
		{"a content of no version", spoilt(func(n []any) any { entry(n, 0, 1)["content"] = "fresh"; return n }), "blocked"},
		{"a version of no content", spoilt(func(n []any) any { delete(entry(n, 4, 0), "content"); return n }), "blocked"},
		{"the same note without end", spoilt(func(n []any) any { return append(n, slices.Repeat([]any{n[3]}, 20_000)...) }), "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "write-in-turn", writingLoop(t, hosttest.LoopOf(5), c.seen), c.want)
		})
	}
	t.Run("the log says what the snapshot does not", func(t *testing.T) {
		early := hosttest.Event{Kind: "variable.changed", Payload: map[string]any{"name": "seen", "next": []any{}}}
		last := hosttest.Event{Kind: "variable.changed", Payload: map[string]any{"name": "seen", "next": looks(honest)}}
		other := hosttest.Event{Kind: "variable.changed", Payload: map[string]any{"name": "plan", "next": []any{}}}
		l := writingLoop(t, hosttest.LoopOf(5), []any{})
		l.Log.Events = hosttest.LoopOf(5).Then(early, last, other).Log(t).Events
		hosttest.Expect(t, "write-in-turn", l, "passed")
	})
	t.Run("never ends", func(t *testing.T) {
		l := writingLoop(t, hosttest.LoopOf(5), looks(honest))
		l.Log.Ended.Reached = false
		hosttest.Expect(t, "write-in-turn", l, "blocked")
	})
	t.Run("no run", func(t *testing.T) {
		hosttest.Expect(t, "write-in-turn", workspace.NotedLoop{Turns: 5, Changed: 2}, "blocked")
	})
}

// outsideFiles are changed by others; the turn that asks writes own.md.
func outsideFiles(t *testing.T) []workspace.FileChange {
	t.Helper()
	version := func(n int) wire.Value { return wiretest.Value(t, map[string]any{"version": n}) }
	return []workspace.FileChange{
		{Path: "p/overwritten.md", Before: "old", After: "new", Old: version(3), New: version(4)},
		{Path: "p/deleted.md", Before: "doomed", Old: version(7)},
		{Path: "p/made.md", After: "fresh", New: version(1)},
	}
}

func TestJudgeOfWritesFromOutside(t *testing.T) {
	files := append(outsideFiles(t), workspace.FileChange{Path: "p/own.md", Before: "mine", After: "mine too", ByTurn: true})
	honest := honestly(changedIn)
	held := func(s hosttest.Sight) workspace.HeldLoop {
		return workspace.HeldLoop{Way: "assay-loop-workspace", Suspended: wire.Wait{Reached: true}, Answered: wiretest.Status(t, 200),
			Loop: workspace.NotedLoop{Turns: 5, Changed: changedIn, Files: files, Log: withNotes(t, hosttest.LoopOf(5),
				hosttest.Noted(5, files, s))}}
	}
	resumedSees := func(path string) hosttest.Sight {
		return but(honest, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return f.After, turn == changedIn && at == "end" && f.Path == path
		})
	}
	nextMisses := func(path string) hosttest.Sight {
		return but(honest, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return f.Before, turn > changedIn && f.Path == path
		})
	}
	for _, c := range []struct {
		name  string
		sight hosttest.Sight
		want  string
	}{
		{"honest", honest, "passed"},
		{"the resumed turn reads what others wrote", resumedSees("p/overwritten.md"), requirement.OWP0061D2},
		{"the resumed turn misses what others deleted", resumedSees("p/deleted.md"), requirement.OWP0061D2},
		{"the resumed turn reads what others made", resumedSees("p/made.md"), requirement.OWP0061D2},
		{"the resumed turn reads what it wrote itself", resumedSees("p/own.md"), requirement.OWP0061D2},
		{"the next turn reads what was overwritten", nextMisses("p/overwritten.md"), requirement.OWP0061C3},
		{"the next turn reads what was deleted", nextMisses("p/deleted.md"), requirement.OWP0061C3},
		{"the next turn misses what was made", nextMisses("p/made.md"), requirement.OWP0061C3},
		{"a turn late", func(turn int, at string, f workspace.FileChange) string { return honest(turn-1, at, f) }, requirement.OWP0061C3},
		{"the resumed turn reads nothing", but(honest, func(turn int, at string, f workspace.FileChange) (string, bool) {
			return "", turn == changedIn && at == "end"
		}), requirement.OWP0061D2},
		{"what somebody else wrote", but(honest, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return "theirs", turn > changedIn && f.After != ""
		}), requirement.OWP0061C3},
	} {
		t.Run(c.name, func(t *testing.T) { hosttest.Expect(t, "write-from-outside", held(c.sight), c.want) })
	}
	for _, c := range []struct {
		name  string
		spoil func(*workspace.HeldLoop)
	}{
		{"never suspends", func(o *workspace.HeldLoop) { o.Suspended.Reached = false }},
		{"refuses the answer", func(o *workspace.HeldLoop) { o.Answered = wiretest.Status(t, 404) }},
		{"never ends", func(o *workspace.HeldLoop) { o.Loop.Log.Ended.Reached = false }},
		{"is not made", func(o *workspace.HeldLoop) { o.Loop.Log.Created = wiretest.Status(t, 404) }},
		{"notes nothing", func(o *workspace.HeldLoop) { o.Loop.Log.Ended.Last = wire.Value{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := held(honest)
			c.spoil(&o)
			hosttest.Expect(t, "write-from-outside", o, "blocked")
		})
	}
}

// The weaker evidence: the versions that the run's own snapshot lists.
func TestJudgeOfListedVersions(t *testing.T) {
	snapshot := func(listed any) wire.Value {
		return wiretest.Value(t, map[string]any{"status": "waiting-input", "workspace": listed})
	}
	list := func(pairs ...any) []any {
		out := []any{map[string]any{"path": "p/of-somebody-else.md", "version": 1}}
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, map[string]any{"path": pairs[i], "version": pairs[i+1]})
		}
		return out
	}
	before, after := list("p/overwritten.md", 3, "p/deleted.md", 7), list("p/overwritten.md", 4, "p/made.md", 1)
	observation := func(first, changed, next any) workspace.HeldLoop {
		return workspace.HeldLoop{Way: "assay-loop-ask-user", Answered: wiretest.Status(t, 200), Later: snapshot(changed),
			Suspended: wire.Wait{Reached: true, Last: snapshot(first)}, Again: wire.Wait{Reached: true, Last: snapshot(next)},
			Loop: workspace.NotedLoop{Turns: 5, Changed: changedIn, Files: outsideFiles(t), Log: hosttest.LoopOf(2).Log(t)}}
	}
	for _, c := range []struct {
		name                 string
		first, changed, next any
		want                 string
	}{
		{"honest", before, before, after, "passed"},
		{"lists what is there now", before, after, after, requirement.OWP0061D2},
		{"the version of nobody", list("p/overwritten.md", 2, "p/deleted.md", 7), before, after, requirement.OWP0061C3},
		{"drops what was deleted", before, list("p/overwritten.md", 3), after, requirement.OWP0061D2},
		{"takes up what was made", before, append(slices.Clone(before), list("p/made.md", 1)...), after, requirement.OWP0061D2},
		{"both versions", before, append(slices.Clone(before), list("p/overwritten.md", 4)...), after, requirement.OWP0061D2},
		{"as of the start of the run", before, before, before, requirement.OWP0061C3},
		{"keeps what was deleted", before, before, append(slices.Clone(after), list("p/deleted.md", 7)...), requirement.OWP0061C3},
		{"lists nothing", nil, nil, nil, "blocked"},
		{"a word for the list", "all", "all", "all", "blocked"},
		{"words for entries", []any{"p/overwritten.md", 3}, before, after, "blocked"},
		{"stops listing", before, nil, nil, requirement.OWP0061D2},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "write-from-outside", observation(c.first, c.changed, c.next), c.want)
		})
	}
	t.Run("never asks again", func(t *testing.T) {
		o := observation(before, before, after)
		o.Again.Reached = false
		hosttest.Expect(t, "write-from-outside", o, "blocked")
	})
	t.Run("says how it was seen", func(t *testing.T) {
		out := scenarios.Conclude(hosttest.Scenario(t, "write-from-outside"), openwop.Protocol.Ledger, observation(before, before, after))
		if len(out.Findings) != 1 || out.Findings[0].Requirement != "" {
			t.Errorf("findings: %v", out.Findings)
		}
	})
}

func TestJudgeOfReplayedNotes(t *testing.T) {
	honest := honestly(changedIn)
	replayed := func(s hosttest.Sight) host.RunLog {
		return withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), hosttest.Noted(5, writtenFiles(), s))
	}
	read := func(status, version int) []workspace.FileRead {
		return []workspace.FileRead{{Path: "p/overwritten.md", Status: wiretest.Status(t, status), File: wiretest.Value(t,
			map[string]any{"version": version})}}
	}
	observation := func(s, r hosttest.Sight) workspace.ReplayedNotes {
		return workspace.ReplayedNotes{Source: writingLoop(t, hosttest.LoopOf(5), hosttest.Noted(5, writtenFiles(), s)),
			Replayed: replayed(r), Before: read(200, 3), After: read(200, 3)}
	}
	for _, c := range []struct {
		name           string
		source, replay hosttest.Sight
		spoil          func(*workspace.ReplayedNotes)
		want           string
	}{
		{"honest", honest, honest, nil, "passed"},
		{"reads what is there now", honest, but(honest, func(_ int, _ string, f workspace.FileChange) (string,
			bool) {
			return "later", f.Before != ""
		}), nil, requirement.OWP0061C1},
		{"misses what was deleted since", honest, but(honest, func(turn int, _ string, f workspace.FileChange) (string,
			bool) {
			return "", f.Before == ""
		}), nil, requirement.OWP0061C1},
		{"reads what the source had in the end", honest, func(_ int, _ string, f workspace.FileChange) string { return f.After }, nil,
			requirement.OWP0061C1},
		{"another version of the same text", honest, honest, func(o *workspace.ReplayedNotes) {
			n := hosttest.Noted(5, writtenFiles(), honest)
			entry(n, 9, 0)["version"] = 4
			o.Replayed = withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), n)
		}, requirement.OWP0061C1},
		{"another text at the same version", honest, honest, func(o *workspace.ReplayedNotes) {
			n := hosttest.Noted(5, writtenFiles(), honest)
			entry(n, 9, 0)["content"] = "later"
			o.Replayed = withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), n)
		}, requirement.OWP0061C1},
		{"notes nothing", honest, honest,
			func(o *workspace.ReplayedNotes) { o.Replayed = withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), nil) }, requirement.OWP0061C1},
		{"a brand-new run of another length", honest, honest, func(o *workspace.ReplayedNotes) {
			o.Replayed = withNotes(t, hosttest.Fork(hosttest.LoopOf(3)), hosttest.Noted(3, writtenFiles(), honest))
		}, requirement.OWP0061C1},
		{"words for notes", honest, honest, func(o *workspace.ReplayedNotes) {
			o.Replayed = withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), []any{"a", 1, nil})
		}, requirement.OWP0061C1},
		{"the source itself as the replay", honest, honest, func(o *workspace.ReplayedNotes) { o.Replayed = o.Source.Log }, "blocked"},
		{"no replay", honest, honest, func(o *workspace.ReplayedNotes) { o.Replayed = host.RunLog{Created: wiretest.Status(t, 404)} }, "blocked"},
		{"a replay that never ends", honest, honest, func(o *workspace.ReplayedNotes) { o.Replayed.Ended.Reached = false }, "blocked"},
		{"a source that saw no change", func(_ int, _ string, f workspace.FileChange) string { return f.Before },
			func(_ int, _ string, f workspace.FileChange) string { return f.Before }, nil, "blocked"},
		{"a source that saw nothing", func(int, string, workspace.FileChange) string { return "" },
			func(int, string, workspace.FileChange) string { return "" }, nil, "blocked"},
		{"a source without notes", honest, honest, func(o *workspace.ReplayedNotes) {
			o.Source = writingLoop(t, hosttest.LoopOf(5), nil)
			o.Replayed = withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), nil)
		}, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := observation(c.source, c.replay)
			if c.spoil != nil {
				c.spoil(&o)
			}
			hosttest.Expect(t, "replay-sees-the-same", o, c.want)
		})
	}
	for name, after := range map[string][]workspace.FileRead{"writes again": read(200, 4), "deletes": read(404, 3)} {
		t.Run("a replay that "+name+" is told", func(t *testing.T) {
			o := observation(honest, honest)
			o.After = after
			out := scenarios.Conclude(hosttest.Scenario(t, "replay-sees-the-same"), openwop.Protocol.Ledger, o)
			if out.Verdict != scenarios.Passed || len(out.Findings) != 1 {
				t.Errorf("%s, findings %v", out.Verdict, out.Findings)
			}
		})
	}
}

func TestJudgesOfTheSeamsWrites(t *testing.T) {
	answer := func(turns, at int, body string) host.SeamAnswer {
		return host.SeamAnswer{Turns: turns, WritesAt: at, Status: wiretest.Status(t, 200), Body: wiretest.Value(t, json.RawMessage(body))}
	}
	refused := func(turns, at, status int) host.SeamAnswer {
		return host.SeamAnswer{Turns: turns, WritesAt: at, Status: wiretest.Status(t, status)}
	}
	const seen, unseen = `{"workspaceVisible":{"atWriteTurn":false,"atNextTurn":true}}`,
		`{"workspaceVisible":{"atWriteTurn":false,"atNextTurn":false}}`
	const through, wordless = `{"workspaceVisible":{"atWriteTurn":true,"atNextTurn":true}}`, `{"decisions":[]}`
	const onlyWriter = `{"workspaceVisible":{"atWriteTurn":true}}`
	ordinary := answer(5, 2, seen)
	for _, c := range []struct {
		name, scenario string
		answers        []host.SeamAnswer
		want           string
	}{
		{"honest", "seam-write-turn", []host.SeamAnswer{ordinary, answer(4, 1, seen)}, "passed"},
		{"read-through", "seam-write-turn", []host.SeamAnswer{ordinary, answer(4, 1, through)}, requirement.OWP0061C6},
		{"never visible", "seam-write-turn", []host.SeamAnswer{ordinary, answer(4, 1, unseen)}, requirement.OWP0061C6},
		{"half an answer", "seam-write-turn", []host.SeamAnswer{answer(4, 1, `{"workspaceVisible":{"atNextTurn":true}}`)}, requirement.OWP0061C6},
		{"words", "seam-write-turn", []host.SeamAnswer{answer(4, 1,
			`{"workspaceVisible":{"atWriteTurn":"false","atNextTurn":"true"}}`)}, requirement.OWP0061C6},
		{"a word for both", "seam-write-turn", []host.SeamAnswer{answer(4, 1, `{"workspaceVisible":"yes"}`)}, requirement.OWP0061C6},
		{"says nothing of it", "seam-write-turn", []host.SeamAnswer{ordinary, answer(4, 1, wordless)}, "blocked"},
		{"refuses", "seam-write-turn", []host.SeamAnswer{refused(4, 1, 400)}, "blocked"},

		{"no next turn", "seam-last-turn", []host.SeamAnswer{ordinary, answer(5, 5, `{"workspaceVisible":{"atWriteTurn":false}}`),
			answer(5, 7, wordless)}, "passed"},
		{"false for both", "seam-last-turn", []host.SeamAnswer{ordinary, answer(5, 5, unseen), answer(5, 7, unseen)}, "passed"},
		{"refuses what cannot be", "seam-last-turn", []host.SeamAnswer{ordinary, refused(5, 5, 422), refused(5, 7, 400)}, "passed"},
		{"a constant", "seam-last-turn", []host.SeamAnswer{ordinary, answer(5, 5, seen), answer(5, 7, seen)}, requirement.OWP0061C6},
		{"a constant behind the end", "seam-last-turn", []host.SeamAnswer{ordinary, refused(5, 5, 400), answer(5, 7, seen)},
			requirement.OWP0061C6},
		{"a write behind the end is seen by its turn", "seam-last-turn", []host.SeamAnswer{ordinary, refused(5, 5, 400),
			answer(5, 7, onlyWriter)}, requirement.OWP0061C6},
		{"a constant no", "seam-last-turn", []host.SeamAnswer{answer(5, 2, unseen), answer(5, 5, unseen), answer(5, 7, unseen)}, "blocked"},
		{"falls over", "seam-last-turn", []host.SeamAnswer{ordinary, refused(5, 5, 500)}, requirement.OWP0061C6},
		{"is not there for this question", "seam-last-turn", []host.SeamAnswer{ordinary, refused(5, 5, 404)}, requirement.OWP0061C6},
		{"refuses everything", "seam-last-turn", []host.SeamAnswer{refused(5, 2, 400), refused(5, 5, 400)}, "blocked"},
		{"says nothing of the control", "seam-last-turn", []host.SeamAnswer{answer(5, 2, wordless), answer(5, 5, wordless)}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, host.SeamObservation{Path: "/s", Answers: c.answers}, c.want)
		})
	}
}

// If the reply names a run whose turns noted what they saw, the notes count.
func TestASeamWhoseRunShowsTheWrite(t *testing.T) {
	named := func(s hosttest.Sight) host.SeamAnswer {
		return host.SeamAnswer{Turns: 5, WritesAt: changedIn, Status: wiretest.Status(t, 200), NamesARun: true,
			Log:  withNotes(t, hosttest.LoopOf(5), hosttest.Noted(5, writtenFiles(), s)),
			Body: wiretest.Value(t, map[string]any{"workspaceVisible": map[string]any{"atWriteTurn": false, "atNextTurn": true}})}
	}
	mute := named(honestly(changedIn))
	mute.Log.Ended.Last = wire.Value{}
	early := hosttest.Noted(5, writtenFiles(), honestly(changedIn))
	entry(early, 2*changedIn-1, 0)["version"] = 7 // neither the old version nor the new
	through := named(honestly(changedIn))
	through.Log = withNotes(t, hosttest.LoopOf(5), early)
	for _, c := range []struct {
		name     string
		answers  []host.SeamAnswer
		want     string
		evidence scenarios.Evidence
	}{
		{"as the reply says", []host.SeamAnswer{named(honestly(changedIn))}, "passed", scenarios.Observed},
		{"read-through", []host.SeamAnswer{named(but(honestly(changedIn), func(turn int, at string, f workspace.FileChange) (string, bool) {
			return f.After, turn == changedIn && at == "end"
		}))}, requirement.OWP0061C6, scenarios.Observed},
		{"something is seen at the end of the turn", []host.SeamAnswer{through}, requirement.OWP0061C6, scenarios.Observed},
		{"never visible", []host.SeamAnswer{named(honestly(9))}, requirement.OWP0061C6, scenarios.Observed},
		{"one of two runs shows nothing", []host.SeamAnswer{named(honestly(changedIn)), mute}, "passed", scenarios.Attested},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := host.SeamObservation{Path: "/s", Answers: c.answers}
			hosttest.Expect(t, "seam-write-turn", o, c.want)
			if out := scenarios.Conclude(hosttest.Scenario(t, "seam-write-turn"), openwop.Protocol.Ledger, o); out.Evidence != c.evidence {
				t.Errorf("evidence %s, want %s", out.Evidence, c.evidence)
			}
		})
	}
}
