package surface

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/serving"
)

// The names of frames that are not events of the log.
const (
	frameSnapshot = "state.snapshot"
	frameBatch    = "batch"
)

// eventStream is the SSE form of the reply to streamRunEvents: what is on the log after a cursor, then what is
// appended, until the terminal event, the client's leave, or the end of the server.
type eventStream struct {
	host  *Host
	ctx   context.Context // of the request
	runID string
	modes streamModes
	hold  time.Duration // how long events may be held back to go out as one batch; 0: not at all
	after int64         // the cursor, -1 for the start
	head  []event.Event
	ended bool // head reaches to the end of a finished run
	quiet bool // HEAD: the headers are the whole reply

	out     *serving.EventStream
	last    int64         // sequence of the newest event seen
	pending []event.Event // to be carried, not sent yet
	changed bool          // mode values: a snapshot is owed
	urgent  bool          // something pending must not be held back
	due     chan struct{} // receives when a batch has been held long enough
	timer   clock.Timer   // nil while nothing is held
}

// VisitStreamRunEventsResponse serves the stream. It makes the type a response object of the generated server.
// An error ends the stream and nothing more: the status line is long gone.
func (s *eventStream) VisitStreamRunEventsResponse(w http.ResponseWriter) error {
	s.out = serving.OpenEventStream(w)
	if s.quiet {
		return nil
	}
	ctx, cancel := s.host.waiting(s.ctx)
	defer cancel()
	if err := s.serve(ctx); err != nil {
		s.host.log.DebugContext(s.ctx, "event stream ended early", "run", s.runID, "after", s.last, "error", err)
	}
	return nil
}

func (s *eventStream) serve(ctx context.Context) error {
	s.last, s.due = s.after, make(chan struct{}, 1)
	s.changed = true // mode values begins with a snapshot, also where it resumes and nothing happened since
	if done := s.take(s.head); done || s.ended {
		if err := s.emit(ctx); err != nil {
			return err
		}
		return s.leave(ctx, false)
	}
	s.head = nil
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.out.Send(); err != nil { // the opening comment, where nothing else went out
		return err
	}
	return s.follow(ctx)
}

// follow passes on what is appended from here on.
func (s *eventStream) follow(ctx context.Context) error {
	watching, cancel := context.WithCancel(ctx)
	arrivals := s.watch(watching)
	defer func() {
		cancel()
		for range arrivals { // until the watcher is gone
		}
	}()
	heart := s.out.Heart(s.host.opts.Wire, s.host.opts.KeepAlive)
	defer heart.Stop()
	for {
		var err error
		select {
		case a, more := <-arrivals:
			if done := s.take(s.news(a.events)); done || !more || a.err != nil {
				return cmp.Or(s.emit(context.WithoutCancel(ctx)), a.err, s.leave(ctx, true))
			}
			err = s.settle(ctx)
		case <-s.due:
			err = s.emit(ctx)
		case <-heart.Due:
			err = heart.Beat()
		case <-ctx.Done():
			return s.emit(context.WithoutCancel(ctx)) // what is held goes out before the stream closes
		}
		if err != nil {
			return err
		}
	}
}

// news is what the stream tells of events that were appended.
func (s *eventStream) news(events []event.Event) []event.Event {
	return s.host.rules.Log.Lists(rules.Listing{Form: rules.Stream, Events: events, After: s.last, Live: true, Gathers: s.hold > 0})
}

// leave returns when the stream is to be closed: the run is over.
func (s *eventStream) leave(ctx context.Context, live bool) error {
	if !s.host.rules.Log.Closes(live) {
		<-ctx.Done()
	}
	return nil
}

// arrival is what one step of watching a run brought.
type arrival struct {
	events []event.Event
	err    error
}

// watch turns the engine's sequence into a channel, so that timers can be waited for beside it. The channel is
// closed when the sequence is over.
func (s *eventStream) watch(ctx context.Context) <-chan arrival {
	arrivals := make(chan arrival)
	go func() {
		defer close(arrivals)
		for events, err := range s.host.engine.Watch(ctx, s.runID, s.last) {
			select {
			case arrivals <- arrival{events, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return arrivals
}

// take notes what arrived and reports whether it ends the run.
func (s *eventStream) take(events []event.Event) (done bool) {
	for _, e := range events {
		s.last = e.Sequence
		s.changed = true
		if s.modes.carry(string(e.Type)) {
			s.pending = append(s.pending, e)
		}
		done = done || isTerminal(e)
		s.urgent = s.urgent || done || e.Type == event.NodeSuspended
	}
	return done
}

// settle sends what is pending, or lets it wait for company if the client asked for batches.
func (s *eventStream) settle(ctx context.Context) error {
	switch {
	case s.hold == 0 || s.urgent:
		return s.emit(ctx)
	case s.timer == nil && s.owes():
		s.timer = s.host.opts.Wire.AfterFunc(s.hold, func() { signal(s.due) })
	}
	return nil
}

func (s *eventStream) owes() bool {
	return len(s.pending) > 0 || (s.changed && s.modes.snapshots())
}

// emit sends everything that is pending.
func (s *eventStream) emit(ctx context.Context) error {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if err := s.encode(ctx); err != nil {
		return err
	}
	s.pending, s.changed, s.urgent = s.pending[:0], false, false
	return s.out.Send()
}

func (s *eventStream) encode(ctx context.Context) error {
	switch {
	case !s.owes():
		return nil
	case s.modes.snapshots():
		snapshot, err := s.host.snapshot(ctx, s.runID)
		if err != nil {
			return err
		}
		if s.hold > 0 {
			return s.out.Frame(place(s.last), frameBatch, []openwopv1.RunSnapshot{snapshot})
		}
		return s.out.Frame(place(s.last), frameSnapshot, snapshot)
	case s.hold > 0:
		return s.out.Frame(place(s.pending[len(s.pending)-1].Sequence), frameBatch, allTold(s.pending))
	}
	for i := range s.pending {
		e := told(s.pending[i])
		if err := s.out.Frame(place(e.Sequence), string(e.Type), &e); err != nil {
			return err
		}
	}
	return nil
}

// place is the id of a frame: the sequence of the last event in it.
func place(sequence int64) string { return strconv.FormatInt(sequence, 10) }

// signal leaves a note in a channel of capacity one; a note that is still there is enough.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// isTerminal tells the events after which nothing can be appended to a run.
func isTerminal(e event.Event) bool {
	switch e.Type {
	case event.RunCompleted, event.RunFailed, event.RunCancelled:
		return true
	}
	return false
}
