package programs

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// moment is what was seen after a step, beside what the texts say of it.
type moment struct {
	Ran
	step       model.Step
	taken      Taken
	was, world *model.Scene // before the step and after it
	before     Sight
}

// moments are those of a program.
func (r Ran) moments() (all []moment) {
	world, before := r.Program.Begin(), r.Start
	for n, taken := range r.Steps {
		was, step := world, r.Program.Steps[n]
		world = taken.follow(was, step)
		all = append(all, moment{Ran: r, step: step, taken: taken, was: was, world: world, before: before})
		before = taken.After
	}
	return all
}

// ruled are the moments up to the first at which a server completed what it must not complete, or refused what it may refuse: from
// there on the program is another one.
func (r Ran) ruled() (all []moment) {
	for _, m := range r.moments() {
		if !m.step.Moves() && m.step.Do == model.Try == m.taken.Reply.Ok() {
			break
		}
		all = append(all, m)
	}
	return all
}

// through reports whether the program went to its end as it was drawn.
func (r Ran) through() bool { return len(r.ruled()) == len(r.Program.Steps) }

// status is the status of the intent n at a moment.
func (s Sight) status(n int) wire.Value { return s.Intents[n].Body.Key("status") }

func (m moment) now(n int) wire.Value { return m.taken.After.status(n) }

// what names an intent at a moment in reports.
func (m moment) what(n int) string {
	return fmt.Sprintf("status of %s: %s intent %d", m.taken.After.Intents[n].Asked, m.step.Do, m.step.Intent)
}

// ofEach judges programs one by one. One that went another way has shown less than was asked for.
func ofEach(judge func(Ran, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnGraphs, func(o GraphsObservation, j *scenarios.Judge) {
		for _, r := range o.Programs {
			j.Part(func() {
				judge(r, j)
				if !r.through() {
					step := r.Program.Steps[len(r.ruled())]
					j.Block(fmt.Sprintf("setup failed: the program ended before its step %d, to %s intent %d", len(r.ruled())+1, step.Do, step.Intent),
						"let intents be suspended, answered and completed; other scenarios test that")
				}
			})
		}
	})
}

// sightings follows which dependents were seen blocked.
type sightings map[int]bool

// unblocked returns the dependents that the step of m lets go on, and that were seen blocked before.
func (m moment) unblocked() (all []int) {
	for n := range m.world.Family {
		if m.was.Held(n) && !m.world.Held(n) && m.before.status(n).String() == host.Blocked {
			all = append(all, n)
		}
	}
	return all
}

// judgeBlocked asks what a suspension does to those that were active and depend on it. On some servers there are none (OIP-R21).
func (r Ran) judgeBlocked(j *scenarios.Judge) {
	turned := false
	for _, m := range r.ruled() {
		for n := range m.world.Family {
			if m.step.Do != model.Suspend || !m.world.Family[n].Needs.Has(m.step.Intent) || !m.world.Held(n) {
				continue
			}
			if before := m.before.status(n).String(); before == host.Active || before == host.Blocked && m.was.Held(n) {
				turned = turned || before == host.Active
				j.Check(openintent.OIP0026R2, m.now(n)).To(check.Equal(host.Blocked), "%s", m.what(n))
			}
		}
	}
	if !turned && r.through() {
		j.NotOffered("on this server a dependent is blocked from the start, so none can turn from active to blocked")
	}
}

// judgeWaits asks that a dependent waits for all that it depends on. It has a control: the dependent goes on in the end.
func (r Ran) judgeWaits(j *scenarios.Judge) {
	seen, why := sightings{}, map[int]scenarios.RequirementID{}
	waited, failed := false, false
	var blocked, over wire.Value
	for _, m := range r.ruled() {
		for n, in := range m.world.Family {
			switch about := in.Needs.Has(m.step.Intent); {
			case !m.world.Held(n):
				delete(seen, n)
				continue
			case about && m.step.Do == model.Answer:
				why[n] = openintent.OIP0026R2C
			case about && m.step.Do == model.Complete:
				why[n] = openintent.OIP00022
			case about:
				delete(why, n)
			}
			if id := why[n]; id != "" && seen[n] && !j.Check(id, m.now(n)).To(check.Equal(host.Blocked), "%s", m.what(n)) {
				failed = true
			}
			if seen[n] = seen[n] || m.now(n).String() == host.Blocked; seen[n] {
				blocked = m.now(n)
			} else if !blocked.Present() {
				over = m.now(n)
			}
		}
		for _, n := range m.unblocked() {
			waited = waited || m.now(n).String() == host.Active
			over = m.now(n)
		}
	}
	switch {
	case failed, waited:
	case !blocked.Present() && over.Present():
		j.Violates(openintent.OIP0026R2, over, "setup failed: nothing that depends on a suspended intent was seen blocked")
	case over.Present() && r.through():
		j.Violates(openintent.OIP0026R2D, over, "setup failed: what was blocked is not active when all that it depends on was completed")
	}
}

func (r Ran) judgeGoesOn(j *scenarios.Judge) {
	some := false
	for _, m := range r.ruled() {
		for _, n := range m.unblocked() {
			some = true
			j.Check(openintent.OIP0026R2D, m.now(n)).To(check.Equal(host.Active), "%s", m.what(n))
		}
	}
	if !some && r.through() {
		j.Block("setup failed: no dependent was seen blocked until all that it depends on was completed",
			"block what depends on a suspended intent until that is completed; another scenario tests that")
	}
}

// judgeGates has a control: the same intents are completed in the end.
func (r Ran) judgeGates(j *scenarios.Judge) {
	open := []int{gated, parent}
	for _, m := range r.moments() {
		switch n := m.step.Intent; {
		case !slices.Contains(open, n): // it was completed, which was found before
		case m.step.Do == model.Try:
			id := scenarios.RequirementID(openintent.OIP0026R2B)
			if n == parent {
				id = openintent.OIP00021
			}
			if !j.Check(id, m.taken.Reply.Status).To(check.Status(4), "%s, in %s", m.taken.Reply.Asked, m.what(n)) ||
				!j.Check(id, m.now(n)).NotTo(check.Equal(host.Completed), "%s", m.what(n)) {
				open = slices.DeleteFunc(open, func(o int) bool { return o == n })
			}
		case m.step.Do == model.Complete && m.taken.Reply.Ok():
			open = slices.DeleteFunc(open, func(o int) bool { return o == n })
		}
	}
	if len(open) > 0 {
		j.Block(fmt.Sprintf("setup failed: intent %d was not completed in the end, when nothing was open", open[0]),
			"make POST /intents/{id}/status complete an intent over which nothing is open")
	}
}

func (r Ran) judgeApart(j *scenarios.Judge) {
	for _, m := range r.ruled() {
		for n := range m.world.Family {
			if n == m.step.Intent {
				continue
			}
			if !m.world.Is(n, host.Suspended) {
				j.Check(openintent.OIP0026R1, m.now(n)).NotTo(check.Equal(host.Suspended), "%s", m.what(n))
			}
			if m.step.Do != model.Suspend || m.world.Reaches(n, m.step.Intent) {
				continue
			}
			if m.world.Related(n, m.step.Intent) {
				j.Check(openintent.OIP0026R1, m.now(n)).To(check.SameAs(m.before.status(n)), "%s", m.what(n))
			} else {
				j.Check(openintent.OIP00024, m.now(n)).To(check.SameAs(m.before.status(n)), "%s", m.what(n))
			}
		}
	}
}

// judgeCounted takes a count of the children, and one of more of the graph: servers differ in what an aggregate covers.
func (r Ran) judgeCounted(j *scenarios.Judge) {
	if at := aggregateOf(r.Start, 0, parent); !at.Present() {
		j.NotThere(at.Value, host.ParentAggregateThere)
	}
	for _, m := range r.ruled() {
		for k, p := range parentsOf(m.world) {
			for _, c := range []struct {
				status string
				id     scenarios.RequirementID
			}{{host.Suspended, openintent.OIP0026R4}, {host.Completed, openintent.OIP00023}} {
				if !m.agrees(p, c.status) {
					continue // that is asked about where its own step is
				}
				least, most := m.world.Counted(p, c.status)
				for _, at := range aggregatesOf(m.taken.After, k, p) {
					j.Check(c.id, at.At("/by_status/"+c.status)).To(counts(int64(least), int64(most)), "%s of intent %d, %s: %s intent %d",
						at.Label("by_status."+c.status), p, m.taken.After.Graphs[k].Asked, m.step.Do, m.step.Intent)
				}
			}
		}
	}
}

// aggregatesOf are the aggregates that the parent p shows, at each place where a server may have them.
func aggregatesOf(s Sight, k, p int) (all []host.Located) {
	for _, docs := range []map[string][]wire.Value{host.Named("graph", s.Graphs[k].Body), host.Named("intent", s.Intents[p].Body)} {
		if at := host.Locate(host.ParentAggregate, docs); at.At("/by_status").Present() {
			all = append(all, at)
		}
	}
	return all
}

// agrees reports whether just those around an intent were seen with a status that have it.
func (m moment) agrees(p int, status string) bool {
	for n := range m.world.Around(p).All() {
		if m.world.Is(n, status) != (m.now(n).String() == status) {
			return false
		}
	}
	return true
}

// counts expects a count. A status that nobody has may be absent.
func counts(least, most int64) check.Matcher {
	words := fmt.Sprintf("%d to %d", least, most)
	if least == most {
		words = fmt.Sprint(least)
	}
	return check.That(words, func(v any) bool {
		n, is := v.(int64)
		return (is || v == nil) && least <= n && n <= most
	})
}

// hasPortfolios ends the judge if the server has none.
func (r Ran) hasPortfolios(j *scenarios.Judge) {
	if len(r.Start.Portfolios) == 0 {
		j.NotThere(r.Start.Intents[parent].Status, host.PortfoliosThere)
	}
}

func (r Ran) judgeFlags(j *scenarios.Judge) {
	r.hasPortfolios(j)
	locate := func(s Sight, i int, l host.Locator) host.Located {
		return host.Locate(l, host.Named("portfolio", s.Portfolios[i].Body))
	}
	for _, l := range []host.Locator{host.PortfolioFlag, host.PortfolioCount} {
		if at := locate(r.Start, 0, l); !at.Present() {
			j.NotThere(r.Start.Portfolios[0].Status, host.PortfolioFlagsThere)
		}
	}
	for _, m := range r.ruled() {
		for i := range r.Program.Folders {
			want := m.world.Shows(i)
			flag, count := locate(m.taken.After, i, host.PortfolioFlag), locate(m.taken.After, i, host.PortfolioCount)
			in := fmt.Sprintf("in %s: %s intent %d", m.taken.After.Portfolios[i].Asked, m.step.Do, m.step.Intent)
			j.Check(openintent.OIP0026R4B, flag.Value).To(check.Equal(want.Suspended > 0), "%s %s", flag.Label("has_suspended_members"), in)
			least, most := int64(want.Suspended), int64(want.Suspended)
			if want.Twice() && !r.Refused[i] { // that it counts once is asked beside (OIP-R127)
				most = int64(want.Memberships)
				j.Check(openintent.OIPREAD6, count.Value).To(check.That(fmt.Sprintf("%d, and not one for each membership", want.Suspended),
					func(v any) bool { n, is := v.(int64); return is && n <= least }), "%s %s", count.Label("suspended_member_count"), in)
			}
			j.Check(openintent.OIP0026R4C, count.Value).To(between(least, most), "%s %s", count.Label("suspended_member_count"), in)
		}
	}
}

func between(least, most int64) check.Matcher {
	if least == most {
		return check.Equal(least)
	}
	return check.Integer(least, most)
}

// judgeWords takes no status that its owner sets for the aggregate (OIP-R23).
func (r Ran) judgeWords(j *scenarios.Judge) {
	r.hasPortfolios(j)
	for _, m := range r.ruled() {
		for i := range r.Program.Folders {
			at := host.Locate(host.PortfolioAggregate, host.Named("portfolio", m.taken.After.Portfolios[i].Body))
			if !at.Present() || at.Place.Pointer == "/status" {
				j.NotThere(r.Start.Portfolios[0].Status,
					host.PortfolioWordThere)
			}
			want := m.world.Shows(i)
			if want.Word == "" {
				continue
			}
			j.Check(want.Of, at.Value).To(check.Equal(want.Word), "%s in %s: %s intent %d", at.Label("aggregate status"),
				m.taken.After.Portfolios[i].Asked, m.step.Do, m.step.Intent)
		}
	}
}
