package scenarios

import (
	"context"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// Run certifies a target inside a Go test: every scenario is one subtest, which
// fails on a violation or a fault of Assay's own and is skipped, with the
// reason, when it proves nothing. All drives run at once, whatever the test's
// own parallelism.
func Run(t *testing.T, target wire.Target, suites ...Suite) *Report {
	t.Helper()
	return RunWith(t, target, Options{}, suites...)
}

// RunWith is [Run] with options.
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
