package engine

import (
	"context"
	"time"

	"github.com/openassay/assay/simhost/openintent/suspension"
)

// due is something that happens at a time of its own.
type due struct {
	intent    string // a reminder of it, or the end of its suspension
	portfolio string // its deadline
	at        time.Time
	in        time.Duration // from now on, by the clock of what it is about; negative when it is late
}

// before has deadlines come first (RFC-0026 rule 5).
func (d due) before(other due) bool {
	if d.in != other.in {
		return d.in < other.in
	}
	if (d.portfolio != "") != (other.portfolio != "") {
		return d.portfolio != ""
	}
	return d.intent+d.portfolio < other.intent+other.portfolio
}

// next is what is due first, of all there is, or of those that only names.
func (e *Engine) next(only map[string]bool) (first due, found bool) {
	consider := func(d due) {
		if only != nil && !only[d.intent+d.portfolio] {
			return
		}
		d.in = d.at.Sub(e.now(d.intent, d.portfolio))
		if !found || d.before(first) {
			first, found = d, true
		}
	}
	if e.offers(Notifier) {
		for id := range e.w.waiting {
			if in := e.w.intents[id]; in.Live != nil {
				if at, ok := e.dueOf(in.Live); ok {
					consider(due{intent: id, at: at})
				}
			}
		}
	}
	if e.offers(Deadlines) && e.offers(Portfolios) {
		for _, id := range e.w.portfolioIDs {
			if p := e.w.portfolios[id]; !p.Deadline.IsZero() && !p.Passed {
				consider(due{portfolio: id, at: p.Deadline})
			}
		}
	}
	return first, found
}

// dueOf is when a suspension wants something: its next reminder, or its end.
func (e *Engine) dueOf(live *Live) (time.Time, bool) {
	if live.Attempt < live.Course.Attempts && !e.o.AgentsNotify {
		return e.rules.Reminders.Due(live.Course, live.Attempt+1), true
	}
	if live.Course.Expires == nil {
		return time.Time{}, false
	}
	return *live.Course.Expires, true
}

// arm has the clock call when the next thing is due.
func (e *Engine) arm() {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	if d, ok := e.next(nil); ok && !e.closed {
		e.timer = e.o.Clock.At(e.o.Clock.Now().Add(d.in), e.tick)
	}
}

// tick does what is due.
func (e *Engine) tick() {
	err := e.do(context.Background(), func(t *tx) error {
		for {
			d, ok := t.next(nil)
			if !ok || d.in > 0 {
				break
			}
			t.happen(d)
		}
		if len(t.events) == 0 {
			t.arm() // it was called a little early
		}
		return nil
	})
	if err != nil && err != ErrClosed { //nolint:errorlint // it is not wrapped
		e.o.OnError(err)
	}
}

// Advance lets time pass for an intent, or for a portfolio and its members, and does what falls due meanwhile, each thing at
// its own time. It returns the time that it then is there.
func (e *Engine) Advance(ctx context.Context, intent, portfolio string, by time.Duration) (now time.Time, err error) {
	err = e.do(ctx, func(t *tx) error {
		group := map[string]bool{}
		switch p := t.w.portfolios[portfolio]; {
		case intent != "" && t.w.intents[intent] == nil:
			return notFound("intent", intent)
		case intent != "":
			group[intent] = true
		case p == nil:
			return notFound("portfolio", portfolio)
		default:
			group[portfolio] = true
			for _, m := range p.Members {
				group[m.Intent] = true
			}
		}
		for left := by; ; {
			d, ok := t.next(group)
			if !ok || d.in > left {
				t.ahead(group, left)
				break
			}
			step := max(d.in, 0)
			t.ahead(group, step)
			left -= step
			t.happen(d)
		}
		now = t.now(intent, portfolio)
		return nil
	})
	return now, err
}

// ahead moves the clocks of intents and portfolios.
func (t *tx) ahead(group map[string]bool, by time.Duration) {
	moved := map[string]time.Duration{}
	for id := range group {
		if in := t.w.intents[id]; in != nil {
			moved[id] = in.Ahead + by
		}
		if p := t.w.portfolios[id]; p != nil {
			moved[id] = p.Ahead + by
		}
	}
	t.emit(&Event{Type: "clock_moved", Actor: system, Hidden: true, At: t.now("", ""), Change: &Change{Ahead: moved}})
}

// happen does what is due.
func (t *tx) happen(d due) {
	if d.portfolio != "" {
		t.passed(t.w.portfolios[d.portfolio])
		return
	}
	in := t.w.intents[d.intent]
	if in.Status != Suspended && !t.rules.Expiry.Overrules() && (in.Live.Attempt >= in.Live.Course.Attempts || t.o.AgentsNotify) {
		t.emit(&Event{Type: "suspension_over", Intent: in.ID, Actor: system, Hidden: true, Change: &Change{Overtime: true}})
		return
	}
	if in.Live.Attempt < in.Live.Course.Attempts && !t.o.AgentsNotify {
		t.remind(in)
		return
	}
	t.expire(in)
}

// remind asks the person again (RFC-0026 section 4.2). The events come before the reminder goes out.
func (t *tx) remind(in *Intent) {
	live := *in.Live
	attempt := live.Attempt + 1
	r, _ := in.record()
	step := suspension.Step{Attempt: attempt, ChannelHint: r.ChannelHint}
	rung, escalates := live.Course.Rung(attempt)
	if escalates {
		if text(rung.ChannelHint) != "" {
			step.ChannelHint = rung.ChannelHint
		}
		if to := text(rung.NotifyTo); to != "" && t.rules.Reminders.Goes(t.o.MayNotify(to)) {
			step.NotifyTo = rung.NotifyTo
		}
	}
	change := &Change{Attempt: attempt}
	if !t.rules.Reminders.Sends(attempt, in.Status == Suspended) || t.w.told(in, renotified, live.ID, attempt) != nil {
		t.emit(&Event{Type: "reminder_passed_over", Intent: in.ID, Actor: system, Hidden: true, Change: change})
		return
	}
	var next any
	if at := live.Course.NextAttemptAt(attempt); at != nil {
		next = stamp(*at)
	}
	t.emit(&Event{
		Type: renotified, Intent: in.ID, Actor: system, Change: change,
		Payload: map[string]any{
			"suspension_id": live.ID, "attempt": attempt, "max_attempts": live.Course.Attempts,
			"channel_hint": step.ChannelHint, "notify_to": step.NotifyTo, "next_attempt_at": next,
		},
	})
	if escalates && t.w.told(in, escalated, live.ID, attempt) == nil {
		t.emit(&Event{
			Type: escalated, Intent: in.ID, Actor: system,
			Payload: map[string]any{"suspension_id": live.ID, "attempt": attempt, "escalated_to": step.NotifyTo, "channel_hint": step.ChannelHint},
		})
	}
	t.notice(in, r, attempt, step, live.Course)
	if to := t.rules.Reminders.Between(attempt); to != "" && in.Status == Suspended {
		t.move(in, move{to: to, by: system})
		t.emit(&Event{Type: "suspension_kept", Intent: in.ID, Actor: system, Hidden: true, Change: &Change{Live: &live}})
	}
}

// expire ends a suspension that nobody answered (RFC-0026 sections 4.2 and 4.3).
func (t *tx) expire(in *Intent) {
	live := *in.Live
	r, _ := in.record()
	tell := func() {
		t.emit(&Event{
			Type: expired, Intent: in.ID, Actor: system, Hidden: t.w.told(in, expired, live.ID, nil) != nil,
			Payload: map[string]any{"suspension_id": live.ID, "reason": "timeout", "attempts": live.Course.Attempts,
				"fallback_policy": live.Course.Fallback},
		})
	}
	if t.rules.Expiry.Precedes(live.Course.Fallback) {
		tell()
	} else {
		defer tell()
	}
	t.settle(in, system, suspension.Expired, fallbackValue(r, suspension.Continues(live.Course.Fallback)))
	t.emit(&Event{Type: "suspension_over", Intent: in.ID, Actor: system, Hidden: true, Change: &Change{Overtime: true}})
	m := move{to: t.rules.Expiry.Ends(live.Course.Fallback), by: system, reason: "suspension_expired"}
	if m.to == Abandoned {
		m.abandonment = "suspension_expired"
	}
	if m.to != in.Status {
		t.move(in, m)
	}
}

func fallbackValue(r suspension.Record, taken bool) any {
	if !taken || r.FallbackValue == nil {
		return nil
	}
	v, err := Decode(r.FallbackValue)
	if err != nil {
		return nil
	}
	return v
}

// passed is the deadline of a portfolio (RFC-0026 rule 5).
func (t *tx) passed(p *Portfolio) {
	t.emit(&Event{
		Type: "deadline_passed", Portfolio: p.ID, Actor: system, Hidden: true, Change: &Change{Passed: true},
	})
	for _, id := range p.counted(t.rules.Containers) {
		in := t.w.intents[id]
		if in == nil {
			continue
		}
		m := move{to: t.rules.Deadline.Ends(in.Status, suspensionID(in) != ""), by: system, reason: "portfolio_deadline"}
		switch m.to {
		case "":
			continue
		case Abandoned:
			m.abandonment = "portfolio_deadline_exceeded"
		}
		payload := map[string]any{"reason": "portfolio_deadline"}
		if waits := suspensionID(in); waits != "" { // there may be no record yet, or that of the suspension before
			payload["suspension_id"] = waits
		}
		t.emit(&Event{Type: expired, Intent: id, Actor: system, Payload: payload})
		t.settle(in, system, suspension.Expired, nil)
		t.move(in, m)
	}
}
