package agenticloop

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/challenge"
	"github.com/openassay/assay/scenarios/wire"
)

// A plugin whose arguments stand beside the correlation passes, and is shown able to fail: as one that nests them (AL-R2).
func TestFlatArgumentsCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	program, err := os.ReadFile("testdata/naive/run.py")
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Replace(string(program), `"tool_payload": {"goal": run["goal"]}`, `"goal": run["goal"]`, 1)
	if flat == string(program) {
		t.Fatal("the program does not nest its arguments")
	}
	dir, err := wire.NewFolder("assay-flat-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "run.py")
	if err := os.WriteFile(file, []byte(flat), 0o644); err != nil {
		t.Fatal(err)
	}
	target, err := Exec([]string{python(t), file})
	if err != nil {
		t.Fatal(err)
	}
	target.Process.Dir = ""
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 1,
		Select: scenarios.Selection{Scenarios: []string{"agenticloop/protocol/request-names-its-step"}}}, Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	report := c.Finish(context.Background())
	if o := report.Outcomes[0]; o.Verdict != scenarios.Passed {
		t.Fatalf("%s: %s", o.Verdict, o.Reason)
	}
	result, err := challenge.Report(report, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.List {
		if !p.Sensitive {
			t.Errorf("%+v", p)
		}
	}
}
