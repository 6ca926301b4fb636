package agenticloop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// python is an interpreter that a plugin's user may start.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && (&wire.Process{Command: []string{path}}).CheckProgram() == nil {
			return path
		}
	}
	t.Skip("there is no python3 here that anybody may start")
	return ""
}

// deserved is what the naive agent gets wrong, and by which scenarios that is seen.
var deserved = map[scenarios.ScenarioID]string{
	// A late result escalates the run.
	"agenticloop/correlation/same-result-twice":  "RFC103-I6",
	"agenticloop/correlation/stale-step-ignored": "RFC103-V6",
	"agenticloop/correlation/order-of-checks":    "RFC103-V1",
	"agenticloop/correlation/crossed-runs":       "RFC103-I6",
	// No allowlist.
	"agenticloop/security/allowlist-binds": "RFC103-G3",
	// A traceback on standard output.
	"agenticloop/protocol/input-that-is-no-request": "RFC103-WIRE-6",
}

// An agent in another language is certified by its command, and gets the failures that it deserves and no others.
func TestANaiveAgentFailsWhatItDeserves(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts hundreds of processes")
	}
	dir, err := wire.NewFolder("assay-naive-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program, err := os.ReadFile("testdata/naive/run.py")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "run.py")
	if err := os.WriteFile(file, program, 0o644); err != nil { //nolint:gosec // another user reads it
		t.Fatal(err)
	}
	target, err := Exec([]string{python(t), file})
	if err != nil {
		t.Fatal(err)
	}
	target.Process.Dir = ""
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 1}, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	report := c.Finish(context.Background())
	for _, o := range report.Outcomes {
		want, wrong := deserved[o.Scenario.ID]
		switch {
		case o.Verdict == scenarios.Failed && !wrong:
			t.Errorf("%s failed: %s", o.Scenario.ID, o.Reason)
		case wrong && (o.Failure == nil || string(o.Failure.Requirement) != want):
			t.Errorf("%s %s (%s), want a violation of %s", o.Scenario.ID, o.Verdict, o.Reason, want)
		case o.Verdict == scenarios.Broken, o.Verdict == scenarios.Inconclusive:
			t.Errorf("%s %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	for _, s := range []string{"agenticloop/correlation/completes-once", "agenticloop/budget/max-steps-ends-the-run", "agenticloop/pipeline/worked-example"} {
		i := slices.IndexFunc(report.Outcomes, func(o scenarios.Outcome) bool { return string(o.Scenario.ID) == s })
		if o := report.Outcomes[i]; o.Verdict != scenarios.Passed {
			t.Errorf("%s %s: %s", s, o.Verdict, o.Reason)
		}
	}
	judgedAgain(t, report)
	t.Logf("%v, %d processes seen", report.Totals(), processes(report))
}

// judgedAgain derives every verdict again from what stands on disk, without the agent.
func judgedAgain(t *testing.T, report *scenarios.Report) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range report.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(d.ID)), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	again, err := scenarios.Rejudge(dir, scenarios.Selection{}, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range report.Outcomes {
		if again[i].Verdict != o.Verdict || again[i].Reason != o.Reason || len(again[i].Checks) != len(o.Checks) {
			t.Errorf("%s was %s (%s), and from disk is %s (%s)", o.Scenario.ID, o.Verdict, o.Reason, again[i].Verdict, again[i].Reason)
		}
	}
}

func processes(r *scenarios.Report) (n int) {
	for _, d := range r.Drives {
		for _, e := range d.Transcript.Entries {
			if e.Kind == "process" {
				n++
			}
		}
	}
	return n
}
