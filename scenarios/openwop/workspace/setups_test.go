package workspace_test

import (
	"encoding/json"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/workspace"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A set-up names a sentence only where no host that keeps it could have answered so: one may have no room, refuse a key
// or not hear an answer.
func TestSetupsThatAccuse(t *testing.T) {
	answered := func(status int, body any) host.FileReply {
		return host.FileReply{Status: wiretest.Status(t, status), Body: wiretest.Value(t, body)}
	}
	file := func(version any) host.FileReply {
		return answered(200, map[string]any{"path": "p", "content": "c", "version": version, "etag": `"1"`})
	}
	no := func(status int) host.FileReply { return answered(status, map[string]any{"error": "e", "message": "m"}) }
	list := func(paths ...string) host.FileReply {
		files := []any{}
		for _, p := range paths {
			files = append(files, map[string]any{"path": p, "version": 1})
		}
		return answered(200, map[string]any{"files": files})
	}
	written := func(put, got host.FileReply) workspace.FileWrite {
		return workspace.FileWrite{Path: "p", Content: "c", Put: put, Got: got}
	}
	first := written(file(1), file(1))
	deleted := func(listed host.FileReply) any { return workspace.FileDeleted{First: first, Listed: listed} }
	again := func(before host.FileReply) any {
		return workspace.FileDeleted{First: written(file(1), before), Deleted: answered(204, nil), Again: written(file(3), file(3))}
	}
	history := func(second host.FileReply, latest host.FileReply) any {
		return workspace.FileHistory{Writes: []workspace.FileWrite{first, written(second, second)},
			Older: []workspace.FileVersion{{Version: "1", Got: file(1)}, {Version: "2", Got: latest}}}
	}
	gone := func(left, listed host.FileReply) any {
		refused := workspace.FileCondition{Put: no(409), Got: no(404), Listed: list()}
		return workspace.FileAbsentConditions{Path: "p", Made: first, Deleted: answered(204, nil), Left: left, Listed: listed, Never: refused,
			Gone: refused}
	}
	astray := func(put, got host.FileReply) any {
		return workspace.FilePaths{Good: []workspace.FileWrite{written(put, got)}}
	}
	replayed := func(s hosttest.Sight, spoil func(*workspace.ReplayedNotes)) any {
		o := workspace.ReplayedNotes{Source: writingLoop(t, hosttest.LoopOf(5), hosttest.Noted(5, writtenFiles(), s)),
			Replayed: withNotes(t, hosttest.Fork(hosttest.LoopOf(5)), hosttest.Noted(5, writtenFiles(), s))}
		spoil(&o)
		return o
	}
	honest := honestly(changedIn)
	asIs := func(*workspace.ReplayedNotes) {}
	seam := func(body string) any {
		return host.SeamObservation{Answers: []host.SeamAnswer{{Turns: 5, WritesAt: 2, Status: wiretest.Status(t, 200),
			Body: wiretest.Value(t, json.RawMessage(body))}}}
	}
	held := func(answer int, suspended bool) any {
		o := workspace.HeldLoop{Way: "assay-loop-workspace", Loop: writingLoop(t, hosttest.LoopOf(5), nil), Answered: wiretest.Status(t, answer)}
		o.Suspended.Reached = suspended
		return o
	}
	for _, c := range []struct {
		name, scenario string
		o              any
		want           scenarios.RequirementID
	}{
		{"has no room for a file", "deleted-is-gone", workspace.FileDeleted{First: written(no(413), no(404))}, ""},
		{"does not list what it took", "deleted-is-gone", deleted(list("q")), requirement.OWPWSP4},
		{"has no list", "deleted-is-gone", deleted(no(404)), requirement.OWPWSP4},
		{"refuses the list", "deleted-is-gone", deleted(no(403)), ""},
		{"lists in a form of its own", "deleted-is-gone", deleted(answered(200, []any{})), ""},
		{"does not serve what it took", "climbs-refused", astray(file(1), no(404)), requirement.OWPWSP1},
		{"refuses to serve it", "climbs-refused", astray(file(1), no(403)), ""},
		{"shows no version", "numbering-continues", again(file(nil)), requirement.OWPWSP9},
		{"shows no file", "numbering-continues", again(no(500)), ""},
		{"refuses the delete", "numbering-continues", workspace.FileDeleted{First: first, Deleted: no(403)}, ""},
		{"writes without a new version", "no-such-version", history(file(1), file(1)), requirement.OWPWSP9},
		{"has no latest version", "no-such-version", history(file(2), no(404)), requirement.OWPWSP18},
		{"falls over its latest version", "no-such-version", history(file(2), no(500)), ""},
		{"serves what was deleted", "if-match-absent", gone(file(1), list()), requirement.OWPWSP6},
		{"lists what was deleted", "if-match-absent", gone(no(404), list("p")), requirement.OWPWSP6},
		{"falls over what was deleted", "if-match-absent", gone(no(500), list()), ""},
		{"does not ask", "write-from-outside", held(200, false), ""},
		{"does not hear the answer", "write-from-outside", held(409, true), ""},
		{"does not replay", "replay-sees-the-same", replayed(honest, func(o *workspace.ReplayedNotes) {
			o.Replayed = host.RunLog{Created: wiretest.Status(t, 422)}
		}), ""},
		{"replays by its source", "replay-sees-the-same", replayed(honest, func(o *workspace.ReplayedNotes) { o.Replayed = o.Source.Log }),
			requirement.OWPRPL1},
		{"never ends the replay", "replay-sees-the-same", replayed(honest, func(o *workspace.ReplayedNotes) {
			o.Replayed.Ended.Reached = false
		}), ""},
		{"never shows a write", "replay-sees-the-same", replayed(func(_ int, _ string, f workspace.FileChange) string { return f.Before }, asIs),
			requirement.OWP0061C6},
		{"shows no file at first", "replay-sees-the-same", replayed(but(honest, func(turn int, _ string, f workspace.FileChange) (string, bool) {
			return "", turn == 1
		}), asIs), requirement.OWP0061C3},
		{"says that a turn sees its write", "seam-last-turn", seam(`{"workspaceVisible":{"atWriteTurn":true,"atNextTurn":true}}`),
			requirement.OWP0061C6},
		{"says half of it", "seam-last-turn", seam(`{"workspaceVisible":{"atWriteTurn":false}}`), ""},
		{"takes other turns than asked", "seam-last-turn", func() any {
			o := seam(`{"workspaceVisible":{"atWriteTurn":false,"atNextTurn":true}}`).(host.SeamObservation)
			o.Answers[0].Decisions = hosttest.LoopOf(3).Log(t).Decided().Values
			return o
		}(), ""},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, c.o, hosttest.BlockedOn(c.want))
		})
	}
}
