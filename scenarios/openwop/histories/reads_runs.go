package histories

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// settle waits until the run has ended, waits at the turn that is to wait next, or is paused, and reads its log.
func (r *run) settle(ctx context.Context) (out model.RunSaw) {
	r.mu.Lock()
	answered := r.answered
	r.mu.Unlock()
	turn, waits := r.begin.Loop.HoldOf(answered)
	decisions := 0
	if waits && answered > 0 && !r.begin.Loop.Turns[turn].Doubt { // a decision below the floor need not stand on the log while it is held
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
		r.children[i].done = r.children[i].done || phase == string(dialect.ChainPhaseChildCompleted)
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
	return host.Sequence(r.events[hundredths*n/100]), last, r.over
}

// poll asks for a page of the log.
func (r *run) poll(ctx context.Context, in model.RunAsk) model.RunSaw {
	cursor, _, _ := r.place(in.From)
	call := dialect.PollLog.Of(r.ID).With("timeout", "1")
	if cursor >= 0 {
		for _, name := range r.Dialect().Cursors {
			call = call.With(name, strconv.FormatInt(cursor, 10))
		}
	}
	r.CatchUp(ctx)
	out := saw(r.Send(ctx, wire.Call{Operation: call, Label: "a page of the log"}))
	out.Events, out.Cursor, out.Whole = out.Body.Key("events").Items(), cursor, true
	r.learnBehind(cursor, out.Events)
	return out
}

// stream listens until everything was told that was known, or the host closes the stream of a run that has ended. A run under way is
// listened to from an event that was seen: where it begins without one is the host's choice.
func (r *run) stream(ctx context.Context, in model.RunAsk) model.RunSaw {
	cursor, last, over := r.place(in.From)
	whole := slices.Contains([]string{"debug", "updates,debug"}, in.Mode)
	if !over { // what the other modes leave out nobody knows, so it would be waited for
		if cursor < 0 {
			cursor, _, _ = r.place(0)
		}
		if cursor < 0 || !whole {
			return r.poll(ctx, model.RunAsk{From: -1})
		}
	}
	call := wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", in.Mode), Label: "a stream of the log"}
	if cursor >= 0 {
		call.Header = map[string]string{"Last-Event-ID": strconv.FormatInt(cursor, 10)}
	}
	listening, enough := r.Within(ctx, r.Patience)
	defer enough()
	s, plain := r.Open(listening, call)
	if s == nil {
		return saw(plain)
	}
	out := model.RunSaw{Status: s.StatusValue(), Cursor: cursor, Whole: whole, Over: over}
	n := 0
	for range s.Events() {
		n++
		v := s.Value(n)
		seq, ok := v.Key("sequence").Int()
		if !ok {
			continue
		}
		if out.Events = append(out.Events, v); !over && seq >= last {
			break
		}
	}
	s.Close()
	if out.Closed = over && s.Err() == nil; whole {
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
	out := saw(r.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(c.id), Label: "a child of the run"}))
	out.Other, out.Worker, out.Ended = c.id, c.worker, c.done
	if r.begin.Claims.Ancestry {
		out.Parent = r.Send(ctx, wire.Call{Operation: dialect.ReadLineage.Of(c.id), Label: "where the child comes from"}).Value("")
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
	if f := r.Adopt(reply); f.ID != "" {
		l := f.Settle(ctx, "the fork")
		out.Copy = l.Events
		if host.IsTerminal(l.Status().String()) {
			f.Gone()
		}
	}
	return out
}

// answer answers the run. What it waits for is read anew.
func (r *run) answer(ctx context.Context, in model.RunAsk) model.RunSaw {
	snapshot := r.Snapshot(ctx, "the run, to answer it").Value("")
	waits := host.Pending(snapshot, r.ReadLog(ctx, "log, to answer the run"))
	answered := r.taken()
	if waits.Node == "" {
		waits.Node = "supervisor"
	}
	forms := waits.Answers(r.marker)
	out := r.answerIn(ctx, in, snapshot, waits, answered, forms[0])
	if code, _ := out.Status.Int(); len(forms) > 1 && (in.By == model.ByNode || in.By == model.ByToken) &&
		(code == http.StatusBadRequest || code == http.StatusUnprocessableEntity) { // some take answers as a list (OWP-R34)
		out = r.answerIn(ctx, in, snapshot, waits, answered, forms[1])
	}
	return out
}

func (r *run) answerIn(
	ctx context.Context, in model.RunAsk, snapshot wire.Value, waits host.Interrupt, answered int, body any,
) (out model.RunSaw) {
	switch in.By {
	case model.ByToken, model.ByOld, model.ByForged:
		token, round, ok := r.token(in.By, answered)
		if !ok {
			return model.RunSaw{Unsent: true, Cursor: -1}
		}
		r.Redactor().Hide(token)
		out = saw(r.Host.Do(ctx, wire.Call{Operation: dialect.UseToken.Of(token), Label: "answer " + string(in.By), Anonymous: true,
			Body: map[string]any{"resumeValue": body}, Secrets: host.InterruptTokens}))
		out.Round = round
	default:
		switch in.By {
		case model.Nowhere:
			waits.Node = "nowhere-" + r.marker
		case model.Misfit:
			if r.begin.Loop.Gate {
				body = map[string]any{"action": "no-such-" + r.marker}
				break
			}
			out.Typed = snapshot.At("/interrupt/data/questions/0/schema/type").String() == "string"
			id := host.FirstText(snapshot.At("/interrupt/data/questions/0/id"))
			if id == "" {
				return model.RunSaw{Unsent: true, Cursor: -1}
			}
			body = map[string]any{"answers": map[string]any{id: 7}}
		}
		typed := out.Typed
		if out = saw(r.Host.Do(ctx, wire.Call{Operation: dialect.AnswerNode.Of(r.ID, waits.Node), Label: "answer " + string(in.By),
			Body: map[string]any{"resumeValue": body}, Secrets: host.InterruptTokens})); typed {
			out.Typed = true
		}
		out.Node = waits.Node
	}
	if host.Succeeded(out.Status) {
		r.mu.Lock()
		r.answered++
		r.mu.Unlock()
	}
	return out
}

// token returns a token, and how many answers were taken before its interrupt was.
func (r *run) token(by model.By, answered int) (token string, round int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	round = answered
	if by == model.ByOld && answered > 0 {
		round = r.begun % answered
	}
	token, ok = r.tokens[round]
	if by == model.ByForged && len(token) > 8 {
		at, with := len(token)/3, byte('Z') // no digit of a UUID, however it is compared
		if token[at] == 'Z' || token[at] == 'z' {
			with = 'Y'
		}
		token = token[:at] + string(with) + token[at+1:]
	}
	return token, round, ok && (by != model.ByForged || len(token) > 8)
}
