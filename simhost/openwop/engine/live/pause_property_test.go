package live

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

func (w *world) pauseAny(rt *rapid.T) {
	s := w.anyRun(rt)
	after, err := w.Pause(soon(w.t), s.RunID, state.Pause{Drain: rapid.Bool().Draw(rt, "drain"), Reason: "a look"})
	switch code(err) {
	case "<nil>", codes.RunPaused:
	case codes.RunTerminal:
		if !state.Ended(s.Status) && s.Status != openwopv1.RunStatusCancelling {
			rt.Fatalf("a %s run cannot be paused", s.Status)
		}
	default:
		rt.Fatalf("pause leaves %s, %v", after.Status, err)
	}
	w.quiet()
}

func (w *world) goOnAny(rt *rapid.T) {
	s := w.anyRun(rt)
	_, err := w.Continue(soon(w.t), s.RunID)
	switch code(err) {
	case "<nil>", codes.RunTerminal:
	case codes.RunNotPaused:
		if s.Status == openwopv1.RunStatusPaused {
			rt.Fatalf("a paused run does not go on: %v", err)
		}
	default:
		rt.Fatalf("go on: %v", err)
	}
	w.quiet()
}

// pausable is what a run that may be paused has to be: one that waits for a time, then takes three steps, or one that waits
// for an answer.
type pausable struct {
	id       string
	asks     bool
	due      time.Time
	status   openwopv1.RunStatus // when it is not paused
	paused   bool
	draining bool
}

// settle takes the run as far as it goes by itself.
func (p *pausable) settle(now time.Time) {
	switch {
	case state.Ended(p.status) || p.paused:
	case p.asks:
		p.paused, p.draining = p.draining, false
	case !now.Before(p.due):
		if p.paused, p.draining = p.draining, false; !p.paused {
			p.status = openwopv1.RunStatusCompleted
		}
	}
}

func (p pausable) shows() openwopv1.RunStatus {
	if p.paused && !state.Ended(p.status) {
		return openwopv1.RunStatusPaused
	}
	return p.status
}

// pause, goOn, answer and cancel do to the model what is asked of the engine, and return the refusal that this has to be.
func (p *pausable) pause(drain bool) string {
	switch {
	case state.Ended(p.status):
		return codes.RunTerminal
	case p.paused:
		return codes.RunPaused
	case drain:
		p.draining = true
	default:
		p.paused, p.draining = true, false
	}
	return "<nil>"
}

func (p *pausable) goOn() string {
	switch {
	case state.Ended(p.status):
		return codes.RunTerminal
	case !p.paused && !p.draining:
		return codes.RunNotPaused
	}
	p.paused, p.draining = false, false
	return "<nil>"
}

func (p *pausable) answer() string {
	switch {
	case !p.asks:
		return codes.InterruptNotFound
	case p.status == openwopv1.RunStatusCompleted:
		return codes.InterruptResolved
	case p.status == openwopv1.RunStatusCancelled:
		return codes.InterruptGone
	case p.paused:
		return codes.RunPaused
	}
	p.status = openwopv1.RunStatusCompleted
	return "<nil>"
}

func (p *pausable) cancel() string {
	if !state.Ended(p.status) {
		p.status = openwopv1.RunStatusCancelled
	}
	return "<nil>"
}

// still is a host whose runs are paused.
type still struct {
	*world
	models []*pausable
}

// TestPausesAsModelled pauses runs, has them go on, answers and cancels them, moves the clock, and kills the host before, in
// and after that. Every run is at all times what the model says.
func TestPausesAsModelled(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cut := rapid.SampledFrom([]int{0, 0, 1, 900}).Draw(rt, "cut")
		s := &still{world: &world{rt: rt, version: 5, checked: map[string]int{}}}
		s.host = newHost(t, steps, func(o *Options) { o.cut = cut })
		defer s.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"create": s.begins,
			"pause":  s.acts(true),
			"go on":  s.does(func(m *pausable) string { return m.goOn() }, func(id string) error { _, err := s.Continue(soon(t), id); return err }),
			"answer": s.does(func(m *pausable) string { return m.answer() }, func(id string) error {
				_, err := s.Resolve(soon(t), id, "supervisor", json.RawMessage(`{"answers":{"q1":"yes"}}`))
				return err
			}),
			"cancel": s.does(func(m *pausable) string { return m.cancel() },
				func(id string) error { _, err := s.Cancel(soon(t), id, ""); return err }),
			"wait": func(rt *rapid.T) {
				s.clock.Advance(time.Duration(rapid.IntRange(1, 3000).Draw(rt, "ms")) * time.Millisecond)
			},
			"die in a pause": s.acts(false),
			"":               s.compare,
		})
	})
}

func (s *still) begins(rt *rapid.T) {
	m := &pausable{asks: rapid.Bool().Draw(rt, "asks")}
	if m.asks {
		m.id, m.status = s.begin(Create{WorkflowID: "assay-loop-ask-user"}), openwopv1.RunStatusWaitingInput
	} else {
		ms := rapid.IntRange(1, 5000).Draw(rt, "ms")
		m.due, m.status = s.now().Add(time.Duration(ms)*time.Millisecond), openwopv1.RunStatusRunning
		m.id = s.begin(Create{WorkflowID: "steps", Inputs: map[string]any{"delayMs": float64(ms)}})
	}
	s.runs, s.models = append(s.runs, m.id), append(s.models, m)
}

func (s *still) any(rt *rapid.T) *pausable {
	if len(s.models) == 0 {
		rt.Skip("no run yet")
	}
	return rapid.SampledFrom(s.models).Draw(rt, "run")
}

func (s *still) does(model func(*pausable) string, engine func(id string) error) func(*rapid.T) {
	return func(rt *rapid.T) {
		m := s.any(rt)
		want := model(m)
		if got := code(engine(m.id)); got != want {
			rt.Fatalf("refused with %s, want %s", got, want)
		}
	}
}

// acts pauses a run, on a host that lives or on one that dies within its next appends. Then it has been paused, or has not.
func (s *still) acts(lives bool) func(*rapid.T) {
	return func(rt *rapid.T) {
		m, drain := s.any(rt), rapid.Bool().Draw(rt, "drain")
		before, wishes := *m, s.wishes(rt, m.id)
		want := m.pause(drain)
		if !lives {
			s.log.kill(rapid.IntRange(0, 2).Draw(rt, "appends left"))
		}
		_, err := s.Pause(soon(s.t), m.id, state.Pause{Drain: drain})
		if lives {
			if code(err) != want {
				rt.Fatalf("refused with %s, want %s", code(err), want)
			}
			return
		}
		s.revive()
		if err != nil && s.wishes(rt, m.id) == wishes {
			*m = before
		}
	}
}

// wishes counts how often the log of a run was told that it should stand still.
func (s *still) wishes(rt *rapid.T, id string) (n int) {
	for _, r := range s.records(rt, id) {
		for _, f := range r.Facts {
			if f.Pause != nil {
				n++
			}
		}
	}
	return n
}

// revive starts another host on what is left of the log.
func (s *still) revive() {
	s.quiet()
	s.Close()
	s.log = s.log.survivor()
	s.o.Log = s.log
	s.start()
	s.quiet()
}

// compare holds every run to the model, and to the law.
func (s *still) compare(rt *rapid.T) {
	s.quiet()
	for _, m := range s.models {
		m.settle(s.now())
		deadline := time.Now().Add(testenv.Patience(20 * time.Second))
		for s.snapshot(m.id).Status != m.shows() { // an alarm may be about to ring
			if time.Now().After(deadline) {
				rt.Fatalf("run %s is %s, want %s", m.id, s.snapshot(m.id).Status, m.shows())
			}
			s.quiet()
		}
		if n := count(s.events(m.id), event.NodeCompleted); !m.asks && m.status == openwopv1.RunStatusCompleted && n != 3 {
			rt.Fatalf("run %s completed with %d nodes", m.id, n)
		}
	}
	s.check(rt)
}
