package prove_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// certifiedMatrix is the matrix of hosts that are caught and certified for these profiles.
func certifiedMatrix(t *testing.T, s scenarios.Selection, hosts []prove.Host, certified map[string][]string) results.KillMatrix {
	t.Helper()
	m, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Select: s, Certify: func(_ context.Context, h prove.Host,
		_ scenarios.Options) (*scenarios.Report, error) {
		r := &scenarios.Report{Profiles: []scenarios.ProfileStatus{
			{ID: "loop-v5", Superseded: "loop-v5@2", Status: "certified"}, {ID: "handoff@2", Status: "attested"},
		}}
		if h.Fault != nil {
			r.Outcomes = []scenarios.Outcome{failed(counts, h.Fault.Breaks...)}
		}
		for _, id := range certified[h.Name] {
			r.Profiles = append(r.Profiles, scenarios.ProfileStatus{ID: id, Status: "certified"})
		}
		return r, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A fault costs the profiles that the honest host has and its host has not, and survives those that it breaks a MUST of
// and leaves certified.
func TestWhatFaultsCost(t *testing.T) {
	honest := prove.Honest(protocols.Named("openwop"))[0]
	under := prove.Faulty(protocols.HostFault(fault.Fault{ID: "d.under", Title: "does", Looks: "shows", Breaks: []string{"OWP-0061-B1"}}))
	under.Fault.Under = "--version 4"
	hosts := []prove.Host{
		honest, hostWith("a.costs", "OWP-0061-B1"), hostWith("b.unlisted", "OWP-0061-C5"), hostWith("c.elsewhere", "OWP-EVT-1"),
		hostWith("e.should", "OWP-0061-B3"), under,
	}
	all := []string{"goals@2", "loop-v5@2"}
	certified := map[string][]string{
		honest.Name: all, "a.costs": {"goals@2"}, "b.unlisted": all, "c.elsewhere": {"loop-v5@2"}, "e.should": all,
	}
	m := certifiedMatrix(t, scenarios.Selection{}, hosts, certified)
	p := m.Protocols[0]
	type outcome struct{ Costs, Spares []string }
	got := map[string]outcome{}
	for _, f := range p.Faults {
		got[f.ID] = outcome{f.Costs, f.Spares}
		if f.Certified != nil {
			t.Errorf("%s: the matrix says what its host is certified for: %v", f.ID, f.Certified)
		}
	}
	if diff := cmp.Diff(map[string]outcome{
		"a.costs": {[]string{"loop-v5@2"}, nil}, "b.unlisted": {[]string{}, []string{"loop-v5@2"}}, "c.elsewhere": {[]string{"goals@2"}, nil},
		"e.should": {[]string{}, nil}, "d.under": {nil, nil},
	}, got); diff != "" {
		t.Error(diff)
	}
	i := slices.IndexFunc(p.Profiles, func(p results.ProvedProfile) bool { return p.ID == "loop-v5@2" })
	want := results.ProvedProfile{ID: "loop-v5@2", Digest: p.Profiles[i].Digest, Honest: 1, Breaks: 3, Costs: 1,
		Survivors: []string{"b.unlisted"}}
	if diff := cmp.Diff(want, p.Profiles[i]); diff != "" {
		t.Error(diff)
	}
	if prove.Clean(m) {
		t.Error("a profile is survived, and the matrix is clean")
	}
	if figures := prove.Figures(p); !slices.Contains(figures, "6 profiles, 2 faults cost one or more of them, 1 profile survivors") {
		t.Errorf("figures: %q", figures)
	}
	page := prove.Markdown(m)
	for _, line := range []string{
		"\n| `loop-v5@2` | 1 | 3 | 1 | b.unlisted |\n", "\n| `a.costs` | loop-v5@2 |\n", "\n| `b.unlisted` | none; **survives loop-v5@2** |\n",
		"\n| `d.under` | not known: its honest host was not proved |\n",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page has no line %q:\n%s", line, page)
		}
	}
	certified["b.unlisted"] = nil
	if m := certifiedMatrix(t, scenarios.Selection{}, hosts, certified); !prove.Clean(m) {
		t.Errorf("without the survivor: %q", prove.Figures(m.Protocols[0]))
	}
}

// A selection certifies nothing, so it says nothing of profiles.
func TestASelectionProvesNoProfile(t *testing.T) {
	hosts := []prove.Host{prove.Honest(protocols.Named("openwop"))[0], hostWith("b.unlisted", "OWP-0061-C5")}
	m := certifiedMatrix(t, scenarios.Selection{Suites: []string{"iteration-monotonic"}}, hosts,
		map[string][]string{"b.unlisted": {"loop-v5@2"}})
	p := m.Protocols[0]
	if p.Profiles != nil || p.Faults[0].Costs != nil || p.Faults[0].Spares != nil || p.Honest[0].Certified != nil {
		t.Errorf("%+v", p)
	}
	if page := prove.Markdown(m); strings.Contains(page, "### Profiles") {
		t.Errorf("the page speaks of profiles:\n%s", page)
	}
}

// No fault of the committed matrix breaks a MUST that a profile is about and leaves it certified, and each that breaks one
// of RFC 0061 costs the loop, unless it shows below version 5 alone.
func TestNoFaultSurvivesAProfile(t *testing.T) {
	m := committed(t)
	for _, p := range m.Protocols {
		if p.Profiles == nil {
			t.Error("the committed matrix is from before profiles were proved: run make prove")
		}
		for _, profile := range p.Profiles {
			if len(profile.Survivors) > 0 || profile.Honest == 0 || profile.Costs == 0 {
				t.Errorf("%s: %d honest hosts are certified, %d faults cost it, survivors: %v", profile.ID, profile.Honest, profile.Costs,
					profile.Survivors)
			}
		}
	}
	ledger := protocols.Named("openwop").Protocol.Ledger
	for _, f := range faults(m) {
		of0061 := slices.ContainsFunc(f.Breaks, func(id string) bool {
			row, _ := ledger.Find(scenarios.RequirementID(id))
			return row.Source == "RFC-0061" && row.Level == scenarios.Must
		})
		below5 := slices.Contains([]string{"--version 1", "--version 2", "--version 3", "--version 4"}, f.Under)
		if of0061 && !below5 && !slices.Contains(f.Costs, "loop-v5@2") {
			t.Errorf("%s breaks %v, and costs %v", f.ID, f.Breaks, f.Costs)
		}
	}
}
