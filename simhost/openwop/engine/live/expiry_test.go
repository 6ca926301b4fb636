package live

import (
	"encoding/json"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// inTime are fixtures whose interrupts end after a minute unless they are answered.
var inTime = map[string]string{
	"assay-approval": `{"timeoutMs":60000}`, "assay-questions": `{"timeoutMs":60000}`, "assay-event": `{"timeoutMs":60000}`,
	"conformance-interrupt-external-event": `{}`,
}

// fitsAll resolves each of the fixtures above.
const fitsAll = `{"action":"accept","answers":{"q1":"x"},"orderId":"1","status":"completed"}`

func fits(workflow string) string {
	if workflow == "conformance-interrupt-external-event" {
		return `{"orderId":"fixture-order-1","status":"completed"}`
	}
	return fitsAll
}

func TestInterruptsEndByThemselves(t *testing.T) {
	for workflow, inputs := range inTime {
		for _, restarts := range []bool{false, true} {
			h := newHost(t)
			s := h.create(Create{WorkflowID: workflow, Inputs: object(t, inputs)})
			request := parse[event.InterruptRequestedPayload](t, string(h.events(s.RunID)[3].Payload))
			if request.TimeoutMs == nil || *request.TimeoutMs != 60000 {
				t.Errorf("%s: the request is %s", workflow, h.events(s.RunID)[3].Payload)
			}
			h.clock.Advance(time.Minute - time.Microsecond)
			if now := h.settled(s.RunID); now.CurrentNodeID == nil {
				t.Fatalf("%s ends too soon: %s", workflow, now.Status)
			}
			if restarts {
				h.Close()
				h.clock.Advance(time.Hour)
				h.start()
			} else {
				h.clock.Advance(time.Microsecond)
			}
			h.until(s.RunID, func(e event.Event) bool { return e.Type == event.RunFailed })
			s, node := h.snapshot(s.RunID), gateOf[workflow]
			expectLawful(t, s, h.events(s.RunID), 5)
			story := story(h.events(s.RunID))[4:]
			want := []string{"4 node.failed @" + node + " interrupt_expired", "5 run.failed interrupt_expired <-4"}
			if workflow == "assay-approval" {
				want = []string{
					`4 interrupt.resolved @gate {"action":"reject","comment":"nobody answered in time"} <-3`,
					`5 variable.changed @gate answer={"action":"reject","comment":"nobody answered in time"} <-4`,
					`6 node.resumed @gate <-4`, `7 node.failed @gate interrupt_rejected`, `8 run.failed interrupt_rejected <-7`,
				}
			}
			if !restarts && !slices.Equal(story, want) {
				t.Errorf("%s ends with %v", workflow, story)
			}
			if restarts {
				continue // the bound of the run may have been over, too
			}
			if _, err := h.Resolve(soon(t), s.RunID, node, json.RawMessage(fits(workflow))); code(err) != codes.InterruptExpired {
				t.Errorf("%s is answered with %v", workflow, err)
			}
		}
	}
}

// The time runs from when the interrupt was requested, for every round anew.
func TestEveryRoundHasItsTime(t *testing.T) {
	h := newHost(t)
	s := h.create(Create{WorkflowID: "assay-approval", Inputs: object(t, `{"timeoutMs":60000}`)})
	for range 3 {
		h.clock.Advance(59 * time.Second)
		s = h.resolve(s.RunID, `{"action":"ask","comment":"why?"}`)
		if i, err := h.Interrupt(soon(t), s.RunID, *s.Interrupt.InterruptID); err != nil || !i.Due.Equal(h.clock.Now().Add(time.Minute)) {
			t.Errorf("it ends at %v: %v", i.Due, err)
		}
	}
	h.clock.Advance(time.Minute)
	if s = h.ended(s.RunID); s.Error == nil || s.Error.Code != codes.Rejected {
		t.Errorf("the run is %s", s.Status)
	}
}

// unrung is a clock whose timers never ring.
type unrung struct{ *clock.Manual }

func (c unrung) At(time.Time, func()) clock.Timer { return c.AfterFunc(math.MaxInt64, func() {}) }

// An answer that is too late may be quicker than the alarm, and what it finds out may be more than one append takes; the run
// comes to its end all the same.
func TestALateAnswerEndsTheWaiting(t *testing.T) {
	h := newHost(t, func(o *Options) { o.cut, o.Clock = 1, unrung{o.Clock.(*clock.Manual)} })
	s := h.create(Create{WorkflowID: "assay-approval", Inputs: object(t, `{"timeoutMs":60000}`)})
	h.clock.Advance(time.Minute)
	if err := h.say(s.RunID, "", `{"action":"accept"}`); code(err) != codes.InterruptExpired {
		t.Errorf("it is answered with %v", err)
	}
	if s = h.ended(s.RunID); s.Error == nil || s.Error.Code != codes.Rejected {
		t.Errorf("the run is %s: %v", s.Status, s.Error)
	}
}

// ended waits for the end of a run.
func (h *host) ended(id string) openwopv1.RunSnapshot {
	h.t.Helper()
	for _, err := range h.Watch(soon(h.t), id, -1) {
		if err != nil {
			h.t.Fatalf("watch: %v", err)
		}
	}
	return h.snapshot(id)
}

// Also where nobody has noticed yet that the time is over: no alarm rings in this test before the answer comes.
func TestAnAnswerThatComesTooLate(t *testing.T) {
	for workflow, inputs := range inTime {
		h := newHost(t)
		s := h.create(Create{WorkflowID: workflow, Inputs: object(t, inputs)})
		node := *s.CurrentNodeID
		r, err := h.get(soon(t), s.RunID)
		if err != nil {
			t.Fatal(err)
		}
		r.mu.Lock()
		r.disarm()
		r.mu.Unlock()
		h.clock.Advance(time.Minute)
		if _, err := h.Resolve(soon(t), s.RunID, node, json.RawMessage(fits(workflow))); code(err) != codes.InterruptExpired {
			t.Errorf("%s is answered with %v", workflow, err)
		}
		if s = h.ended(s.RunID); s.Status != openwopv1.RunStatusFailed {
			t.Errorf("%s is %s", workflow, s.Status)
		}
	}
}

// A replay ends as its source did, however long ago; a branch that leaves before has the whole time once more.
func TestForksOfInterruptsThatEnded(t *testing.T) {
	for workflow, inputs := range inTime {
		h := newHost(t)
		s := h.create(Create{WorkflowID: workflow, Inputs: object(t, inputs)})
		h.clock.Advance(time.Minute)
		s = h.ended(s.RunID)
		source := h.events(s.RunID)
		for from := range int64(len(source) + 1) {
			f, err := h.Fork(soon(t), s.RunID, Fork{Mode: "replay", FromSeq: &from})
			if err != nil {
				t.Fatal(err)
			}
			if replay := h.ended(f.RunID); !slices.Equal(payloads(source), payloads(h.events(f.RunID))) || replay.Status != s.Status {
				t.Errorf("%s: the replay from %d is %s: %v", workflow, from, replay.Status, story(h.events(f.RunID)))
			}
			if _, err := h.Resolve(soon(t), f.RunID, gateOf[workflow], json.RawMessage(fitsAll)); code(err) != codes.InterruptExpired {
				t.Errorf("%s: the replay from %d is answered with %v", workflow, from, err)
			}
			if from > 4 {
				continue
			}
			f, err = h.Fork(soon(t), s.RunID, Fork{Mode: "branch", FromSeq: &from})
			if err != nil {
				t.Fatal(err)
			}
			if now := h.settled(f.RunID); now.CurrentNodeID == nil {
				t.Fatalf("%s: the branch from %d is %s: %v", workflow, from, now.Status, story(h.events(f.RunID)))
			}
			i, err := h.Interrupt(soon(t), f.RunID, *h.snapshot(f.RunID).Interrupt.InterruptID)
			if err != nil || !i.Due.Equal(h.clock.Now().Add(time.Minute)) {
				t.Errorf("%s: the branch from %d ends at %v: %v", workflow, from, i.Due, err)
			}
			if err := h.say(f.RunID, "b", fits(workflow)); err != nil {
				t.Errorf("%s: the branch from %d: %v", workflow, from, err)
			}
			if now := h.ended(f.RunID); now.Status != openwopv1.RunStatusCompleted {
				t.Errorf("%s: the branch from %d is %s", workflow, from, now.Status)
			}
		}
	}
}

// Of an answer, a cancellation and the end of the time, whichever come at once, one wins; the others hear which.
func TestOneWins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		workflow := rapid.SampledFrom([]string{"assay-approval", "assay-questions", "assay-event"}).Draw(rt, "workflow")
		h := newHost(t, func(o *Options) { o.cut = rapid.SampledFrom([]int{0, 1}).Draw(rt, "cut") })
		defer h.Close()
		id := h.create(Create{WorkflowID: workflow, Inputs: object(t, inTime[workflow])}).RunID
		var all sync.WaitGroup
		var cancelled bool
		answers := make([]error, rapid.IntRange(0, 4).Draw(rt, "answers"))
		for i := range answers {
			all.Go(func() {
				_, answers[i] = h.Resolve(soon(t), id, gateOf[workflow], json.RawMessage(fitsAll))
			})
		}
		if cancelled = rapid.Bool().Draw(rt, "cancel"); cancelled {
			all.Go(func() {
				if _, err := h.Cancel(soon(t), id, "no"); err != nil {
					t.Error(err)
				}
			})
		}
		if rapid.Bool().Draw(rt, "expire") || len(answers) == 0 && !cancelled {
			all.Go(func() { h.clock.Advance(time.Minute) })
		}
		all.Wait()
		s := h.ended(id)
		events := h.events(id)
		if problems := unlawful(s, events, 5); len(problems) > 0 {
			rt.Fatal(problems)
		}
		wins, ends, resolved := 0, 0, 0
		for _, err := range answers {
			switch code(err) {
			case "<nil>":
				wins++
			case codes.InterruptResolved, codes.InterruptGone, codes.InterruptExpired:
			default:
				rt.Fatalf("an answer is refused with %v", err)
			}
		}
		for _, e := range events {
			if isTerminal(e.Type) {
				ends++
			}
			if e.Type == event.InterruptResolved && !slices.Equal(parse[event.InterruptResolvedPayload](t,
				string(e.Payload)).ResumeValue, rules.Honest().Gates.Lapses()) {
				resolved++
			}
		}
		if wins > 1 || resolved != wins || ends != 1 || s.Status == openwopv1.RunStatusCompleted && wins != 1 {
			rt.Fatalf("%d answers won, %d are on the log, and %d ends, the run is %s", wins, resolved, ends, s.Status)
		}
	})
}
