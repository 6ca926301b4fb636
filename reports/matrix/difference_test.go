package matrix_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/reports/matrix"
)

func compare(t *testing.T, a, b results.Results) results.Difference {
	t.Helper()
	d, err := matrix.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// lines are the changes as short words.
func lines(d results.Difference) (out []string) {
	for _, c := range d.Changes {
		out = append(out, fmt.Sprintf("%s %s %s: %s -> %s", c.Direction, c.Kind, c.ID, c.Before, c.After))
	}
	return out
}

func TestCompare(t *testing.T) {
	before := document(nil)
	after := document(func(d *results.Results) {
		d.Requirements[0].Evidence = results.EvidenceAttested
		d.Requirements[1].Verdict = results.RequirementVerdictPassed
		d.Requirements[2].Verdict = results.RequirementVerdictInconclusive
		d.Requirements[3].Verdict = results.RequirementVerdictFailed
		d.Claims = []results.Claim{{ID: "goals", Status: results.ClaimStatusProved}, {ID: "memory", Status: results.ClaimStatusUnproved}}
		d.Profiles[0].Status = results.ProfileStatusUnproved
		d.Scenarios = append(d.Scenarios[:2:2], results.ScenarioResult{ID: "demo/loop/another", Verdict: results.VerdictFailed,
			Reason: "it is not there"})
	})
	want := []string{
		"better profile loop-v5: violated -> unproved",
		"worse claim memory: not claimed -> unproved",
		"better claim model>=5: violated -> not claimed",
		"worse requirement DEMO-A1: passed, observed -> passed, attested",
		"better requirement DEMO-A2: failed -> passed, observed",
		"other requirement DEMO-B1: blocked -> inconclusive",
		"worse requirement DEMO-C1: inapplicable -> failed",
		"new scenario demo/loop/another:  -> failed",
		"removed scenario demo/loop/blocked: blocked -> ",
	}
	d := compare(t, before, after)
	if diff := cmp.Diff(want, lines(d)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d.Worse != 3 || d.Better != 3 || !d.SameTarget || !d.SameQuestions {
		t.Errorf("%d worse, %d better, same target %t, same questions %t", d.Worse, d.Better, d.SameTarget, d.SameQuestions)
	}

	// The other way round what was worse is better.
	back := compare(t, after, before)
	if back.Worse != d.Better || back.Better != d.Worse {
		t.Errorf("back it is %d worse and %d better", back.Worse, back.Better)
	}

	// With other questions nobody knows whether a claim was made that is not listed.
	after.Assay.SuiteDigest = digestB
	d = compare(t, before, after)
	claims := strings.Join(lines(d), "\n")
	if d.SameQuestions || !strings.Contains(claims, "new claim memory:  -> unproved") || !strings.Contains(claims,
		"removed claim model>=5: violated -> ") {
		t.Errorf("with other questions:\n%s", claims)
	}
}

func TestCompareTheSame(t *testing.T) {
	d := compare(t, document(nil), document(nil))
	if len(d.Changes) != 0 || d.Worse != 0 {
		t.Errorf("a document differs from itself: %q", lines(d))
	}
	var out strings.Builder
	if err := matrix.WriteText(&out, d); err != nil || !strings.HasSuffix(out.String(), "\nnothing changed\n") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// A target goes by its name: it may stand at another address each time.
func TestSameTarget(t *testing.T) {
	named := func(name, address string) results.Results {
		return document(func(d *results.Results) {
			d.Target.Name, d.Target.Address = &name, address
			if name == "" {
				d.Target.Name = nil
			}
		})
	}
	for _, c := range []struct {
		a, b results.Results
		want bool
	}{
		{named("a", "x"), named("a", "y"), true},
		{named("a", "x"), named("b", "x"), false},
		{named("", "x"), named("a", "x"), true},
		{named("", "x"), named("", "y"), false},
	} {
		if got := compare(t, c.a, c.b).SameTarget; got != c.want {
			t.Errorf("%v and %v: %t", c.a.Target, c.b.Target, got)
		}
	}
	_, err := matrix.Compare(document(nil), document(func(d *results.Results) { d.Target.Protocol = "other/v1" }))
	if err == nil || !strings.Contains(err.Error(), "compare two of one protocol") {
		t.Errorf("two protocols: %v", err)
	}
}

// A target's words do nothing in a difference either, and the JSON is what its schema says.
func TestDifferenceOfHostileTargets(t *testing.T) {
	for _, s := range append(hostile, "x") {
		before := document(func(d *results.Results) { d.Target.Address = "http://a.example" })
		after := document(func(d *results.Results) {
			d.Target.Name, d.Target.Version, d.Target.Address, d.Assay.Version = &s, &s, s+"x", s+"x"
			d.Assay.SuiteDigest = digestB
			d.Requirements[0].Verdict = results.RequirementVerdictFailed
			d.Scenarios[0].Verdict, d.Scenarios[0].Reason = results.VerdictFailed, s+"x"
			d.Scenarios = append(d.Scenarios, results.ScenarioResult{ID: s + "y", Verdict: results.VerdictFailed, Reason: s + "x"})
		})
		d := compare(t, before, after)
		var text, encoded strings.Builder
		if err := matrix.WriteText(&text, d); err != nil {
			t.Fatal(err)
		}
		harmless(t, text.String())
		if err := matrix.WriteJSON(&encoded, d); err != nil {
			t.Fatal(err)
		}
		harmless(t, strings.ReplaceAll(encoded.String(), "�", ""))
		set, err := validate.New(results.Bundled())
		if err != nil {
			t.Fatal(err)
		}
		schema, err := set.Component("Difference")
		if err != nil {
			t.Fatal(err)
		}
		if problems := schema.Validate([]byte(encoded.String())); len(problems) > 0 {
			t.Errorf("%v\n%s", problems, encoded.String())
		}
		var back results.Difference
		if err := json.Unmarshal([]byte(encoded.String()), &back); err != nil || *back.After.Target.Name != strings.ToValidUTF8(s, "�") {
			t.Errorf("the name comes back as %q (%v)", *back.After.Target.Name, err)
		}
	}
}

func TestDifferenceText(t *testing.T) {
	other := "Acme " + evil
	d := compare(t, document(nil), document(func(d *results.Results) {
		d.Target.Name, d.Assay.SuiteDigest = &other, digestB
		d.Requirements[0].Verdict = results.RequirementVerdictFailed
		d.Scenarios[0].Verdict, d.Scenarios[0].Reason = results.VerdictFailed, "got "+evil
		d.Requirements[1].Verdict, d.Requirements[2].Verdict = results.RequirementVerdictPassed, results.RequirementVerdictInconclusive
		d.Scenarios[2].ID = "demo/loop/new"
	}))
	var out strings.Builder
	if err := matrix.WriteText(&out, d); err != nil {
		t.Fatal(err)
	}
	golden(t, "difference.txt", out.String())
}
