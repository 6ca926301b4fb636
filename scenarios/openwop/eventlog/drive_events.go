package eventlog

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// LogsObservation is two concurrent runs, and polls of the first.
type LogsObservation struct {
	Way    string        `json:"way"` // fixture of the first
	First  host.RunLog   `json:"first"`
	Second host.RunLog   `json:"second"`
	Whole  PollPage      `json:"whole"` // of the first at its end, without a cursor
	Pages  []PollPage    `json:"pages"` // of the first at its end, with cursors
	Window time.Duration `json:"windowNs"`
	Again  host.RunLog   `json:"again"` // the first, after the second ended and the window passed
	// Bounded is a run that crosses its bound, made if neither of the others names a cause. The end of such a run has a
	// cause, which the protocol asks a host to name.
	Bounded host.RunLog `json:"bounded,omitzero"`
	HandsOn bool        `json:"handsOn,omitempty"` // the host claims supervisors; looked at if neither of the two names a cause
	Handing host.RunLog `json:"handing,omitzero"`  // a loop, made if none of the three does
}

// PollPage is one reply to a poll.
type PollPage struct {
	After  int64      `json:"after"` // the cursor; -1 for none
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
	// Since is the reply to the cursor under its former name, if the host ignored
	// the present one.
	Since *PollPage `json:"since,omitempty"`
}

// events returns the events of the reply, in its order.
func (p PollPage) events() wire.Found {
	list := p.Body.Key("events")
	return wire.Found{Values: list.Items(), In: list.Ref()}
}

// fresh returns the events of the reply after the cursor.
func (p PollPage) fresh() wire.Found {
	return p.events().Where(func(e wire.Value) bool { return host.Sequence(e) > p.After })
}

// repeats reports whether the reply lists events up to the cursor.
func (p PollPage) repeats() bool { return len(p.fresh().Values) < len(p.events().Values) }

// pollAfter polls once for the events after a cursor, sent under these names.
func pollAfter(ctx context.Context, r *host.Run, label string, after int64, names ...string) PollPage {
	poll := dialect.PollLog.Of(r.ID).With("timeout", "1")
	for _, name := range names {
		poll = poll.With(name, strconv.FormatInt(after, 10))
	}
	reply := r.Send(ctx, wire.Call{Operation: poll, Label: label})
	return PollPage{After: after, Status: reply.StatusValue(), Body: reply.Value("")}
}

// pollBehind polls with the cursor under its present name and, if the host ignored
// that, under its former one.
func pollBehind(ctx context.Context, r *host.Run, after int64) PollPage {
	label := "poll behind " + strconv.FormatInt(after, 10)
	names := r.Dialect().Cursors
	p := pollAfter(ctx, r, label, after, names[0])
	if len(names) == 1 || !p.repeats() {
		return p
	}
	since := pollAfter(ctx, r, label+", under its former name", after, names[1])
	p.Since = &since
	return p
}

// finite returns the richest run on offer that ends by itself: a loop if the host
// claims loops, otherwise upstream's one step.
func finite(h host.Host) host.Scripted {
	if _, claimed := claims.ExecutionModel.Look(h.Discovery); claimed {
		if way, err := scenarios.Attempt(func() host.Scripted { return h.LoopOf(3, 7, 0) }); err == nil || !host.IsBlocked(err) {
			scenarios.End(err)
			return way
		}
	}
	if h.Offers(fixture.Noop) {
		return host.Scripted{Fixture: fixture.Noop}
	}
	if own, ok := host.Played(h, host.RoleLoop, host.RoleShort); ok {
		return host.Scripted{Fixture: own.WorkflowID}
	}
	return host.Scripted{Fixture: h.Simple().WorkflowID}
}

const sendsFinite = "{create run} (assay-loop with a random plan; else one of upstream's loops; else conformance-noop)"

// cursors returns places to resume a log from: the first, a random one before the last, the
// last but one, the last, and a random one beyond the end.
func cursors(h host.Host, l host.RunLog) []int64 {
	n := len(l.Events)
	if n < 2 {
		return nil
	}
	last := host.Sequence(l.Events[n-1])
	return []int64{host.Sequence(l.Events[0]), cursor(h, l), host.Sequence(l.Events[n-2]), last, last + int64(h.Between(1, 1000))}
}

// cursor draws a place before the last event, from a log of at least two.
func cursor(h host.Host, l host.RunLog) int64 {
	return host.Sequence(l.Events[h.Between(0, len(l.Events)-2)])
}

// logsOfTwoRuns has two concurrent runs and polls the log of one.
var logsOfTwoRuns = &scenarios.Drive[LogsObservation]{
	ID: "openwop/logs-of-two-runs",
	Title: "makes two runs at once, polls the log of the first with and without cursors, and reads it again after a quiet " +
		"window; where neither names a cause, makes one that crosses a bound, and one that hands on work",
	Sends: []string{
		sendsFinite, "{create run} (sentinel)", "{read run}", "{poll log}",
		"{poll log}?lastSequence= (random, the last ones, beyond the end)",
		"{create run} (conformance-cap-breach) with configurable.recursionLimit", "{create run} (a loop)",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *LogsObservation) {
		h := host.Host{Conn: c}
		way := finite(h)
		o.Way = way.Fixture
		first, second := createBoth(ctx, h, way.Request(nil), h.Sentinel(way))
		o.First = first.Finish(ctx, "log of the first run")
		if o.Second = second.Finish(ctx, "log of the second run"); !o.First.Ended.Reached {
			return
		}
		pollThrough(ctx, first, o)
		o.Window = h.Quiet(ctx, o.First.Pace())
		o.Again = first.ReadLog(ctx, "log of the first run, again")
		if len(withCause(o.First).Values)+len(withCause(o.Second).Values) == 0 {
			lookForCauses(ctx, h, o)
		}
	},
}

// lookForCauses makes runs whose events have causes: one that crosses its bound, and one that hands on work.
func lookForCauses(ctx context.Context, h host.Host, o *LogsObservation) {
	if h.Offers(fixture.SixNodes) {
		bounded := h.Create(ctx, "create a run that crosses its bound", dialect.CreateRunRequest{WorkflowID: fixture.SixNodes,
			Configurable: &dialect.Configurable{RecursionLimit: new(int64(h.Between(1, 5)))}})
		o.Bounded = bounded.Finish(ctx, "log of the run that crosses its bound")
	}
	_, o.HandsOn = claims.Supervisor.Look(h.Discovery)
	if o.HandsOn && len(withCause(o.Bounded).Values) == 0 {
		if way, err := scenarios.Attempt(func() host.Scripted { return h.LoopOf(2, 4, 0) }); err == nil {
			handing := h.Create(ctx, "create a run that hands on work", way.Request(nil))
			o.Handing = handing.Finish(ctx, "log of the run that hands on work")
		} else if !host.IsBlocked(err) {
			scenarios.End(err)
		}
	}
}

// createBoth creates two runs at once.
func createBoth(ctx context.Context, h host.Host, one, other dialect.CreateRunRequest) (*host.Run, *host.Run) {
	var first, second *host.Run
	create := func(out **host.Run, label string, body dialect.CreateRunRequest) func(context.Context) {
		return func(ctx context.Context) {
			*out = h.Create(ctx, label, body)
		}
	}
	h.AtOnce(ctx, create(&first, "create the first run", one), create(&second, "create the second run", other))
	return first, second
}

// pollThrough polls the finished run without a cursor and with several.
func pollThrough(ctx context.Context, r *host.Run, o *LogsObservation) {
	o.Whole = pollAfter(ctx, r, "poll without a cursor", -1)
	for _, after := range slices.Compact(cursors(r.Host, o.First)) {
		p := pollBehind(ctx, r, after)
		o.Pages = append(o.Pages, p)
	}
}
