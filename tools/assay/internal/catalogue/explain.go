package catalogue

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/trace"
)

// Explain writes everything known about an id: what it asks, its source, the drives and scenarios that test it, and how
// to run it. It also explains the words of reports: verdicts, evidence, standings, exit codes. An id with several
// meanings gets all of their explanations. The error is an [UnknownError], or that of w.
func (c *Catalogue) Explain(w io.Writer, id string) error {
	p := &page{catalogue: c}
	p.words(id)
	p.requirements(id)
	p.readings(id)
	p.scenarios(id)
	p.suites(id)
	p.claims(id)
	p.profiles(id)
	p.faults(id)
	p.variations(id)
	if p.b.Len() == 0 {
		return &UnknownError{fmt.Sprintf("nothing is called %q", id), nearest.Name(id, c.ids()), "assay list shows what there is: " + all}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// ids returns every id that Explain knows.
func (c *Catalogue) ids() []string {
	var out []string
	for _, s := range c.Suites {
		out = append(out, s.ID)
		for _, sc := range s.Scenarios {
			out = append(out, string(sc.ID))
		}
	}
	for _, p := range c.protocols() {
		for _, r := range p.Ledger.Rows {
			out = append(append(out, r.ID), r.Aliases...)
		}
		for _, r := range p.Readings {
			out = append(out, r.ID)
		}
		for _, claim := range p.Claims {
			out = append(out, claim.ID)
		}
		for _, profile := range p.Profiles {
			out = append(out, profile.ID)
		}
	}
	for _, f := range c.faults() {
		out = append(out, f.ID)
	}
	for _, v := range c.variations() {
		out = append(out, v.ID)
	}
	for _, word := range glossary {
		out = append(out, word.name)
	}
	for _, word := range c.written() {
		out = append(out, word.Name)
	}
	for _, word := range exits {
		out = append(out, word.name)
	}
	return out
}

// page is an explanation under construction.
type page struct {
	catalogue *Catalogue
	b         strings.Builder
}

func (p *page) title(format string, args ...any) {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	fmt.Fprintf(&p.b, format+"\n", args...)
}

func (p *page) field(name, value string) {
	if value != "" {
		fmt.Fprintf(&p.b, "  %-12s %s\n", name, value)
	}
}

// list adds a field of several lines.
func (p *page) list(name string, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(&p.b, "  %-12s %s\n", name, line)
		name = ""
	}
}

func (p *page) requirements(id string) {
	for _, protocol := range p.catalogue.protocols() {
		r, ok := protocol.Ledger.Find(scenarios.RequirementID(id))
		if !ok {
			continue
		}
		p.title("%s  requirement, %s", r.ID, r.Level)
		p.field("asks", r.Text)
		p.field("source", strings.TrimSpace(r.Source+" "+r.Section))
		if r.ID != id {
			p.field("formerly", id)
		}
		p.field("claim", claimLine(protocol, r.Claim))
		p.field("accepts", r.Accepts)
		p.list("readings", readingLines(protocol, r.ID))
		p.field("evidence", fmt.Sprintf("%s or stronger proves it", r.Demands()))
		if slices.Contains(p.catalogue.recorded(protocol), scenarios.RequirementID(r.ID)) {
			p.field("recordings", "assay observe judges it by what a target did for others")
		}
		if r.ThroughSeam() {
			p.field("stimulus", r.Stimulus+": "+throughSeam)
		}
		p.list("asked by", p.titled(p.catalogue.proving(r.ID)))
		if r.Reason != "" {
			why := strings.TrimSuffix(r.Reason+": "+r.Why, ": ")
			if r.Issue > 0 {
				why += fmt.Sprintf(" (milestone %d)", r.Issue)
			}
			p.field("not tested", why)
		}
		p.list("broken by", p.breaking(r.ID))
		p.requirementExample(r.ID)
		if len(p.catalogue.proving(r.ID)) > 0 {
			p.field("run", "assay certify TARGET --requirement "+r.ID)
		}
	}
}

// claimLine returns a claim with the place where a target makes it. Without a claim, every target is asked.
func claimLine(protocol *scenarios.Protocol, id string) string {
	if id == "" {
		return "none: every target is asked"
	}
	if claim, ok := protocol.Claim(id); ok {
		return id + ": " + claim.Pointer
	}
	return id
}

func (p *page) titled(ids []string) []string {
	var out []string
	for _, s := range p.catalogue.scenarios() {
		if slices.Contains(ids, s.ID) {
			out = append(out, s.ID+": "+s.Title)
		}
	}
	return out
}

func (p *page) breaking(requirement string) []string {
	var out []string
	for _, f := range p.catalogue.faults() {
		if slices.Contains(f.Breaks, requirement) {
			out = append(out, "the fault "+f.ID+": "+f.Title)
		}
	}
	return out
}

func (p *page) scenarios(id string) {
	for _, suite := range p.catalogue.Suites {
		for _, s := range suite.Scenarios {
			if string(s.ID) != id && !strings.HasSuffix(string(s.ID), "/"+id) {
				continue
			}
			ledger := suite.Protocol.Ledger
			p.title("%s  scenario, %s", s.ID, s.Level(ledger))
			p.field("asks", "whether "+s.Title)
			p.field("claim", claimLine(suite.Protocol, s.Claim.ID))
			p.list("proves", requirementLines(ledger, s.Proves))
			if s.Depth > scenarios.Quick {
				p.field("depth", "asked from --depth "+s.Depth.String()+" on")
			}
			if s.Reach() < scenarios.Observed {
				p.field("evidence", s.Reach().String()+" at most, whatever the target offers")
			}
			p.driven(suite, s)
			p.scenarioExample(string(s.ID))
			p.list("fails where", p.causes(string(s.ID)))
			p.field("labels", strings.Join(s.Labels(suite), " "))
			p.field("run", "assay certify TARGET --scenario "+string(s.ID))
		}
	}
}

// driven adds the drive of a scenario.
func (p *page) driven(suite scenarios.Suite, s scenarios.Scenario) {
	drive, ok := suite.DriveOf(s)
	if !ok {
		p.field("looks at", "the discovery document alone")
		return
	}
	how := drive.Title
	if apart := drive.Apart(); apart != "" {
		how += "; " + apart
	}
	p.field("looks at", fmt.Sprintf("the drive %s, which %s", drive.ID, how))
	p.list("sends", drive.Sends)
	p.list("draws", each(drive.Dimensions, (*scenarios.Dimension).String))
	p.list("in pairs", each(drive.Interactions, func(pair [2]*scenarios.Dimension) string {
		return pair[0].Name + " with " + pair[1].Name + ", at depth standard; at depth deep all with all"
	}))
}

func requirementLines(ledger *scenarios.Ledger, ids []scenarios.RequirementID) []string {
	return each(ids, func(id scenarios.RequirementID) string {
		r, ok := ledger.Find(id)
		if !ok {
			return string(id)
		}
		seam := ""
		if r.ThroughSeam() {
			seam = ", " + r.Stimulus
		}
		return fmt.Sprintf("%s (%s, %s %s%s): %s", r.ID, r.Level, r.Source, r.Section, seam, r.Text)
	})
}

func (p *page) suites(id string) {
	for _, s := range p.catalogue.Suites {
		if s.ID != id {
			continue
		}
		p.title("%s  suite of %s", s.ID, s.Protocol.ID)
		p.field("about", s.Title)
		p.list("scenarios", each(s.Scenarios, func(sc scenarios.Scenario) string { return string(sc.ID) + ": " + sc.Title }))
		p.field("run", "assay certify TARGET --suite "+s.ID)
	}
}

func (p *page) claims(id string) {
	for _, protocol := range p.catalogue.protocols() {
		claim, ok := protocol.Claim(id)
		if !ok {
			continue
		}
		p.title("%s  claim of %s", claim.ID, protocol.ID)
		p.field("says", claim.Title)
		p.field("made where", claim.Pointer)
		var rows []scenarios.RequirementID
		for _, r := range protocol.Ledger.Rows {
			if r.Claim == id {
				rows = append(rows, scenarios.RequirementID(r.ID))
			}
		}
		p.list("promises", requirementLines(protocol.Ledger, rows))
		asked := slices.DeleteFunc(p.catalogue.scenarios(), func(s Scenario) bool { return s.Claim != id })
		p.list("asked by", each(asked, func(s Scenario) string { return s.ID + ": " + s.Title }))
		p.field("run", fmt.Sprintf("assay certify TARGET --expect-claim '%s' asks a target that does not make it, too", id))
	}
}

func (p *page) profiles(id string) {
	for _, protocol := range p.catalogue.protocols() {
		for _, profile := range protocol.Profiles {
			if profile.ID != id {
				continue
			}
			p.title("%s  profile of %s", profile.ID, protocol.ID)
			p.field("certifies", profile.Title)
			if profile.Superseded != "" {
				p.field("superseded", "by "+profile.Superseded+"; a certification judges a target by both")
			}
			p.list("about", each(profile.Scope, sectionLine))
			p.list("claims", each(profile.Claims, func(id string) string { return claimLine(protocol, id) }))
			p.field("digest", profile.Digest)
			if profile.Depth > scenarios.Quick {
				p.field("reach", "certify at --depth "+profile.Depth.String()+" or deeper: what is asked less far proves nothing for it")
			}
			if n := profile.ThroughSeam(protocol.Ledger); n > 0 {
				p.field("rests on", fmt.Sprintf("seams of Assay's own for %d of %d requirements", n, len(profile.Requires)))
			}
			listed := p.catalogue.profile(protocol, profile)
			p.field("counts", fmt.Sprintf("the scenarios that it was frozen with, %d of those that there are", len(listed.Scenarios)))
			p.list("provisional", each(listed.Provisional, func(id string) string { return id + ": it came later and does not count" }))
			p.list("requires", each(profile.Requires, func(r scenarios.Required) string { return requiredLine(protocol.Ledger, r) }))
			p.list("not covered", each(listed.NotCovered, func(u Uncovered) string { return fmt.Sprintf("%s, %s: %s", u.ID, u.Reason, u.Why) }))
		}
	}
}

// requiredLine returns a requirement of a profile with the evidence that the profile demands.
func requiredLine(ledger *scenarios.Ledger, r scenarios.Required) string {
	optional := ""
	if r.Claims != nil {
		optional = ", of targets that claim " + strings.Join(r.Claims, " or ")
	}
	checks := ""
	if r.Checks > 0 {
		checks = fmt.Sprintf(", %d checks or more", r.Checks)
	}
	return requirementLines(ledger, []scenarios.RequirementID{r.ID})[0] + " [" + r.Evidence.String() + checks + optional + "]"
}

func sectionLine(s scenarios.Section) string {
	if s.Sections == nil {
		return s.Source
	}
	return s.Source + ": " + strings.Join(s.Sections, "; ")
}

func (p *page) faults(id string) {
	all := p.catalogue.faults()
	i := slices.IndexFunc(all, func(f Fault) bool { return f.ID == id })
	if i < 0 {
		return
	}
	f := all[i]
	p.title("%s  fault of %s", f.ID, "the "+p.catalogue.Faults[i].Of)
	p.field("does", f.Title)
	p.field("looks", f.Looks)
	for _, protocol := range p.catalogue.protocols() {
		known := slices.DeleteFunc(slices.Clone(f.Breaks), func(id string) bool {
			_, ok := protocol.Ledger.Find(scenarios.RequirementID(id))
			return !ok
		})
		p.list("breaks", requirementLines(protocol.Ledger,
			each(known, func(id string) scenarios.RequirementID { return scenarios.RequirementID(id) })))
	}
	var looking []string
	for _, requirement := range f.Breaks {
		looking = append(looking, p.catalogue.proving(requirement)...)
	}
	slices.Sort(looking)
	looking = slices.Compact(looking)
	found := trace.FoundBy(id)
	p.list("found by", found)
	p.list("looked at by", slices.DeleteFunc(looking, func(s string) bool { return slices.Contains(found, s) }))
	p.list("takes", each(f.Parameters, func(q Param) string { return fmt.Sprintf("%s=%s: %s", q.Name, q.Takes, q.About) }))
	p.field("run", f.Run)
}

func (p *page) variations(id string) {
	all := p.catalogue.variations()
	i := slices.IndexFunc(all, func(v Variation) bool { return v.ID == id })
	if i < 0 {
		return
	}
	v := all[i]
	p.title("%s  variation of %s", v.ID, "the "+p.catalogue.Variations[i].Of)
	p.field("looks", v.Title)
	p.field("about", v.About)
	for _, protocol := range p.catalogue.protocols() {
		known := slices.DeleteFunc(slices.Clone(v.Slips), func(id string) bool {
			_, ok := protocol.Ledger.Find(scenarios.RequirementID(id))
			return !ok
		})
		p.list("finding for", requirementLines(protocol.Ledger,
			each(known, func(id string) scenarios.RequirementID { return scenarios.RequirementID(id) })))
	}
	p.field("run", v.Run)
}
