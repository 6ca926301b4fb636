package scenarios_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// What may be seen of TOY-1 in one place: a scenario that ends with a verdict, a step of another's setup, an invariant.
var sights = []struct {
	name     string
	violates bool
	passes   bool
	scenario func(name string) scenarios.Scenario
}{
	{"nothing", false, false, nil},
	{"a pass", false, true, func(name string) scenarios.Scenario {
		return one(name, counts, scenarios.Ask(countDrive(name), is(3, "TOY-1")), "TOY-1")
	}},
	{"a failure", true, false, func(name string) scenarios.Scenario {
		return one(name, counts, scenarios.Ask(countDrive(name), is(4, "TOY-1")), "TOY-1")
	}},
	{"a block", false, false, func(name string) scenarios.Scenario {
		return one(name, counts, scenarios.Ask(stopDrive(name, scenarios.Block("x", "y")), is(3, "TOY-1")), "TOY-1")
	}},
	{"a step of the setup", true, false, func(name string) scenarios.Scenario {
		return one(name, counts, scenarios.Ask(countDrive(name), func(o counted, j *scenarios.Judge) {
			j.Violates("TOY-1", o.N, "it would not start")
		}), "TOY-2")
	}},
	{"a step of a drive", true, false, func(name string) scenarios.Scenario {
		drive := &scenarios.Drive[counted]{ID: name, Run: func(ctx context.Context, c *scenarios.Conn, _ *counted) {
			scenarios.End(scenarios.Violates("TOY-1", c.Do(ctx, wire.Call{Method: "GET", Path: "/count"}).Value("/n"), "it would not start"))
		}}
		return one(name, counts, scenarios.Ask(drive, is(3, "TOY-2")), "TOY-2")
	}},
	{"a step beside a failure", true, false, func(name string) scenarios.Scenario {
		return one(name, counts, scenarios.Ask(countDrive(name), func(o counted, j *scenarios.Judge) {
			j.Check("TOY-2", o.N).To(check.Equal(4))
			j.Violates("TOY-1", o.N, "it would not start")
		}), "TOY-2")
	}},
	{"a pass of others", false, false, func(name string) scenarios.Scenario {
		return one(name, counts, scenarios.Ask(countDrive(name), is(3, "TOY-2")), "TOY-2")
	}},
}

// A requirement that is seen violated anywhere is violated in all that is derived: requirement, claim, profile, exit code.
// All pairs of sights, with an invariant and without, whole and in part.
func TestAViolationCountsWhereverItIsSeen(t *testing.T) {
	pairs := 0
	for i, a := range sights {
		for _, b := range sights[i:] {
			for _, invariant := range []bool{false, true} {
				var asked []scenarios.Scenario
				if a.scenario != nil {
					asked = append(asked, a.scenario("a"))
				}
				if b.scenario != nil {
					asked = append(asked, b.scenario("b"))
				}
				if len(asked) == 0 {
					continue
				}
				pairs++
				name := fmt.Sprintf("%s and %s, invariant %v", a.name, b.name, invariant)
				whole, part := summedUp(t, invariant, false, asked), summedUp(t, invariant, true, asked)
				violated := a.violates || b.violates || invariant
				if whole.violated != violated || part.violated != violated {
					t.Errorf("%s: violated is %v, in part %v", name, whole.violated, part.violated)
				}
				if violated && (whole.claim != "violated" || whole.profile != "violated" || whole.code != scenarios.ExitViolated) {
					t.Errorf("%s: claim %s, profile %s, exit code %d", name, whole.claim, whole.profile, whole.code)
				}
				if !violated && (whole.claim == "violated" || whole.profile == "violated") {
					t.Errorf("%s: claim %s, profile %s", name, whole.claim, whole.profile)
				}
				if contradicted := violated && (a.passes || b.passes); whole.contradicted != contradicted {
					t.Errorf("%s: contradicted is %v", name, whole.contradicted)
				}
				if (whole.profile == "certified") != (whole.proved && whole.code == scenarios.ExitProved) {
					t.Errorf("%s: profile %s, exit code %d", name, whole.profile, whole.code)
				}
				if part.profile != "" || part.code != whole.code {
					t.Errorf("%s: a part has profile %q and exit code %d, the whole %d", name, part.profile, part.code, whole.code)
				}
			}
		}
	}
	if pairs < 60 {
		t.Errorf("only %d pairs", pairs)
	}
}

type summary struct {
	violated, contradicted, proved bool
	claim, profile                 string
	code                           int
}

func summedUp(t *testing.T, invariant, part bool, asked []scenarios.Scenario) summary {
	t.Helper()
	of := *protocol
	basic := scenarios.Profile{ID: "toy-basic", Claims: []string{"counts"}, Digest: "d"}
	for _, id := range []scenarios.RequirementID{"TOY-1", "TOY-2"} {
		required := scenarios.Required{ID: id, Evidence: scenarios.Observed}
		for _, s := range asked {
			if slices.Contains(s.Proves, id) {
				required.Scenarios = append(required.Scenarios, s.ID)
			}
		}
		basic.Requires = append(basic.Requires, required)
	}
	of.Profiles = []scenarios.Profile{basic}
	if invariant {
		of.Invariants = func(_ scenarios.Discovery, drives []scenarios.DriveRecord, see func(scenarios.Sight)) {
			see(scenarios.Sight{Held: true, Breach: scenarios.Breach{Requirement: "TOY-2", Drive: drives[0].ID, Where: wire.Ref{Exchange: 1}}})
			see(scenarios.Sight{Breach: scenarios.Breach{
				Requirement: "TOY-1", Drive: drives[0].ID, Where: wire.Ref{Exchange: 1}, Expected: "3", Actual: "4"}})
		}
	}
	var o scenarios.Options
	if part {
		o.Select.Suites = []string{"counting"}
	}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true}`)}, o,
		scenarios.Suite{ID: "counting", Title: "counting", Protocol: &of, Scenarios: asked})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	s := summary{code: r.ExitCode(), proved: true}
	for _, q := range r.Requirements {
		if q.ID == "TOY-1" {
			s.violated, s.contradicted = q.Verdict == scenarios.Failed, q.Contradicted
		}
	}
	for _, id := range []scenarios.RequirementID{"TOY-1", "TOY-2"} {
		s.proved = s.proved && slices.ContainsFunc(r.Requirements, func(q scenarios.RequirementStatus) bool {
			return q.ID == id && q.Verdict == scenarios.Passed
		})
	}
	if len(r.Claims) > 0 {
		s.claim = r.Claims[0].Status
	}
	if len(r.Profiles) > 0 {
		s.profile = r.Profiles[0].Status
	}
	if s.violated != (len(r.Breaches) > 0) && len(r.Breaches) == 0 {
		t.Errorf("violated, and no place of it")
	}
	return s
}

// A step that fails for a credential or for load, one that only a SHOULD asks for, one of a claim that is not made, and
// one that nothing on the wire shows: none is a violation.
func TestStepsThatViolateNothing(t *testing.T) {
	from := func(path string) func(id scenarios.RequirementID) scenarios.Scenario {
		return func(id scenarios.RequirementID) scenarios.Scenario {
			drive := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, _ *counted) {
				scenarios.End(scenarios.Violates(id, c.Do(ctx, wire.Call{Method: "GET", Path: path}).Value("/n"), "it would not start"))
			}}
			return one("a", counts, scenarios.Ask(drive, is(3, "TOY-2")), "TOY-2")
		}
	}
	for _, c := range []struct {
		name   string
		asked  scenarios.Scenario
		expect []string
		want   int
	}{
		{"a violation", from("/count")("TOY-1"), nil, scenarios.ExitViolated},
		{"a want of rights", from("/forbidden")("TOY-1"), nil, scenarios.ExitUnproved},
		{"a SHOULD", from("/count")("TOY-3"), nil, scenarios.ExitUnproved},
		{"not claimed", from("/count")("TOY-5"), nil, scenarios.ExitUnproved},
		{"unknown", from("/count")("TOY-99"), nil, scenarios.ExitUnproved},
	} {
		r := certify(t, scenarios.Options{}, c.asked)
		if code := r.ExitCode(); code != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, code, c.want)
		}
		if o := r.Outcomes[0]; o.Verdict != scenarios.Blocked || (o.BlockedOn != "") != (c.want == scenarios.ExitViolated) {
			t.Errorf("%s: %s on %q", c.name, o.Verdict, o.BlockedOn)
		}
	}
}
