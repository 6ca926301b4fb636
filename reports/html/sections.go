package html

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// link is the id of a scenario and its element.
type link struct{ ID, Anchor string }

func links(ids []string) []link {
	out := make([]link, len(ids))
	for i, id := range ids {
		out[i] = link{clip(id, mostWords), anchor(id)}
	}
	return out
}

// open is a group of scenarios that say nothing about their claims.
type open struct {
	Verdict, Heading string
	Causes           []cause
}

type cause struct {
	Line              string // all of it, where a line is enough; then the other texts are left out
	Reasons, Remedies []string
	Scenarios         []link
}

// open groups everything unproved: broken scenarios, inconclusive ones, blocked ones, and requirements with too weak
// evidence.
func (m *maker) open() []open {
	var out []open
	for _, g := range []struct {
		verdict results.Verdict
		heading string
		key     func(results.ScenarioResult) string
	}{
		{results.VerdictBroken, "broke, by a fault of Assay's own", excerpt.Reason},
		{results.VerdictInconclusive, "without an answer", excerpt.Reason},
	} {
		causes := excerpt.Causes(m.doc.Scenarios, g.verdict, g.key)
		if len(causes) == 0 {
			continue
		}
		group := open{Verdict: string(g.verdict)}
		n := 0
		for _, c := range causes {
			n += len(c.Scenarios)
			group.Causes = append(group.Causes, cause{Reasons: clipped(c.Reasons), Remedies: clipped(c.Remedies), Scenarios: linksTo(c.Scenarios)})
		}
		group.Heading = fmt.Sprintf("%s %s", textsafe.Count(n, "scenario"), g.heading)
		out = append(out, group)
	}
	if blocked := m.blocked(); len(blocked.Causes) > 0 {
		out = append(out, blocked)
	}
	if weak := m.weak(); len(weak) > 0 {
		heading := textsafe.Count(len(weak), "requirement") + " kept as far as a test seam tells"
		out = append(out, open{Verdict: "attested", Heading: heading, Causes: []cause{{Reasons: weak}}})
	}
	if insensitive := m.insensitive(); len(insensitive) > 0 {
		heading := textsafe.Count(len(insensitive), "requirement") + " passed by checks that no change turned"
		out = append(out, open{Verdict: "insensitive", Heading: heading, Causes: []cause{{Reasons: insensitive}}})
	}
	return out
}

// blocked has a line for each cause.
func (m *maker) blocked() open {
	causes, barred := excerpt.Blocked(m.doc)
	group := open{Verdict: string(results.VerdictBlocked)}
	for _, c := range causes {
		group.Causes = append(group.Causes, cause{Line: clip(c.Line(), 2*mostWords), Scenarios: linksTo(c.Scenarios)})
	}
	for _, b := range barred {
		group.Causes = append(group.Causes, cause{Line: clip(b.Line(), mostWords), Scenarios: linksTo(b.Scenarios)})
	}
	group.Heading = fmt.Sprintf("%s could not be looked at, %s", textsafe.Count(int(m.doc.Totals.Blocked), "scenario"),
		excerpt.BlockedBy(causes, barred))
	return group
}

func linksTo(scenarios []results.ScenarioResult) []link {
	ids := make([]string, len(scenarios))
	for i, s := range scenarios {
		ids[i] = s.ID
	}
	return links(ids)
}

// insensitive returns the requirements that rest on passes alone that were not shown able to fail.
func (m *maker) insensitive() []string {
	var out []string
	for _, r := range m.doc.Requirements {
		if r.Verdict == results.RequirementVerdictInsensitive {
			out = append(out, fmt.Sprintf("%s was passed, and no change that breaks its sentence turned a check", r.ID))
		}
	}
	return out
}

// weak returns the requirements that passed with weaker evidence than they demand.
func (m *maker) weak() []string {
	var out []string
	for _, r := range m.doc.Requirements {
		row, known := m.ledger.Find(scenarios.RequirementID(r.ID))
		seen, err := scenarios.ParseEvidence(string(r.Evidence))
		if known && err == nil && r.Verdict == results.RequirementVerdictPassed && seen < row.Demands() && row.Level == scenarios.Must {
			out = append(out, fmt.Sprintf("%s was %s, %s is demanded", row.ID, seen, row.Demands()))
		}
	}
	return out
}

func clipped(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), mostReasons)] {
		out = append(out, clip(s, mostWords))
	}
	if more := len(list) - mostReasons; more > 0 {
		out = append(out, fmt.Sprintf("and %d more reasons, in results.json", more))
	}
	return out
}

const mostReasons = 12

// claimGroup holds the claims of one status.
type claimGroup struct {
	Status string
	Claims []claim
	Folded bool // a long group of proved claims
}

// manyClaims is the number of proved claims above which their group is folded.
const manyClaims = 12

type claim struct {
	ID, Title, Said string
	Rests           []rests
}

// rests is a requirement behind a claim, with its result.
type rests struct {
	requirement
	Verdict, Evidence string
	Scenarios         []link
	Reach             string
	Recognisable      bool
}

// claims groups the claims by status, the worst first, each with its requirements and the scenarios that tested them.
func (m *maker) claims() []claimGroup {
	asked := map[string][]string{} // requirement -> scenarios
	for _, s := range m.doc.Scenarios {
		for _, id := range s.Requirements {
			asked[id] = append(asked[id], s.ID)
		}
	}
	var out []claimGroup
	for _, c := range m.doc.Claims {
		i := slices.IndexFunc(out, func(g claimGroup) bool { return g.Status == string(c.Status) })
		if i < 0 {
			i = len(out)
			out = append(out, claimGroup{Status: string(c.Status)})
		}
		one := claim{ID: clip(c.ID, mostName), Said: clip(c.Pointer, mostValue) + " is " + clip(string(c.Value), mostValue)}
		if string(c.Value) == "null" {
			one.Said = "found by asking: the target says nothing of it"
		}
		if known, ok := m.Protocol.Claim(c.ID); ok {
			one.Title = known.Title
		}
		for _, r := range m.doc.Requirements {
			if row, _ := m.ledger.Find(scenarios.RequirementID(r.ID)); row.Claim == c.ID {
				one.Rests = append(one.Rests, rests{m.requirement(r.ID), string(r.Verdict), string(r.Evidence), links(asked[r.ID]),
					excerpt.Reach(r.Reach), r.Recognisable != nil})
			}
		}
		slices.SortStableFunc(one.Rests, func(a, b rests) int { return slices.Index(order, a.Verdict) - slices.Index(order, b.Verdict) })
		out[i].Claims = append(out[i].Claims, one)
	}
	for i := range out {
		out[i].Folded = out[i].Status == string(results.ClaimStatusProved) && len(out[i].Claims) > manyClaims
	}
	slices.SortStableFunc(out, func(a, b claimGroup) int { return slices.Index(order, a.Status) - slices.Index(order, b.Status) })
	return out
}

// findingGroup holds the findings about one requirement, or about none.
type findingGroup struct {
	requirement
	Findings []finding
}

type finding struct {
	Text      string
	Times     int
	Scenarios []link
}

func (m *maker) findings() (out []findingGroup, more int) {
	for i, f := range excerpt.Findings(m.doc) {
		if i >= mostFindings {
			more++
			continue
		}
		g := slices.IndexFunc(out, func(g findingGroup) bool { return g.ID == clip(f.Requirement, mostName) })
		if g < 0 {
			g = len(out)
			group := findingGroup{}
			if f.Requirement != "" {
				group.requirement = m.requirement(f.Requirement)
			}
			out = append(out, group)
		}
		out[g].Findings = append(out[g].Findings, finding{clip(f.Text, mostWords), f.Times, links(f.Scenarios)})
	}
	return out, more
}

// sighting is an unclaimed feature of the target.
type sighting struct{ What, Claim, Place, Transcript string }

func (m *maker) sightings() []sighting {
	var out []sighting
	for _, s := range m.doc.NotClaimed[:min(len(m.doc.NotClaimed), mostSightings)] {
		out = append(out, sighting{clip(s.What, mostWords), clip(s.ClaimPointer, mostWords),
			clip(fmt.Sprintf("%s #%d %s", s.Drive, s.Exchange, s.Pointer), mostWords), m.transcript(s.Drive)})
	}
	return out
}

func (m *maker) leftovers() []string {
	list := m.doc.Leftovers
	var out []string
	for _, l := range list[:min(len(list), mostLeftovers)] {
		out = append(out, clip(l, mostWords))
	}
	if more := len(list) - mostLeftovers; more > 0 {
		out = append(out, fmt.Sprintf("and %d more, in results.json", more))
	}
	return out
}

// suite holds the scenarios of one suite.
type suite struct {
	ID        string
	Counts    []count
	Scenarios []scenario
}

// scenario is one scenario with the basis of its verdict.
type scenario struct {
	Anchor, ID, Name, Title string
	Suite                   string
	Verdict, Evidence       string
	Reason, Unblock         string
	Failure                 string // anchor of the full report
	Claim, Took             string
	Requirements            []requirement
	Readings                []scenarios.Reading
	Checks                  []checked
	More                    int
	Findings                []results.Finding
	Drive, Transcript       string
	Loops                   string // anchor of the picture of its loops
	Words                   string // text for the filter
}

type checked struct {
	Requirement, Want, Got, Place string
	OK                            bool
}

func (m *maker) suites(loops []drawn) []*suite {
	var out []*suite
	for _, s := range m.doc.Scenarios {
		i := slices.IndexFunc(out, func(known *suite) bool { return known.ID == clip(s.Suite, mostName) })
		if i < 0 {
			i = len(out)
			out = append(out, &suite{ID: clip(s.Suite, mostName)})
		}
		in := out[i]
		in.Scenarios = append(in.Scenarios, m.scenario(s, loops))
		k := slices.IndexFunc(in.Counts, func(c count) bool { return c.Verdict == string(s.Verdict) })
		if k < 0 {
			k = len(in.Counts)
			in.Counts = append(in.Counts, count{Verdict: string(s.Verdict)})
		}
		in.Counts[k].N++
	}
	for _, s := range out {
		slices.SortStableFunc(s.Counts, func(a, b count) int { return slices.Index(order, a.Verdict) - slices.Index(order, b.Verdict) })
		// slices.SortStableFunc would add code for this type alone, and much of it: the type is large.
		sort.SliceStable(s.Scenarios, func(a, b int) bool {
			return slices.Index(order, s.Scenarios[a].Verdict) < slices.Index(order, s.Scenarios[b].Verdict)
		})
	}
	return out
}

func (m *maker) scenario(s results.ScenarioResult, loops []drawn) scenario {
	out := scenario{
		Anchor: anchor(s.ID), ID: clip(s.ID, mostWords), Title: s.Title, Suite: clip(s.Suite, mostName),
		Verdict: string(s.Verdict), Evidence: string(s.Evidence), Reason: clip(s.Reason, mostWords), Unblock: clip(s.Unblock, mostWords),
		Failure: m.anchors[s.ID], Claim: clip(s.Claim, mostName), Took: took(s.Seconds),
	}
	out.Name = out.ID[strings.LastIndexByte(out.ID, '/')+1:]
	words := []string{out.ID, out.Title, out.Claim}
	for _, id := range s.Requirements {
		out.Requirements = append(out.Requirements, m.requirement(id))
		words = append(words, id)
	}
	out.Readings = m.Protocol.ReadingsBy(scenarios.ScenarioID(s.ID))
	out.Words = strings.ToLower(strings.Join(words, " "))
	for _, c := range s.Checks[:min(len(s.Checks), mostChecks)] {
		out.Checks = append(out.Checks, checked{
			clip(c.Requirement, mostName), clip(c.Expected, mostValue*2), clip(c.Actual, mostValue*2), clip(excerpt.Place(c), mostValue), c.Ok,
		})
	}
	out.More = max(len(s.Checks)-mostChecks, 0)
	for _, f := range s.Findings[:min(len(s.Findings), mostReasons)] {
		out.Findings = append(out.Findings, results.Finding{Requirement: clip(f.Requirement, mostName), Text: clip(f.Text, mostWords)})
	}
	if len(s.Drives) > 0 {
		out.Drive, out.Transcript = clip(s.Drives[0], mostName), m.transcript(s.Drives[0])
		for _, d := range loops {
			if d.Drive == s.Drives[0] {
				out.Loops = d.Anchor
			}
		}
	}
	return out
}

// drawn holds the pictures of a drive's loops.
type drawn struct {
	Anchor, Drive string
	Transcript    string
	Pictures      []picture
	Scenarios     []link
}

// loops draws the loops of each drive, in scenario order.
func (m *maker) loops() (out []drawn, more int) {
	for _, s := range m.doc.Scenarios {
		if len(s.Drives) == 0 {
			continue
		}
		drive := s.Drives[0]
		if i := slices.IndexFunc(out, func(d drawn) bool { return d.Drive == drive }); i >= 0 {
			out[i].Scenarios = append(out[i].Scenarios, link{clip(s.ID, mostWords), anchor(s.ID)})
			continue
		}
		found := m.loopsOf(drive)
		if len(found) == 0 {
			continue
		}
		if len(out) == mostPictured {
			more++
			continue
		}
		d := drawn{Anchor: fmt.Sprintf("l%d", len(out)+1), Drive: drive, Transcript: m.transcript(drive), Scenarios: links([]string{s.ID})}
		for i, l := range found {
			d.Pictures = append(d.Pictures, draw(fmt.Sprintf("%s-%d", d.Anchor, i+1), l))
		}
		out = append(out, d)
	}
	return out, more
}
