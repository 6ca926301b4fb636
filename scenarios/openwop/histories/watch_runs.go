package histories

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// watched takes a step while a stream is open. It reads the stream until that has shown the log as it is after the step, and up to its
// close if the run has ended. The stream begins with the last known event, because some hosts send their headers with the first event.
func (r *run) watched(ctx context.Context, step func(context.Context) model.RunSaw) (out model.RunSaw) {
	cursor, _, over := r.place(100)
	if over || cursor < 0 {
		return step(ctx)
	}
	listening, enough := r.Within(ctx, 3*r.Patience)
	defer enough()
	s, _ := r.Open(listening, wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", "debug"), Label: "a stream while it goes on",
		Header: map[string]string{"Last-Event-ID": strconv.FormatInt(cursor, 10)}})
	if s == nil {
		return step(ctx)
	}
	var mu sync.Mutex
	var heard wire.Values
	reached, closed, whole := cursor, false, true
	r.AtOnce(ctx, func(context.Context) {
		n := 0
		for range s.Events() {
			n++
			v := s.Value(n)
			if !v.Key("sequence").Present() && !v.Key("type").Present() { // such as a ping
				continue
			}
			seq, _ := v.Key("sequence").Int()
			mu.Lock()
			heard, reached, whole = append(heard, v), max(reached, seq), whole && tells(v)
			mu.Unlock()
		}
		mu.Lock()
		closed = s.Err() == nil
		mu.Unlock()
	}, func(ctx context.Context) {
		defer enough()
		out = step(ctx)
		l := r.ReadLog(ctx, "log behind the step")
		out.Watched, out.Events, out.Cursor = true, l.Events, cursor
		out.Over = len(l.Terminals().Values) > 0
		r.Await(ctx, "the stream has told what the log holds", func(context.Context) (wire.Value, bool) {
			mu.Lock()
			defer mu.Unlock()
			at, _ := l.Last().Key("sequence").Int()
			return l.Last(), closed || (reached >= at || !whole) && !out.Over
		})
		mu.Lock()
		defer mu.Unlock()
		out.Heard, out.Closed, out.Watched = heard, closed, whole
	})
	return out
}

// tells reports whether a frame has the members of an event. Frames may leave some out (OWP-R41).
func tells(frame wire.Value) bool {
	return !slices.ContainsFunc([]string{"eventId", "runId", "sequence", "type", "payload"}, func(member string) bool {
		return !frame.Key(member).Present()
	})
}

// document reads the log of a run that is over as a JSON document, where a host has one.
func (r *run) document(ctx context.Context) model.RunSaw {
	r.CatchUp(ctx)
	out := saw(r.Send(ctx, wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", "debug"), Label: "the log as a document"}))
	if events := out.Body.Key("events"); events.Present() {
		out.Events, out.Whole = events.Items(), true
	}
	return out
}

// asForeign tries something with the key of another tenant, on the run and on one that never was.
func (r *run) asForeign(ctx context.Context, in model.RunAsk) model.RunSaw {
	id, node := r.ID, "supervisor"
	if in.Mode == "read its child" {
		r.mu.Lock()
		if id = ""; len(r.children) > 0 {
			id = r.children[0].id
		}
		r.mu.Unlock()
	}
	if r.foreign == nil || id == "" {
		return model.RunSaw{Unsent: true, Cursor: -1}
	}
	call := func(id string) wire.Call {
		switch in.Mode {
		case "poll its log":
			return wire.Call{Operation: dialect.PollLog.Of(id).With("timeout", "1")}
		case "read its ancestry":
			return wire.Call{Operation: dialect.ReadLineage.Of(id)}
		case "cancel it":
			return wire.Call{Operation: dialect.CancelRun.Of(id), Body: dialect.CancelRunRequest{}}
		case "answer it":
			return wire.Call{Operation: dialect.AnswerNode.Of(id, node), Body: map[string]any{"resumeValue": map[string]any{"action": "accept"}}}
		case "fork it":
			return wire.Call{Operation: dialect.ForkRun.Of(id), Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0))}}
		}
		return wire.Call{Operation: dialect.ReadRun.Of(id)}
	}
	ask := func(id string) *wire.Reply {
		c := call(id)
		c.Label, c.Secrets = "as another tenant: "+in.Mode, host.InterruptTokens
		return r.foreign.Do(ctx, c)
	}
	reply := ask(id)
	out := saw(reply)
	if in.Mode == "fork it" {
		r.foreign.Adopt(reply)
	}
	out.Never = ask(r.other).StatusValue()
	return out
}
