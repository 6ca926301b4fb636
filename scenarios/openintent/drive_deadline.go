package openintent

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// DeadlineObservation is a member that waits when the deadline of its portfolio passes, and another intent that waits in none.
type DeadlineObservation struct {
	Suspension Suspension `json:"suspension"`
	Fallback   string     `json:"fallback"` // the value that would be taken if the window ended
	Before     Reply      `json:"before"`   // the member, before the deadline
	Ended      wire.Wait  `json:"ended"`
	Then       Reply      `json:"then"` // the member
	Log        Log        `json:"log"`
	Late       Reply      `json:"late"` // an answer after it
	After      Reply      `json:"after"`
	Control    wire.Wait  `json:"control"` // the same suspension in a portfolio without a deadline waits on
}

// How far away the deadline is, and how much later is looked.
const (
	untilDeadline = 2 * time.Second
	pastDeadline  = 500 * time.Millisecond
)

var pastTheDeadline = &scenarios.Drive[DeadlineObservation]{
	ID: "openintent/deadline", Title: "lets the deadline of a portfolio pass while a member waits, and answers it then",
	Sends: []string{"POST /intents, twice", "POST /portfolios, twice", "POST /portfolios/{id}/intents", "POST /intents/{id}/state and /status", "GET /intents/{id} and its events", "POST /intents/{id}/suspend/respond"},
	Waits: 3 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *DeadlineObservation) {
		s := open(ctx, c)
		o.Fallback = s.Name("fallback")
		waiting := func(policy func() map[string]any) (*intent, Suspension) {
			i := s.mk(ctx, "member", active, nil)
			s.portfolio(ctx, policy(), i)
			sus := i.suspend(ctx, s.question("text").within(60, "complete_with_fallback", o.Fallback))
			return i, sus
		}
		other, _ := waiting(func() map[string]any { return nil })
		i, sus := waiting(func() map[string]any { return map[string]any{"deadline": stamp(s.now().Add(untilDeadline))} })
		o.Suspension = sus
		o.Before = i.read(ctx, "the member before the deadline")
		scenarios.End(wire.Pause(ctx, untilDeadline+pastDeadline))
		o.Ended = i.becomes(ctx, "the member is abandoned", abandoned)
		o.Then = i.read(ctx, "the member after the deadline")
		o.Log = i.log(ctx, "the log of the member")
		o.Late = i.answer(ctx, "an answer after the deadline", sus.ID, "late")
		o.After = i.read(ctx, "the member after that")
		o.Control = other.becomes(ctx, "a member of a portfolio without a deadline waits on", suspended)
	},
}
