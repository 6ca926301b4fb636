package agenticloop

import (
	"context"
	"maps"
	"os"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// certifySmall certifies a command in a copy of a folder of testdata, which is its working folder.
func certifySmall(t *testing.T, folder string, command ...string) map[scenarios.ScenarioID]string {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	dir, err := wire.NewFolder("assay-small-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.CopyFS(dir, os.DirFS("testdata/"+folder)); err != nil {
		t.Fatal(err)
	}
	target, err := Exec(command)
	if err != nil {
		t.Fatal(err)
	}
	target.Process.Dir = dir
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 1}, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	failures := map[scenarios.ScenarioID]string{}
	for _, o := range c.Finish(context.Background()).Outcomes {
		switch {
		case o.Failure != nil:
			failures[o.Scenario.ID] = string(o.Failure.Requirement)
		case o.Verdict == scenarios.Broken, o.Verdict == scenarios.Inconclusive:
			t.Errorf("%s %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	return failures
}

// A plugin in shell, with a file in its working folder, refuses whatever comes by the protocol, and exits with 3. That code may stand
// beside an error (AL-R21): it fails for starting no run, and for nothing else.
func TestAShellPluginFailsForRefusingEveryStart(t *testing.T) {
	failures := certifySmall(t, "shell", "sh", "run.sh")
	if want := map[scenarios.ScenarioID]string{"agenticloop/correlation/start-makes-a-run": "RFC103-E1"}; !maps.Equal(
		failures, want) {
		t.Errorf("it fails %v, want %v", failures, want)
	}
}

// A tiny plugin that calls every start done, and keeps no run, fails for what it does not keep.
func TestATinyPluginFailsForWhatItDoesNotKeep(t *testing.T) {
	failures := certifySmall(t, "tiny", python(t), "run.py")
	if want := map[scenarios.ScenarioID]string{"agenticloop/correlation/start-makes-a-run": "RFC103-T3"}; !maps.Equal(
		failures, want) {
		t.Errorf("it fails %v, want %v", failures, want)
	}
}
