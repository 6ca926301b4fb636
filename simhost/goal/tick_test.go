package goal

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/run"
)

func TestATickFiresARunAndHasItJudged(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	h.clock.Advance(time.Second)
	done := h.tick(id, Tick{Verdict: sure(0.25), CostUSD: 0.5})
	evaluated := openwopv1.GoalEvent{
		EventID: id + "-0", GoalID: id, Sequence: 0, Type: "goal.evaluated", Timestamp: epoch.Add(time.Second),
		Payload: map[string]any{"goalId": id, "satisfied": false, "confidence": 0.25, "runId": done.RunID, "iterations": int64(1)},
	}
	if diff := cmp.Diff([]openwopv1.GoalEvent{evaluated}, done.Events); diff != "" {
		t.Errorf("the first tick added (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&openwopv1.GoalVerdict{Satisfied: new(false), Confidence: new(0.25), RunID: &done.RunID}, done.Goal.Completion.LastVerdict); diff != "" {
		t.Errorf("the last verdict (-want +got)\n%s", diff)
	}
	if !done.Goal.UpdatedAt.Equal(epoch.Add(time.Second)) {
		t.Errorf("the goal was updated at %s", done.Goal.UpdatedAt)
	}
	fired := h.run(done.RunID)
	if diff := cmp.Diff(map[string]any{"satisfied": false, "confidence": 0.25, "costUsd": 0.5}, fired.Inputs); diff != "" {
		t.Errorf("the inputs of its run (-want +got)\n%s", diff)
	}
	if fired.WorkflowID != workflowWork || fired.Status != "completed" || fired.Owner.Tenant != "local" {
		t.Errorf("its run is %+v", fired)
	}
	last := h.tick(id, Tick{Verdict: yes})
	want := []openwopv1.GoalEvent{{
		EventID: id + "-1", GoalID: id, Sequence: 1, Type: "goal.evaluated", Timestamp: epoch.Add(time.Second),
		Payload: map[string]any{"goalId": id, "satisfied": true, "runId": last.RunID, "iterations": int64(2)},
	}, {
		EventID: id + "-2", GoalID: id, Sequence: 2, Type: "goal.closed", Timestamp: epoch.Add(time.Second),
		Payload: map[string]any{"goalId": id, "finalState": "satisfied"},
	}}
	if diff := cmp.Diff(want, last.Events); diff != "" {
		t.Errorf("the last tick added (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(append([]openwopv1.GoalEvent{evaluated}, want...), h.events(id)); diff != "" {
		t.Errorf("the log (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&openwopv1.GoalProgress{Iterations: new(int64(2)), ContributingRunIds: []string{done.RunID, last.RunID}}, last.Goal.Progress); diff != "" {
		t.Errorf("the progress (-want +got)\n%s", diff)
	}
}

func TestEndings(t *testing.T) {
	in := func(ms int64) openwopv1.GoalBounds { return openwopv1.GoalBounds{RunTimeoutMs: &ms} }
	cost := func(usd float64) openwopv1.GoalBounds { return openwopv1.GoalBounds{MaxCostUSD: &usd} }
	for _, row := range []struct {
		name   string
		bounds openwopv1.GoalBounds
		ticks  []Tick
		want   string
	}{
		{"never satisfied", within(3), []Tick{{}, {}, {}}, "false false false bound-exceeded"},
		{"not before the bound", within(3), []Tick{{}, {}}, "false false"},
		{"satisfied at once", within(3), []Tick{{Verdict: yes}}, "true satisfied"},
		{"satisfied in the last run", within(2), []Tick{{}, {Verdict: yes}}, "false true satisfied"},
		{"satisfied and too dear", cost(1), []Tick{{Verdict: yes, CostUSD: 2}}, "true satisfied"},
		{"too dear", cost(1), []Tick{{CostUSD: 0.5}, {CostUSD: 0.75}}, "false false bound-exceeded"},
		{"just what it may cost", cost(1), []Tick{{CostUSD: 0.5}, {CostUSD: 0.5}, {}}, "false false false"},
		{"three times 0.1 is 0.3", cost(0.3), []Tick{{CostUSD: 0.1}, {CostUSD: 0.1}, {CostUSD: 0.1}}, "false false false"},
		{"and a little more is too much", cost(0.3), []Tick{{CostUSD: 0.1}, {CostUSD: 0.1}, {CostUSD: 0.100001}}, "false false false bound-exceeded"},
		{"for nothing", cost(0), []Tick{{}, {CostUSD: 1e-9}}, "false false bound-exceeded"},
		{"more than a number holds", cost(math.MaxFloat64), []Tick{{CostUSD: math.MaxFloat64}, {CostUSD: math.MaxFloat64}}, "false false bound-exceeded"},
		{"late", in(1000), []Tick{{}, {Verdict: yes, ElapsedMs: 1001}}, "false bound-exceeded"},
		{"late little by little", in(1000), []Tick{{ElapsedMs: 400}, {ElapsedMs: 600}, {ElapsedMs: 1}}, "false false bound-exceeded"},
		{"no time at all", in(0), []Tick{{}, {ElapsedMs: 1}}, "false bound-exceeded"},
		{"all the time there is", in(math.MaxInt64), []Tick{{ElapsedMs: farOff}}, "false"},
		{"the first bound counts", openwopv1.GoalBounds{MaxLoopIterations: new(int64(5)), MaxCostUSD: new(1.0), RunTimeoutMs: new(int64(10))}, []Tick{{CostUSD: 3}}, "false bound-exceeded"},
	} {
		h := newHost(t)
		id := h.create(row.bounds)
		for _, tick := range row.ticks {
			h.tick(id, tick)
		}
		h.expectStory(id, row.want)
		open := !strings.Contains(row.want, "satisfied") && !strings.Contains(row.want, "exceeded")
		if goal := h.get(id); (goal.State == "active") != open {
			t.Errorf("%s: the goal is %s", row.name, goal.State)
		}
		if n := strings.Count(row.want, "false") + strings.Count(row.want, "true"); len(h.runs(id)) != n {
			t.Errorf("%s: %d runs were fired, want %d", row.name, len(h.runs(id)), n)
		}
	}
}

func TestATickThatMakesNoSenseIsRefused(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	h.tick(id, Tick{ElapsedMs: 1000})
	for field, tick := range map[string]Tick{
		"verdict.confidence": {Verdict: sure(1.1)},
		"verdict":            {Escalate: true, Verdict: &openwopv1.ScriptedVerdict{}},
		"costUsd":            {Escalate: true, CostUSD: 1},
		"elapsedMs":          {ElapsedMs: farOff},
	} {
		_, err := h.Tick(h.soon(), id, tick)
		if refused := (*refusal.Error)(nil); !errors.As(err, &refused) || refused.Details["field"] != field {
			t.Errorf("refused with %v, want it about %s", err, field)
		}
	}
	for _, tick := range []Tick{{CostUSD: -1}, {CostUSD: math.Inf(1)}, {CostUSD: math.NaN()}, {ElapsedMs: -1}, {ElapsedMs: math.MaxInt64}, {Verdict: sure(math.NaN())}} {
		if _, err := h.Tick(h.soon(), id, tick); code(err) != CodeValidation {
			t.Errorf("%+v: %v", tick, err)
		}
	}
	h.expectStory(id, "false")
}

// replaced puts another definition in the place of the workflow of contributing runs.
func replaced(t *testing.T, change func(*openwopv1.WorkflowNode)) func(*host) {
	return func(h *host) {
		work := h.r.Workflows[workflowWork]
		work.Nodes = []openwopv1.WorkflowNode{work.Nodes[0]}
		change(&work.Nodes[0])
		h.r.Workflows[workflowWork] = work
	}
}

func TestTheJudgeReadsTheRun(t *testing.T) {
	says := func(name, value string) func(*openwopv1.WorkflowNode) {
		return func(n *openwopv1.WorkflowNode) {
			var port openwopv1.PortValue
			if err := json.Unmarshal([]byte(`{"type":"static","value":`+value+`}`), &port); err != nil {
				t.Fatal(err)
			}
			n.Inputs = map[string]openwopv1.PortValue{name: port}
		}
	}
	type found struct {
		story      string
		confidence *float64
	}
	for name, row := range map[string]struct {
		change func(*openwopv1.WorkflowNode)
		tick   Tick
		want   found
	}{
		"it is satisfied, whatever was asked for": {says("satisfied", `true`), Tick{}, found{"true satisfied", nil}},
		"it says nothing of it":                   {says("other", `true`), Tick{Verdict: yes}, found{"false", nil}},
		"it says it in other words":               {says("satisfied", `"true"`), Tick{Verdict: yes}, found{"false", nil}},
		"it is surer than sure":                   {says("confidence", `2`), Tick{Verdict: sure(0.5)}, found{"false", nil}},
		"it is sure":                              {says("confidence", `1`), Tick{}, found{"false", new(1.0)}},
		"it is dear":                              {says("costUsd", `7`), Tick{}, found{"false bound-exceeded", nil}},
		"it gives something back":                 {says("costUsd", `-7`), Tick{CostUSD: 7}, found{"false", nil}},
		"it failed":                               {func(n *openwopv1.WorkflowNode) { n.TypeID = "core.fail" }, Tick{Verdict: yes, CostUSD: 7}, found{"false", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, replaced(t, row.change))
			id := h.create(openwopv1.GoalBounds{MaxCostUSD: new(5.0)})
			done := h.tick(id, row.tick)
			h.expectStory(id, row.want.story)
			if diff := cmp.Diff(row.want.confidence, done.Goal.Completion.LastVerdict.Confidence); diff != "" {
				t.Errorf("the confidence (-want +got)\n%s", diff)
			}
		})
	}
}

func TestATickWithoutItsWorkflowIsRefusedAndLeavesNothing(t *testing.T) {
	h := newHost(t, func(h *host) { delete(h.r.Workflows, workflowStuck) })
	id := h.create(within(2))
	before := h.get(id)
	if _, err := h.Tick(h.soon(), id, Tick{Escalate: true}); code(err) != run.CodeNotFound {
		t.Errorf("ticked with %v", err)
	}
	if diff := cmp.Diff(before, h.get(id)); diff != "" {
		t.Errorf("the goal (-before +after)\n%s", diff)
	}
	h.tick(id, Tick{})
	h.tick(id, Tick{})
	h.expectStory(id, "false false bound-exceeded")
}

func TestEscalation(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	h.tick(id, Tick{})
	done := h.tick(id, Tick{Escalate: true})
	if done.Goal.State != "escalated" || story(done.Events) != "escalated" || *done.Goal.Progress.Iterations != 1 {
		t.Fatalf("the tick comes to %+v", done)
	}
	if !suspended(h.run(done.RunID).Status) || done.Goal.Progress.ContributingRunIds[1] != done.RunID {
		t.Errorf("the run that is stuck is %s, of %v", h.run(done.RunID).Status, done.Goal.Progress)
	}
	h.restart()
	before := h.get(id)
	for _, ask := range []func() error{
		func() error { _, err := h.ReArm(h.soon(), id); return err },
		func() error { _, err := h.Tick(h.soon(), id, Tick{}); return err },
	} {
		if err := ask(); code(err) != CodeClosed || !strings.Contains(err.Error(), done.RunID) {
			t.Errorf("before somebody has answered: %v", err)
		}
	}
	if diff := cmp.Diff(before, h.get(id)); diff != "" {
		t.Errorf("the goal (-before +after)\n%s", diff)
	}
	h.answer(done.RunID)
	armed := must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	if armed.State != "active" || *armed.Progress.Iterations != 2 || len(armed.Progress.ContributingRunIds) != 2 || *armed.Completion.LastVerdict.RunID != done.RunID {
		t.Errorf("resumed, the goal is %+v", armed)
	}
	h.tick(id, Tick{Verdict: yes})
	h.expectStory(id, "false escalated false true satisfied")
}

func TestAStuckRunCountsTowardsTheBounds(t *testing.T) {
	h := newHost(t)
	for _, bounds := range []openwopv1.GoalBounds{within(1), {RunTimeoutMs: new(int64(1000))}} {
		id := h.create(bounds)
		stuck := h.tick(id, Tick{Escalate: true}).RunID
		h.clock.Advance(time.Minute)
		h.expectStory(id, "escalated")
		if bounds.RunTimeoutMs != nil { // not answered, but given up
			must[openwopv1.RunSnapshot](t)(h.engine.Cancel(h.soon(), stuck, "enough"))
		} else {
			h.answer(stuck)
		}
		if got := must[openwopv1.Goal](t)(h.ReArm(h.soon(), id)); got.State != "bound-exceeded" {
			t.Errorf("resumed, the goal is %s", got.State)
		}
		h.expectStory(id, "escalated false bound-exceeded")
	}
}

func TestAnEscalatedGoalCanBeGivenUp(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	stuck := h.tick(id, Tick{Escalate: true}).RunID
	must[openwopv1.Goal](t)(h.Abandon(h.soon(), id))
	h.answer(stuck)
	if _, err := h.ReArm(h.soon(), id); code(err) != CodeClosed {
		t.Errorf("resumed with %v", err)
	}
	h.expectStory(id, "escalated abandoned")
}

func TestPausedBeforeItGotStuckAGoalIsResumedOnce(t *testing.T) {
	g := newGate()
	h := newHost(t, g.install)
	id := h.create(within(3))
	done := g.tick(h, id, Tick{Escalate: true})
	must[openwopv1.Goal](t)(h.Pause(h.soon(), id))
	g.open()
	stuck := <-done
	h.answer(stuck.RunID)
	must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	if h.tick(id, Tick{}).RunID == "" {
		t.Error("resumed, it is still paused")
	}
}

func TestTheDeadlineStrikesByItself(t *testing.T) {
	h := newHost(t)
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	paused := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	must[openwopv1.Goal](t)(h.Pause(h.soon(), paused))
	ahead := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.tick(ahead, Tick{ElapsedMs: 600})
	never := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(math.MaxInt64))})

	h.restart() // the timers are set again, and the clock of one goal is still ahead
	h.clock.Advance(401 * time.Millisecond)
	h.expectStory(ahead, "false bound-exceeded")
	h.expectStory(id, "")
	h.clock.Advance(599 * time.Millisecond)
	h.expectStory(id, "")
	h.expectStory(paused, "")
	h.clock.Advance(time.Millisecond)
	h.expectStory(id, "bound-exceeded")
	h.expectStory(paused, "bound-exceeded")
	h.clock.Advance(100 * 365 * 24 * time.Hour)
	h.expectStory(never, "")
	if events := h.events(id); !events[0].Timestamp.Equal(epoch.Add(1001 * time.Millisecond)) {
		t.Errorf("it struck at %s", events[0].Timestamp)
	}
}

func TestADeadlineThatPassedWhileTheHostWasDown(t *testing.T) {
	h := newHost(t)
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.end()
	h.clock.Advance(time.Hour)
	h.start()
	h.expectStory(id, "bound-exceeded")
}

func TestADeadlineThatTheLogDidNotTakeStrikesLater(t *testing.T) {
	var told []error
	h := newHost(t, func(h *host) { h.o.OnError = func(err error) { told = append(told, err) } })
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.log.kill(0)
	h.clock.Advance(2 * time.Second)
	if len(told) != 1 || !errors.Is(told[0], errKilled) {
		t.Errorf("told: %v", told)
	}
	h.log.kill(-1)
	h.clock.Advance(retry)
	h.expectStory(id, "bound-exceeded")
}

// gate holds up those who wait for a run.
type gate struct {
	entered chan struct{} // receives when somebody waits
	once    sync.Once
	way     chan struct{} // closed once the gate is open
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 16), way: make(chan struct{})} }

func (g *gate) install(h *host) { h.o.Runs = &gated{g, h} }

func (g *gate) open() { g.once.Do(func() { close(g.way) }) }

// tick ticks beside the test; it returns when the run is under way.
func (g *gate) tick(h *host, id string, t Tick) <-chan Ticked {
	h.t.Helper()
	done := make(chan Ticked, 1)
	go func() {
		defer close(done)
		ticked, err := h.Tick(h.soon(), id, t)
		if err != nil {
			h.t.Errorf("tick: %v", err)
		}
		done <- ticked
	}()
	<-g.entered
	return done
}

// gated are the runs of the host's engine behind a gate.
type gated struct {
	*gate
	h *host
}

func (g *gated) Create(ctx context.Context, c run.Create) (openwopv1.RunSnapshot, error) {
	return g.h.engine.Create(ctx, c)
}

func (g *gated) ID(chosen [16]byte) string { return g.h.engine.ID(chosen) }

func (g *gated) Snapshot(ctx context.Context, id string) (openwopv1.RunSnapshot, error) {
	return g.h.engine.Snapshot(ctx, id)
}

func (g *gated) Await(ctx context.Context, id string) error {
	g.entered <- struct{}{}
	select {
	case <-g.way:
		return g.h.engine.Await(ctx, id)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestAGoalThatEndsWhileItsRunIsUnderWay(t *testing.T) {
	for name, end := range map[string]func(*host, string){
		"bound-exceeded": func(h *host, _ string) { h.clock.Advance(time.Hour) },
		"abandoned":      func(h *host, id string) { must[openwopv1.Goal](t)(h.Abandon(h.soon(), id)) },
	} {
		for _, tick := range []Tick{{Verdict: yes}, {Escalate: true}} {
			g := newGate()
			h := newHost(t, g.install)
			id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
			done := g.tick(h, id, tick)
			end(h, id)
			h.expectStory(id, name) // at once
			closed := h.get(id)
			g.open()
			ticked := <-done
			if ticked.RunID == "" || len(ticked.Events) != 0 {
				t.Errorf("%s: the tick comes to %+v", name, ticked)
			}
			h.expectStory(id, name)
			closed.Progress.ContributingRunIds, closed.UpdatedAt = []string{ticked.RunID}, h.clock.Now() // and nothing else
			if diff := cmp.Diff(closed, h.get(id)); diff != "" {
				t.Errorf("%s: the goal (-when it closed, and its run +after its run)\n%s", name, diff)
			}
		}
	}
}

func TestATickWhoseCallerLeftIsFinished(t *testing.T) {
	g := newGate()
	h := newHost(t, g.install)
	id := h.create(within(3))
	ctx, cancel := context.WithCancel(h.soon())
	done := make(chan error, 1)
	go func() {
		_, err := h.Tick(ctx, id, Tick{Verdict: yes})
		done <- err
	}()
	<-g.entered
	cancel()
	// Another one that waits for its turn gives up, and leaves nothing.
	if _, err := h.Tick(ctx, id, Tick{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the other tick ended with %v", err)
	}
	g.open()
	if err := <-done; err != nil {
		t.Error(err)
	}
	h.expectStory(id, "true satisfied")
}

func TestATickThatTheHostDidNotSurvive(t *testing.T) {
	g := newGate()
	h := newHost(t, g.install)
	id := h.create(within(3))
	late := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	ticks := make(chan error, 2)
	for _, id := range []string{id, late} {
		go func() {
			_, err := h.Tick(h.soon(), id, Tick{Verdict: sure(0.5)})
			ticks <- err
		}()
		<-g.entered
	}
	h.end()
	for range 2 {
		if err := <-ticks; err == nil {
			t.Error("a tick of a host that is gone has a result")
		}
	}
	h.clock.Advance(time.Minute)
	g.open()
	h.start()
	h.tick(id, Tick{Verdict: yes}) // after the one that was begun
	h.quiet()
	h.expectStory(id, "false true satisfied")
	h.expectStory(late, "bound-exceeded")
	if runs := h.runs(id); len(runs) != 2 {
		t.Errorf("the runs are %v, want the one that was begun and another", runs)
	}
	if diff := cmp.Diff(h.runs(late), h.get(late).Progress.ContributingRunIds); diff != "" {
		t.Errorf("the goal that ended meanwhile (-its runs +those it shows)\n%s", diff)
	}
}

// The host dies between the intent and the run, and the deadline passes before the next one: no run follows.
func TestARunThatNobodyCreatedInTime(t *testing.T) {
	h := newHost(t)
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.log.kill(1)
	if _, err := h.Tick(h.soon(), id, Tick{Verdict: yes}); !errors.Is(err, errKilled) {
		t.Fatalf("the tick ends with %v", err)
	}
	h.end()
	h.clock.Advance(time.Hour)
	h.log = h.log.survivor()
	h.start()
	h.quiet()
	h.expectStory(id, "bound-exceeded")
	if runs := h.runs(id); len(runs) != 0 {
		t.Errorf("after its end the goal fired %v", runs)
	}
}

func TestAResumeThatTheHostDidNotSurvive(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	stuck := h.tick(id, Tick{Escalate: true}).RunID
	g := newGate()
	g.install(h)
	h.restart()
	h.answer(stuck)
	done := make(chan error, 1)
	go func() {
		_, err := h.ReArm(context.Background(), id)
		done <- err
	}()
	<-g.entered
	h.end()
	if err := <-done; err == nil {
		t.Error("the goal was resumed by a host that is gone")
	}
	g.open()
	h.start()
	must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	h.expectStory(id, "escalated false")
}

// A tick that the log would not end is ended by the next one, and both count.
func TestATickThatTheLogDidNotAnswer(t *testing.T) {
	for appends, want := range []string{"false false bound-exceeded", "false true satisfied"} {
		h := newHost(t)
		id := h.create(within(2))
		h.log.silent = appends
		if _, err := h.Tick(h.soon(), id, Tick{}); !errors.Is(err, errSilent) {
			t.Errorf("the first tick ends with %v", err)
		}
		tick := Tick{}
		if appends == 1 {
			tick.Verdict = yes
		}
		h.tick(id, tick)
		h.expectStory(id, want)
		if runs := h.runs(id); len(runs) != 2 {
			t.Errorf("%d runs were fired, want 2", len(runs))
		}
	}
}

// Ticks that come together fire as many runs as the bound allows, one after another.
func TestConcurrentTicksKeepTheBound(t *testing.T) {
	const bound, more = 5, 3
	h := newHost(t)
	id := h.create(within(bound))
	var all sync.WaitGroup
	fired, refused := make(chan string, bound+more), make(chan error, bound+more)
	for range bound + more {
		all.Go(func() {
			done, err := h.Tick(h.soon(), id, Tick{})
			if err != nil {
				refused <- err
				return
			}
			fired <- done.RunID
			if done.RunID != "" && done.Events[0].Payload["runId"] != done.RunID {
				t.Errorf("the tick that fired %s tells of %v", done.RunID, done.Events)
			}
		})
	}
	all.Go(func() { _, _ = h.Pause(h.soon(), id); _, _ = h.ReArm(h.soon(), id) })
	all.Wait()
	close(fired)
	close(refused)
	ids := map[string]bool{}
	for id := range fired {
		ids[id] = true
	}
	for err := range refused {
		if code(err) != CodeClosed {
			t.Errorf("a tick too many is refused with %v", err)
		}
	}
	for len(h.runs(id)) < bound { // a tick may have met the pause
		ids[h.tick(id, Tick{}).RunID] = true
	}
	delete(ids, "")
	if _, err := h.Tick(h.soon(), id, Tick{}); code(err) != CodeClosed {
		t.Errorf("one tick more: %v", err)
	}
	if len(ids) != bound || len(h.runs(id)) != bound {
		t.Errorf("%d ticks fired a run, and there are %d runs, want %d", len(ids), len(h.runs(id)), bound)
	}
	h.expectStory(id, strings.Repeat("false ", bound)+"bound-exceeded")
}
