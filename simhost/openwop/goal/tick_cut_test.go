package goal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
)

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

func (g *gated) Create(ctx context.Context, c live.Create) (openwopv1.RunSnapshot, error) {
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
