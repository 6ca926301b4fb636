package goal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
)

// model is a goal as the rules have it, told in the fewest words. Costs are in quarters of a dollar, times in ms.
type model struct {
	Objective string
	State     openwopv1.GoalState
	Paused    bool
	Ahead     int64
	Judged    int
	Fired     int
	Log       string

	runs, cost, ms int64 // the bounds, -1 for none
	created        int64
	spent          int64
	asks           bool // the run that is stuck waits for a person

	every  int64 // the interval of its schedule, 0 for none
	anchor int64 // when that counts from, by the goal's own clock
}

// catchUp fires the run that the schedule has come to.
func (m *model) catchUp(now int64) {
	at := now + m.Ahead
	if m.every == 0 || m.State != "active" || m.Paused || at < m.anchor+m.every {
		return
	}
	if m.late(now) {
		m.close("bound-exceeded")
		return
	}
	m.anchor += (at - m.anchor) / m.every * m.every
	m.Fired++
	m.judge(false, 0, now)
}

func (m *model) late(now int64) bool { return m.ms >= 0 && now-m.created+m.Ahead > m.ms }

func (m *model) close(state openwopv1.GoalState) {
	m.State = state
	m.say(string(state))
}

func (m *model) say(word string) { m.Log = strings.TrimSpace(m.Log + " " + word) }

func (m *model) judge(satisfied bool, cost, now int64) {
	m.Judged++
	m.spent += cost
	m.say(fmt.Sprint(satisfied))
	switch {
	case satisfied:
		m.close("satisfied")
	case int64(m.Judged) == m.runs, m.cost >= 0 && m.spent > m.cost, m.late(now):
		m.close("bound-exceeded")
	}
}

// act is something that is asked of a goal. The model says whether it is refused.
type act struct {
	name  string
	model func(m *model, now int64) (refused bool)
	host  func(h *host, id string) error
}

func drawTick(rt *rapid.T) act {
	satisfied := rapid.IntRange(0, 5).Draw(rt, "verdict") == 0
	cost := rapid.Int64Range(0, 3).Draw(rt, "cost")
	elapsed := rapid.Int64Range(0, 2).Draw(rt, "elapsed") * 500
	tick := Tick{Verdict: &openwopv1.ScriptedVerdict{Satisfied: satisfied}, CostUSD: float64(cost) / 4, ElapsedMs: elapsed}
	if rapid.IntRange(0, 5).Draw(rt, "stuck") == 0 {
		tick = Tick{Escalate: true, ElapsedMs: elapsed}
	}
	return act{"tick", func(m *model, now int64) bool {
		if m.State != "active" {
			return true
		}
		m.Ahead += elapsed
		switch {
		case m.late(now):
			m.close("bound-exceeded")
		case m.Paused:
		case tick.Escalate:
			m.Fired++
			m.asks = true
			m.close("escalated")
		default:
			m.Fired++
			m.judge(satisfied, cost, now)
		}
		return false
	}, func(h *host, id string) error {
		_, err := h.Tick(h.soon(), id, tick)
		return err
	}}
}

func drawAct(rt *rapid.T) act {
	only := func(allowed bool, f func()) bool {
		if allowed {
			f()
		}
		return !allowed
	}
	switch rapid.SampledFrom([]string{"tick", "tick", "tick", "pause", "resume", "resume", "edit", "abandon"}).Draw(rt, "act") {
	case "pause":
		return act{"pause", func(m *model, _ int64) bool {
			return only(m.State == "active", func() { m.Paused = true })
		}, func(h *host, id string) error { _, err := h.Pause(h.soon(), id); return err }}
	case "resume":
		return act{"resume", func(m *model, now int64) bool {
			stuck := m.State == "escalated" && !m.asks
			return only(m.State == "active" || stuck, func() {
				if m.Paused || stuck {
					m.anchor = now + m.Ahead
				}
				m.Paused = false
				if m.State = "active"; stuck {
					m.judge(false, 0, now)
				}
			})
		}, func(h *host, id string) error { _, err := h.ReArm(h.soon(), id); return err }}
	case "edit":
		text := objective + rapid.StringN(0, 4, -1).Draw(rt, "text")
		return act{"edit", func(m *model, _ int64) bool {
			return only(m.State == "active", func() { m.Objective = text })
		}, func(h *host, id string) error {
			_, err := h.Edit(h.soon(), id, Edit{Objective: text})
			return err
		}}
	case "abandon":
		return act{"abandon", func(m *model, _ int64) bool {
			if m.State == "abandoned" {
				return false
			}
			return only(m.State == "active" || m.State == "escalated", func() { m.close("abandoned") })
		}, func(h *host, id string) error { _, err := h.Abandon(h.soon(), id); return err }}
	default:
		return drawTick(rt)
	}
}

// world is a host that anything may happen to, and what the goals on it must be.
type world struct {
	*host
	models map[string]*model
	ids    []string
}

func (w *world) now() int64 { return w.clock.Now().Sub(epoch).Milliseconds() }

// TestAnythingMayHappen does random things to random goals, and ends the host now and then, in good order or not. Whatever
// comes of it, each goal is what the rules say.
func TestAnythingMayHappen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{host: newHost(t), models: map[string]*model{}}
		defer w.end()
		rt.Repeat(map[string]func(*rapid.T){
			"create":  w.create,
			"act":     w.act,
			"act too": w.act,
			"answer":  w.answer,
			"wait": func(rt *rapid.T) {
				for range rapid.IntRange(1, 800).Draw(rt, "ms") {
					w.clock.Advance(time.Millisecond)
					w.strike()
				}
				w.quiet()
			},
			"restart": w.restartLater,
			"kill":    w.kill,
			"":        w.check,
		})
	})
}

// strike has the models of goals whose deadlines have passed closed.
func (w *world) strike() {
	for _, m := range w.models {
		if m.State == "active" && m.late(w.now()) {
			m.close("bound-exceeded")
		}
		m.catchUp(w.now())
	}
}

func (w *world) create(rt *rapid.T) {
	id, c, m := w.draw(rt)
	if _, err := w.Create(w.soon(), c); err != nil {
		rt.Fatalf("create: %v", err)
	}
	w.ids, w.models[id] = append(w.ids, id), m
}

// draw is a goal to be.
func (w *world) draw(rt *rapid.T) (id string, c Create, m *model) {
	m = &model{
		Objective: objective, State: "active", created: w.now(),
		runs: rapid.Int64Range(1, 4).Draw(rt, "runs"),
		cost: rapid.Int64Range(-1, 6).Draw(rt, "cost"),
		ms:   rapid.Int64Range(-1, 6).Draw(rt, "time") * 500,
	}
	bounds := within(m.runs)
	if m.cost >= 0 {
		bounds.MaxCostUSD = new(float64(m.cost) / 4)
	}
	if m.ms >= 0 {
		bounds.RunTimeoutMs = &m.ms
	}
	c = offered(bounds)
	if rapid.Bool().Draw(rt, "scheduled") {
		m.every, m.anchor = rapid.Int64Range(1, 4).Draw(rt, "every")*250, w.now()
		c.Continuation = every(fmt.Sprint(m.every, "ms"))
	}
	c.ID = [16]byte{byte(len(w.ids)), 1}
	return goalID(c.ID), c, m
}

func (w *world) pick(rt *rapid.T) string {
	if len(w.ids) == 0 {
		rt.Skip("no goal yet")
	}
	return rapid.SampledFrom(w.ids).Draw(rt, "goal")
}

func (w *world) act(rt *rapid.T) {
	id, a := w.pick(rt), drawAct(rt)
	before := w.get(id)
	refused := a.model(w.models[id], w.now())
	w.models[id].catchUp(w.now())
	err := a.host(w.host, id)
	w.quiet()
	if refused != (code(err) == CodeClosed) || !refused && err != nil {
		rt.Fatalf("%s of a goal that is %s: %v, want it refused: %v", a.name, before.State, err, refused)
	}
	if diff := cmp.Diff(before, w.get(id)); refused && diff != "" {
		rt.Fatalf("the %s that was refused changed the goal\n%s", a.name, diff)
	}
}

func (w *world) answer(rt *rapid.T) {
	id := w.pick(rt)
	m, runs := w.models[id], w.get(id).Progress.ContributingRunIds
	if !m.asks {
		rt.Skip("nobody is asked")
	}
	m.asks = false
	w.host.answer(runs[len(runs)-1])
}

// restartLater ends the host in good order, and opens it again after a while.
func (w *world) restartLater(rt *rapid.T) {
	w.end()
	w.clock.Advance(time.Duration(rapid.IntRange(0, 800).Draw(rt, "ms")) * time.Millisecond)
	w.start()
	w.quiet()
	w.strike()
}

// kill lets the host die within its next appends, while something goes on. What it was about to do is done, or it is not.
func (w *world) kill(rt *rapid.T) {
	w.log.kill(rapid.IntRange(0, 4).Draw(rt, "appends left"))
	w.dies()
	if len(w.ids) == 0 || rapid.IntRange(0, 4).Draw(rt, "create") == 0 {
		id, c, m := w.draw(rt)
		_, _ = w.Create(w.soon(), c)
		w.restart()
		if _, err := w.Get(w.soon(), id); err == nil {
			w.ids, w.models[id] = append(w.ids, id), m
		}
		return
	}
	id, a := w.pick(rt), drawAct(rt)
	done := *w.models[id]
	a.model(&done, w.now())
	done.catchUp(w.now())
	_ = a.host(w.host, id)
	w.restart()
	if w.seen(id) == seen(&done) {
		*w.models[id] = done
	}
}

// seen is what can be seen of a model, and what is hidden and matters later.
func seen(m *model) string {
	return fmt.Sprint(m.Objective, "|", m.State, m.Paused, m.Ahead, m.Judged, m.Fired, m.Log)
}

func (w *world) seen(id string) string {
	g := w.get(id)
	m := model{Objective: g.Objective, State: g.State, Judged: int(*g.Progress.Iterations), Fired: len(w.runs(id)), Log: story(w.events(id))}
	if err := w.look(w.soon(), id, func(s *state) { m.Paused, m.Ahead = s.paused, s.ahead.Milliseconds() }); err != nil {
		w.t.Fatal(err)
	}
	return seen(&m)
}

// check holds every goal to its model, and to what must be so whatever the model says.
func (w *world) check(rt *rapid.T) {
	listed := must[[]openwopv1.Goal](w.t)(w.List(w.soon(), ""))
	if len(listed) != len(w.ids) {
		rt.Fatalf("%d goals are listed, want %d", len(listed), len(w.ids))
	}
	for i, id := range w.ids {
		m := w.models[id]
		if got, want := w.seen(id), seen(m); got != want {
			rt.Fatalf("goal %s is\n%s\nthe rules have it\n%s", id, got, want)
		}
		if listed[i].ID != id {
			rt.Fatalf("goal %d of the list is %s, want %s", i, listed[i].ID, id)
		}
		if problems := unlawful(listed[i], w.events(id), w.runs(id)); len(problems) > 0 {
			rt.Fatalf("goal %s: %v in %s", id, problems, m.Log)
		}
	}
}

// unlawful lists what must never be so.
func unlawful(g openwopv1.Goal, events []openwopv1.GoalEvent, fired []string) (problems []string) {
	complain := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	contributing := g.Progress.ContributingRunIds
	complain(*g.Progress.Iterations > *g.Bounds.MaxLoopIterations, "%d iterations", *g.Progress.Iterations)
	complain(int64(len(fired)) > *g.Bounds.MaxLoopIterations, "%d runs", len(fired))
	complain(!slices.Equal(slices.Sorted(slices.Values(contributing)), fired), "contributing are %v of %v", contributing, fired)
	state := "active"
	var judged []string
	for i, e := range events {
		complain(e.Sequence != int64(i) || e.EventID != fmt.Sprintf("%s-%d", g.ID, i) || e.GoalID != g.ID,
			"event %d is %s, sequence %d", i, e.EventID, e.Sequence)
		complain(strings.Contains(fmt.Sprint(e.Payload), "MARKER"), "event %d tells the objective", i)
		switch e.Type {
		case openwopv1.GoalEventTypeGoalEvaluated:
			judged = append(judged, e.Payload["runId"].(string))
			complain(state != "active" && state != "escalated", "event %d follows %s", i, state)
			complain(e.Payload["iterations"] != int64(len(judged)), "event %d is iteration %v", i, e.Payload["iterations"])
			state = "active"
		case openwopv1.GoalEventTypeGoalClosed:
			final := e.Payload["finalState"].(string)
			complain(state != "active" && (state != "escalated" || final != "abandoned"), "event %d closes what is %s", i, state)
			state = final
		}
	}
	complain(state != string(g.State), "the log ends in %s, the goal is %s", state, g.State)
	complain(!slices.Equal(judged, contributing[:min(len(judged), len(contributing))]), "judged are %v of %v", judged, contributing)
	return problems
}
