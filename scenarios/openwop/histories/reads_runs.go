package histories

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// settle waits until the run has ended, waits at the turn that is to wait next, or is paused, and reads its log.
func (r *run) settle(ctx context.Context) (out model.RunSaw) {
	r.mu.Lock()
	answered := r.answered
	r.mu.Unlock()
	turn, lasts, waits := r.begin.Loop.HoldOf(answered)
	decisions := 0
	// A decision below the floor need not stand on the log while it is held.
	if waits && !lasts && answered > 0 && !r.begin.Loop.Turns[turn].Doubt {
		decisions = turn + 1
	}
	token := ""
	w := r.AwaitWhile(ctx, "the run has ended, waits or is paused", func(ctx context.Context) (wire.Value, bool) {
		reply := r.Snapshot(ctx, "the run, until it stands still")
		token = cmp.Or(reply.Text(host.InterruptTokens[0]), reply.Text(host.InterruptTokens[1]))
		snapshot := reply.Value("")
		status := snapshot.Key("status").String()
		if host.IsTerminal(status) || status == "paused" {
			return snapshot, true
		}
		if lasts {
			r.learn(r.ReadLog(ctx, "log, until the worker is under way").Events)
			_, _, under := r.underWay()
			return snapshot, under
		}
		if !host.IsWaiting(status) || !waits && decisions == 0 && answered > 0 {
			return snapshot, false
		}
		l := r.ReadLog(ctx, "log, until the run stands still")
		return snapshot, len(l.Decided().Values) >= decisions && resolved(l) <= r.taken()
	}, func(ctx context.Context) int {
		return len(r.ReadLog(ctx, "log, to see whether the run gets on").Events)
	})
	l := r.ReadLog(ctx, "log of the run as it stands")
	out = model.RunSaw{Status: l.Read, Settled: w, Events: l.Events, Cursor: -1, Whole: true}
	r.learn(l.Events)
	status := w.Last.Key("status").String()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over = r.over || host.IsTerminal(status); r.over {
		r.Gone()
	}
	if token != "" && host.IsWaiting(status) &&
		r.under == 1 && r.answered == answered {
		r.tokens[answered] = token
	}
	return out
}

// resolved counts the answers that a log tells of.
func resolved(l host.RunLog) int { return len(l.OfType(dialect.InterruptResolved).Values) }

func (r *run) taken() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered
}

// learn keeps events that join on to those that are known.
func (r *run) learn(events wire.Values) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		n, ok := e.Key("sequence").Int()
		if last := len(r.events); !ok || last > 0 && n != host.Sequence(r.events[last-1])+1 {
			continue
		}
		r.events = append(r.events, e)
		kind := dialect.EventOf(e)
		r.over = r.over || kind == dialect.RunCompleted || kind == dialect.RunFailed || kind == dialect.RunCancelled
		p := e.Key("payload")
		id, phase := p.Key("childRunId").String(), p.Key("phase").String()
		if id == "" || kind != dialect.HandedOver {
			continue
		}
		i := slices.IndexFunc(r.children, func(c child) bool { return c.id == id })
		if i < 0 {
			i = len(r.children)
			r.children = append(r.children, child{id: id, worker: p.Key("workerId").String()})
		}
		if strings.HasPrefix(phase, "child.") {
			r.children[i].phase = phase
		}
	}
}

// learnBehind keeps events that were read behind a cursor, -1 for none, if it is known what comes before them.
func (r *run) learnBehind(cursor int64, events wire.Values) {
	r.mu.Lock()
	known := len(r.events) > 0
	r.mu.Unlock()
	if known || cursor < 0 {
		r.learn(events)
	}
}

// place returns the sequence of an event that was seen, so many hundredths of the way, -1 if there is none. Unless the run is over it is
// never the last one, behind which a host would wait for more.
func (r *run) place(hundredths int) (at, last int64, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.events)
	if n > 0 {
		last = host.Sequence(r.events[n-1])
	}
	if !r.over {
		n--
	}
	if hundredths < 0 || n <= 0 {
		return -1, last, r.over
	}
	if hundredths >= 100 { // behind which there is one event
		return host.Sequence(r.events[max(0, len(r.events)-2)]), last, r.over
	}
	return host.Sequence(r.events[hundredths*n/100]), last, r.over
}

// poll asks for a page of the log.
func (r *run) poll(ctx context.Context, in model.RunAsk) model.RunSaw {
	if late := time.Duration(r.begin.Loop.Wait)*time.Millisecond - r.Now().Sub(r.asked); in.Mode == model.Later && late > 0 {
		scenarios.End(r.Conn.Pause(ctx, late+late/8))
	}
	cursor, last, over := r.place(in.From)
	call := dialect.PollLog.Of(r.ID).With("timeout", "1")
	r.mu.Lock()
	switch {
	case in.Mode == model.NoneLeft && len(r.events) > 0:
		cursor = last
	case r.idle >= 0 && (over || r.idle < last): // what has come since is there now
		cursor, r.idle = r.idle, -1
	}
	r.mu.Unlock()
	if cursor >= 0 {
		for _, name := range r.Dialect().Cursors {
			call = call.With(name, strconv.FormatInt(cursor, 10))
		}
	}
	r.CatchUp(ctx)
	out := saw(r.Send(ctx, wire.Call{Operation: call, Label: "a page of the log"}))
	out.Events, out.Cursor, out.Whole = out.Body.Key("events").Items(), cursor, true
	r.learnBehind(cursor, out.Events)
	if len(out.Events) == 0 {
		r.mu.Lock()
		r.idle = cursor
		r.mu.Unlock()
	}
	return out
}

// The modes of a stream that are none of the protocol's: the log as a JSON document, and a stream that gathers its events.
const (
	document = "document"
	batches  = "debug, gathered"
)

// stream listens until everything was told that was known, or the host closes the stream of a run that has ended. A run under way is
// listened to from an event that was seen: where it begins without one is the host's choice.
func (r *run) stream(ctx context.Context, in model.RunAsk) model.RunSaw {
	cursor, last, over := r.place(in.From)
	whole := slices.Contains([]string{"debug", "updates,debug"}, in.Mode) || over && in.Mode == batches
	if over && in.Mode == document {
		return r.document(ctx)
	}
	if !over { // what the other modes leave out nobody knows, so it would be waited for
		if cursor < 0 {
			cursor, _, _ = r.place(0)
		}
		if cursor < 0 || !whole {
			out := r.poll(ctx, model.RunAsk{From: -1})
			out.Whole, out.Unheard = false, true // a page is no stream
			return out
		}
	}
	call := wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", in.Mode), Label: "a stream of the log"}
	if in.Mode == batches { // what a batch tells is compared as everything is that is read
		call.Operation = dialect.StreamLog.Of(r.ID).With("streamMode", "debug").With("bufferMs", "20")
	}
	if cursor >= 0 {
		call.Header = map[string]string{"Last-Event-ID": strconv.FormatInt(cursor, 10)}
	}
	patience, closes := r.Patience, over && cursor < last
	if over && !closes { // no text says that a host closes a stream with nothing left to send
		patience = min(patience, time.Second)
	}
	listening, enough := r.Within(ctx, patience)
	defer enough()
	s, plain := r.Open(listening, call)
	if s == nil {
		return saw(plain)
	}
	out := model.RunSaw{Status: s.StatusValue(), Cursor: cursor, Whole: whole, Over: closes}
	n, short := 0, false // short: a frame leaves something out
	for range s.Events() {
		n++
		v := s.Value(n)
		for _, item := range v.Items() {
			short = short || !tells(item)
		}
		if out.Events = append(out.Events, v.Items()...); !v.Key("sequence").Present() { // a batch, or no event
			short = short || v.Key("type").Present()
			continue
		}
		short = short || !tells(v)
		if out.Events = append(out.Events, v); !over && host.Sequence(v) >= last {
			break
		}
	}
	s.Close()
	if short {
		out.Events, out.Whole, out.Unheard, whole = nil, false, true, false
	}
	if out.Closed = closes && s.Err() == nil; whole {
		r.learnBehind(cursor, out.Events)
	}
	return out
}

// child reads the child that the log named last, and where it comes from.
func (r *run) child(ctx context.Context) model.RunSaw {
	r.mu.Lock()
	n := len(r.children)
	if n == 0 {
		r.mu.Unlock()
		return model.RunSaw{Unsent: true, Cursor: -1}
	}
	c := r.children[r.begun%n]
	r.mu.Unlock()
	r.CatchUp(ctx)
	reply := r.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(c.id), Label: "a child of the run"})
	out := saw(reply)
	out.Other, out.Worker, out.Phase = c.id, c.worker, c.phase
	l := (&host.Run{Host: r.Host, ID: c.id, Created: reply, Gone: func() {}}).ReadLog(ctx, "log of the child")
	if r.begin.Claims.Ancestry {
		out.Parent = r.Send(ctx, wire.Call{Operation: dialect.ReadLineage.Of(c.id), Label: "where the child comes from"}).Value("")
		if below := host.ChildIDs(l); len(below) > 0 {
			out.Below.RunID = below[0]
			out.Below.Lineage = r.Send(ctx, wire.Call{Operation: dialect.ReadLineage.Of(below[0]), Label: "where a child of the child comes from"}).
				Value("")
		}
	}
	return out
}

// underWay returns the worker that lasts and was seen to begin and not to end, and how many of those there were before.
func (r *run) underWay() (id string, before int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.children {
		if c.worker != fixture.Wait {
			continue
		}
		if c.phase == "" && !slices.Contains(r.gone, c.id) {
			return c.id, before, true
		}
		before++
	}
	return "", 0, false
}

// cancelChild cancels the worker that lasts.
func (r *run) cancelChild(ctx context.Context) model.RunSaw {
	id, before, ok := r.underWay()
	if !ok {
		return model.RunSaw{Unsent: true, Cursor: -1}
	}
	out := saw(r.Send(ctx, wire.Call{Operation: dialect.CancelRun.Of(id), Label: "cancel a worker", Body: dialect.CancelRunRequest{}}))
	out.Other, out.Round = id, before
	if host.Succeeded(out.Status) {
		r.mu.Lock()
		if !slices.Contains(r.gone, id) {
			r.gone = append(r.gone, id)
			r.answered++
		}
		r.mu.Unlock()
	}
	return out
}

// fork forks the run if it was seen to have ended.
func (r *run) fork(ctx context.Context, in model.RunAsk) model.RunSaw {
	from, _, over := r.place(in.From)
	if !over || from < 0 || !r.begin.Claims.Replays {
		return model.RunSaw{Unsent: true, Cursor: -1}
	}
	reply := r.Does(ctx, dialect.ForkRun, dialect.ForkRunRequest{Mode: dialect.ForkMode(in.Mode), FromSeq: &from}, "a fork")
	out := saw(reply)
	out.Cursor = from
	f := r.Adopt(reply)
	if f.ID == "" {
		return out
	}
	l := f.Stands(ctx, "the fork")
	if l.Status().String() != "paused" {
		l = f.Settle(ctx, "the fork")
	}
	if out.Copy = l.Events; !host.IsTerminal(l.Status().String()) {
		return out
	}
	f.Gone()
	if _, told := claims.AncestryForks.Look(r.Discovery); told {
		out.Parent = r.Send(ctx, wire.Call{Operation: dialect.ReadLineage.Of(f.ID), Label: "where the fork comes from"}).Value("")
	}
	if len(l.Events) == 0 {
		return out
	}
	at := host.Sequence(l.Events[in.From*len(l.Events)/100])
	again := f.Does(ctx, dialect.ForkRun, dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: &at}, "a fork of the fork")
	if again.Success() {
		out.Forks = again.Value("")
	}
	if g := r.Adopt(again); g.ID != "" {
		if l = g.Settle(ctx, "the fork of the fork"); host.IsTerminal(l.Status().String()) {
			g.Gone()
			out.Second = l.Events
		}
	}
	return out
}
