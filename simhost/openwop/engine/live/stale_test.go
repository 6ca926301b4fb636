package live

import (
	"context"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// slowRead holds one reader, marked in its context, before and after it reads a run's log.
type slowRead struct {
	Log
	started, goRead, didRead, goBack chan struct{}
	held                             bool
}

type slowKey struct{}

func (l *slowRead) Read(ctx context.Context, log string, after uint64) ([]eventlog.Entry, error) {
	if ctx.Value(slowKey{}) == nil || !strings.HasPrefix(log, "run-") || l.held {
		return l.Log.Read(ctx, log, after)
	}
	l.held = true
	close(l.started)
	<-l.goRead
	entries, err := l.Log.Read(ctx, log, after)
	close(l.didRead)
	<-l.goBack
	return entries, err
}

// A run that ended while a reader had half of its log does not come back to life with that half.
func TestARunThatEndedStaysEnded(t *testing.T) {
	l := &slowRead{Log: newMemoryLog(), started: make(chan struct{}), goRead: make(chan struct{}), didRead: make(chan struct{}),
		goBack: make(chan struct{})}
	h := newHost(t, func(o *Options) { o.Log = l })
	id := [16]byte{1, 2, 3}
	name := h.newRunID(id)
	slow := make(chan openwopv1.RunSnapshot)
	go func() {
		s, err := h.Snapshot(context.WithValue(soon(t), slowKey{}, true), name)
		if err != nil {
			t.Error(err)
		}
		slow <- s
	}()
	<-l.started
	h.create(Create{ID: id, WorkflowID: "assay-loop-ask-user", Inputs: plan(t, `[{"kind":"ask-user","prompt":"p"}]`)})
	close(l.goRead)
	<-l.didRead
	h.resolve(name, `{"answers":{"q1":"yes"}}`)
	close(l.goBack)
	for who, s := range map[string]openwopv1.RunSnapshot{"the slow reader": <-slow, "the next reader": h.snapshot(name)} {
		if s.Status != openwopv1.RunStatusCompleted {
			t.Errorf("%s sees the run %s", who, s.Status)
		}
	}
	if _, err := h.Resolve(soon(t), name, "supervisor", []byte(`{"answers":{"q1":"again"}}`)); code(err) != codes.InterruptResolved {
		t.Errorf("a second answer: %v", err)
	}
	if n := len(h.live); n != 0 {
		t.Errorf("%d runs are still in memory", n)
	}
}
