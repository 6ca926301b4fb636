package worlds

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

// part is what a scenario judges.
type part string

const (
	readable part = "readable"
	other    part = "other" // what a turn rests on; other suites ask about it

	dependents part = "dependents"
	apart      part = "apart"
	wired      part = "wired"
	answered   part = "answered"
	lapsed     part = "lapsed"
	ended      part = "ended"

	counted  part = "counted"
	flagged  part = "flagged"
	worded   part = "worded"
	mirrored part = "mirrored"
	listed   part = "listed"
	phased   part = "phased"
	routes   part = "routes"

	forced part = "forced"
	stale  part = "stale"
)

// expectation is what must be seen at a moment.
type expectation struct {
	part  part
	id    scenarios.RequirementID
	value wire.Value
	want  check.Matcher
	what  string
}

// key is the same for all that a server may be late with for one reason.
func (e expectation) key() string { return string(e.part) + " " + string(e.id) }

// moment is what was seen after a turn, beside what the texts say of it.
type moment struct {
	WorldObservation
	at         int // the number of the turn
	turn       model.Step
	taken      Taken
	was, scene *model.Scene // before the turn and after it
	before     Sight
}

func (o WorldObservation) moments() (all []moment) {
	scene, before := o.Program.Begin(), o.Start
	for n, taken := range o.Turns {
		was := scene
		scene = was.Copy()
		turn := o.Program.Steps[n]
		if taken.Done {
			scene.Take(turn)
		}
		all = append(all, moment{WorldObservation: o, at: n, turn: turn, taken: taken, was: was, scene: scene, before: before})
		before = taken.After
	}
	return all
}

// status is the status of the intent n at a moment.
func (s Sight) status(n int) wire.Value { return s.Intents[n].Body.Key("status") }

// shown is the status that the intent n shows after the turn.
func (m moment) shown(n int) string { return m.taken.After.status(n).String() }

// what is what was asked, and after which turn, for reports.
func (m moment) what(of string, r host.Reply) string {
	return fmt.Sprintf("%s of %s: %s intent %d", of, r.Asked, m.turn.Do, m.turn.Intent)
}

// expected returns everything that must be seen. What shows the intents to others is compared with what they show themselves.
func (m moment) expected() (all []expectation) {
	for _, r := range m.taken.After.Intents {
		if !r.Ok() {
			return []expectation{{readable, "", r.Status, check.Status(2), r.Asked}}
		}
	}
	if (m.turn.Do == model.Force || m.turn.Do == model.Stale) && m.taken.Reply.Ok() { // it is another world from here
		return append(m.refusals(), m.statuses()...)
	}
	return slices.Concat(m.statuses(), m.counts(), m.portfolios(), m.tasks(), m.plans(), m.phases(), m.routes(), m.refusals())
}

// astray reports whether intents have gone another way than the program.
func (m moment) astray() bool {
	return slices.ContainsFunc(m.expected(), func(e expectation) bool {
		switch e.part {
		case readable, other, dependents, apart, wired, answered, lapsed, ended, forced, stale:
			ok, err := e.want.Match(e.value)
			return !ok || err != nil
		}
		return false
	})
}

func oneOf(may []string) check.Matcher {
	all := make([]any, len(may))
	for i, s := range may {
		all[i] = s
	}
	return check.OneOf(all...)
}

// halted expects a phase that neither goes on nor has ended, in a word (OIP-R103).
var halted = check.That("paused", func(v any) bool {
	s, _ := v.(string)
	return len(s) < 40 && !slices.Contains([]string{"", host.Draft, host.Active, host.Completed, host.Abandoned}, s)
})

// statuses are what the texts say of each intent.
func (m moment) statuses() (all []expectation) {
	for n, r := range m.taken.After.Intents {
		e := expectation{part: apart, value: m.taken.After.status(n), want: oneOf(m.scene.May(n)), what: m.what("status", r)}
		own := n == m.turn.Intent && !slices.Contains([]model.Action{model.Claim, model.Touch, model.Write}, m.turn.Do)
		switch {
		case own && m.turn.Do == model.Force:
			e.part, e.id = forced, m.forbids()
		case own && m.turn.Do == model.Stale:
			e.part, e.id = stale, openintent.OIP0025A5
		case m.taken.Done && m.turn.Do == model.Deadline && m.was.Has(m.turn.On, n) && m.was.Is(n, model.Suspended):
			e.part, e.id = ended, openintent.OIP0026R5
		case own && m.turn.Do == model.Answer:
			e.part, e.id = answered, openintent.OIP0025A15
		case own && m.turn.Do == model.Lapse && m.turn.Fallback == model.Fails:
			e.part, e.id = lapsed, openintent.OIP0025F1
		case own && m.turn.Do == model.Lapse:
			e.part, e.id = lapsed, openintent.OIP0025F2
			if s := m.shown(n); s == host.Completed || s == host.Suspended { // OIP-R13; that windows end at all is asked beside
				e.part, e.id = other, ""
			}
		case m.turn.Do == model.Suspend && m.scene.Wired(n, m.turn.Intent) && m.before.status(n).String() == host.Active:
			e.part, e.id, e.want = wired, openintent.OIP0026P4, halted
		case m.scene.WasPaused(n):
			continue
		case m.scene.Held(n):
			e.part, e.id = dependents, m.why(n)
		case m.was.Open(n) != 0 && m.scene.Open(n) == 0 && m.before.status(n).String() == host.Blocked:
			e.part, e.id = dependents, openintent.OIP0026R2D
		case own && m.turn.Do != model.Join && m.turn.Do != model.Leave, m.scene.Is(n, model.Suspended):
			e.part = other
		default:
			e.id = m.relation(n)
		}
		all = append(all, e)
	}
	return all
}

// why is why n, which is blocked, is so after the turn.
func (m moment) why(n int) scenarios.RequirementID {
	about := m.scene.Family[n].Needs.Has(m.turn.Intent)
	switch {
	case m.turn.Do == model.Suspend && about, m.turn.Do == model.Activate && n == m.turn.Intent:
		return openintent.OIP0026R2
	case m.turn.Do == model.Answer && about, m.turn.Do == model.Lapse && m.turn.Fallback != model.Fails && about:
		return openintent.OIP0026R2C
	}
	return openintent.OIP00022
}

// relation is why n stays as it is: it is in the family of the intent whose turn it was, or has nothing to do with it.
func (m moment) relation(n int) scenarios.RequirementID {
	if m.scene.Related(n, m.turn.Intent) {
		return openintent.OIP0026R1
	}
	return openintent.OIP00024
}

// showing returns the scene as the intents show themselves: what shows them to others is compared with that.
func (m moment) showing() *model.Scene {
	scene := m.scene.Copy()
	for n := range scene.Family {
		scene.Family[n].Status = m.shown(n)
	}
	return scene
}

// aggregates are those of the parent, wherever it has them (OIP-R23).
func (s Sight) aggregates() (all []host.Reply) {
	for _, r := range []host.Reply{s.Graph, s.Intents[parent]} {
		if _, is := r.Body.At("/aggregate_status/by_status").Actual().(map[string]any); is {
			all = append(all, r)
		}
	}
	return all
}

// counts takes a count of the children, and one of more of the graph: servers differ in what an aggregate covers.
func (m moment) counts() (all []expectation) {
	showing := m.showing()
	for _, r := range m.taken.After.aggregates() {
		for _, status := range []string{host.Suspended, host.Completed} {
			id := map[string]scenarios.RequirementID{host.Suspended: openintent.OIP0026R4, host.Completed: openintent.OIP00023}[status]
			least, most := showing.Counted(parent, status)
			all = append(all, expectation{
				part: counted, id: id, value: r.Body.At("/aggregate_status/by_status/" + status), what: m.what("by_status."+status, r),
				want: check.That(fmt.Sprintf("%d to %d", least, most), func(v any) bool {
					n, is := v.(int64)
					return (is || v == nil) && int64(least) <= n && n <= int64(most)
				}),
			})
		}
		all = append(all, m.total(r)...)
	}
	return all
}

// total is as many as all that an aggregate counts, whatever it covers.
func (m moment) total(r host.Reply) []expectation {
	total, sum := r.Body.At("/aggregate_status/total"), int64(0)
	counts, _ := r.Body.At("/aggregate_status/by_status").Actual().(map[string]any)
	for status := range counts {
		n, _ := r.Body.At("/aggregate_status/by_status/" + status).Int()
		sum += n
	}
	if !total.Present() {
		return nil
	}
	return []expectation{{counted, openintent.OIP0026R4, total, check.Equal(sum), m.what("total", r)}}
}

// showings are the places where portfolio i shows what its members are.
func (m moment) showings(i int) []wire.Value {
	all := []wire.Value{m.taken.After.Folders[i].Body}
	for _, f := range host.Entries(m.taken.After.Within.Body, "portfolios") {
		if f.Key("id").String() == m.Folders[i] {
			all = append(all, f)
		}
	}
	return all
}

func (m moment) portfolios() (all []expectation) {
	showing := m.showing()
	for i := range m.Folders {
		want := showing.Shows(i)
		for _, doc := range m.showings(i) {
			docs, from := host.Named("portfolio", doc), m.taken.After.Folders[i]
			if doc.Ref() != from.Body.Ref() {
				from = m.taken.After.Within
			}
			add := func(of part, id scenarios.RequirementID, at host.Located, is check.Matcher, what string) {
				if at.Present() {
					all = append(all, expectation{of, id, at.Value, is, fmt.Sprintf("%s of portfolio %d", m.what(at.Label(what), from), i)})
				}
			}
			add(flagged, openintent.OIP0026R4B, host.Locate(host.PortfolioFlag, docs), check.Equal(want.Suspended > 0), "has_suspended_members")
			add(flagged, openintent.OIP0026R4C, host.Locate(host.PortfolioCount, docs), check.Equal(want.Suspended), "suspended_member_count")
			if at := host.Locate(host.PortfolioAggregate, docs); want.Word != "" && at.Place.Pointer != "/status" { // which its owner may set
				add(worded, want.Of, at, check.Equal(want.Word), "aggregate status")
			}
			add(worded, openintent.OIP0026R1C, host.Located{Value: doc.Key("status"), Place: host.Place{In: "portfolio", Pointer: "/status"}},
				unsuspended, "status")
		}
	}
	return all
}
