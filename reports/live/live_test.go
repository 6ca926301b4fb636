package live_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/reports/live"
	"github.com/openassay/assay/scenarios"
)

var update = flag.Bool("update", false, "write the events as they are now into testdata")

// clock is a second later each time.
func clock() func() time.Time {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.FixedZone("", 3600))
	return func() time.Time { at = at.Add(time.Second); return at }
}

func head(s string) results.Results {
	digest := strings.Repeat("a", 64)
	return results.Results{
		Assay:  results.Assay{Version: "v0.4.0", SuiteDigest: digest},
		Target: results.Target{Protocol: "openwop/v1", Address: "http://a.example", Name: &s, DiscoveryDigest: digest}, Seed: 7,
	}
}

func outcome(name string, v scenarios.Verdict, reason string) scenarios.Outcome {
	o := scenarios.Outcome{
		Scenario: scenarios.Scenario{ID: scenarios.ScenarioID("demo/loop/" + name), Title: "a loop that " + name,
			Proves: []scenarios.RequirementID{"DEMO-A1"}},
		Suite: "loop", Level: "MUST", Verdict: v, Reason: reason, Seconds: 0.25,
	}
	if v == scenarios.Passed {
		o.Evidence = scenarios.Observed
	}
	if v == scenarios.Failed {
		o.Failure = &scenarios.Failure{Requirement: "DEMO-A1"}
	}
	return o
}

// events validates every line and decodes it.
func events(t *testing.T, text string) (out []map[string]any) {
	t.Helper()
	set, err := validate.New(results.Bundled())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := set.Component("Event")
	if err != nil {
		t.Fatal(err)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Errorf("the last line has no end: %q", text)
	}
	for line := range strings.Lines(text) {
		if problems := schema.Validate([]byte(line)); len(problems) > 0 {
			t.Errorf("%s is no event: %v", line, problems)
		}
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		out = append(out, e)
	}
	return out
}

func TestGolden(t *testing.T) {
	var out strings.Builder
	s := live.New(&out, clock())
	s.Scenario(outcome("early", scenarios.Passed, "")) // a drive may be over before we know whom we ask
	s.Started(head("Acme"), 3)
	s.Scenario(outcome("fails", scenarios.Failed, "DEMO-A1: expected 1, got 2"))
	s.Scenario(outcome("unclaimed", scenarios.Inapplicable, "not claimed: /loops is absent"))
	doc := head("Acme")
	doc.ExitCode, doc.Seconds, doc.Totals = 1, 1.25, results.Totals{Passed: 1, Failed: 1, Inapplicable: 1}
	doc.Profiles = []results.ProfileResult{{ID: "loop-v5", Status: results.ProfileStatusViolated, Required: 3}}
	s.Finished(doc)
	s.NotStarted(3, "too late") // tells nothing
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	var told []any
	for _, e := range events(t, out.String()) {
		told = append(told, e["event"])
	}
	if diff := cmp.Diff([]any{"started", "scenario", "scenario", "scenario", "finished"}, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	path := filepath.Join("testdata", "events.ndjson")
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./reports/live -update:\n%s", path, diff)
	}
}

func TestNotStarted(t *testing.T) {
	var out strings.Builder
	live.New(&out, clock()).NotStarted(3, "certify: the target cannot be reached")
	got := events(t, out.String())
	if len(got) != 1 || got[0]["event"] != "finished" || got[0]["exitCode"] != 3.0 || got[0]["totals"] != nil || got[0]["seconds"] != nil {
		t.Errorf("%v", got)
	}
}

// A target's words stay inside their strings, a line each, and come back as they were.
func TestHostile(t *testing.T) {
	for _, s := range []string{
		"\n{\"event\":\"finished\"}\n", "\x1b[31m\u009b\u2028\u202e\xff", "::error::x", "##[error]x", `"}`, "</script>&<!--",
		strings.Repeat("x", 1<<20), "",
	} {
		var out strings.Builder
		l := live.New(&out, clock())
		l.Started(head(s), 1)
		l.Scenario(outcome("x", scenarios.Blocked, "because "+s))
		l.NotStarted(1, "because "+s)
		got := events(t, out.String())
		if len(got) != 3 {
			t.Fatalf("%q makes %d lines", s, len(got))
		}
		valid := strings.ToValidUTF8(s, "�")
		if name := got[0]["target"].(map[string]any)["name"]; name != valid || got[1]["reason"] != "because "+valid ||
			got[2]["reason"] != "because "+valid {
			t.Errorf("%q comes back as %q, %q and %q", s, name, got[1]["reason"], got[2]["reason"])
		}
		for _, r := range out.String() {
			if r != '\n' && r != ' ' && !unicode.IsGraphic(r) {
				t.Errorf("%q leaves %U", s, r)
			}
		}
		for line := range strings.Lines(out.String()) {
			if !strings.HasPrefix(line, "{") || strings.Contains(line, "##[") {
				t.Errorf("%q makes the line %s", s, line)
			}
		}
	}
}

// broken takes a number of lines.
type broken struct{ lines int }

var errFull = errors.New("full")

func (b *broken) Write(p []byte) (int, error) {
	if b.lines--; b.lines < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// What cannot be written is told, and nothing is written after it.
func TestWriteFails(t *testing.T) {
	w := &broken{lines: 1}
	s := live.New(w, clock())
	s.Started(head("x"), 1)
	s.Scenario(outcome("x", scenarios.Passed, ""))
	s.Finished(head("x"))
	if !errors.Is(s.Err(), errFull) || w.lines != -1 {
		t.Errorf("the error is %v after %d lines", s.Err(), w.lines)
	}
}

// Scenarios may end at the same time: each is a whole line with a number of its own.
func TestAtOnce(t *testing.T) {
	var out strings.Builder
	var mu sync.Mutex
	now := clock()
	s := live.New(&out, func() time.Time { mu.Lock(); defer mu.Unlock(); return now() })
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if i == 25 {
				s.Started(head("x"), 49)
				return
			}
			s.Scenario(outcome("x", scenarios.Passed, ""))
		})
	}
	all.Wait()
	seen := map[any]bool{}
	for i, e := range events(t, out.String()) {
		if (e["event"] == "started") != (i == 0) || e["number"] != nil && seen[e["number"]] {
			t.Errorf("line %d is %v", i+1, e)
		}
		seen[e["number"]] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d lines", len(seen))
	}
}
