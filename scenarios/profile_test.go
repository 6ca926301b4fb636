package scenarios_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// A scenario that is newer than the profile is provisional: it proves nothing, and what it finds violated counts as what
// anything else does.
func TestAProvisionalScenarioDoesNotCount(t *testing.T) {
	ask := func(n int, id scenarios.RequirementID) scenarios.Question {
		return scenarios.Ask(countDrive("d"), is(n, id))
	}
	r := certify(t, scenarios.Options{},
		one("a", counts, ask(3, "TOY-1"), "TOY-1"), one("b", counts, ask(3, "TOY-1"), "TOY-1"), one("c", counts, ask(3, "TOY-2"), "TOY-2"),
		one("new", counts, ask(4, "TOY-1"), "TOY-1"), one("new-too", counts, ask(3, "TOY-2"), "TOY-2"),
		one("elsewhere", counts, ask(3, "TOY-4"), "TOY-4"), one("not-asked", loud, ask(3, "TOY-1"), "TOY-1"))
	want := []scenarios.ProfileStatus{{
		ID: "toy-basic", Digest: "d1", Status: "certified", AsFar: "certified", Proved: 2, Required: 2, ThroughSeam: 1,
		Provisional: []scenarios.ScenarioID{"toy/counting/new", "toy/counting/new-too"},
	}}
	claimed := discovery(`{"counts":true}`)
	if diff := cmp.Diff(want, scenarios.ProfileStatuses(protocol, claimed, r.Outcomes, nil)); diff != "" {
		t.Error(diff)
	}
	want[0].Status, want[0].AsFar, want[0].Proved = "violated", "violated", 1
	if diff := cmp.Diff(want, scenarios.ProfileStatuses(protocol, claimed, r.Outcomes, []scenarios.RequirementID{"TOY-OLD"})); diff != "" {
		t.Error(diff)
	}
	if r.Claims[0].Status != "violated" || r.ExitCode() != scenarios.ExitViolated {
		t.Errorf("the claim is %s and the exit code %d: what failed is to be told", r.Claims[0].Status, r.ExitCode())
	}
}

// A profile with a scope, whose second and third requirements are optional.
var scoped = func() *scenarios.Protocol {
	p := *protocol
	whole := scenarios.Claim{ID: "whole", Title: "it counts wholly", Pointer: "/whole == true", Look: flag("whole")}
	p.Claims = append(p.Claims[:2:2], whole)
	p.Ledger = scenarios.NewLedger([]scenarios.Requirement{
		{ID: "TOY-1", Level: scenarios.Must, Source: "TOYS", Section: "A", Claim: "counts"},
		{ID: "TOY-2", Level: scenarios.Must, Source: "TOYS", Section: "A", Claim: "loud"},
		{ID: "TOY-3", Level: scenarios.Should, Source: "TOYS", Section: "A", Claim: "counts"},
		{ID: "TOY-4", Level: scenarios.Must, Source: "TOYS", Section: "A", Claim: "counts", Reason: "unobservable"},
		{ID: "TOY-5", Level: scenarios.Must, Source: "TOYS", Section: "B", Claim: "counts"},
		{ID: "TOY-6", Level: scenarios.Must, Source: "NOTES", Section: "any", Claim: ""},
		{ID: "TOY-7", Level: scenarios.Must, Source: "NOTES", Section: "any", Claim: "loud"},
		{ID: "TOY-8", Level: scenarios.Must, Source: "ELSE", Section: "A", Claim: "counts", Stimulus: scenarios.SeamStimulus},
	})
	p.Profiles = []scenarios.Profile{{
		ID: "toy@2", Claims: []string{"counts"},
		Scope: []scenarios.Section{{Source: "TOYS", Sections: []string{"A"}}, {Source: "NOTES"}},
		Requires: []scenarios.Required{
			{ID: "TOY-1", Evidence: scenarios.Observed, Scenarios: []scenarios.ScenarioID{"toy/counting/a", "toy/counting/b"}},
			{ID: "TOY-2", Evidence: scenarios.Observed, Claims: []string{"loud", "whole"}, Scenarios: []scenarios.ScenarioID{"toy/counting/c"}},
			{ID: "TOY-8", Evidence: scenarios.Observed, Claims: []string{"whole"}, Scenarios: []scenarios.ScenarioID{"toy/counting/d"}},
		},
	}}
	return &p
}()

func ended(name string, v scenarios.Verdict, proves scenarios.RequirementID) scenarios.Outcome {
	return scenarios.Outcome{Scenario: one(name, counts, nil, proves), Verdict: v, Evidence: scenarios.Observed}
}

// A violation costs a profile that is about it: it lists the requirement, or the requirement is a MUST of its sections
// that binds the target.
func TestAViolationWithinItsScopeCostsAProfile(t *testing.T) {
	passed := []scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Passed, "TOY-1")}
	for id, want := range map[scenarios.RequirementID]string{
		"TOY-1": "violated",  // listed
		"TOY-2": "certified", // listed, and not claimed
		"TOY-3": "certified", // a SHOULD
		"TOY-4": "violated",  // no scenario proves it
		"TOY-5": "certified", // another section
		"TOY-6": "violated",  // binds every target
		"TOY-7": "certified", // not claimed
		"TOY-8": "violated",  // listed, of another source
		"TOY-9": "certified", // of no ledger
	} {
		s := scenarios.ProfileStatuses(scoped, discovery(`{"counts":true}`), passed, []scenarios.RequirementID{id})[0]
		if s.Status != want {
			t.Errorf("%s violated: %s, want %s", id, s.Status, want)
		}
	}
	if s := scenarios.ProfileStatuses(scoped, discovery(`{}`), passed, []scenarios.RequirementID{"TOY-1"})[0]; s.Status != "inapplicable" {
		t.Errorf("not claimed: %s", s.Status)
	}
	// A requirement that only the newest revision is about costs the older one, too.
	revised := *scoped
	revised.Profiles = append(slices.Clone(scoped.Profiles), scenarios.Profile{ID: "toy", Superseded: "toy@2", Claims: []string{"counts"},
		Requires: []scenarios.Required{{ID: "TOY-1", Evidence: scenarios.Observed, Scenarios: []scenarios.ScenarioID{"toy/counting/a"}}}})
	for id, want := range map[scenarios.RequirementID]string{"TOY-4": "violated", "TOY-5": "certified"} {
		s := scenarios.ProfileStatuses(&revised, discovery(`{"counts":true}`), passed, []scenarios.RequirementID{id})[1]
		if s.Status != want {
			t.Errorf("%s violated: the older revision is %s, want %s", id, s.Status, want)
		}
	}
	var uncovered []string
	for _, row := range scoped.Profiles[0].Uncovered(scoped.Ledger) {
		uncovered = append(uncovered, row.ID)
	}
	if diff := cmp.Diff([]string{"TOY-4", "TOY-6", "TOY-7"}, uncovered); diff != "" {
		t.Error(diff)
	}
}

// What hangs on a further claim is demanded of targets that make it, and of no others.
func TestOptionalPartsOfAProfile(t *testing.T) {
	base := []scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Passed, "TOY-1")}
	with := func(more ...scenarios.Outcome) []scenarios.Outcome { return append(slices.Clone(base), more...) }
	for _, c := range []struct {
		discovery                            string
		outcomes                             []scenarios.Outcome
		status                               string
		proved, required, notClaimed, bySeam int
	}{
		{`{"counts":true}`, base, "certified", 1, 1, 2, 0},
		{`{"counts":true}`, with(ended("c", scenarios.Failed, "TOY-2")), "certified", 1, 1, 2, 0},
		{`{"counts":true,"loud":true}`, base, "unproved", 1, 2, 1, 0},
		{`{"counts":true,"loud":true}`, with(ended("c", scenarios.Passed, "TOY-2")), "certified", 2, 2, 1, 0},
		{`{"counts":true,"loud":true}`, with(ended("c", scenarios.Inapplicable, "TOY-2")), "unproved", 1, 2, 1, 0},
		{`{"counts":true,"whole":true}`, with(ended("c", scenarios.Passed, "TOY-2")), "unproved", 2, 3, 0, 1},
		{`{"counts":true,"whole":true}`, with(ended("c", scenarios.Passed, "TOY-2"), ended("d", scenarios.Passed, "TOY-8")),
			"certified", 3, 3, 0, 1},
	} {
		want := scenarios.ProfileStatus{ID: "toy@2", Status: c.status, AsFar: c.status, Proved: c.proved, Required: c.required,
			NotClaimed: c.notClaimed, ThroughSeam: c.bySeam, LeftOut: leftOut(c.notClaimed)}
		if diff := cmp.Diff(want, scenarios.ProfileStatuses(scoped, discovery(c.discovery), c.outcomes, nil)[0]); diff != "" {
			t.Errorf("%s, %v: %s", c.discovery, c.outcomes, diff)
		}
	}
}

// leftOut is the parts of scoped that a target is not asked for which leaves out so many requirements.
func leftOut(n int) (parts []scenarios.Part) {
	if n == 2 {
		parts = append(parts, scenarios.Part{Claims: []string{"loud", "whole"}, Requirements: []scenarios.RequirementID{"TOY-2"}})
	}
	if n > 0 {
		parts = append(parts, scenarios.Part{Claims: []string{"whole"}, Requirements: []scenarios.RequirementID{"TOY-8"}})
	}
	return parts
}

// If the claim of an optional part is open, what asking did not find is not demanded.
func TestAnOpenOptionalPart(t *testing.T) {
	asked := *scoped
	asked.Claims = slices.Clone(scoped.Claims)
	asked.Claims[1].Open = func(scenarios.Discovery) bool { return true }
	for verdict, want := range map[scenarios.Verdict]string{
		scenarios.Inapplicable: "certified", scenarios.Passed: "certified", scenarios.Blocked: "unproved",
	} {
		outcomes := []scenarios.Outcome{
			ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Passed, "TOY-1"), ended("c", verdict, "TOY-2"),
		}
		if s := scenarios.ProfileStatuses(&asked, discovery(`{"counts":true}`), outcomes, nil)[0]; s.Status != want {
			t.Errorf("%s: %s, want %s", verdict, s.Status, want)
		}
	}
}

func throughSeam(o scenarios.Outcome) scenarios.Outcome {
	o.Scenario.Reaches = scenarios.Attested
	return o
}

// A profile needs a verdict of every one of its scenarios: one that was left out or stopped might have failed.
func TestAScenarioThatWasNotAskedLeavesAProfileUnproved(t *testing.T) {
	claimed := discovery(`{"counts":true}`)
	for name, c := range map[string]struct {
		outcomes []scenarios.Outcome
		want     string
	}{
		"both":         {[]scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Passed, "TOY-1")}, "certified"},
		"one":          {[]scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1")}, "unproved"},
		"one, blocked": {[]scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Blocked, "TOY-1")}, "unproved"},
		"one, stopped": {[]scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Inconclusive, "TOY-1")}, "unproved"},
		"one, no seam": {[]scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), throughSeam(ended("b", scenarios.Blocked, "TOY-1"))},
			"certified"},
		"other, absent": {[]scenarios.Outcome{ended("a", scenarios.Passed, "TOY-1"), ended("b", scenarios.Inapplicable, "TOY-1")}, "certified"},
		"the other one": {[]scenarios.Outcome{ended("b", scenarios.Passed, "TOY-1")}, "unproved"},
	} {
		if s := scenarios.ProfileStatuses(scoped, claimed, c.outcomes, nil)[0]; s.Status != c.want {
			t.Errorf("%s: %s, want %s", name, s.Status, c.want)
		}
	}
}

// Of each profile the newest revision comes first, and the others name it.
func TestRevisionsOfProfiles(t *testing.T) {
	newest := map[string]string{}
	for _, id := range []string{"openwop/v1", "openintent/v1", "agentic-loop/v2"} {
		for _, p := range scenarios.FrozenProfiles(id) {
			name, _, _ := strings.Cut(p.ID, "@")
			if p.Superseded != newest[name] {
				t.Errorf("%s is superseded by %q, want %q", p.ID, p.Superseded, newest[name])
			}
			if newest[name] == "" {
				newest[name] = p.ID
			}
		}
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
			{Scenario: one("b", open, nil, "TOY-1"), Verdict: verdicts[0], Evidence: scenarios.Observed},
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

// A profile may demand how far it was asked: a depth, and how many checks its scenarios make of a requirement. What is not asked as
// far is not proved, unless a limit of the target is what keeps it so.
func TestAProfileDemandsAReach(t *testing.T) {
	many := &scenarios.Dimension{Name: "many", Least: 1, Most: [3]int{4, 4, 4}}
	ask := func(most int) scenarios.Question {
		return scenarios.Ask(&scenarios.Drive[counted]{ID: "d", Dimensions: []*scenarios.Dimension{many},
			Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
				c.DrawUpTo(many, most, "the target takes no more")
				*o = counted{c.Do(ctx, wire.Call{Method: "GET", Path: "/count"}).Value("/n")}
			}}, is(3, "TOY-1", "TOY-1"))
	}
	for name, c := range map[string]struct {
		depth, asked scenarios.Depth
		checks, most int
		want         string
		shallow      int
	}{
		"nothing demanded":                  {want: "certified", most: 4},
		"its depth":                         {depth: scenarios.Standard, asked: scenarios.Standard, want: "certified", most: 4},
		"a deeper one":                      {depth: scenarios.Standard, asked: scenarios.Deep, want: "certified", most: 4},
		"not its depth":                     {depth: scenarios.Standard, asked: scenarios.Quick, want: "unproved", most: 4, shallow: 1},
		"as many checks":                    {checks: 2, want: "certified", most: 4},
		"fewer checks":                      {checks: 3, want: "unproved", most: 4, shallow: 1},
		"fewer checks, by a limit of it":    {checks: 3, want: "certified", most: 2},
		"not its depth, and a limit of its": {depth: scenarios.Deep, checks: 3, want: "unproved", most: 2, shallow: 1},
	} {
		p := *protocol
		p.Profiles = []scenarios.Profile{{ID: "toy@3", Claims: []string{"counts"}, Depth: c.depth, Requires: []scenarios.Required{
			{ID: "TOY-1", Evidence: scenarios.Observed, Checks: c.checks, Scenarios: []scenarios.ScenarioID{"toy/counting/a"}}}}}
		s := suite(one("a", counts, ask(c.most), "TOY-1"))
		s.Protocol = &p
		run, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true,"loud":false}`)},
			scenarios.Options{Depth: c.asked}, s)
		if err != nil {
			t.Fatal(err)
		}
		got := run.Finish(context.Background()).Profiles[0]
		want := scenarios.ProfileStatus{ID: "toy@3", Status: c.want, AsFar: "certified", Proved: 1 - c.shallow, Required: 1,
			Shallow: c.shallow, Depth: c.depth}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
