package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// certifiedFor returns the profiles that a report certifies, of each the newest revision only. At a depth below that which a profile
// demands, what it lacks by that does not count: a proof is about faults.
func certifiedFor(r *scenarios.Report) []string {
	out := []string{}
	for _, p := range r.Profiles {
		if (p.Status == "certified" || r.Depth < p.Depth && p.AsFar == "certified") && p.Superseded == "" {
			out = append(out, p.ID)
		}
	}
	return out
}

// newest returns the newest revisions of the profiles of a protocol.
func newest(p *scenarios.Protocol) []scenarios.Profile {
	return slices.DeleteFunc(slices.Clone(p.Profiles), func(profile scenarios.Profile) bool { return profile.Superseded != "" })
}

// settleProfiles says of each fault which profiles it costs and which it spares, and of each profile which faults it
// survives. It needs hosts that were asked everything.
func settleProfiles(m *results.ProvedProtocol, p *scenarios.Protocol) {
	partial := slices.ContainsFunc(m.Faults, func(f results.FaultResult) bool { return f.Certified == nil }) ||
		slices.ContainsFunc(m.Honest, func(h results.HonestHost) bool { return h.Certified == nil })
	if !partial {
		m.Profiles = []results.ProvedProfile{}
		for _, profile := range newest(p) {
			m.Profiles = append(m.Profiles, provedProfile(m, p, profile))
		}
	}
	for i := range m.Faults {
		if f := &m.Faults[i]; !partial {
			settleFault(f, m, p)
		}
		m.Faults[i].Certified = nil
	}
}

// settleFault fills in what a fault costs, if its honest host is known, and what it spares.
func settleFault(f *results.FaultResult, m *results.ProvedProtocol, p *scenarios.Protocol) {
	if without, known := unharmed(m, p, *f); known {
		f.Costs = []string{}
		for _, id := range without {
			if !slices.Contains(f.Certified, id) {
				f.Costs = append(f.Costs, id)
			}
		}
	}
	for _, profile := range m.Profiles {
		if slices.Contains(profile.Survivors, f.ID) {
			f.Spares = append(f.Spares, profile.ID)
		}
	}
}

// unharmed returns the profiles that the host of a fault is certified for without it.
func unharmed(m *results.ProvedProtocol, p *scenarios.Protocol, f results.FaultResult) (certified []string, known bool) {
	plain := Honest(protocols.Of(p))[0].Name
	i := slices.IndexFunc(m.Honest, func(h results.HonestHost) bool {
		if f.Under == "" {
			return h.Host == plain
		}
		return h.Host == f.Under || strings.HasSuffix(h.Host, " "+f.Under)
	})
	if i < 0 {
		return nil, false
	}
	return m.Honest[i].Certified, true
}

// provedProfile returns what the faults do to a profile.
func provedProfile(m *results.ProvedProtocol, of *scenarios.Protocol, p scenarios.Profile) results.ProvedProfile {
	out := results.ProvedProfile{ID: p.ID, Digest: p.Digest, Survivors: []string{}}
	for _, h := range m.Honest {
		if slices.Contains(h.Certified, p.ID) {
			out.Honest++
		}
	}
	for _, f := range m.Faults {
		about := slices.ContainsFunc(f.Breaks, func(id string) bool {
			row, known := of.Ledger.Find(scenarios.RequirementID(id))
			return known && row.Level == scenarios.Must && p.Covers(of.Ledger, row)
		})
		if about {
			out.Breaks++
		}
		certified := slices.Contains(f.Certified, p.ID)
		if about && certified {
			out.Survivors = append(out.Survivors, f.ID)
		}
		if without, _ := unharmed(m, of, f); !certified && slices.Contains(without, p.ID) {
			out.Costs++
		}
	}
	return out
}

// profileSurvivors counts the pairs of a fault and a profile that it spares.
func profileSurvivors(p results.ProvedProtocol) (n int) {
	for _, profile := range p.Profiles {
		n += len(profile.Survivors)
	}
	return n
}

// profileFigures returns a line about the profiles of a protocol, or none if they were not proved.
func profileFigures(p results.ProvedProtocol) []string {
	if p.Profiles == nil {
		return nil
	}
	costly := 0
	for _, f := range p.Faults {
		if len(f.Costs) > 0 {
			costly++
		}
	}
	return []string{fmt.Sprintf("%d profiles, %d faults cost one or more of them, %d profile survivors", len(p.Profiles), costly,
		profileSurvivors(p))}
}

// writeProfiles writes what the faults do to the profiles.
func writeProfiles(b *strings.Builder, p results.ProvedProtocol) {
	if p.Profiles == nil {
		return
	}
	b.WriteString("\n### Profiles\n\nA fault costs a profile if the honest host is certified for it and the host with the fault is " +
		"not. It survives\n" +
		"a profile if it breaks a MUST that the profile is about and leaves it certified.\n\n" +
		"| profile | certified honest hosts | faults that break a MUST of it | faults that cost it | survivors |\n|---|---:|---:|---:|---|\n")
	for _, profile := range p.Profiles {
		fmt.Fprintf(b, "| `%s` | %d | %d | %d | %s |\n", profile.ID, profile.Honest, profile.Breaks, profile.Costs,
			listed(profile.Survivors, "none"))
	}
	b.WriteString("\n| fault | costs |\n|---|---|\n")
	for _, f := range p.Faults {
		costs := listed(f.Costs, "none")
		if f.Costs == nil {
			costs = "not known: its honest host was not proved"
		}
		if len(f.Spares) > 0 {
			costs += "; **survives " + strings.Join(f.Spares, ", ") + "**"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", f.ID, costs)
	}
}

func listed(ids []string, none string) string {
	if len(ids) == 0 {
		return none
	}
	return strings.Join(ids, ", ")
}
