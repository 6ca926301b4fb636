package scenarios

import (
	"context"
	"fmt"
	"net/http"
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

// Unproved reports whether a scenario ended without showing whether the target keeps its promise.
func (o Outcome) Unproved() bool { return o.Verdict == Blocked || o.Verdict == Inconclusive }

// Shortcomings returns, a sentence each, what is wrong with a certification beside its scenarios: a credential that the
// target refuses, first; that nothing was proved; requirements violated where no scenario of theirs looked.
func (r *Report) Shortcomings() []string {
	var out []string
	if text := r.RefusedCredential(); text != "" {
		out = append(out, text)
	}
	if r.Totals()[Passed] == 0 {
		out = append(out, fmt.Sprintf("nothing was proved: none of %d scenarios passed", len(r.Outcomes)))
	}
	for _, b := range r.Breaches {
		if b.By != ByJudge {
			out = append(out, fmt.Sprintf("%s is violated, seen by the %s of %s at %s: %s", b.Requirement, b.By, b.Drive, b.Where, b.Actual))
		}
	}
	return out
}

// RefusedCredential says that the target refuses the credential, or returns "". It does if most replies are HTTP 401 or
// 403, and no request that makes something succeeds: a few are refused on purpose.
func (r *Report) RefusedCredential() string {
	answers, refused, status := 0, 0, 0
	for _, d := range r.Drives {
		if d.ID == discoveryDrive || d.Transcript == nil {
			continue
		}
		for n := 1; n <= d.Transcript.Len(); n++ {
			e := d.Transcript.Entry(n)
			if answered(e, http.MethodPost) || answered(e, http.MethodPut) {
				return ""
			}
			if e.Request == nil || e.Response == nil {
				continue
			}
			answers++
			if s := e.Response.Status; s == http.StatusUnauthorized || s == http.StatusForbidden {
				refused, status = refused+1, s
			}
		}
	}
	if 2*refused <= answers {
		return ""
	}
	return fmt.Sprintf("the target refuses the credential: %d of %d replies are HTTP %d", refused, answers, status)
}
