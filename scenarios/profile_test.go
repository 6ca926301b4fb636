package scenarios_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// A scenario that is newer than the profile is provisional: it proves nothing of it. What it sees violated is violated.
func TestAProvisionalScenarioOnlyViolates(t *testing.T) {
	ask := func(n int, id scenarios.RequirementID) scenarios.Question {
		return scenarios.Ask(countDrive("d"), is(n, id))
	}
	r := certify(t, scenarios.Options{},
		one("a", counts, ask(3, "TOY-1"), "TOY-1"), one("c", counts, ask(3, "TOY-2"), "TOY-2"),
		one("new", counts, ask(4, "TOY-1"), "TOY-1"), one("new-too", counts, ask(3, "TOY-2"), "TOY-2"),
		one("elsewhere", counts, ask(3, "TOY-4"), "TOY-4"), one("not-asked", loud, ask(3, "TOY-1"), "TOY-1"))
	want := []scenarios.ProfileStatus{{
		ID: "toy-basic", Digest: "d1", Status: "violated", Proved: 1, Required: 2, ThroughSeam: 1,
		Provisional: []scenarios.ScenarioID{"toy/counting/new", "toy/counting/new-too"},
	}}
	if diff := cmp.Diff(want, r.Profiles); diff != "" {
		t.Error(diff)
	}
	if r.Claims[0].Status != "violated" || r.ExitCode() != scenarios.ExitViolated {
		t.Errorf("the claim is %s and the exit code %d: what failed is to be told", r.Claims[0].Status, r.ExitCode())
	}
}

// Only its frozen scenarios prove a requirement of a profile.
func TestAProvisionalScenarioProvesNothing(t *testing.T) {
	r := certify(t, scenarios.Options{},
		one("c", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-2")), "TOY-2"),
		one("new", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"))
	if p := r.Profiles[0]; p.Status != "unproved" || p.Proved != 1 {
		t.Errorf("%s with %d proved", p.Status, p.Proved)
	}
	if r.Claims[0].Status != "proved" {
		t.Errorf("the claim itself is %s", r.Claims[0].Status)
	}
}

// A profile demands its own evidence, whatever the ledger demands now, and accepts former ids.
func TestAProfileKeepsItsDemands(t *testing.T) {
	former := *protocol
	former.Profiles = []scenarios.Profile{{ID: "strict", Claims: []string{"counts"}, Requires: []scenarios.Required{
		{ID: "TOY-OLD", Evidence: scenarios.Survived, Scenarios: []scenarios.ScenarioID{"toy/counting/a"}},
	}}}
	observed := scenarios.Outcome{Scenario: one("a", counts, nil, "TOY-1"), Verdict: scenarios.Passed, Evidence: scenarios.Observed}
	for evidence, want := range map[scenarios.Evidence]string{scenarios.Observed: "attested", scenarios.Survived: "certified"} {
		observed.Evidence = evidence
		if s := scenarios.ProfileStatuses(&former, discovery(`{"counts":true}`), []scenarios.Outcome{observed}, nil); s[0].Status != want {
			t.Errorf("%s: %s, want %s", evidence, s[0].Status, want)
		}
	}
}

// If the claim is open, the profile is inapplicable if nothing was found, and unproved if a part was.
func TestAProfileOfAnOpenClaim(t *testing.T) {
	open := counts
	open.Open = func(scenarios.Discovery) bool { return true }
	asked := *protocol
	asked.Claims = []scenarios.Claim{open, loud}
	all := func(verdicts ...scenarios.Verdict) []scenarios.Outcome {
		return []scenarios.Outcome{
			{Scenario: one("a", open, nil, "TOY-1"), Verdict: verdicts[0], Evidence: scenarios.Observed},
			{Scenario: one("c", open, nil, "TOY-2"), Verdict: verdicts[1], Evidence: scenarios.Observed},
		}
	}
	for _, c := range []struct {
		discovery string
		outcomes  []scenarios.Outcome
		want      string
	}{
		{`{}`, all(scenarios.Inapplicable, scenarios.Inapplicable), "inapplicable"},
		{`{}`, all(scenarios.Passed, scenarios.Inapplicable), "unproved"},
		{`{}`, all(scenarios.Passed, scenarios.Passed), "certified"},
		{`{}`, nil, "unproved"},
		{`{"counts":true}`, all(scenarios.Inapplicable, scenarios.Inapplicable), "unproved"},
	} {
		if s := scenarios.ProfileStatuses(&asked, discovery(c.discovery), c.outcomes, nil); s[0].Status != c.want {
			t.Errorf("%s, %v: %s, want %s", c.discovery, c.outcomes, s[0].Status, c.want)
		}
	}
	if s := scenarios.ProfileStatuses(protocol, discovery(`{}`), all(scenarios.Passed, scenarios.Passed), nil); s[0].Status != "inapplicable" {
		t.Errorf("not claimed: %s", s[0].Status)
	}
}

// discovery returns a discovery document.
func discovery(document string) scenarios.Discovery {
	seen := &wire.Transcript{Entries: []wire.Entry{{Kind: "http", Request: &wire.Request{},
		Response: &wire.Response{Status: 200, Body: document}}}}
	return scenarios.Discovery{Document: seen.Reply(1)}
}

// Other scenarios, in whatever order, change nothing about a profile but its list of provisional ones.
func TestNewScenariosNeverChangeAProfile(t *testing.T) {
	claimed := discovery(`{"counts":true}`)
	ids := []scenarios.RequirementID{"TOY-1", "TOY-2", "TOY-3", "TOY-4", "TOY-5"}
	outcome := func(t *rapid.T, name string, proves []scenarios.RequirementID) scenarios.Outcome {
		o := scenarios.Outcome{Scenario: one(name, counts, nil, proves...)}
		o.Verdict = rapid.SampledFrom(scenarios.Verdicts).Draw(t, name+" ends")
		o.Evidence = rapid.SampledFrom([]scenarios.Evidence{
			scenarios.Unseen, scenarios.Attested, scenarios.Observed, scenarios.Survived,
		}).Draw(t, name+" is seen")
		for i, id := range proves {
			o.Checks = append(o.Checks, check.Result{Requirement: string(id), OK: rapid.Bool().Draw(t, fmt.Sprint(name, " holds ", i))})
		}
		return o
	}
	rapid.Check(t, func(t *rapid.T) {
		var frozen []scenarios.Outcome
		for name, id := range map[string]scenarios.RequirementID{"a": "TOY-1", "b": "TOY-1", "c": "TOY-2"} {
			if rapid.Bool().Draw(t, name+" is asked") {
				frozen = append(frozen, outcome(t, name, []scenarios.RequirementID{id}))
			}
		}
		before := scenarios.ProfileStatuses(protocol, claimed, frozen, nil)
		all := slices.Clone(frozen)
		for i := range rapid.IntRange(0, 5).Draw(t, "new ones") {
			proves := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, len(ids), rapid.ID[scenarios.RequirementID]).Draw(t, "proves")
			all = slices.Insert(all, rapid.IntRange(0, len(all)).Draw(t, "place"), outcome(t, fmt.Sprint("new-", i), proves))
		}
		after := scenarios.ProfileStatuses(protocol, claimed, all, nil)
		after[0].Provisional = nil
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}
