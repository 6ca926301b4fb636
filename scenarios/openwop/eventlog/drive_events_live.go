package eventlog

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// LiveObservation is a run that stood still until we moved it, with a listener and
// a poll on it.
type LiveObservation struct {
	Way       string      `json:"way"`
	Held      wire.Wait   `json:"held"`   // Last is the snapshot
	Before    host.RunLog `json:"before"` // the log at that time
	Idle      PollPage    `json:"idle"`   // a poll after the end of that log
	Idled     wire.Wait   `json:"idled"`  // for the reply to it
	Heard     int         `json:"heard"`  // frames received before the run was moved
	Moved     wire.Value  `json:"moved"`  // HTTP status of the answer, or of the cancellation
	After     host.RunLog `json:"after"`  // the log to the end
	Late      PollPage    `json:"late"`   // a poll with the cursor of Idle, at the end
	Listening Listening   `json:"listening"`
	Beside    Listening   `json:"beside,omitzero"` // a second stream, open at the same time. Zero at quick
	List      PollPage    `json:"list,omitzero"`   // the JSON document while the run stood still, if there is one
	// Long is a loop of many workers, beyond quick. A log of more than a thousand events is seldom shown on one page.
	Long  host.RunLog `json:"long,omitzero"`
	Crowd int         `json:"crowd,omitempty"` // its workers
	// Parting is a poll of another run, which is cancelled meanwhile, and Parted is that run's log. Zero at quick.
	Parting PollPage    `json:"parting,omitzero"`
	Parted  host.RunLog `json:"parted,omitzero"`
}

// still is a run that does nothing until it is moved.
type still struct {
	*host.Run
	move func(context.Context) *wire.Reply
}

// runWhileHeard moves a run while its stream is open.
var runWhileHeard = &scenarios.Drive[LiveObservation]{
	ID: "openwop/run-while-heard",
	Title: "holds a run, opens its stream, polls it while nothing happens, moves it, and polls and listens on to its end; beyond " +
		"quick, has a second stream open beside it, cancels another run while it is polled, and reads the log of a loop of many " +
		"workers page by page",
	Waits: time.Second,
	Sends: []string{
		host.SendsLoop + "; else conformance-cancellable, or another that waits", "{read run}", "{poll log}", "{stream log}?streamMode=debug",
		"{answer node}, or {cancel run}", "{create run} (assay-loop with hundreds of workers)",
	},
	Dimensions: []*scenarios.Dimension{crowd},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LiveObservation) {
		s := stillRun(ctx, host.Host{Conn: c}, o)
		if !o.Held.Reached || len(o.Before.Events) == 0 {
			return
		}
		listening, hangUp := context.WithCancel(ctx)
		defer hangUp()
		ear, other, cut := newEar(), newEar(), false
		c.AtOnce(ctx,
			func(context.Context) {
				defer close(ear.gone)
				o.Listening = hear(listening, s.Run, listenIn{label: "listen", heard: ear.heard})
			},
			func(ctx context.Context) {
				defer hangUp()
				cut = s.moveWhile(ctx, o, ear)
				other.await(ctx, s.Patience, func(int) bool { return !o.After.Ended.Reached })
			},
			func(context.Context) {
				defer close(other.gone)
				if c.Depth == scenarios.Quick {
					return
				}
				select {
				case <-ear.first:
				case <-ear.gone:
				case <-listening.Done():
				}
				if !ear.over() {
					// A host may refuse a second one, or have no time for it.
					o.Beside, _ = scenarios.Attempt(func() Listening {
						return hear(listening, s.Run, listenIn{label: "listen beside it", heard: other.heard})
					})
				}
			})
		if cut && len(o.Beside.Frames) > 0 { // a host may have one stream of a run, the newest
			o.Listening, o.Beside = o.Beside, Listening{}
		}
		o.Listening.Closed.Patience, o.Listening.Closed.Answers, o.Listening.Closed.Last = c.Patience, 1, o.After.Ended.Last
		if o.After.Ended.Reached && c.Depth > scenarios.Quick {
			partWhilePolled(ctx, host.Host{Conn: c}, o)
			readLong(ctx, host.Host{Conn: c}, o)
		}
	},
}

// ear counts the frames that a listener receives.
type ear struct {
	count  atomic.Int64
	signal chan struct{} // receives after each frame
	gone   chan struct{} // closed when the listener is gone
	first  chan struct{} // closed with the first frame
}

func newEar() *ear {
	return &ear{signal: make(chan struct{}, 1), gone: make(chan struct{}), first: make(chan struct{})}
}

func (e *ear) heard() {
	if e.count.Add(1) == 1 {
		close(e.first)
	}
	select {
	case e.signal <- struct{}{}:
	default:
	}
}

// over reports whether the listener is gone.
func (e *ear) over() bool {
	select {
	case <-e.gone:
		return true
	default:
		return false
	}
}

// await returns once the frames are enough, the listener is gone or the time is
// up.
func (e *ear) await(ctx context.Context, longest time.Duration, enough func(frames int) bool) {
	over := time.NewTimer(longest)
	defer over.Stop()
	for !enough(int(e.count.Load())) {
		select {
		case <-e.signal:
		case <-e.gone:
			return
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// moveWhile polls the run while it stands still, moves it, follows it to its end and waits for the host to close the stream. cut is
// true if the stream was over before the run was moved.
func (s still) moveWhile(ctx context.Context, o *LiveObservation, e *ear) (cut bool) {
	last := host.Sequence(o.Before.Last())
	o.Idle, o.Idled = s.pollIdle(ctx, last)
	o.List = asJSON(ctx, s.Run)
	e.await(ctx, min(s.Patience, 2*time.Second), func(frames int) bool { return frames >= len(o.Before.Events) })
	o.Heard, cut = int(e.count.Load()), e.over()
	reply := s.move(ctx)
	if o.Moved = reply.StatusValue(); !reply.Success() {
		return cut
	}
	if o.After = s.Finish(ctx, "log to the end"); !o.After.Ended.Reached {
		return cut
	}
	o.Late = pollAfter(ctx, s.Run, "poll behind what was there before", last, s.Dialect().Cursors...)
	e.await(ctx, s.Patience, func(int) bool { return false }) // until the host closes the stream
	return cut
}

// pollIdle polls after the end of a log that does not grow. It returns the time
// the reply took. If no reply comes, it reads the run: the host must answer that.
func (s still) pollIdle(ctx context.Context, after int64) (PollPage, wire.Wait) {
	w := wire.Wait{What: "the poll is answered", Patience: time.Second + s.Patience} // the poll's own timeout, and ours
	bounded, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	start := s.Now()
	p, err := scenarios.Attempt(func() PollPage {
		return pollAfter(bounded, s.Run, "poll while nothing happens", after, s.Dialect().Cursors...)
	})
	w.Took = s.Now().Sub(start)
	switch {
	case err == nil:
		w.Reached, w.Last = true, p.Status
		return p, w
	case !errors.Is(err, wire.ErrNoAnswer) || ctx.Err() != nil || bounded.Err() == nil:
		scenarios.End(err)
		return p, w
	}
	reply := s.Snapshot(ctx, "the run while the poll is not answered")
	w.Answers, w.Last = 1, reply.Value("")
	return p, w
}

// asJSON asks for the log as a JSON document. A host that answers with a stream, which a live run does not end, has none.
func asJSON(ctx context.Context, r *host.Run) (p PollPage) {
	stream, plain, err := r.Client.Open(ctx, wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", "debug"),
		Header: map[string]string{"Accept": "application/json"}, Label: "list while nothing happens"})
	switch {
	case stream != nil:
		stream.Close()
	case err != nil:
		scenarios.End(err)
	default:
		p = PollPage{After: -1, Status: plain.StatusValue(), Body: plain.Value("")}
	}
	return p
}

// stillRun makes a run and waits until it stands still: a loop that asks,
// otherwise a run that waits to be cancelled.
func stillRun(ctx context.Context, h host.Host, o *LiveObservation) still {
	way, err := scenarios.Attempt(func() host.Suspending { return h.AskingLoop(1) })
	switch {
	case err != nil && host.IsBlocked(err):
		if request, asks, ok := standing(h); ok {
			return waitingRun(ctx, h, request, asks, o)
		}
		scenarios.End(err)
	case err != nil:
		scenarios.End(err)
		return still{}
	}
	r, loop := h.Suspend(ctx, "the loop that asks", way)
	o.Way, o.Held, o.Before = way.Fixture, loop.Held.Suspended, loop.Held.Log
	return still{r, func(ctx context.Context) *wire.Reply {
		return r.Resolve(ctx, host.Pending(o.Held.Last, o.Before), loop.Held.Marker)
	}}
}

// anotherStill is stillRun of a run that only some checks need; ok is false if there is none, or if it does not stand still.
func anotherStill(ctx context.Context, h host.Host) (s still, o LiveObservation, ok bool) {
	s, err := scenarios.Attempt(func() still { return stillRun(ctx, h, &o) })
	if host.IsBlocked(err) {
		return s, o, false
	}
	scenarios.End(err)
	return s, o, o.Held.Reached && len(o.Before.Events) > 0
}

// standing requests a run that stands still until it is cancelled: upstream's, else one that a control run saw wait for somebody, who
// asks, or last without a step.
func standing(h host.Host) (request dialect.CreateRunRequest, asks, ok bool) {
	if h.Offers(fixture.Waits) {
		return dialect.CreateRunRequest{WorkflowID: fixture.Waits}, false, true
	}
	own, ok := host.Find(h, func(o host.Own) bool { return o.Conduct == host.Waits || o.Still }, host.Waits, host.Lasts)
	return own.Request(), own.Conduct == host.Waits, ok
}

func waitingRun(ctx context.Context, h host.Host, request dialect.CreateRunRequest, asks bool, o *LiveObservation) still {
	o.Way = request.WorkflowID
	r := h.Create(ctx, "create the run that waits", request)
	s := still{Run: r}
	if s.move = s.cancel; r.ID == "" {
		o.Before = r.ReadLog(ctx, "log")
		return s
	}
	o.Held = r.Await(ctx, "the run is under way", func(ctx context.Context) (v wire.Value, done bool) {
		o.Before = r.ReadLog(ctx, "log while the run waits")
		reply := r.Snapshot(ctx, "the run while it waits")
		status := reply.Value("/status").String()
		return reply.Value(""), host.IsTerminal(status) || (status == "running" && !asks || host.IsWaiting(status)) && len(o.Before.Events) > 0
	})
	if o.Held.Reached && host.IsTerminal(o.Held.Last.Key("status").String()) {
		o.Held.Reached = false
		r.Gone()
	}
	return s
}

func (s still) cancel(ctx context.Context) *wire.Reply {
	return s.Send(ctx, wire.Call{Operation: dialect.CancelRun.Of(s.ID), Body: dialect.CancelRunRequest{}, Label: "cancel"})
}

// partWhilePolled cancels a run that stands still while a poll waits for what it does next.
func partWhilePolled(ctx context.Context, h host.Host, o *LiveObservation) {
	s, held, ok := anotherStill(ctx, h)
	if !ok {
		return
	}
	h.AtOnce(ctx,
		func(ctx context.Context) {
			o.Parting = pollAfter(ctx, s.Run, "poll a run that is cancelled meanwhile", host.Sequence(held.Before.Last()), s.Dialect().Cursors...)
		},
		func(ctx context.Context) {
			for range 3 { // the poll has come by then
				s.Snapshot(ctx, "the run while it is polled")
			}
			s.cancel(ctx)
		})
	o.Parted = s.Finish(ctx, "log of the run that was cancelled while it was polled")
}

var crowd = &scenarios.Dimension{Name: "workers of a loop whose log is long", Least: 270, Most: [3]int{270, 360, 1_200}}

// readLong has a loop hand on work to many workers, in three turns, and reads its log. At standard, only a host is asked for it that
// takes little time for each event.
func readLong(ctx context.Context, h host.Host, o *LiveObservation) {
	const turns = 3
	ceiling, _ := h.Ceiling()
	slow := o.Before.Pace() > 20*time.Millisecond && h.Depth < scenarios.Deep
	if slow || ceiling <= turns || !h.Offers(fixture.Loop, fixture.Noop) {
		return
	}
	each := slices.Repeat([]string{fixture.Noop}, h.Draw(crowd)/turns)
	o.Crowd = turns * len(each)
	way := host.Scripted{Fixture: fixture.Loop, Chosen: true}
	for range turns {
		way.Plan = append(way.Plan, host.NextWorker(each...))
	}
	way.Plan = append(way.Plan, host.Terminate(h.Name("done")))
	long := h.Create(ctx, "create a loop of many workers", way.Request(nil))
	o.Long = long.Finish(ctx, "log of the loop of many workers")
}
