package agenticloop

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/correlation"
	"github.com/openassay/assay/scenarios/wire"
)

func TestMain(m *testing.M) {
	testenv.Disinherit()
	os.Exit(m.Run())
}

// python returns an interpreter that the user of a plugin may start.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil &&
			(&wire.Process{Command: []string{path}}).CheckProgram() == nil {
			return path
		}
	}
	t.Skip("there is no python3 here that anybody may start")
	return ""
}

// deserved lists what the naive plugin gets wrong, by the scenario that sees it.
var deserved = map[scenarios.ScenarioID]string{
	// A late result escalates the run.
	"agenticloop/correlation/same-result-twice":  "RFC103-I6",
	"agenticloop/correlation/stale-step-ignored": "RFC103-V6",
	"agenticloop/correlation/order-of-checks":    "RFC103-V1",
	"agenticloop/correlation/crossed-runs":       "RFC103-I6",
	"agenticloop/runs/comes-again":               "RFC103-V6",
	// No allowlist.
	"agenticloop/security/allowlist-binds": "RFC103-G3",
	// A traceback on standard output.
	"agenticloop/protocol/input-that-is-no-request": "RFC103-WIRE-6",
}

// A plugin in another language is certified by its command, and gets the failures that it deserves and no others.
func TestANaivePluginFailsWhatItDeserves(t *testing.T) {
	report := certifyNaive(t, "", scenarios.Options{Seed: 1})
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
	for _, s := range []string{"agenticloop/correlation/completes-once", "agenticloop/budget/max-steps-ends-the-run",
		"agenticloop/pipeline/worked-example"} {
		i := slices.IndexFunc(report.Outcomes, func(o scenarios.Outcome) bool { return string(o.Scenario.ID) == s })
		if o := report.Outcomes[i]; o.Verdict != scenarios.Passed {
			t.Errorf("%s %s: %s", s, o.Verdict, o.Reason)
		}
	}
	judgedAgain(t, report)
	shrunkAlone(t, report)
	t.Logf("%v, %d processes seen", report.Totals(), processes(report))
}

// certifyNaive certifies the naive plugin, with lines of Python before its own in each turn.
func certifyNaive(t *testing.T, lines string, options scenarios.Options) *scenarios.Report {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	dir, err := wire.NewFolder("assay-naive-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, err := os.ReadFile("testdata/naive/run.py")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "run.py")
	if err := os.WriteFile(file, append([]byte(lines+"\n"), program...), 0o644); err != nil {
		t.Fatal(err)
	}
	target, err := Exec([]string{python(t), file})
	if err != nil {
		t.Fatal(err)
	}
	target.Process.Dir = ""
	c, err := scenarios.Certify(t.Context(), target, options, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// naively returns the outcome of one scenario.
func naively(t *testing.T, lines, name string, options scenarios.Options) scenarios.Outcome {
	t.Helper()
	options.Select = scenarios.Selection{Scenarios: []string{"agenticloop/" + name}}
	return certifyNaive(t, lines, options).Outcomes[0]
}

// A process that calls the gateway, by its program or by its API, or that tells its environment, is seen. A program
// that fetches is a finding.
func TestWhatAProcessDoesBesideItsAnswer(t *testing.T) {
	for _, c := range []struct {
		name, lines, scenario, want string
		findings                    int
	}{
		{"the gateway's program", "import os; os.system('ductile run fetch')", "security/no-nested-dispatch",
			"RFC103-N2", 0},
		{"the gateway's API", "import os, urllib.request\nif 'DUCTILE_API_URL' in os.environ: " +
			"urllib.request.urlopen(os.environ['DUCTILE_API_URL'] + '/trigger/fetch')", "security/no-nested-dispatch",
			"RFC103-N2", 0},
		{"a model, by a program that fetches", "import os; os.system('wget -q -O - http://127.0.0.1:9/ >&2; curl " +
			"-s http://127.0.0.1:9/ >&2')", "security/no-nested-dispatch", "passed", 2},
		{"its environment", "import os, sys; print(dict(os.environ), file=sys.stderr)", "security/secrets-kept",
			"RFC103-READ-10", 0},
		{"its answer alone", "", "security/secrets-kept", "passed", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := naively(t, c.lines, c.scenario, scenarios.Options{Seed: 1})
			got := string(o.Verdict)
			if o.Failure != nil {
				got = string(o.Failure.Requirement)
			}
			if got != c.want || len(o.Findings) != c.findings {
				t.Errorf("%s (%s), findings %v, want %s and %d", got, o.Reason, o.Findings, c.want, c.findings)
			}
		})
	}
}

// A turn that outlasts our patience is no violation if the profile sets no limit.
func TestASlowPluginIsNotAccused(t *testing.T) {
	o := naively(t, "import time; time.sleep(30)",
		"correlation/turns-of-starts", scenarios.Options{Seed: 1, Patience: 300 * time.Millisecond})
	if o.Verdict != scenarios.Blocked || !strings.Contains(o.Reason, "it had not ended after 300ms") ||
		!strings.Contains(o.Unblock, "turn_seconds") {
		t.Errorf("%s: %s (%s)", o.Verdict, o.Reason, o.Unblock)
	}
}

// shrunkAlone checks that the transcript of the random histories is the one history in which the plugin departs.
func shrunkAlone(t *testing.T, report *scenarios.Report) {
	t.Helper()
	for _, d := range report.Drives {
		if d.ID != correlation.RandomHistories.ID {
			continue
		}
		var o struct {
			Shrunk    int
			Histories [][]struct{ Turn struct{ Name string } }
		}
		raw, _ := d.Observation.(json.RawMessage)
		if err := json.Unmarshal(raw, &o); err != nil || o.Shrunk == 0 || len(o.Histories) != 1 {
			t.Fatalf("nothing was shrunk: %d histories, %v", len(o.Histories), err)
		}
		history := o.Histories[0]
		if len(history) >= o.Shrunk || len(history) != len(d.Transcript.Entries) {
			t.Fatalf("%d deliveries became %d, and the transcript has %d", o.Shrunk, len(history),
				len(d.Transcript.Entries))
		}
		for i, e := range d.Transcript.Entries {
			if name := history[i].Turn.Name; e.Label != name {
				t.Errorf("entry %d is %q, and the history has %q", i+1, e.Label, name)
			}
		}
		return
	}
	t.Error("there were no histories")
}

// judgedAgain derives every verdict again from disk, without the plugin.
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
	again, err := scenarios.Rejudge(os.DirFS(dir), scenarios.Quick, scenarios.Selection{}, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range report.Outcomes {
		if again[i].Verdict != o.Verdict || again[i].Reason != o.Reason || len(again[i].Checks) != len(o.Checks) {
			t.Errorf("%s was %s (%s), and from disk is %s (%s)", o.Scenario.ID, o.Verdict, o.Reason, again[i].Verdict,
				again[i].Reason)
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

// Every second time that a drive is driven, the plugin is not new: its state holds a run that has gone some steps.
func TestAPluginIsNotNewInEachSecondRound(t *testing.T) {
	r := certifyNaive(t, "", scenarios.Options{Seed: 1, Depth: scenarios.Standard,
		Select: scenarios.Selection{Scenarios: []string{"agenticloop/correlation/api-trigger-starts"}}})
	var before, begun []bool // of each turn: it is of the run before, and its state holds a run
	labels := map[string]int{}
	of := slices.IndexFunc(r.Drives, func(d scenarios.DriveRecord) bool { return d.ID == "agenticloop/starts" })
	for _, e := range r.Drives[of].Transcript.Entries {
		var request struct {
			State struct {
				Runs map[string]any
			}
		}
		if e.Process == nil || json.Unmarshal([]byte(e.Process.Input), &request) != nil {
			continue
		}
		labels[e.Label]++
		before = append(before, strings.Contains(e.Label, "another run, before"))
		begun = append(begun, len(request.State.Runs) > 0)
	}
	rounds := 0
	for i := range before {
		if begins := before[i] && (i == 0 || !before[i-1]); begins {
			rounds++
			if begun[i] {
				t.Errorf("turn %d begins the run before in a state that holds one", i+1)
			}
		}
		if i > 0 && before[i-1] && !before[i] && !begun[i] {
			t.Errorf("turn %d finds a new plugin", i+1)
		}
		if i >= 3 && before[i] && before[i-1] && before[i-2] && before[i-3] {
			t.Errorf("turn %d is one too many before a drive", i+1)
		}
	}
	if before[0] || begun[0] {
		t.Error("the plugin is not new in the first round")
	}
	if all := slices.Max(slices.Collect(maps.Values(labels))); rounds != all/2 { // how many there are hangs on the machine
		t.Errorf("in %d of %d rounds the plugin was not new", rounds, all)
	}
}
