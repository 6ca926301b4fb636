package openwop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

const readRun = "r1"

// exchange is an exchange with this reply, which took a second from second at on.
func exchange(t *testing.T, at int, method, path, request string, status int, body any) wire.Entry {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Entry{Kind: "http", At: time.Unix(int64(at), 0), Micros: 1_000_000,
		Request:  &wire.Request{Method: method, URL: "http://host" + path, Body: request},
		Response: &wire.Response{Status: status, Body: string(encoded)}}
}

// streamOf is a stream of these frames.
func streamOf(query, after string, frames ...string) wire.Entry {
	e := wire.Entry{Kind: "stream", Request: &wire.Request{Method: "GET", URL: "http://host/v1/runs/" + readRun + "/events?" + query},
		Response: &wire.Response{Status: 200}, Chunks: []wire.Chunk{{Text: strings.Join(frames, "")}}}
	if after != "" {
		e.Request.Header = map[string]string{"Last-Event-Id": after}
	}
	return e
}

func framesOf(t *testing.T, events hosttest.Entries) (out []string) {
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("id: %v\nevent: %v\ndata: %s\n\n", e["sequence"], e["type"], data))
	}
	return out
}

// Pages, streams, snapshots, forks, goals and files are held to what holds for each, whatever they were read for.
func TestWhatIsReadIsJudgedInEveryForm(t *testing.T) {
	honest := wholeLife(readRun)
	last := len(honest) - 1
	get := func(at int, path string, body any) wire.Entry { return exchange(t, at, "GET", path, "", 200, body) }
	page := func(at int, query string, events hosttest.Entries, more ...bool) wire.Entry {
		body := map[string]any{"events": events}
		if len(more) > 0 {
			body["isComplete"] = more[0]
		}
		return get(at, "/v1/runs/"+readRun+"/events/poll"+query, body)
	}
	run := func(at int, change ...any) wire.Entry {
		body := map[string]any{"runId": readRun, "workflowId": "w", "status": "running"}
		for i := 0; i < len(change); i += 2 {
			body[change[i].(string)] = change[i+1]
		}
		return get(at, "/v1/runs/"+readRun, body)
	}
	all := framesOf(t, honest)
	renamed := framesOf(t, honest.With(4, "eventId", "another"))
	batch := func(events hosttest.Entries) string {
		data, _ := json.Marshal(events)
		return "id: " + strconv.Itoa(last) + "\nevent: batch\ndata: " + string(data) + "\n\n"
	}
	goal := func(at int, state string) wire.Entry {
		return get(at, "/v1/goals/g", map[string]any{"id": "g", "state": state})
	}
	put := func(at, version int, etag string) wire.Entry {
		return exchange(t, at, "PUT", "/v1/host/workspace/files/a.md", "", 200, map[string]any{"path": "a.md", "version": version, "etag": etag})
	}
	gone := exchange(t, 1, "DELETE", "/v1/host/workspace/files/a.md", "", 204, nil)
	other := put(1, 1, `"a"`)
	other.Request.Header = map[string]string{"Authorization": "<secret:2>"}
	fork := func(id, mode string) wire.Entry {
		return exchange(t, 0, "POST", "/v1/runs/"+readRun+":fork", `{"mode":"`+mode+`","fromSeq":9}`, 201, map[string]any{"runId": id})
	}
	again := wholeLife("f")
	forked := func(events hosttest.Entries) wire.Entry {
		return get(2, "/v1/runs/f/events/poll", map[string]any{"events": events})
	}
	ended := []any{"status", "completed"}
	for _, c := range []struct {
		name    string
		entries []wire.Entry
		want    string // "" if nothing is wrong
	}{
		// Pages.
		{"pages that lose nothing", []wire.Entry{page(0, "", honest[:6]), page(1, "?lastSequence=3&timeout=1", honest[4:]),
			page(2, "?lastSequence=13", nil, true)}, ""},
		{"a page that begins one event too late", []wire.Entry{page(0, "", honest), page(1, "?lastSequence=3", honest[5:])}, "OWP-EVT-14"},
		{"a page that begins one event too late, before that is known", []wire.Entry{page(0, "?lastSequence=3", honest[5:]), page(1, "", honest)},
			"OWP-EVT-14"},
		{"an empty page behind which is more", []wire.Entry{page(0, "", honest), page(1, "?lastSequence=3", nil)}, "OWP-EVT-14"},
		{"an empty page that was asked for at the same time", []wire.Entry{page(0, "", honest), page(0, "?lastSequence=3", nil)}, ""},
		{"an empty page, for none was asked for", []wire.Entry{page(0, "", honest), page(1, "?lastSequence=3&limit=0", nil)}, ""},
		{"a page out of order", []wire.Entry{page(0, "", hosttest.Entries{honest[1], honest[0], honest[2]})}, "OWP-EVT-1"},
		{"an event that has another id in a page behind", []wire.Entry{page(0, "", honest), page(1, "?lastSequence=3",
			honest.With(6, "eventId", "another")[4:])}, "OWP-EVT-12"},
		{"complete too early", []wire.Entry{page(0, "", honest), page(1, "?lastSequence=3", honest[4:9], true)}, "OWP-EVT-16"},
		{"complete before it ends", []wire.Entry{page(0, "", honest[:9], true), page(1, "", honest)}, "OWP-EVT-16"},
		{"complete, and it grows by a note", []wire.Entry{page(0, "", honest, true),
			page(1, "?lastSequence=13", hosttest.Entries{{"eventId": "n", "runId": readRun, "type": "lease.lost", "payload": nil,
				"timestamp": "2026-11-02T00:00:00Z", "sequence": last + 1}}, true)}, ""},

		// Streams.
		{"a stream of all", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug", "", all...)}, ""},
		{"a stream that began later", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug", "", all[4:]...)}, ""},
		{"a stream in another mode", []wire.Entry{page(0, "", honest), streamOf("streamMode=updates", "", all[2], all[5])}, ""},
		{"a ping in a stream", []wire.Entry{page(0, "", honest),
			streamOf("streamMode=debug", "", all[0], "event: ping\ndata: {}\n\n", all[1])}, ""},
		{"a stream that leaves one out", []wire.Entry{page(0, "", honest),
			streamOf("streamMode=debug", "", append(slices.Clone(all[:3]), all[4:]...)...)}, "OWP-EVT-22"},
		{"a stream with one twice", []wire.Entry{streamOf("streamMode=updates", "", all[0], all[1], all[1])}, "OWP-EVT-22"},
		{"a stream from an event on", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug", "3", all[4:]...)}, ""},
		{"a stream that begins at it", []wire.Entry{streamOf("streamMode=debug", "3", all[3:]...)}, "OWP-EVT-24"},
		{"a stream that begins one too late", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug", "3", all[5:]...)}, "OWP-EVT-24"},
		{"a stream from no event", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug", "x", all[5:]...)}, ""},
		{"batches", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug&bufferMs=9", "", batch(honest))}, ""},
		{"batches that leave one out", []wire.Entry{page(0, "", honest), streamOf("streamMode=debug&bufferMs=9", "",
			batch(append(slices.Clone(honest[:3]), honest[4:]...)))}, "OWP-EVT-28"},
		{"another id in the stream", []wire.Entry{page(0, "", honest), streamOf("streamMode=updates", "", renamed[4])}, "OWP-EVT-27"},
		{"another number around it", []wire.Entry{streamOf("", "", strings.Replace(all[4], "id: 4", "id: 5", 1))}, "OWP-EVT-21"},
		{"another type around it", []wire.Entry{streamOf("", "",
			strings.Replace(all[0], "event: run.started", "event: run.completed", 1))}, "OWP-EVT-21"},
		{"another run's event", []wire.Entry{streamOf("", "", framesOf(t, wholeLife("r2"))...)}, "OWP-EVT-4"},
		{"a step behind the end", []wire.Entry{streamOf("", "", append(slices.Clone(all), strings.NewReplacer(
			"id: 13", "id: 14", `"sequence":13`, `"sequence":14`, "run.completed", "node.started").Replace(all[last]))...)}, "OWP-EVT-10"},

		// Snapshots.
		{"snapshots", []wire.Entry{run(0), run(1, "status", "waiting-clarification"), run(2, ended...), run(3, ended...)}, ""},
		{"a snapshot of another run", []wire.Entry{run(0, "runId", "r2")}, "OWP-CTL-1"},
		{"a run of another workflow than before", []wire.Entry{run(0), run(1, "workflowId", "v")}, "OWP-CTL-1"},
		{"a status that is none", []wire.Entry{run(0, "status", "done")}, "OWP-CTL-2"},
		{"an end that does not stay", []wire.Entry{run(0, ended...), run(1, "status", "cancelled")}, "OWP-CTL-3"},
		{"a run that goes on", []wire.Entry{run(0, ended...), run(1)}, "OWP-CTL-3"},
		{"a run that was asked for before it ended", []wire.Entry{run(1, ended...), run(1)}, ""},
		{"failed without an error", []wire.Entry{run(0, "status", "failed")}, "OWP-CTL-4"},
		{"failed with one", []wire.Entry{run(0, "status", "failed", "error", map[string]any{"code": "c", "message": "m"})}, ""},
		{"a cost that is none", []wire.Entry{run(0, "metrics", map[string]any{"openwopCost": 3})}, "OWP-CTL-8"},
		{"no snapshot but a diff", []wire.Entry{get(0, "/v1/runs/"+readRun+":diff?against=r2", map[string]any{"a": readRun})}, ""},
		{"another end on the log that was read before", []wire.Entry{page(0, "", honest), run(1, "status", "cancelled")}, "OWP-EVT-11"},

		// Forks.
		{"a replay", []wire.Entry{page(0, "", honest), fork("f", "replay"), forked(again)}, ""},
		{"a replay with another child", []wire.Entry{page(0, "", honest), fork("f", "replay"), forked(paid(again, 5, map[string]any{
			"childRunId": "c2"}))}, "OWP-RPL-3"},
		{"a branch with another child", []wire.Entry{page(0, "", honest), fork("f", "branch"), forked(paid(again, 5, map[string]any{
			"childRunId": "c2"}))}, ""},
		{"a branch that decided otherwise", []wire.Entry{page(0, "", honest), fork("f", "branch"), forked(paid(again, 1, map[string]any{
			"decision": map[string]any{"kind": "terminate"}}))}, "OWP-RPL-10"},
		{"a replay that is not there yet", []wire.Entry{page(0, "", honest), fork("f", "replay"), forked(again[:4])}, ""},
		{"a replay that is its source", []wire.Entry{fork(readRun, "replay")}, "OWP-RPL-1"},

		// Goals and files.
		{"a goal that stays closed", []wire.Entry{goal(0, "active"), goal(1, "satisfied"), goal(2, "satisfied")}, ""},
		{"a satisfied goal that goes on", []wire.Entry{goal(1, "satisfied"), goal(2, "active")}, "OWP-0097-G1"},
		{"an abandoned goal that goes on", []wire.Entry{goal(1, "abandoned"), goal(2, "active")}, "OWP-0097-C6"},
		{"a goal that was asked for before it was closed", []wire.Entry{goal(1, "satisfied"), goal(1, "active")}, ""},
		{"versions", []wire.Entry{put(0, 1, `"a"`), other, put(2, 3, `"c"`)}, ""},
		{"a version twice", []wire.Entry{put(0, 2, `"a"`), put(1, 2, `"b"`)}, "OWP-WSP-9"},
		{"a version after a delete", []wire.Entry{put(0, 2, `"a"`), gone, put(2, 1, `"a"`)}, ""},
		{"an etag twice", []wire.Entry{put(0, 1, `"a"`), put(1, 2, `"a"`)}, "OWP-WSP-10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			transcript := &wire.Transcript{Drive: "d", Entries: c.entries, Speech: openwop.Protocol.Speech}
			var got []string
			for _, b := range openwop.Protocol.Breached(scenarios.Discovery{}, []scenarios.DriveRecord{{ID: "d", Transcript: transcript}}) {
				if !slices.Contains(got, string(b.Requirement)) {
					got = append(got, string(b.Requirement))
				}
				if b.Where.Exchange == 0 || b.Drive != "d" || b.Actual == "" || b.Expected == "" {
					t.Errorf("%+v says not where, or what", b)
				}
			}
			if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
				t.Errorf("violated %v, want %q among them", got, c.want)
			}
		})
	}
}
