package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openintentv1"
)

// words are the types of events that clients of the protocol know, as far as this server could write them. A client in use
// fails on any other.
var words = []string{
	"intent_created", "state_patched", "status_changed", "agent_assigned", "agent_unassigned", "dependency_added", "dependency_removed",
	"lease_acquired", "lease_released", "portfolio_created", "added_to_portfolio", "removed_from_portfolio",
	"task.created", "task.ready", "task.claimed", "task.started", "task.progress", "task.completed", "task.failed", "task.blocked",
	"task.unblocked", "task.cancelled", "task.skipped",
	"plan.created", "plan.activated", "plan.paused", "plan.resumed", "plan.completed", "plan.failed", "governance.violation",
	"intent.suspended", "intent.resumed", "intent.suspension_expired", "intent.suspension_renotified", "intent.suspension_escalated",
	"portfolio.member_suspended", "portfolio.member_resumed",
	"coordinator.escalation_required", // RFC-0026 section 3 has it, and clients in use do not
}

// types are those of the events of a log, oldest first.
func (l *lab) types(intent, portfolio string) (types []string) {
	l.t.Helper()
	docs, err := l.Events(l.ctx, Feed{Intent: intent, Portfolio: portfolio}, Select{Limit: 1000})
	l.must(err)
	for _, d := range slices.Backward(docs) {
		types = append(types, d.EventType)
	}
	return types
}

// since are the types of the events that came after the first n.
func (l *lab) since(id string, n int) []string { return l.types(id, "")[n:] }

// The steps of tasks and plans have the words of RFC-0012.
func TestStepsOfTasksAndPlans(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	a := l.made("a", "")
	task := func(steps ...openintentv1.TaskStatus) {
		doc, err := l.CreateTask(l.ctx, me, openintentv1.CreateTaskRequest{IntentID: a, Name: "work"})
		l.must(err)
		for _, to := range steps {
			doc, err = l.UpdateTask(l.ctx, me, doc.ID, doc.Version, openintentv1.UpdateTaskRequest{Status: to})
			l.must(err)
		}
	}
	plan := func(steps ...string) {
		doc, err := l.CreatePlan(l.ctx, me, openintentv1.CreatePlanRequest{IntentID: a})
		l.must(err)
		for _, to := range steps {
			doc, err = l.UpdatePlan(l.ctx, me, doc.ID, doc.Version, openintentv1.UpdatePlanRequest{State: to})
			l.must(err)
		}
	}
	for _, story := range []struct {
		tell func()
		want []string
	}{
		{func() { task("ready", "claimed", "running", "running", "blocked", "running", "completed") },
			[]string{"task.created", "task.ready", "task.claimed", "task.started", "task.progress", "task.blocked", "task.unblocked",
				"task.completed"}},
		{func() { task("running", "pending", "skipped") },
			[]string{"task.created", "task.started", "task.progress", "task.skipped"}},
		{func() { task("blocked", "failed") }, []string{"task.created", "task.blocked", "task.failed"}},
		{func() { task("cancelled") }, []string{"task.created", "task.cancelled"}},
		{func() { plan("active", "paused", "active", "completed") },
			[]string{"plan.created", "plan.activated", "plan.paused", "plan.resumed", "plan.completed"}},
		{func() { plan("draft", "failed") }, []string{"plan.created", "plan.failed"}},
		{func() { plan("cancelled") }, []string{"plan.created"}}, // no word
	} {
		before := len(l.types(a, ""))
		story.tell()
		if got := l.since(a, before); !slices.Equal(got, story.want) {
			t.Errorf("the log has %v, want %v", got, story.want)
		}
	}
}

// All that the server writes by itself is a word that clients know.
func TestTheServerWritesWordsThatClientsKnow(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	a, b := l.made("a", ""), l.made("b", "")
	f, err := l.CreatePortfolio(l.ctx, me, openintentv1.CreatePortfolioRequest{Name: "f", CreatedBy: "me"})
	l.must(err)
	_, err = l.AddMember(l.ctx, me, f.ID, a, "")
	l.must(err)
	_, err = l.SetPortfolioStatus(l.ctx, me, f.ID, "archived")
	l.must(err)
	c, err := l.CreateCoordinator(l.ctx, me, openintentv1.CreateCoordinatorRequest{AgentID: "c", PortfolioID: f.ID})
	l.must(err)
	_, err = l.Heartbeat(l.ctx, me, c.ID)
	l.must(err)
	lease, err := l.Acquire(l.ctx, me, a, "all", 60)
	l.must(err)
	_, err = l.Renew(l.ctx, me, a, lease.ID, 60)
	l.must(err)
	task, err := l.CreateTask(l.ctx, me, openintentv1.CreateTaskRequest{IntentID: a, Name: "work"})
	l.must(err)
	task, err = l.ClaimTask(l.ctx, me, task.ID, "")
	l.must(err)
	_, err = l.UpdateTask(l.ctx, me, task.ID, task.Version, openintentv1.UpdateTaskRequest{Status: "running"})
	l.must(err)
	v := l.intent(b).Version
	_, err = l.AddDependency(l.ctx, me, b, &v, a)
	l.must(err)
	l.suspend(a, "s", map[string]any{"retry_policy": policy(2, 5)})
	l.clock.Advance(5 * time.Second)
	l.must(l.answer(a, "s", "yes"))
	l.suspend(a, "s2", map[string]any{"retry_policy": policy(1, 5)})
	l.clock.Advance(5 * time.Second)
	l.wants(a, Abandoned)
	_, err = l.Release(l.ctx, me, a, lease.ID)
	l.must(err)
	l.must(l.RemoveMember(l.ctx, me, f.ID, a))

	all := slices.Concat(l.types(a, ""), l.types(b, ""), l.types("", f.ID))
	for _, word := range all {
		if !slices.Contains(words, word) {
			t.Errorf("the server writes %s, which clients do not know", word)
		}
	}
	for _, word := range []string{"lease_acquired", "lease_released", "task.claimed", "task.started", "task.blocked", "task.unblocked",
		"task.cancelled", "added_to_portfolio", "removed_from_portfolio", "intent.suspension_renotified", "intent.suspension_expired"} {
		if !slices.Contains(all, word) {
			t.Errorf("no log has %s", word)
		}
	}
}

// post puts an event on the log as an agent does, and returns what it is told.
func (l *lab) post(id, kind, sid string, attempt int) openintentv1.Event {
	l.t.Helper()
	payload := map[string]any{"suspension_id": sid}
	if attempt > 0 {
		payload["attempt"] = json.Number(fmt.Sprint(attempt))
	}
	doc, err := l.AppendEvent(l.ctx, me, id, kind, "agent", payload)
	l.must(err)
	return doc
}

// An agent that tells of its suspension by itself finds what the server has told, and the other way round.
func TestASuspensionIsToldOnce(t *testing.T) {
	l := openLab(t, t.TempDir())
	defer l.shut()
	a := l.made("a", "")
	l.suspend(a, "s", map[string]any{"retry_policy": policy(4, 5)})
	if got := l.post(a, intentSuspended, "s", 0); *got.Actor != system {
		t.Errorf("the agent's intent.suspended is another one: %+v", got)
	}
	if got := l.post(a, "intent.suspended", "other", 0); *got.Actor != "agent" {
		t.Errorf("an event of another suspension is not kept: %+v", got)
	}
	l.clock.Advance(4 * time.Second)
	first := l.post(a, renotified, "s", 2)
	l.clock.Advance(time.Second)
	sent := len(l.sent)
	l.Close()
	l.open() // and what the log tells is compared with what was told before a restart
	if again := l.post(a, renotified, "s", 2); again.ID != first.ID || l.count(a, renotified) != 1 || sent != 1 {
		t.Errorf("attempt 2 is told %d times, after %d notices", l.count(a, renotified), sent)
	}
	l.clock.Advance(5 * time.Second)
	if third := l.post(a, renotified, "s", 3); *third.Actor != system || l.count(a, renotified) != 2 {
		t.Errorf("attempt 3 is told %d times", l.count(a, renotified)-1)
	}
	l.must(l.answer(a, "s", "yes"))
	l.post(a, resumed, "s", 0)
	l.post(a, intentSuspended, "s", 0) // an agent that comes late
	if l.count(a, resumed) != 1 || l.count(a, intentSuspended) != 2 {
		t.Errorf("the log has %v", l.types(a, ""))
	}

	// The same id once more is another suspension.
	l.suspend(a, "s", map[string]any{"retry_policy": policy(2, 5)})
	l.clock.Advance(5 * time.Second)
	l.post(a, intentSuspended, "s", 0)
	if l.count(a, intentSuspended) != 3 || l.count(a, renotified) != 3 {
		t.Errorf("the log has %v", l.types(a, ""))
	}
}

// However an agent's loop and the server's come between one another, nothing is told twice.
func TestTwoLoopsTellOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := openLab(t, "")
		defer l.shut()
		a := l.made("a", "")
		agents := rapid.Bool().Draw(t, "agent first")
		if agents {
			l.post(a, intentSuspended, "s", 0)
		}
		p := policy(4, 5)
		p["escalation_ladder"] = []any{map[string]any{"attempt": json.Number("3"), "channel_hint": "email"}}
		l.suspend(a, "s", map[string]any{"retry_policy": p})
		if !agents {
			l.post(a, intentSuspended, "s", 0)
		}
		lag := rapid.IntRange(-3, 3).Draw(t, "lag")
		for second := range 19 {
			l.clock.Advance(time.Second)
			if attempt := (second-lag)/5 + 1; (second-lag)%5 == 0 && attempt > 1 && attempt < 5 {
				if attempt == 3 {
					l.post(a, escalated, "s", 3)
				}
				l.post(a, renotified, "s", attempt)
			}
		}
		for kind, want := range map[string]int{intentSuspended: 1, renotified: 3, escalated: 1} {
			if got := l.count(a, kind); got != want {
				t.Fatalf("the log has %d %s, want %d: %v", got, kind, want, l.types(a, ""))
			}
		}
		l.clock.Advance(time.Second)
		l.wants(a, Abandoned)
	})
}

// Where agents tell and remind, the server does neither, and still ends what nobody answers.
func TestAgentsNotify(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	l.Close()
	l.agentsNotify = true
	l.open()
	a := l.made("a", "")
	l.suspend(a, "s", map[string]any{"retry_policy": policy(3, 5)})
	l.clock.Advance(11 * time.Second)
	if l.count(a, intentSuspended) != 0 || l.count(a, renotified) != 0 || len(l.sent) != 0 {
		t.Errorf("the server tells %v and sends %d notices", l.types(a, ""), len(l.sent))
	}
	l.post(a, intentSuspended, "s", 0)
	l.post(a, renotified, "s", 2)
	l.wants(a, Suspended)
	l.clock.Advance(4 * time.Second)
	l.wants(a, Abandoned)
	if l.count(a, intentSuspended) != 1 || l.count(a, renotified) != 1 || l.count(a, expired) != 1 {
		t.Errorf("the log has %v", l.types(a, ""))
	}
}
