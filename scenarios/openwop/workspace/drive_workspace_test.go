package workspace_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

// askOfFiles runs the scenarios of the suite that need no seam.
func askOfFiles(t *testing.T, s *scribe, seed uint64) *scenarios.Report {
	t.Helper()
	selection := scenarios.Selection{Scenarios: []string{"workspace-snapshot/write-in-turn", "workspace-snapshot/write-from-outside",
		"workspace-snapshot/replay-sees-the-same"}}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: s.start(t), Key: "dev-key"}, scenarios.Options{Seed: seed,
		Patience: time.Second, Workers: 1, Select: selection}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

func TestFilesOfAHostThatLoops(t *testing.T) {
	t.Parallel()
	notes := []string{"assay-loop-workspace", "conformance-noop"}
	lists := []string{"assay-loop-ask-user", "conformance-noop"}
	const c1, c3, c6, d2, passed, blocked = requirement.OWP0061C1, requirement.OWP0061C3, requirement.OWP0061C6,
		requirement.OWP0061D2, "passed", "blocked"
	for _, c := range []struct {
		name                      string
		host                      *scribe
		inTurn, outside, replayed string
	}{
		{"honest", &scribe{fixtures: notes}, passed, passed, passed},
		{"takes a workspace without a file for none", &scribe{fixtures: notes, wants: true}, passed, passed, passed},
		{"reads through", &scribe{fixtures: notes, through: true}, c6, d2, blocked},
		{"a turn late", &scribe{fixtures: notes, late: 1}, c6, c3, blocked},
		{"two turns late", &scribe{fixtures: notes, late: 2}, c6, c3, blocked},
		{"as of the start of the run", &scribe{fixtures: notes, late: 99}, c6, c3, blocked},
		{"a replay reads what is there now", &scribe{fixtures: notes, rereads: true}, passed, passed, c1},
		{"a replay misses what was deleted since", &scribe{fixtures: notes, drops: true}, passed, passed, c1},
		{"honest, by what it lists", &scribe{fixtures: lists}, blocked, passed, blocked},
		{"lists what is there now", &scribe{fixtures: lists, through: true}, blocked, d2, blocked},
		{"lists what was there at the start", &scribe{fixtures: lists, late: 99}, blocked, c3, blocked},
		{"no fixture", &scribe{}, blocked, blocked, blocked},
		{"lets us not write", &scribe{fixtures: notes, refuse: http.StatusForbidden}, blocked, blocked, blocked},
		{"has no files", &scribe{fixtures: notes, refuse: http.StatusNotImplemented}, blocked, blocked, blocked},
		{"forgets what is written", &scribe{fixtures: notes, forgets: true}, blocked, blocked, blocked},
		{"notes nonsense", &scribe{fixtures: notes, seen: slices.Repeat([]any{map[string]any{}}, 10_000)}, blocked, blocked, blocked},
		{"notes one turn all the time", &scribe{fixtures: notes, seen: []any{map[string]any{"iteration": 1, "at": "begin",
			"workspace": slices.Repeat([]any{0}, 10_000)}}}, blocked, blocked, blocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(5) {
				r := askOfFiles(t, c.host, seed)
				for i, want := range []string{c.inTurn, c.outside, c.replayed} {
					o := r.Outcomes[i]
					got := string(o.Verdict)
					if o.Failure != nil {
						got = string(o.Failure.Requirement)
					}
					if got != want || want == passed && o.Evidence != scenarios.Observed {
						t.Errorf("%s: %s %s (%s), want %s", o.Scenario.Name(), got, o.Evidence, o.Reason, want)
					}
				}
				for path, d := range c.host.files {
					if d.there {
						t.Errorf("%s was left behind", path)
					}
				}
				if len(r.Leftovers) > 0 {
					t.Errorf("leftovers: %v", r.Leftovers)
				}
				sameWhenJudgedAgain(t, r)
			}
		})
	}
}

// sameWhenJudgedAgain expects the same verdicts from the recorded evidence.
func sameWhenJudgedAgain(t *testing.T, r *scenarios.Report) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range r.Drives {
		b, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(d.ID)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again, err := scenarios.Rejudge(os.DirFS(dir), r.Depth, r.Select, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range again {
		if o.Verdict != r.Outcomes[i].Verdict || o.Reason != r.Outcomes[i].Reason {
			t.Errorf("%s: %s (%s) when judged again, was %s (%s)", o.Scenario.Name(), o.Verdict, o.Reason, r.Outcomes[i].Verdict,
				r.Outcomes[i].Reason)
		}
	}
}

// A blocked scenario says what would unblock it: another key, the files, the
// fixture.
func TestWhatBlocksTheFilesIsSaid(t *testing.T) {
	notes := []string{"assay-loop-workspace", "conformance-noop"}
	for _, c := range []struct {
		name    string
		host    *scribe
		unblock string
	}{
		{"a key without the scope", &scribe{fixtures: notes, refuse: http.StatusForbidden}, "workspace:write"},
		{"no files behind the claim", &scribe{fixtures: notes, refuse: http.StatusNotFound}, "/v1/host/workspace/files/{path}"},
		{"no fixture", &scribe{}, "assay fixtures export"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range askOfFiles(t, c.host, 3).Outcomes {
				if o.Verdict != scenarios.Blocked || !strings.Contains(o.Unblock, c.unblock) {
					t.Errorf("%s: %s, to unblock it: %s", o.Scenario.Name(), o.Verdict, o.Unblock)
				}
			}
		})
	}
}
