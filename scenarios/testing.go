package scenarios

import (
	"context"
	"fmt"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// Run certifies a target in a Go test. Each scenario is a subtest: it is skipped where the target does not claim what it
// asks about, and fails unless it passed. The test fails as well if nothing was proved, and for each requirement that was
// seen violated where no scenario of it looked. Drives run concurrently, whatever the parallelism of the test.
func Run(t *testing.T, target wire.Target, suites ...Suite) *Report {
	t.Helper()
	return RunWith(t, target, Options{}, suites...)
}

// RunWith is like [Run], with options. With [Options.AllowUnproved] scenarios that are blocked or inconclusive are skipped.
func RunWith(t *testing.T, target wire.Target, o Options, suites ...Suite) *Report {
	t.Helper()
	c, err := Certify(context.WithoutCancel(t.Context()), target, o, suites...)
	if err != nil {
		t.Fatalf("certifying %s: %v", target.URL, err)
	}
	r := c.Finish(context.Background())
	for _, text := range r.Shortcomings() {
		t.Error(text)
	}
	for _, out := range r.Outcomes {
		t.Run(string(out.Scenario.ID), func(t *testing.T) {
			t.Helper()
			switch text := fmt.Sprintf("%s: %s", out.Verdict, out.Reason); {
			case out.Verdict == Passed:
			case out.Verdict == Inapplicable:
				t.Skip(text)
			case out.Unproved() && o.AllowUnproved != "":
				t.Skipf("%s (allowed: %s)", text, o.AllowUnproved)
			default:
				t.Error(text)
			}
		})
	}
	return r
}

// Drawing returns a connection to nothing, for tests of what a drive with these dimensions draws.
func Drawing(seed uint64, depth Depth, dimensions []*Dimension) *Conn {
	return &Conn{Rand: NewDraws(seed, "run", "drive"), Depth: depth, declared: dimensions}
}
