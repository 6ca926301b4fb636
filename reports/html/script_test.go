package html

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios/wire"
)

// spoken is a transcript of requests below http://h, each with its reply.
func spoken(entries ...wire.Entry) *wire.Transcript {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i := range entries {
		entries[i].Kind = "http"
		if entries[i].At.IsZero() {
			entries[i].At = at
		}
	}
	return &wire.Transcript{Drive: "d", Entries: entries}
}

func asked(method, path, body, reply string) wire.Entry {
	return wire.Entry{Label: method + " it", Request: &wire.Request{Method: method, URL: "http://h" + path, Body: body,
		Header: map[string]string{"Authorization": "<secret>"}},
		Response: &wire.Response{Status: 200, Body: reply}}
}

func scriptOf(t *testing.T, s *wire.Transcript, checks ...results.Check) string {
	t.Helper()
	script := scripted{scenario: results.ScenarioResult{ID: "a/b/c"}, address: "http://h", checks: checks, t: &replies{Transcript: s}}.script()
	if sh, err := exec.LookPath("sh"); err == nil && script != "" {
		check := exec.Command(sh, "-n")
		check.Stdin = strings.NewReader(script)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("a shell does not read it: %v: %s\n%s", err, out, script)
		}
	}
	return script
}

func TestScript(t *testing.T) {
	later := asked("GET", "/runs/run-00001/log", "", `{"events":[{"type":"a","n":1},{"type":"b","n":7},{"type":"a","n":1}]}`)
	later.At = time.Date(2026, 11, 21, 12, 0, 2, 5e8, time.UTC)
	s := spoken(
		asked("POST", "/other", `{}`, `{"id":"other-1"}`),
		asked("POST", "/runs", `{"name":"it's"}`, `{"runId":"run-00001","token":"<secret:4>","list":[{"id":"item-22"}]}`),
		asked("GET", "/other/other-1", "", `{}`),
		asked("GET", "/runs/run-00001", "", `{"runId":"run-00001"}`),
		asked("POST", "/runs/run-00001/answer?by=item-22", `{"token":"<secret:4>"}`, `{}`),
		later,
	)
	got := scriptOf(t, s, results.Check{Requirement: "R-1", Expected: "turns: [1,2]", Actual: "[1,1]", Exchange: 6, Pointer: "/events/0/n"})
	want := `#!/bin/sh
# a/b/c
# needs curl and jq; what is carried from one reply into the next request is a variable
set -eu
BASE=${BASE:-http://h}
: "${ASSAY_KEY:?the key of the target}"
reply=$(mktemp)
trap 'rm -f "$reply"' EXIT

# 2  POST it
curl -sS -o "$reply" -w '%{http_code}\n' -X POST "$BASE"/runs \
  -H 'Authorization: Bearer '"$ASSAY_KEY" \
  --data-binary '{"name":"it'\''s"}'
TOKEN=$(jq -r .token "$reply")
RUN_ID=$(jq -r .runId "$reply")
ID_2=$(jq -r '.list[0].id' "$reply")

# 4  GET it
curl -sS -o "$reply" -w '%{http_code}\n' "$BASE"/runs/"$RUN_ID" \
  -H 'Authorization: Bearer '"$ASSAY_KEY"

# 5  POST it
curl -sS -o "$reply" -w '%{http_code}\n' -X POST "$BASE"/runs/"$RUN_ID"'/answer?by='"$ID_2" \
  -H 'Authorization: Bearer '"$ASSAY_KEY" \
  --data-binary '{"token":"'"$TOKEN"'"}'

# 6  GET it
sleep 3
curl -sS -o "$reply" -w '%{http_code}\n' "$BASE"/runs/"$RUN_ID"/log \
  -H 'Authorization: Bearer '"$ASSAY_KEY"
jq -c '[.events[] | select(.type == "a").n | values]' "$reply"

# R-1 expected turns: [1,2]
#   in #6 /events/0/n
#   it was [1,1]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a target names can neither end a word nor a comment, nor be a command.
func TestScriptOfAHostileTarget(t *testing.T) {
	evil := "'; touch /tmp/owned; $(id) `id` \\\n\u202e\x1b"
	first := asked("POST", "/runs", `{"x":"'$(id)'"}`, `{"`+"$(id)`"+`":"run-1'$(id)"}`)
	first.Label, first.Request.Header = evil, map[string]string{"X-Own": "<secret>", "Authorization": "<secret of voter 2>", "X-`id`": evil}
	second := asked("GET", "/runs/run-1'$(id)", "", `{}`)
	third := asked("POST", "/runs/run-1'$(id)", evil, `{}`)
	s := spoken(first, second, third)
	got := scriptOf(t, s, results.Check{Requirement: "R-1" + evil, Expected: evil, Actual: evil, Exchange: 3, Pointer: "/" + evil})
	for _, bad := range []string{"\x1b", "\u202e", "\n'", "\ntouch"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q stands in it:\n%s", bad, got)
		}
	}
	for _, want := range []string{`: "${HEADER_X_OWN:?`, `: "${KEY_OF_VOTER_2:?`, "is not for a script"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<secret") {
		t.Errorf("a placeholder is sent:\n%s", got)
	}
}

func TestScriptOfAProcess(t *testing.T) {
	s := &wire.Transcript{Entries: []wire.Entry{
		{Kind: "process", Label: "the start", Process: &wire.Spawned{Command: []string{"./run it.sh", "-v"}, Input: `{"a":"'"}`,
			InputBytes: 9, Output: `{"n":1}`}},
		{Kind: "process", Label: "long", Process: &wire.Spawned{Command: []string{"x"}, Input: `{"a`, InputBytes: 90000}},
	}}
	got := scriptOf(t, s, results.Check{Requirement: "R-1", Expected: "2", Actual: "1", Exchange: 1, Pointer: "/n"},
		results.Check{Exchange: 2})
	for _, want := range []string{`printf '%s' '{"a":"'\''"}' |` + "\n  './run it.sh' -v\n", "# it was handed 90000 bytes"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
