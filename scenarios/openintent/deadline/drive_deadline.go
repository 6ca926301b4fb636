package deadline

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// DeadlineObservation is a member that is suspended when the deadline of its portfolio passes, and one without a
// deadline.
type DeadlineObservation struct {
	Member     string          `json:"member"` // its id
	Other      string          `json:"other"`  // that of the member without a deadline
	Suspension host.Suspension `json:"suspension"`
	Fallback   string          `json:"fallback"` // the value that the end of its window would apply
	Before     host.Reply      `json:"before"`   // the member, before the deadline
	Ended      wire.Wait       `json:"ended"`
	Then       host.Reply      `json:"then"` // the member, after the deadline
	Log        host.Log        `json:"log"`
	Late       host.Reply      `json:"late"`    // the reply to an answer after it
	After      host.Reply      `json:"after"`   // the member, after that answer
	Control    wire.Wait       `json:"control"` // for the member without a deadline, which stays suspended
}

// The time to the deadline, at first and at most, and the time after it at which the drive looks.
const (
	untilDeadline     = 2 * time.Second
	mostUntilDeadline = 32 * time.Second
	pastDeadline      = 500 * time.Millisecond
	longWindow        = 30 * 24 * time.Hour // behind a deadline that is looked at later, perhaps much later
	ownWindow         = 5 * time.Minute     // of each member: longer than any deadline that is waited for
)

var pastTheDeadline = &scenarios.Drive[DeadlineObservation]{
	ID: "openintent/deadline", Title: "lets the deadline of a portfolio pass while a member waits, and answers it then",
	Sends: []string{
		"POST /intents, twice", "POST /portfolios, twice", "POST /portfolios/{id}/intents",
		"POST /intents/{id}/state and /status", "GET /intents/{id} and its events", "POST /intents/{id}/suspend/respond",
	},
	Waits: 3 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *DeadlineObservation) {
		s := host.Open(ctx, c)
		o.Fallback = s.Name("fallback")
		var other *host.Intent
		if refused := scenarios.Try(func() { other = o.waiting(ctx, s, ownWindow, nil) }); host.IsBlocked(refused) {
			o.farDeadline(ctx, s, refused) // with longer windows, too
		} else {
			scenarios.End(refused)
		}
		o.Other = other.ID
		var i *host.Intent
		var deadline time.Time
		for until := untilDeadline; ; until *= 2 {
			deadline = time.Time{}
			err := scenarios.Try(func() { i = o.before(ctx, s, ownWindow, until, &deadline) })
			inTime := s.ServerNow().Before(deadline) || deadline.IsZero()
			refused := host.IsBlocked(err) || host.Lacking(err)
			if inTime && refused {
				o.farDeadline(ctx, s, err)
			}
			if inTime || until == mostUntilDeadline || err != nil && !refused {
				scenarios.End(err)
				break
			}
			// The drive itself was late, which shows nothing about the server: try again with a later deadline.
		}
		scenarios.End(wire.Pause(ctx, max(0, deadline.Sub(s.ServerNow()))+pastDeadline))
		o.past(ctx, i, other)
	},
	Later: func(ctx context.Context, c *scenarios.Conn, o *DeadlineObservation) {
		s := host.Open(ctx, c)
		o.past(ctx, s.Again(o.Member, o.Suspension.ID), s.Again(o.Other, ""))
	},
}

// waiting suspends a member of a new portfolio with a policy.
func (o *DeadlineObservation) waiting(
	ctx context.Context, s *host.Server, window time.Duration, policy func() map[string]any,
) *host.Intent {
	i := s.NewIntent(ctx, "member", host.Active, nil)
	var governance map[string]any
	if policy != nil {
		governance = policy()
	}
	s.Portfolio(ctx, governance, i)
	sus := i.Suspend(ctx, s.Question("text").Within(int(window.Seconds()), "complete_with_fallback", o.Fallback))
	if policy != nil {
		o.Member, o.Suspension = i.ID, sus
	}
	return i
}

// before suspends a member of a portfolio with a deadline, which it sets, and reads the member.
func (o *DeadlineObservation) before(
	ctx context.Context, s *host.Server, window, until time.Duration, deadline *time.Time,
) *host.Intent {
	i := o.waiting(ctx, s, window, func() map[string]any {
		*deadline = s.ServerNow().Add(until)
		return map[string]any{"deadline": host.Stamp(*deadline)}
	})
	o.Before = i.Read(ctx, "the member before the deadline")
	return i
}

// farDeadline tries longer deadlines where the server took no short one, and ends the drive: until the first that it takes has
// passed, or with the refusal of the short one.
func (o *DeadlineObservation) farDeadline(ctx context.Context, s *host.Server, refused error) {
	for _, until := range scenarios.LongLimits() {
		var deadline time.Time
		err := scenarios.Try(func() {
			o.before(ctx, s, until+longWindow, until, &deadline)
			o.Other = o.waiting(ctx, s, until+longWindow, nil).ID // its window is longer, too
		})
		switch {
		case err == nil:
			s.Until("the deadline of a portfolio", until+pastDeadline, host.NameOf(o.Member), host.NameOf(o.Other))
		case !host.IsBlocked(err) && !host.Lacking(err):
			scenarios.End(err)
		}
	}
	scenarios.End(refused)
}

// past observes the members when the deadline of one has passed.
func (o *DeadlineObservation) past(ctx context.Context, i, other *host.Intent) {
	o.Ended = i.Becomes(ctx, "the member is abandoned", host.Abandoned)
	o.Then = i.Read(ctx, "the member after the deadline")
	o.Log = i.Log(ctx, "the log of the member")
	o.Late = i.Answer(ctx, "an answer after the deadline", o.Suspension.ID, "late")
	o.After = i.Read(ctx, "the member after that")
	o.Control = other.Becomes(ctx, "a member of a portfolio without a deadline waits on", host.Suspended)
}
