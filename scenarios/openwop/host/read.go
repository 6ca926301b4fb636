package host

import (
	"context"
	"fmt"
	"strconv"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// ReadLog reads the whole event log, when it can be expected to show all that happened until now. A log may be behind the
// snapshot that says that the run has ended: it is read until it holds the end, or patience is over.
func (r *Run) ReadLog(ctx context.Context, label string) RunLog {
	if r.ID == "" {
		return r.logOf()
	}
	r.CatchUp(ctx)
	l := r.pages(ctx, label)
	if !r.over.Load() || r.endless.Load() || l.ended() || !Succeeded(l.Read) {
		return l
	}
	w := r.Await(ctx, "the log holds the end of the run", func(ctx context.Context) (wire.Value, bool) {
		l = r.pages(ctx, label+", until it holds the end")
		return l.Last(), l.ended()
	})
	if r.endless.Store(!w.Reached); w.Reached {
		r.Pace.SawBehind(w.Took)
	}
	return l
}

func (l RunLog) ended() bool { return len(l.Terminals().Values) > 0 }

func (r *Run) logOf() RunLog {
	return RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}
}

// pages polls the log page by page. The first call sends no cursor because none selects sequence 0. Later calls send the
// cursor under its current and its former name, because hosts read one or the other. They request the last known event
// again and drop the duplicate: a long-polling host would otherwise hold the reply while a suspended run has no new events.
// Only a host that puts no more than one event on a page is asked for what comes behind that one.
func (r *Run) pages(ctx context.Context, label string) RunLog { return r.more(ctx, r.logOf(), label) }

// more adds the events that a log has got since it was read.
func (r *Run) more(ctx context.Context, l RunLog, label string) RunLog {
	cursor, behind := "", int64(1)
	if l.largest == 1 {
		behind = 0
	}
	if last, ok := l.Last().Key("sequence").Int(); ok && last >= behind {
		cursor = strconv.FormatInt(last-behind, 10)
	}
	for n := 1; len(l.Events) < mostEvents; n++ {
		before := len(l.Events)
		l.largest = max(l.largest, r.page(ctx, &l, cursor, fmt.Sprintf("%s, page %d", label, n)))
		last, ok := l.Last().Key("sequence").Int()
		switch {
		case len(l.Events) > before:
		case l.largest == 1 && behind > 0:
			behind = 0
		default:
			ok = false
		}
		if !ok {
			break
		}
		if last >= behind {
			cursor = strconv.FormatInt(last-behind, 10)
		}
	}
	if !l.ended() {
		l.Early = wire.Value{} // the run may have ended meanwhile, or never names its end
	}
	if l.HasGap() { // whether a cursor loses events is another question: read in full again
		r.page(ctx, &l, "", label+", again in full")
	}
	return l
}

// page adds one page of the log and returns how many events were on it. A long-polling host holds an empty reply for at most
// a second.
func (r *Run) page(ctx context.Context, l *RunLog, cursor, label string) int {
	poll := dialect.PollLog.Of(r.ID).With("timeout", "1")
	if cursor != "" {
		for _, name := range r.Dialect().Cursors {
			poll = poll.With(name, cursor)
		}
	}
	reply := r.Send(ctx, wire.Call{Operation: poll, Label: label})
	if cursor == "" || !reply.Success() {
		l.Read = reply.StatusValue()
	}
	events := reply.Value("/events").Items()
	l.Add(events)
	if complete := reply.Value("/isComplete"); len(events) > 0 && complete.Actual() == true && !l.ended() {
		l.Early = complete // unless no later page has the end
	}
	return len(events)
}

// mostEvents limits the reading of a log that never ends.
const mostEvents = 10_000
