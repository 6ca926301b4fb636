package scenarios_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
)

// A failure has the same signature in another run, with other ids, times, addresses and random numbers.
func TestASignatureLasts(t *testing.T) {
	of := func(actual string) string {
		return scenarios.Signature("toy/counting/a", check.Result{Requirement: "TOY-1", Expected: "a run", Actual: actual})
	}
	for _, same := range [][2]string{
		{`"run-sdei2bj59jm3jsxih48uvpajye"`, `"run-wd45ubd32x2rrahh773mgr9vti"`},
		{`"run-sdei2bj59jm3jsxih48uvpajye"`, `"run-dnzjmdfetdjqfxsmpabcrywevs"`},
		{`"run_V1StGXR8Z5jdHi6BmyTAbc"`, `"run_VTStGXRaZEjdHiaBmyTAbc"`},
		{`6ba7b810-9dad-11d1-80b4-00c04fd430c8 is gone`, `16fd2706-8baf-433b-85da-8c7ada847da1 is gone`},
		{"at 2026-11-22T23:30:11.263054Z", "at 2027-01-01T00:00:00+02:00"},
		{"not within 10s", "not within 2m30s"},
		{"after 312ms", "after 1.5 s"},
		{"GET http://127.0.0.1:39497/v1/runs answered HTTP 404", "GET https://host.test/v1/runs answered HTTP 404"},
		{"<secret:1> is shown", "<secret:12> is shown"},
		{"what turn 2 read", "what turn 5 read"}, {"[72,71]", "[84,83]"}, {"0.123456", "0.98765"}, {"1763854211", "17638542119"},
		{`["run-a1b2c3d4","run-b1b2c3d4"]`, `["run-a1b2c3d4","run-b1b2c3d4","run-c1b2c3d4"]`},
		{`["run-a1b2c3d4","run-d…`, `["run-a1b2c3d4","run-3…`},
	} {
		if of(same[0]) != of(same[1]) {
			t.Errorf("%s and %s have different signatures", same[0], same[1])
		}
	}
	for _, differ := range [][2]string{
		{"HTTP 404", "HTTP 500"}, {"4", "3"}, {"absent", "null"}, {`"completed"`, `"failed"`}, {"[1,2]", "[1,2,3]"},
		{"crossHostCausationPropagation", "crossHostIdentityPropagation"},
		{"loop_limit_exceeded", "run_timeout_exceeded"},
		{"at 2026-11-22T23:30:11Z", "not at all"},
	} {
		if of(differ[0]) == of(differ[1]) {
			t.Errorf("%s and %s have the same signature", differ[0], differ[1])
		}
	}
}

func TestASignatureIsOfOneFailure(t *testing.T) {
	c := check.Result{Requirement: "TOY-1", Expected: "3", Actual: "4"}
	seen := map[string]bool{scenarios.Signature("toy/counting/a", c): true}
	more := func(id scenarios.ScenarioID, requirement, expected string) {
		c := c
		c.Requirement, c.Expected = requirement, expected
		seen[scenarios.Signature(id, c)] = true
	}
	more("toy/counting/b", "TOY-1", "3")
	more("toy/counting/a", "TOY-2", "3")
	more("toy/counting/a", "TOY-1", "2")
	if len(seen) != 4 {
		t.Errorf("%d signatures of 4 failures", len(seen))
	}
	for s := range seen {
		if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(s) {
			t.Errorf("%q", s)
		}
	}
	// Files hold signatures, so a change would make them stale.
	if got := scenarios.Signature("toy/counting/a", c); got != "e42c00cc1ce9" {
		t.Errorf("the signature is %s now", got)
	}
}

// Failures has the first failed check of each violated MUST, and nothing else.
func TestFailuresOfAnOutcome(t *testing.T) {
	r := certify(t, scenarios.Options{}, one("a", counts, scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
		j.Check("TOY-1", o.N).To(check.Equal(3))
		j.Check("TOY-2", o.N).To(check.Equal(4))
		j.Check("TOY-2", o.N).To(check.Equal(5))
		j.Check("TOY-3", o.N).To(check.Equal(6))
		j.Check("TOY-1", o.N).To(check.Equal(7))
	}), "TOY-1", "TOY-2", "TOY-3"))
	var got []string
	for _, f := range r.Outcomes[0].Failures(protocol.Ledger) {
		got = append(got, f.Requirement+" "+f.Expected)
	}
	if diff := cmp.Diff([]string{"TOY-2 4", "TOY-1 7"}, got); diff != "" {
		t.Error(diff)
	}
	r.Outcomes[0].Verdict = scenarios.Broken
	if f := r.Outcomes[0].Failures(protocol.Ledger); f != nil {
		t.Errorf("broken: %v", f)
	}
}

// A known failure does not count, nor does a scenario that a known breach blocks; all others do.
func TestExitCodeKnowing(t *testing.T) {
	fails := one("fails", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-1")), "TOY-1", "TOY-2") // TOY-2 is never reached
	fails.Ask = scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) { j.Check("TOY-1", o.N).To(check.Equal(4)) })
	on := one("on-it", counts, scenarios.Ask(countDrive("e"), func(o counted, j *scenarios.Judge) {
		j.Violates("TOY-1", o.N, "it would not start")
	}), "TOY-2")
	passes := one("passes", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-2")), "TOY-2")
	for name, c := range map[string]struct {
		asked []scenarios.Scenario
		known scenarios.ScenarioID
		setup bool // what a step of the setup shows is known, too
		want  int
	}{
		"not known":                             {[]scenarios.Scenario{fails, passes}, "toy/counting/other", false, scenarios.ExitViolated},
		"known":                                 {[]scenarios.Scenario{fails, passes}, fails.ID, false, scenarios.ExitProved},
		"nothing else":                          {[]scenarios.Scenario{fails}, fails.ID, false, scenarios.ExitProved},
		"blocked on it":                         {[]scenarios.Scenario{fails, on}, fails.ID, true, scenarios.ExitProved},
		"a step of the setup violates the same": {[]scenarios.Scenario{fails, on}, fails.ID, false, scenarios.ExitViolated},
		"the step alone is known":               {[]scenarios.Scenario{fails, on}, "toy/counting/other", true, scenarios.ExitViolated},
		"a step of the setup violates another": {[]scenarios.Scenario{on, passes,
			one("elsewhere", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-2")), "TOY-2")},
			"toy/counting/elsewhere", false, scenarios.ExitViolated},
		"blocked for another cause": {[]scenarios.Scenario{fails,
			one("b", counts, scenarios.Ask(stopDrive("f", scenarios.Block("x", "y")), is(3, "TOY-2")), "TOY-2")},
			fails.ID, false, scenarios.ExitUnproved},
		"another one fails": {[]scenarios.Scenario{fails, one("b", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-2")), "TOY-2")},
			fails.ID, false, scenarios.ExitViolated},
		"Assay broke": {[]scenarios.Scenario{fails,
			one("b", counts, scenarios.Ask(countDrive("d"), func(counted, *scenarios.Judge) {}), "TOY-2")}, fails.ID, false, scenarios.ExitBroken},
		"it passed": {[]scenarios.Scenario{passes}, passes.ID, false, scenarios.ExitProved},
	} {
		r := certify(t, scenarios.Options{}, c.asked...)
		if code := r.ExitCodeKnowing(func(id scenarios.ScenarioID) bool { return id == c.known },
			func(scenarios.Breach) bool { return c.setup }); code != c.want {
			t.Errorf("%s: exit code %d, want %d", name, code, c.want)
		}
		if r.Profiles[0].Status == "certified" {
			t.Errorf("%s: the profile is certified", name)
		}
	}
}
