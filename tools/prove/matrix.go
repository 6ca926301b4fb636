package prove

import (
	"cmp"
	"slices"
	"sort"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// honestHost returns the result of an honest host.
func honestHost(h Host, r *scenarios.Report) results.HonestHost {
	out := results.HonestHost{Host: h.Name, Accused: []results.Accusation{}}
	for _, o := range r.Outcomes {
		switch o.Verdict {
		case scenarios.Passed, scenarios.Inapplicable, scenarios.Blocked:
		default:
			out.Accused = append(out.Accused, accusation(o))
		}
	}
	for _, b := range r.Breaches {
		if b.By != scenarios.ByJudge {
			out.Accused = append(out.Accused, accusationOf(b))
		}
	}
	return out
}

// accusationOf is what a step of a setup or an invariant accuses a host of.
func accusationOf(b scenarios.Breach) results.Accusation {
	return results.Accusation{Scenario: cmp.Or(string(b.Scenario), string(b.By)), Verdict: string(scenarios.Failed),
		Cites: []string{string(b.Requirement)}, Reason: b.Actual}
}

// strayBreaches returns what setups and invariants accuse a faulty host of beside what its fault breaks, each once.
func strayBreaches(r *scenarios.Report, breaks []string) (stray []results.Accusation) {
	told := map[string]bool{}
	for _, b := range r.Breaches {
		if b.By == scenarios.ByJudge || slices.Contains(breaks, string(b.Requirement)) {
			continue
		}
		a := accusationOf(b)
		if key := a.Scenario + " " + a.Cites[0]; !told[key] {
			told[key] = true
			stray = append(stray, a)
		}
	}
	return stray
}

// faultResult returns the result of a host with a fault. A failed check of a MUST kills the fault, as does a finding
// about a SHOULD.
func faultResult(f protocols.Fault, ledger *scenarios.Ledger, r *scenarios.Report) results.FaultResult {
	out := results.FaultResult{
		ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks, Under: f.Under, Twin: f.Twin,
		Kills: []results.Kill{}, Wrong: []results.Accusation{},
	}
	for _, spot := range f.Spots {
		out.BlindSpots = append(out.BlindSpots, int64(spot))
	}
	for _, o := range r.Outcomes {
		broken := brokenIn(o, ledger, f.Breaks)
		for _, id := range broken {
			out.Kills = append(out.Kills, results.Kill{Scenario: string(o.Scenario.ID), Requirement: id})
		}
		byChance := brokenIn(o, ledger, f.ByChance)
		if o.Verdict == scenarios.Broken || o.Verdict == scenarios.Failed && len(broken)+len(byChance) == 0 {
			out.Wrong = append(out.Wrong, accusation(o))
		}
	}
	out.Wrong = append(out.Wrong, strayBreaches(r, slices.Concat(f.Breaks, f.ByChance))...)
	switch {
	case len(out.Wrong) > 0:
		out.Verdict = results.FaultResultVerdictWrongReason
	case len(out.Kills) == 0:
		out.Verdict = results.FaultResultVerdictSurvived
	default:
		out.Verdict = results.FaultResultVerdictCaught
	}
	return out
}

// brokenIn returns the asked requirements that an outcome finds broken, in the order of asked.
func brokenIn(o scenarios.Outcome, ledger *scenarios.Ledger, asked []string) (broken []string) {
	cited := cites(o)
	for _, f := range o.Findings {
		if row, ok := ledger.Find(f.Requirement); ok && row.Level == "SHOULD" {
			cited = append(cited, string(f.Requirement))
		}
	}
	for _, id := range asked {
		if slices.Contains(cited, id) {
			broken = append(broken, id)
		}
	}
	return broken
}

// cites returns the requirements that a failed outcome finds violated.
func cites(o scenarios.Outcome) []string {
	if o.Verdict != scenarios.Failed {
		return []string{}
	}
	ids := []string{}
	for _, c := range o.Violations() {
		ids = append(ids, c.Requirement)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func accusation(o scenarios.Outcome) results.Accusation {
	return results.Accusation{Scenario: string(o.Scenario.ID), Verdict: string(o.Verdict), Cites: cites(o), Reason: o.Reason}
}

// protocolResult combines the results of a protocol's hosts. It lists every check of every scenario.
func protocolResult(p *scenarios.Protocol, suites []scenarios.Suite, came []Result, depth scenarios.Depth) results.ProvedProtocol {
	m := results.ProvedProtocol{Protocol: p.ID, Title: p.Title, Digest: digest(p, depth), Honest: []results.HonestHost{},
		Faults: []results.FaultResult{}, Scenarios: []results.ProvedScenario{}}
	for _, r := range came {
		switch {
		case r.Honest != nil:
			m.Honest = append(m.Honest, *r.Honest)
		case r.Fault != nil:
			m.Faults = append(m.Faults, *r.Fault)
		}
	}
	// slices.SortFunc would add code for this type alone, and much of it: the type is large.
	sort.Slice(m.Faults, func(a, b int) bool { return m.Faults[a].ID < m.Faults[b].ID })
	killers := killersOf(m.Faults)
	for _, suite := range suites {
		for _, s := range suite.Scenarios {
			proved := results.ProvedScenario{ID: string(s.ID)}
			for _, id := range s.Proves {
				proved.Checks = append(proved.Checks, provedCheck(p.Ledger, s, id, killers))
			}
			m.Scenarios = append(m.Scenarios, proved)
		}
	}
	m.Totals = totals(&m)
	settleProfiles(&m, p)
	return m
}

// killed lists the faults that a check kills, and those that no other check kills.
type killed struct{ all, alone []string }

func killersOf(faults []results.FaultResult) map[results.Kill]*killed {
	out := map[results.Kill]*killed{}
	for _, f := range faults {
		for _, k := range f.Kills {
			if out[k] == nil {
				out[k] = &killed{}
			}
			out[k].all = append(out[k].all, f.ID)
			if len(f.Kills) == 1 {
				out[k].alone = append(out[k].alone, f.ID)
			}
		}
	}
	return out
}

func provedCheck(ledger *scenarios.Ledger, s scenarios.Scenario, id scenarios.RequirementID,
	killers map[results.Kill]*killed) results.ProvedCheck {
	c := results.ProvedCheck{Requirement: string(id), Kills: []string{}, Alone: []string{}}
	if k := killers[results.Kill{Scenario: string(s.ID), Requirement: string(id)}]; k != nil {
		c.Kills = append(c.Kills, k.all...)
		c.Alone = append(c.Alone, k.alone...)
		return c
	}
	row, _ := ledger.Find(id)
	c.For = cmp.Or(protocols.WhyUnkilled(string(s.ID), string(id)), row.Text)
	return c
}

func totals(m *results.ProvedProtocol) (t results.KillTotals) {
	broken := map[string]bool{}
	for _, h := range m.Honest {
		t.HonestHosts++
		if len(h.Accused) > 0 {
			t.HonestFailures++
		}
	}
	for _, f := range m.Faults {
		t.Faults++
		switch f.Verdict {
		case results.FaultResultVerdictCaught:
			t.Caught++
		case results.FaultResultVerdictSurvived:
			t.Survivors++
		case results.FaultResultVerdictWrongReason:
			t.WrongReasons++
		}
		for _, k := range f.Kills {
			broken[k.Requirement] = true
		}
	}
	t.Broken = int64(len(broken))
	for _, s := range m.Scenarios {
		for _, c := range s.Checks {
			t.Checks++
			if len(c.Kills) > 0 {
				t.Killing++
			}
			if len(c.Alone) > 0 {
				t.Alone++
			}
		}
	}
	return t
}

// Clean reports whether every fault is caught for the right reason and survives no profile, and no honest host is
// accused.
func Clean(m results.KillMatrix) bool {
	return !slices.ContainsFunc(m.Protocols, func(p results.ProvedProtocol) bool {
		return p.Totals.Caught != p.Totals.Faults || p.Totals.HonestFailures > 0 || profileSurvivors(p) > 0
	})
}
