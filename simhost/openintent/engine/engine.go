// Package engine is what an OpenIntent server does behind its wire: intents and what depends on them, suspensions and who is
// reminded of them, portfolios, plans, tasks, coordinators and leases.
//
// All of it is one log, and the state is the fold of that log: one entry holds all events of one decision, so that an
// intent that is suspended, the dependents that it blocks and the task that mirrors it change together or not at all.
// Decisions come one after the other, under one lock; what is read is read between two of them.
package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/ids"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// logName is the one log of the engine. Where damage took part of it, the engine begins another one, and what was in the damaged
// one is refused.
const logName = "openintent"

// Log is where the events are kept; *eventlog.Store is one.
type Log interface {
	Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error)
	Each(ctx context.Context, log string, after uint64, see func(eventlog.Entry) error) error
	Successor(log string) string
}

// Options of an engine. Log, Clock and IDs are required.
type Options struct {
	Log   Log
	Clock clock.Clock // of the host; the seam moves an intent or a portfolio ahead of it
	Wire  clock.Clock // by which a pause is taken that a fault makes; nil: Clock
	IDs   ids.Source
	Rules rules.Set

	// DefaultPolicy is the platform level of the cascade; nil: there is none.
	DefaultPolicy *suspension.Policy
	// MayNotify tells to whom reminders may go; nil: to anybody.
	MayNotify func(to string) bool
	// AgentsNotify leaves it to agents to tell of a suspension and to remind the person; this server ends it.
	AgentsNotify bool
	// LeastTime is the shortest lease, time to the deadline of a portfolio, and window or interval of a suspension that is taken;
	// 0: any.
	LeastTime time.Duration
	// Features that are left off.
	Without map[string]bool

	// Notify gets every reminder, after its event is on the log. It must not block.
	Notify func(Notice)
	// OnError gets what went wrong where nobody waits for an answer.
	OnError func(error)
}

// Engine is open for use; its methods may be called concurrently.
type Engine struct {
	o     Options
	log   string // the name of it
	rules rules.Set

	mu       sync.RWMutex // guards what follows
	w        *world
	revision uint64
	stale    bool // the world may hold what the log does not: read it again
	closed   bool
	timer    clock.Timer
	changed  chan struct{} // closed and made anew with every append
}

// ErrClosed means that the engine was closed.
var ErrClosed = errors.New("the engine is closed")

// Open reads the log, and sets the timers of what waits. What fell due meanwhile happens at once.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Wire == nil {
		o.Wire = o.Clock
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	if o.Notify == nil {
		o.Notify = func(Notice) {}
	}
	if o.MayNotify == nil {
		o.MayNotify = func(string) bool { return true }
	}
	e := &Engine{o: o, log: o.Log.Successor(logName), rules: o.Rules, stale: true, changed: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.catchUp(ctx); err != nil {
		return nil, err
	}
	e.arm()
	return e, nil
}

// Damaged reports whether there were intents in a log that was damaged: what is not found may have been one of them.
func (e *Engine) Damaged() bool { return e.log != logName }

// Close stops the timers and ends what waits for events. What waits on the log goes on when it is opened again.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.closed = true
	if e.timer != nil {
		e.timer.Stop()
	}
	close(e.changed)
}

// catchUp folds the log anew where the world may not be trusted.
func (e *Engine) catchUp(ctx context.Context) error {
	if !e.stale {
		return nil
	}
	w, revision := newWorld(), uint64(0)
	err := e.o.Log.Each(ctx, e.log, 0, func(entry eventlog.Entry) error {
		events, err := decodeEntry(entry.Data)
		if err != nil {
			return fmt.Errorf("entry %d of log %q: %w", entry.Revision, e.log, err)
		}
		for _, ev := range events {
			w.fold(ev)
		}
		revision = entry.Revision
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the intents: %w", err)
	}
	e.w, e.revision, e.stale = w, revision, false
	return nil
}

// tx is a decision under way. What it emits is folded at once, so that the rest of the decision sees it, and goes to the log
// in one entry when the decision is made.
type tx struct {
	*Engine
	events  []*Event
	notices []Notice
}

// do makes a decision. An error of decide refuses it; what was emitted before it refused is kept (a refusal that is to be
// audited).
func (e *Engine) do(ctx context.Context, decide func(*tx) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ErrClosed
	}
	if err := e.catchUp(ctx); err != nil {
		return err
	}
	t := &tx{Engine: e}
	refused := decide(t)
	if len(t.events) == 0 {
		return refused
	}
	data, err := encodeEntry(t.events)
	if err != nil {
		e.stale = true
		return err
	}
	// The caller may leave; what is folded already has to be on the log all the same, or be read anew.
	revision, err := e.o.Log.Append(context.WithoutCancel(ctx), e.log, e.revision, data)
	if err != nil {
		e.stale = true
		return err
	}
	e.revision = revision
	close(e.changed)
	e.changed = make(chan struct{})
	e.arm()
	for _, n := range t.notices {
		e.o.Notify(n)
	}
	return refused
}

// view looks at the state. look must not keep what it sees.
func (e *Engine) view(ctx context.Context, look func(*world) error) error {
	e.mu.RLock()
	if !e.stale && !e.closed {
		defer e.mu.RUnlock()
		return look(e.w)
	}
	e.mu.RUnlock()
	return e.do(ctx, func(t *tx) error { return look(t.w) })
}

// emit puts an event on the log and folds it.
func (t *tx) emit(ev *Event) {
	ev.ID = t.newID()
	if ev.At.IsZero() {
		ev.At = t.now(ev.Intent, ev.Portfolio)
	}
	shown := t.rules.Log.Tells(rules.Told{Type: ev.Type, Payload: ev.Payload})
	switch {
	case len(shown) == 0:
		ev.Hidden = true
	default:
		ev.Type, ev.Payload = shown[0].Type, shown[0].Payload
	}
	t.events = append(t.events, ev)
	t.w.fold(ev)
	for _, more := range shown[min(1, len(shown)):] {
		again := &Event{ID: t.newID(), Type: more.Type, Intent: ev.Intent, Portfolio: ev.Portfolio, Actor: ev.Actor, At: ev.At,
			Payload: more.Payload}
		t.events = append(t.events, again)
		t.w.fold(again)
	}
}

// now is the time of an intent, or of a portfolio where no intent is named.
func (e *Engine) now(intent, portfolio string) time.Time {
	now := e.o.Clock.Now().UTC()
	if in := e.w.intents[intent]; in != nil {
		return now.Add(in.Ahead)
	}
	if p := e.w.portfolios[portfolio]; p != nil {
		return now.Add(p.Ahead)
	}
	return now
}

// newID is a UUID.
func (t *tx) newID() string {
	b := t.o.IDs.Next()
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func (e *Engine) offers(feature string) bool { return !e.o.Without[feature] }

// The features that an engine can be without.
const (
	Lifecycle   = "lifecycle"
	Graph       = "graph"
	Portfolios  = "portfolio"
	Plans       = "plan"
	Coordinates = "coordinator"
	Claims      = "claim"
	Notifier    = "notifier"
	Deadlines   = "deadline"
	Workflows   = "workflow"
)
