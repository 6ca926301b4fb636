package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
)

func TestSelection(t *testing.T) {
	all := []scenarios.Scenario{
		one("first", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"),
		one("second", loud, scenarios.Ask(countDrive("d"), is(3, "TOY-5")), "TOY-5"),
	}
	labelled := func(label string) scenarios.Selection {
		return scenarios.Selection{Match: func(labels []string) bool { return slices.Contains(labels, label) }}
	}
	for _, c := range []struct {
		name   string
		choice scenarios.Selection
		want   []string
		err    string
	}{
		{name: "everything", want: []string{"first", "second"}},
		{name: "by full id", choice: scenarios.Selection{Scenarios: []string{"toy/counting/second"}}, want: []string{"second"}},
		{name: "by short id", choice: scenarios.Selection{Scenarios: []string{"counting/first"}}, want: []string{"first"}},
		{name: "by former requirement id", choice: scenarios.Selection{Requirements: []string{"TOY-OLD"}}, want: []string{"first"}},
		{name: "by label", choice: labelled("claim:loud"), want: []string{"second"}},
		{name: "by the label of a protocol", choice: labelled("protocol:toy.v1"), want: []string{"first", "second"}},
		{name: "by the label of a scenario", choice: labelled("scenario:toy.counting.first"), want: []string{"first"}},
		{name: "by the label of a requirement", choice: labelled("requirement:TOY-5"), want: []string{"second"}},
		{name: "a suite that is not", choice: scenarios.Selection{Suites: []string{"countin"}},
			err: `unknown suite "countin": did you mean "counting"?`},
		{name: "a scenario that is not", choice: scenarios.Selection{Scenarios: []string{"counting/frist"}}, err: "unknown scenario"},
		{name: "a requirement that is not", choice: scenarios.Selection{Requirements: []string{"TOY-11"}}, err: `did you mean "TOY-1"?`},
		{name: "a claim that is not", choice: scenarios.Selection{ExpectClaims: []string{"lout"}}, err: `did you mean "loud"?`},
		{name: "nothing", choice: scenarios.Selection{Match: func([]string) bool { return false }}, err: "no scenario"},
	} {
		t.Run(c.name, func(t *testing.T) {
			picked, err := c.choice.Pick(suite(all...))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got %v, want %s", err, c.err)
				}
				return
			}
			var got []string
			for _, p := range picked {
				got = append(got, p.Scenario.Name())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func TestAnExpectedClaimIsAsked(t *testing.T) {
	r := certify(t, scenarios.Options{Select: scenarios.Selection{ExpectClaims: []string{"loud"}}},
		one("it", loud, scenarios.Ask(countDrive("d"), is(3, "TOY-5")), "TOY-5"))
	if r.Outcomes[0].Verdict != scenarios.Passed {
		t.Errorf("%s", r.Outcomes[0].Verdict)
	}
}
