package run

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

// standing is a fork of a suspended run that stands in the middle of what it copies.
func standing(t *testing.T) (*host, string) {
	h := newHost(t, func(o *Options) { o.cut = 1 })
	source := h.create(Create{WorkflowID: "assay-loop-ask-user", Inputs: plan(t, askedOnce)})
	events := int64(len(h.events(source.RunID)))
	h.log.kill(2)
	f, err := h.Fork(soon(t), source.RunID, Fork{Mode: "replay", FromSeq: &events})
	if err != nil {
		t.Fatal(err)
	}
	<-h.dead()
	h.Close()
	h.log = h.log.survivor()
	h.o.Log = h.log
	e, err := New(h.o)
	if err != nil {
		t.Fatal(err)
	}
	h.Engine = e
	return h, f.RunID
}

func TestZZCancelCopying(t *testing.T) {
	h, id := standing(t)
	s, err := h.Cancel(soon(t), id, "enough")
	t.Log(s.Status, err)
	if s = h.settled(id); s.Status != openwopv1.RunStatusCancelled {
		t.Errorf("the fork is %s", s.Status)
	}
}

func TestZZPauseCopying(t *testing.T) {
	h, id := standing(t)
	s, err := h.Pause(soon(t), id, Pause{})
	t.Log(s.Status, err, len(h.events(id)))
	h.expectStatus(id, openwopv1.RunStatusPaused)
}

func TestZZPauseReplaying(t *testing.T) {
	h := newHost(t, func(o *Options) { o.cut = 1 })
	source := h.create(Create{WorkflowID: "assay-loop-ask-user", Inputs: plan(t, askedOnce)})
	h.pause(source.RunID, Pause{})
	h.goOn(source.RunID)
	h.log.kill(2)
	f, err := h.Fork(soon(t), source.RunID, Fork{Mode: "replay"})
	if err != nil {
		t.Fatal(err)
	}
	<-h.dead()
	h.Close()
	h.log = h.log.survivor()
	h.o.Log = h.log
	e, err := New(h.o)
	if err != nil {
		t.Fatal(err)
	}
	h.Engine = e
	s, err := h.Pause(soon(t), f.RunID, Pause{})
	t.Log(s.Status, err, len(h.events(f.RunID)))
	h.settled(f.RunID)
	t.Log(h.snapshot(f.RunID).Status, strings.Join(story(h.events(f.RunID)), "\n"))
}

type silent struct{ *clock.Manual }

type noTimer struct{}

func (noTimer) Stop() bool { return true }

func (silent) At(time.Time, func()) clock.Timer { return noTimer{} }

func TestZZLate(t *testing.T) {
	h := newHost(t, func(o *Options) { o.cut = 1; o.Clock = silent{o.Clock.(*clock.Manual)} })
	s := h.create(Create{WorkflowID: "assay-approval", Inputs: object(t, `{"timeoutMs":60000}`)})
	h.clock.Advance(time.Minute)
	if _, err := h.Resolve(soon(t), s.RunID, "gate", json.RawMessage(`{"action":"accept"}`)); code(err) != CodeInterruptExpired {
		t.Errorf("%v", err)
	}
	h.expectStatus(s.RunID, openwopv1.RunStatusFailed)
}
