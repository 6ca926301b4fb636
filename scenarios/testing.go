package scenarios

import (
	"context"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// Run certifies a target in a Go test. Each scenario is a subtest. It fails if the scenario is failed or broken, and is
// skipped, with the reason, unless it passed. Drives run concurrently, whatever the parallelism of the test.
func Run(t *testing.T, target wire.Target, suites ...Suite) *Report {
	t.Helper()
	return RunWith(t, target, Options{}, suites...)
}

// RunWith is like [Run], with options.
func RunWith(t *testing.T, target wire.Target, o Options, suites ...Suite) *Report {
	t.Helper()
	c, err := Certify(context.WithoutCancel(t.Context()), target, o, suites...)
	if err != nil {
		t.Fatalf("certifying %s: %v", target.URL, err)
	}
	for _, s := range c.Selected() {
		t.Run(string(s.Scenario.ID), func(t *testing.T) {
			t.Helper()
			out := c.Outcome(s.Scenario.ID)
			switch out.Verdict {
			case Passed:
			case Failed, Broken:
				t.Errorf("%s: %s", out.Verdict, out.Reason)
			default:
				t.Skipf("%s: %s", out.Verdict, out.Reason)
			}
		})
	}
	return c.Finish(context.Background())
}
