package programs

import (
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// routeScenarios ask whether further routes show what the usual ones show.
var routeScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/programs/shown-alike",
		Title:  "after each step the graph and the lists of children show each intent with the status that it has",
		Proves: scenarios.IDs{openintent.OIPREAD16}, Claim: claims.Graph, Ask: ofEach(Ran.judgeShown),
	},
	{
		ID:     "openintent/programs/not-ready",
		Title:  "after each step a child that depends on an intent that waits is listed as blocked, and not as ready",
		Proves: scenarios.IDs{openintent.OIPREAD17}, Claim: claims.Graph, Ask: ofEach(Ran.judgeReady),
	},
	{
		ID:     "openintent/programs/portfolios-of-a-member",
		Title:  "the portfolios of an intent count their members that wait as the portfolios themselves do",
		Proves: scenarios.IDs{openintent.OIP0026R4B, openintent.OIP0026R4C}, Claim: inPortfolios, Ask: ofEach(Ran.judgeMemberOf),
	},
}

// listed returns the intents of a list around another: below its name, or the list itself.
func (s Sight) listed(of string) []wire.Value {
	if reply := s.Lists[of]; reply.Ok() {
		return host.Entries(reply.Body, of)
	}
	return nil
}

// number returns the intent with an id, None for others.
func (r Ran) number(id wire.Value) int { return slices.Index(r.IDs, id.String()) }

// judgeShown compares the statuses of intents that the step moved, where the texts leave no other one, with what a read of the intent
// itself shows.
func (r Ran) judgeShown(j *scenarios.Judge) {
	some := false
	for _, m := range r.ruled() {
		compare := func(shown wire.Value, where string) {
			n := r.number(shown.Key("id"))
			moved := n != model.None && (n == m.step.Intent || !slices.Equal(m.was.May(n), m.world.May(n)))
			if !moved || len(m.world.May(n)) > 1 || !shown.Key("status").Present() || !m.world.Is(n, m.now(n).String()) {
				return
			}
			some = true
			j.Check(openintent.OIPREAD16, shown.Key("status")).To(check.SameAs(m.now(n)), "%s, in %s", m.what(n), where)
		}
		for k := range parentsOf(m.world) {
			graph := m.taken.After.Graphs[k]
			for _, node := range graph.Body.Key("nodes").Items() {
				compare(node, graph.Asked)
			}
		}
		for _, of := range relations {
			for _, listed := range m.taken.After.listed(of) {
				compare(listed, m.taken.After.Lists[of].Asked)
			}
		}
	}
	if !some {
		j.NotThere(r.Start.Graphs[0].Status, "a graph whose nodes have a status, or a list of the children of an intent")
	}
}

func (r Ran) judgeReady(j *scenarios.Judge) {
	some := false
	for _, m := range r.ruled() {
		list := m.taken.After.Lists["ready"]
		if !list.Ok() {
			continue
		}
		for n := range m.world.Children(parent).All() {
			if !m.world.Waits(n) || !slices.ContainsFunc(m.world.Places[n].DependsOn, func(d int) bool {
				return m.now(d).String() == host.Suspended
			}) {
				continue
			}
			some = true
			j.Check(openintent.OIPREAD17, m.taken.After.about("ready", r.IDs[n])).
				To(check.Len(0), "intent %d in %s: %s intent %d", n, list.Asked, m.step.Do, m.step.Intent)
			if held := m.taken.After.Lists["blocked"]; held.Ok() {
				j.Check(openintent.OIPREAD17, m.taken.After.about("blocked", r.IDs[n])).
					To(check.Len(1), "intent %d in %s: %s intent %d", n, held.Asked, m.step.Do, m.step.Intent)
			}
		}
	}
	if !some && r.through() {
		j.NotOffered("a list of the children of an intent that are ready")
	}
}

// about returns the entries of a list around an intent that are about another one.
func (s Sight) about(of, id string) wire.Found {
	found := wire.Found{Values: s.listed(of), In: s.Lists[of].Body.Ref(), Sought: []wire.Sought{{Pointer: "/id", Word: id}}}
	return found.Where(func(v wire.Value) bool { return v.Key("id").String() == id })
}

func (r Ran) judgeMemberOf(j *scenarios.Judge) {
	r.hasPortfolios(j)
	some := false
	for _, m := range r.ruled() {
		at := m.taken.After
		for _, shown := range host.Entries(at.MemberOf.Body, "portfolios") {
			i := slices.IndexFunc(at.Portfolios, func(p host.Reply) bool { return p.Body.Key("id").String() == shown.Key("id").String() })
			named := host.Named("portfolio", shown)
			flag, count := host.Locate(host.PortfolioFlag, named), host.Locate(host.PortfolioCount, named)
			if i < 0 || !at.MemberOf.Ok() || !flag.Present() || !count.Present() {
				continue // a list may show less of each
			}
			some = true
			docs := host.Named("portfolio", at.Portfolios[i].Body)
			j.Check(openintent.OIP0026R4B, flag.Value).
				To(check.SameAs(host.Locate(host.PortfolioFlag, docs).Value), "%s in %s", flag.Label("has_suspended_members"), at.MemberOf.Asked)
			j.Check(openintent.OIP0026R4C, count.Value).
				To(check.SameAs(host.Locate(host.PortfolioCount, docs).Value), "%s in %s", count.Label("suspended_member_count"), at.MemberOf.Asked)
		}
	}
	if !some && r.through() {
		j.NotOffered("flags in the list of the portfolios of an intent")
	}
}
