package goal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/ids"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/internal/folded"
	"github.com/openassay/assay/simhost/internal/redact"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Log is where goals are kept; *eventlog.Store is one.
type Log = folded.Log

// Runs is where contributing runs are made; *live.Engine is one.
type Runs interface {
	Create(ctx context.Context, c live.Create) (openwopv1.RunSnapshot, error)
	ID(chosen [16]byte) string
	Await(ctx context.Context, runID string) error
	Snapshot(ctx context.Context, runID string) (openwopv1.RunSnapshot, error)
}

// DefaultMaxGoals is how many goals there may be where Options leave it open.
const DefaultMaxGoals = 10000

// Options of the goals. Log, Runs, Clock and Tenant are required.
type Options struct {
	Log    Log
	Runs   Runs
	Clock  clock.Clock // of the host; a tick may move the clock of its goal ahead of it
	IDs    ids.Source  // of goals; nil: ids.Random
	Tenant string      // owns the goals

	// Judge looks at the runs: the host itself, the default for "", or a verifier (RFC 0090).
	Judge openwopv1.GoalCheck
	// RequireBounds refuses goals without any bound.
	RequireBounds bool
	// MaxGoals is how many goals there may be, those that have ended included; 0 means DefaultMaxGoals. All of them are
	// held in memory, and a list has no pages.
	MaxGoals int
	// LeastTime is the shortest deadline that a goal may have; 0: any.
	LeastTime time.Duration
	// Heartbeats lets goals go on by a heartbeat; whoever has it look calls Beat.
	Heartbeats bool
	// Commitments lets goals go on by a commitment; whoever sees that its condition holds calls Fulfil.
	Commitments bool
	// Secrets are taken out of objectives.
	Secrets []string
	// Rules is what the goals go by; the zero value is that of rules.Honest.
	Rules rules.Goals
	// OnError hears of errors in work that nobody waits for. It may be called by several goroutines. nil: slog.
	OnError func(error)
}

// Goals are the standing goals of a tenant. The methods may be called concurrently. There must be one Goals to a tenant's
// log at a time.
type Goals struct {
	o      Options
	log    string // the name of the one log
	boards *folded.States[board]
	redact *redact.Redactor

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup // calls and goroutines under way

	mu     sync.Mutex // guards what follows; nobody who holds it asks for the board
	closed bool
	turns  map[string]chan struct{} // by goal: holds an element while somebody ticks
	alarms map[string]clock.Timer   // by goal: its deadline, or the next run of its schedule
	rings  map[string]int           // by goal: callbacks of its timer under way
}

// Open reads the goals. Call Resume before anything else.
func Open(ctx context.Context, o Options) (*Goals, error) {
	if o.Log == nil || o.Runs == nil || o.Clock == nil || o.Tenant == "" {
		return nil, errors.New("open the goals: Options.Log, Runs, Clock and Tenant must be set")
	}
	if o.Judge != "" && !o.Judge.Valid() {
		return nil, fmt.Errorf("open the goals: Options.Judge %q: give verifier or host", o.Judge)
	}
	if o.MaxGoals == 0 {
		o.MaxGoals = DefaultMaxGoals
	}
	if o.Judge == "" {
		o.Judge = openwopv1.GoalCheckHost
	}
	if o.IDs == nil {
		o.IDs = ids.Random()
	}
	if o.OnError == nil {
		o.OnError = func(err error) { slog.Error("goals", "err", err) }
	}
	if o.Rules.Fires == nil {
		o.Rules = rules.Honest().Goals
	}
	g := &Goals{
		o:      o,
		log:    LogName(o.Tenant),
		boards: folded.New(o.Log, func(b *board, entry eventlog.Entry) error { return b.fold(entry, &o.Rules) }),
		redact: redact.New(o.Secrets),
		turns:  map[string]chan struct{}{},
		alarms: map[string]clock.Timer{},
		rings:  map[string]int{},
	}
	g.ctx, g.stop = context.WithCancel(context.Background())
	// Where the log is damaged, goals are refused one request after the other, and the rest of the host serves.
	if err := g.view(ctx, func(*board) error { return nil }); err != nil && !errors.Is(err, eventlog.ErrDamaged) {
		return nil, fmt.Errorf("open the goals: %w", err)
	}
	return g, nil
}

// Resume closes the goals whose deadlines have passed meanwhile, sets the timers of the others, and goes on with the ticks
// that a former process began. It returns once they are taken up: they are finished in the background, before any other
// tick of their goals.
func (g *Goals) Resume(ctx context.Context) error {
	leave, err := g.enter()
	if err != nil {
		return err
	}
	defer leave()
	var all, begun []string
	err = g.view(ctx, func(b *board) error {
		for _, s := range b.order {
			all = append(all, s.id)
			if s.begun != nil {
				begun = append(begun, s.id)
			}
		}
		return nil
	})
	if errors.Is(err, eventlog.ErrDamaged) {
		g.o.OnError(fmt.Errorf("resume the goals: %w", err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("resume the goals: %w", err)
	}
	for _, id := range all {
		if err := g.strike(ctx, id); err != nil {
			return fmt.Errorf("resume goal %s: %w", id, err)
		}
	}
	for _, id := range begun {
		release, err := g.take(ctx, id)
		if err != nil {
			return fmt.Errorf("resume goal %s: %w", id, err)
		}
		done := clock.Working(g.o.Clock)
		g.work.Go(func() {
			defer done()
			defer release()
			if _, _, err := g.finish(id); err != nil && g.ctx.Err() == nil {
				g.o.OnError(fmt.Errorf("finish a tick of goal %s: %w", id, err))
			}
		})
	}
	return nil
}

// Close stops all work and waits for it. A tick that waits for its run is left begun, for the next process to finish. The
// log and the runs are the caller's to close.
func (g *Goals) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.stop()
	g.work.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, alarm := range g.alarms {
		alarm.Stop()
	}
	return nil
}

// enter keeps Close waiting until leave is called.
func (g *Goals) enter() (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	g.work.Add(1)
	return g.work.Done, nil
}

// take waits for the turn to tick a goal.
func (g *Goals) take(ctx context.Context, id string) (release func(), err error) {
	g.mu.Lock()
	turn := g.turns[id]
	if turn == nil {
		turn = make(chan struct{}, 1)
		g.turns[id] = turn
	}
	g.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-g.ctx.Done():
		return nil, ErrClosed
	}
}

// view shows the goals. look must keep nothing that a fold changes.
func (g *Goals) view(ctx context.Context, look func(*board) error) error {
	return g.boards.View(ctx, g.log, look)
}

// outcome is a goal after a change, and the events that the change added.
type outcome struct {
	goal   openwopv1.Goal
	events []openwopv1.GoalEvent
}

// change appends what decide makes of a goal, and sets the timer that follows from it. decide returns nil where nothing
// is to change. It may be called more than once, and must not keep the state.
func (g *Goals) change(ctx context.Context, id string, decide func(*state) (*record, error)) (o outcome, err error) {
	var from, added int
	err = g.boards.Append(ctx, g.log, func(b *board) ([]byte, error) {
		from, added = 0, 0
		s, err := b.find(id)
		if err != nil {
			return nil, err
		}
		r, err := decide(s)
		if err != nil || r == nil {
			return nil, err
		}
		r.GoalID = id
		from, added = len(s.events), r.events()
		return r.encode()
	})
	if err != nil {
		return o, err
	}
	return o, g.view(ctx, func(b *board) error {
		s := b.byID[id]
		o = outcome{s.show(), slices.Clip(s.events[from : from+added])}
		g.arm(s)
		return nil
	})
}

// LogName is the name of the log that the goals of a tenant are.
func LogName(tenant string) string { return folded.Name("goals", tenant) }
