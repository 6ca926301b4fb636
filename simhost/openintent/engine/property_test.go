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

// plot is a random graph of intents with tasks, in a portfolio, and what is known of it.
type plot struct {
	*lab
	ids       []string
	deps      map[string][]string
	parent    map[string]string
	tasks     map[string]string // by intent
	waits     map[string]string // the suspension that an intent waits under
	ever      int               // suspensions so far
	portfolio string
	deadline  time.Time
}

// The five rules hold of any graph, whatever is suspended, answered and waited for (RFC-0026 section 2). The clock is moved
// by hand: nothing here sleeps.
func TestFiveRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &plot{lab: openLab(t, ""), deps: map[string][]string{}, parent: map[string]string{}, tasks: map[string]string{},
			waits: map[string]string{}}
		defer p.shut()
		p.deadline = begin.Add(time.Duration(rapid.IntRange(5, 60).Draw(t, "deadline")) * time.Second)
		at := p.deadline.Format(time.RFC3339)
		f, err := p.CreatePortfolio(p.ctx, me, openintentv1.CreatePortfolioRequest{
			Name: "f", CreatedBy: "me", GovernancePolicy: &openintentv1.GovernancePolicy{Deadline: &at},
		})
		p.must(err)
		p.portfolio = f.ID
		t.Repeat(map[string]func(*rapid.T){
			"make":     p.make,
			"suspend":  p.suspendOne,
			"answer":   p.answerOne,
			"complete": p.completeOne,
			"wait":     p.wait,
			"":         p.check,
		})
	})
}

func (p *plot) one(t *rapid.T, fits func(id string) bool) string {
	var fit []string
	for _, id := range p.ids {
		if fits(id) {
			fit = append(fit, id)
		}
	}
	if len(fit) == 0 {
		t.Skip("there is none")
	}
	return rapid.SampledFrom(fit).Draw(t, "intent")
}

func (p *plot) make(t *rapid.T) {
	if len(p.ids) >= 8 {
		t.Skip("enough")
	}
	open := func(id string) bool { s := p.status(id); return s != Completed && s != Abandoned }
	var parent string
	var deps []string
	for _, id := range p.ids {
		if open(id) && rapid.IntRange(0, 2).Draw(t, "depends") == 0 {
			deps = append(deps, id)
		}
	}
	if len(p.ids) > 0 && rapid.Bool().Draw(t, "below") {
		parent = p.one(t, open)
	}
	id := p.made(fmt.Sprint("intent ", len(p.ids)), parent, deps...)
	p.ids, p.deps[id], p.parent[id] = append(p.ids, id), deps, parent
	_, err := p.AddMember(p.ctx, me, p.portfolio, id, "")
	p.must(err)
	task, err := p.CreateTask(p.ctx, me, openintentv1.CreateTaskRequest{IntentID: id, Name: "work"})
	p.must(err)
	task, err = p.UpdateTask(p.ctx, me, task.ID, task.Version, openintentv1.UpdateTaskRequest{Status: "running"})
	p.must(err)
	p.tasks[id] = task.ID
}

func (p *plot) suspendOne(t *rapid.T) {
	id := p.one(t, func(id string) bool { return p.status(id) == Active })
	p.ever++
	sid := fmt.Sprint("s", p.ever)
	record := map[string]any{"id": sid, "question": "Go on?", "response_type": "text", "fallback_value": "FB"}
	if rapid.Bool().Draw(t, "expires") {
		record["timeout_seconds"] = json.Number("7")
		record["retry_policy"] = policy(rapid.IntRange(1, 3).Draw(t, "attempts"), 7)
		record["fallback_policy"] = rapid.SampledFrom([]string{"fail", "complete_with_fallback"}).Draw(t, "fallback")
	}
	steps := []func(){func() { p.record(id, record) }, func() { p.must(p.to(id, Suspended)) }}
	if rapid.Bool().Draw(t, "status first") {
		slices.Reverse(steps)
	}
	before := p.statuses()
	for _, step := range steps {
		step()
	}
	p.waits[id] = sid
	// Rule 1: nothing but the intent is suspended, and what does not depend on it stays as it was.
	for _, other := range p.ids {
		now := p.status(other)
		if other != id && now != before[other] && (now != Blocked || !p.reaches(other, id)) {
			t.Fatalf("%s was %s and is %s over the suspension of %s", other, before[other], now, id)
		}
	}
}

func (p *plot) statuses() map[string]string {
	out := map[string]string{}
	for _, id := range p.ids {
		out[id] = p.status(id)
	}
	return out
}

func (p *plot) reaches(from, to string) bool {
	return slices.ContainsFunc(p.deps[from], func(id string) bool { return id == to || p.reaches(id, to) })
}

func (p *plot) answerOne(t *rapid.T) {
	id := p.one(t, func(id string) bool { return p.status(id) == Suspended })
	if err := p.answer(id, "nobody's", "yes"); !refusedWith(err, "suspension_mismatch") {
		t.Fatalf("an answer to another suspension: %v", err)
	}
	before := p.statuses()
	p.must(p.answer(id, p.waits[id], "yes"))
	// Rule 2: the answer alone lets no dependent go on.
	for _, other := range p.ids {
		if other != id && before[other] == Blocked && p.status(other) == Active {
			t.Fatalf("%s goes on over the answer to %s", other, id)
		}
	}
	if err := p.answer(id, p.waits[id], "no"); err == nil {
		t.Fatal("a second answer was taken")
	}
}

func (p *plot) completeOne(t *rapid.T) {
	id := p.one(t, func(string) bool { return true })
	open := func(other string) bool { return p.status(other) != Completed }
	gate := !slices.ContainsFunc(p.deps[id], open)
	for child, parent := range p.parent {
		gate = gate && (parent != id || !open(child))
	}
	may := gate && p.status(id) == Active
	if err := p.to(id, Completed); (err == nil) != may {
		t.Fatalf("%s is %s, the gate is open: %v, and the answer is %v", id, p.status(id), gate, err)
	}
}

func (p *plot) wait(t *rapid.T) {
	before := p.clock.Now()
	by := time.Duration(rapid.IntRange(1, 12).Draw(t, "seconds")) * time.Second
	suspended := slices.DeleteFunc(slices.Clone(p.ids), func(id string) bool { return p.status(id) != Suspended })
	p.clock.Advance(by)
	// Rule 5: the deadline leaves nobody suspended who was so when it passed.
	if before.Before(p.deadline) && !p.clock.Now().Before(p.deadline) {
		for _, id := range suspended {
			if p.status(id) == Suspended {
				t.Fatalf("%s is suspended behind the deadline", id)
			}
		}
	}
}

// check holds the world against the rules.
func (p *plot) check(t *rapid.T) {
	counts := map[string]int64{}
	for _, id := range p.ids {
		status := p.status(id)
		counts[status]++
		// Rule 2: nothing is active over something suspended, and what waits for nothing is not blocked.
		over := slices.ContainsFunc(p.ids, func(up string) bool { return p.status(up) == Suspended && p.open(id, up) })
		if over && status == Active {
			t.Fatalf("%s is active over a suspension", id)
		}
		if status == Blocked && !slices.ContainsFunc(p.deps[id], func(dep string) bool { return p.status(dep) != Completed }) {
			t.Fatalf("%s is blocked and waits for nothing", id)
		}
		p.checkTask(t, id, status)
	}
	// Rule 4: the portfolio counts what there is, and rule 1: it is not suspended itself.
	doc, err := p.Portfolio(p.ctx, p.portfolio)
	p.must(err)
	if n := counts[Suspended]; *doc.SuspendedMemberCount != n || *doc.HasSuspendedMembers != (n > 0) ||
		int64(len(doc.Progress.SuspendedPhases)) != n {
		t.Fatalf("%d are suspended, and the portfolio says %d, %v, %v", n, *doc.SuspendedMemberCount, *doc.HasSuspendedMembers, doc.Progress)
	}
	if doc.Status != "active" || doc.AggregateStatus.ByStatus[Suspended] != counts[Suspended] {
		t.Fatalf("the portfolio is %s and counts %v", doc.Status, doc.AggregateStatus)
	}
	want := "in_progress"
	switch {
	case counts[Abandoned] > 0:
		want = "failed"
	case len(p.ids) > 0 && counts[Completed] == int64(len(p.ids)):
		want = "completed"
	}
	if string(doc.AggregateStatus.Status) != want {
		t.Fatalf("the aggregate is %s over %v, want %s", doc.AggregateStatus.Status, counts, want)
	}
}

// open tells whether an intent waits for another one through intents that are not completed.
func (p *plot) open(from, to string) bool {
	return slices.ContainsFunc(p.deps[from], func(id string) bool {
		return id == to || p.status(id) != Completed && p.open(id, to)
	})
}

// checkTask is rule 3: a task is blocked while its intent is suspended, and runs before and after.
func (p *plot) checkTask(t *rapid.T, id, status string) {
	task, err := p.Task(p.ctx, p.tasks[id])
	p.must(err)
	blocked := task.Status == "blocked" && text(task.BlockedReason) == "intent_suspended" && text(task.SuspendedIntentID) == id
	switch {
	case status == Suspended && !blocked:
		t.Fatalf("the task of a suspended intent is %s", task.Status)
	case status != Suspended && (blocked || task.SuspendedIntentID != nil || task.BlockedReason != nil):
		t.Fatalf("the task of an intent that is %s is %s", status, task.Status)
	}
}
