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
	mostUntilDeadline = 16 * time.Second
	pastDeadline      = 500 * time.Millisecond
	ownWindow         = 300 // of each member, in seconds: longer than any deadline
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
		waiting := func(policy func() map[string]any) (i *host.Intent, sus host.Suspension) {
			i = s.NewIntent(ctx, "member", host.Active, nil)
			s.Portfolio(ctx, policy(), i)
			return i, i.Suspend(ctx, s.Question("text").Within(ownWindow, "complete_with_fallback", o.Fallback))
		}
		other, _ := waiting(func() map[string]any { return nil })
		var i *host.Intent
		var deadline time.Time
		for until := untilDeadline; ; until *= 2 {
			err := scenarios.Try(func() {
				i, o.Suspension = waiting(func() map[string]any {
					deadline = s.ServerNow().Add(until)
					return map[string]any{"deadline": host.Stamp(deadline)}
				})
				o.Before = i.Read(ctx, "the member before the deadline")
			})
			inTime := s.ServerNow().Before(deadline) || deadline.IsZero()
			refused := host.IsBlocked(err) || host.Lacking(err)
			if inTime || until == mostUntilDeadline || err != nil && !refused {
				scenarios.End(err)
				break
			}
			// The drive itself was late, which shows nothing about the server: try again with a later deadline.
		}
		scenarios.End(wire.Pause(ctx, max(0, deadline.Sub(s.ServerNow()))+pastDeadline))
		o.Ended = i.Becomes(ctx, "the member is abandoned", host.Abandoned)
		o.Then = i.Read(ctx, "the member after the deadline")
		o.Log = i.Log(ctx, "the log of the member")
		o.Late = i.Answer(ctx, "an answer after the deadline", o.Suspension.ID, "late")
		o.After = i.Read(ctx, "the member after that")
		o.Control = other.Becomes(ctx, "a member of a portfolio without a deadline waits on", host.Suspended)
	},
}
