package worlds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var unsuspended = check.That("no word with suspended in it", func(v any) bool {
	s, _ := v.(string)
	return !strings.Contains(strings.ToLower(s), "suspend")
})

const waits = "intent_suspended" // blocked_reason of a task

// mirrors reports whether a task is blocked because its intent is suspended.
func mirrors(task wire.Value) bool {
	return host.StatusOf(task).String() == host.Blocked && task.Key("blocked_reason").String() == waits
}

var unmirrored = check.That("any reason but "+waits, func(v any) bool { return v != waits })

// tasks are compared with what they and their intents showed before the turn.
func (m moment) tasks() (all []expectation) {
	for k := range m.Tasks {
		n, was, now := m.Program.Works[k].Intent, m.before.Tasks[k].Body, m.taken.After.Tasks[k]
		status, what := host.StatusOf(now.Body), m.what("status", now)
		before, after := m.before.status(n).String(), m.shown(n)
		switch {
		case after == host.Suspended && (before != host.Suspended && host.StatusOf(was).String() == "running" || mirrors(was)):
			all = append(all, expectation{mirrored, openintent.OIP0026R3, status.Value, check.Equal(host.Blocked), what})
			if status.String() == host.Blocked {
				by := host.Locate(host.SuspendedIntent, host.Named("task", now.Body))
				reason := now.Body.Key("blocked_reason")
				all = append(all,
					expectation{mirrored, openintent.OIP0026R3B, reason, check.Equal(waits), m.what("blocked_reason", now)},
					expectation{mirrored, openintent.OIP0026R3C, by.Value, check.Equal(m.IDs[n]), m.what(by.Label("suspended_intent_id"), now)})
			}
		case before == host.Suspended && after == host.Active && mirrors(was):
			if m.turn.Do == model.Answer {
				all = append(all, expectation{mirrored, openintent.OIP0026R3D, status.Value, check.Equal("running"), what})
			}
			reason := now.Body.Key("blocked_reason")
			all = append(all, expectation{mirrored, openintent.OIP0026R3D, reason, unmirrored, m.what("blocked_reason", now)})
		}
	}
	return all
}

func (m moment) suspendedTasks(p int) host.Located {
	s := m.taken.After
	return host.Locate(host.SuspendedTasks, host.Named("plan", s.Plans[p].Body).And("progress", s.Steps[p].Body))
}

// plans list each task that mirrors a suspension, and may list other tasks of that intent. A task is in a plan that lists it, and in
// the plan that it names, where it shows that.
func (m moment) plans() (all []expectation) {
	for p, id := range m.Plans {
		all = append(all, m.plan(p, m.suspendedTasks(p), m.taken.After.Plans[p])...)
		for _, e := range host.Entries(m.taken.After.Listed.Body, "plans") {
			if e.Key("id").String() == id {
				all = append(all, m.plan(p, host.Locate(host.SuspendedTasks, host.Named("plan", e)), m.taken.After.Listed)...)
			}
		}
	}
	return all
}

// plan is what the plan p must list, where it lists any.
func (m moment) plan(p int, at host.Located, from host.Reply) (all []expectation) {
	if !at.Present() {
		return nil
	}
	var must, may []string
	for k, work := range m.Program.Works {
		if task := m.taken.After.Tasks[k].Body; work.Plan == p && m.shown(work.Intent) == host.Suspended {
			may = append(may, m.Tasks[k])
			if mirrors(task) && (!work.Named || task.Key("plan_id").String() == m.Plans[p]) {
				must = append(must, m.Tasks[k])
			}
		}
	}
	all = append(all, expectation{
		part: listed, id: openintent.OIP0026R4G, value: at.Value, what: m.what(at.Label("suspended_tasks"), from),
		want: check.That(fmt.Sprintf("one entry of each of the %d tasks that wait, and none of other intents", len(must)), func(v any) bool {
			seen := map[string]int{}
			entries, _ := v.([]any)
			for _, e := range entries {
				entry, _ := e.(map[string]any)
				task, _ := entry["task_id"].(string)
				if seen[task]++; seen[task] > 1 || !slices.Contains(may, task) {
					return false
				}
			}
			return !slices.ContainsFunc(must, func(task string) bool { return seen[task] == 0 })
		}),
	})
	return append(all, m.entries(listed, openintent.OIP0026R4H, at, from)...)
}

// phases are those of portfolios. Not each portfolio is a workflow, so what is there is what is looked at.
func (m moment) phases() (all []expectation) {
	for i, f := range m.taken.After.Folders {
		at := host.Locate(host.SuspendedPhases, host.Named("portfolio", f.Body))
		if !at.Present() {
			continue
		}
		all = append(all, expectation{
			part: phased, id: openintent.OIP0026R4I, value: at.Value, what: m.what(at.Label("suspended_phases"), f),
			want: check.That("at most one entry of each member that waits, and none of others", func(v any) bool {
				seen := map[any]bool{}
				entries, _ := v.([]any)
				return !slices.ContainsFunc(entries, func(e any) bool {
					entry, _ := e.(map[string]any)
					id, _ := entry["intent_id"].(string)
					n := slices.Index(m.IDs, id)
					bad := n < 0 || seen[id] || m.shown(n) != host.Suspended || !m.scene.Has(i, n)
					seen[id] = true
					return bad
				})
			}),
		})
		all = append(all, m.entries(phased, openintent.OIP0026R4J, at, f)...)
	}
	return all
}

// entries of suspended_tasks and suspended_phases are about the present suspension of their intents, of however many. While an intent
// waits without a record there is nothing to compare an end with.
func (m moment) entries(of part, id scenarios.RequirementID, at host.Located, from host.Reply) (all []expectation) {
	for _, e := range at.Items() {
		n := slices.Index(m.IDs, e.Key("intent_id").String())
		if n < 0 || m.shown(n) != host.Suspended {
			continue
		}
		about := fmt.Sprintf(" of the entry of intent %d in %s", n, at.Label("the list"))
		if began := m.began(n); !began.IsZero() {
			all = append(all, expectation{of, id, e.Key("suspended_since"), after(began), m.what("suspended_since"+about, from)})
		}
		record := m.taken.After.Intents[n].Body.At("/state/_suspension")
		if record.Present() && record.Key("resolution").Actual() == nil {
			all = append(all, expectation{
				of, id, e.Key("expires_at"), host.AsSent(record.Key("expires_at").Actual()), m.what("expires_at"+about, from),
			})
		}
	}
	return all
}

// after expects a time that is not before another.
func after(began time.Time) check.Matcher {
	return check.That("not before "+host.Stamp(began), func(v any) bool {
		s, _ := v.(string)
		at, ok := host.ReadTime(s)
		return ok && !at.Before(began)
	})
}

// slack is the distance allowed between two times of one moment (OIP-R35).
const slack = 2 * time.Second

// began returns a time before which the present suspension of an intent did not begin; zero if the server does not tell.
func (m moment) began(n int) time.Time {
	for k := m.at; k >= 0; k-- {
		if t := m.Program.Steps[k]; t.Do != model.Suspend || t.Intent != n {
			continue
		}
		taken := m.taken
		if k < m.at {
			taken = m.Turns[k]
		}
		began, ok := host.TimeOf(taken.Reply.Body.Key("updated_at"))
		if s := taken.Suspension; s != nil {
			if at, told := host.TimeOf(s.Record.Body.Key("updated_at")); told && at.Before(began) {
				began = at
			}
		}
		if !ok {
			return time.Time{}
		}
		return began.Add(-slack)
	}
	return time.Time{}
}

// routes show intents and tasks as these show themselves.
func (m moment) routes() (all []expectation) {
	s := m.taken.After
	same := func(r host.Reply, member string) { // about one entry: that which differs, or that of the turn
		var about wire.Value
		of := -1
		for _, e := range host.Entries(r.Body, member) {
			n, status := slices.Index(m.IDs, e.Key("id").String()), e.Key("status")
			if differs := n >= 0 && status.String() != m.shown(n); n >= 0 && status.Present() && (of < 0 || differs || n == m.turn.Intent) {
				about, of = status, n
				if differs {
					break
				}
			}
		}
		if of >= 0 {
			all = append(all, expectation{
				routes, openintent.OIPREAD16, about, check.Equal(m.shown(of)), m.what(fmt.Sprintf("status of intent %d", of), r),
			})
		}
	}
	same(s.Graph, "nodes")
	for _, r := range s.Members {
		same(r, "intents")
	}
	about := func(r host.Reply, member, words string, of []int, wrong func(in bool) bool) {
		at := r.Body.Key(member)
		if _, is := at.Actual().([]any); !is || len(of) == 0 {
			return
		}
		all = append(all, expectation{routes, openintent.OIPREAD17, at, check.That(words, func(v any) bool {
			return !slices.ContainsFunc(of, func(n int) bool { return wrong(lists(v, m.IDs[n])) })
		}), m.what(member, r)})
	}
	var waiting, blocked []int
	showing := m.showing()
	for n := range showing.Children(parent).All() {
		if showing.Waits(n) && lists(s.Ready.Body.Key("ready").Actual(), m.IDs[n]) {
			waiting = append(waiting, n)
		}
		if showing.Waits(n) && m.shown(n) == host.Blocked {
			blocked = append(blocked, n)
		}
	}
	about(s.Ready, "ready", "no intent of which a dependency is suspended", waiting, func(in bool) bool { return in })
	about(s.Held, "blocked", "each blocked intent of which a dependency is suspended", blocked, func(in bool) bool { return !in })
	for n, r := range s.Lists {
		entries := host.Entries(r.Body, "tasks")
		for k, work := range m.Program.Works {
			if work.Intent != n || len(m.Tasks) == 0 {
				continue
			}
			for _, e := range entries {
				if one := s.Tasks[k]; e.Key("id").String() == m.Tasks[k] {
					all = append(all, expectation{mirrored, openintent.OIP0026R3, host.StatusOf(e).Value,
						check.SameAs(host.StatusOf(one.Body).Value), m.what("status in the list", one)})
				}
			}
		}
	}
	return all
}

// lists reports whether a list has an intent, or its id.
func lists(v any, id string) bool {
	all, _ := v.([]any)
	return slices.ContainsFunc(all, func(e any) bool {
		entry, _ := e.(map[string]any)
		return e == id || entry["id"] == id
	})
}
