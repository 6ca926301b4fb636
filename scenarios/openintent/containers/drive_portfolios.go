package containers

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// PortfolioObservation is a portfolio with three members, two of which are suspended in turn. The first was added
// twice.
type PortfolioObservation struct {
	FirstID   string          `json:"firstId"`
	Before    host.Watched    `json:"before"`
	First     host.Suspension `json:"first"`
	One       host.Watched    `json:"one"` // while one is suspended
	Barrier   host.Barrier    `json:"barrier"`
	Second    host.Suspension `json:"second"`
	Two       host.Watched    `json:"two"` // while two are suspended
	Answers   []host.Reply    `json:"answers"`
	After     host.Watched    `json:"after"`
	MemberLog host.Log        `json:"memberLog"` // of the first member
	FolderLog host.Log        `json:"folderLog"` // of the portfolio
	Stream    host.Stream     `json:"stream"`    // of the portfolio
}

var watched = &scenarios.Drive[PortfolioObservation]{
	ID: "openintent/portfolio", Title: "suspends and answers two members of a portfolio, of which one was added twice",
	Sends: []string{
		"POST /intents, 3 times", "POST /portfolios", "POST /portfolios/{id}/intents, 4 times",
		"GET /subscribe/portfolios/{id}", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond",
		"GET /portfolios/{id} and its intents and events",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PortfolioObservation) {
		s := host.Open(ctx, c)
		m := make([]*host.Intent, 3)
		for n := range m {
			m[n] = s.NewIntent(ctx, "member", host.Active, nil)
		}
		f := s.Portfolio(ctx, nil, m...)
		if err := scenarios.Try(func() { f.Add(ctx, m[0]) }); !host.IsBlocked(err) { // a server may refuse a member twice
			scenarios.End(err)
		}
		o.FirstID = m[0].ID
		stream := s.Subscribe(ctx, "portfolios", f.ID)
		defer stream.Close()
		o.Before = f.Look(ctx, "before")
		o.First = m[0].Suspend(ctx, s.Question("text"))
		o.One = f.Settle(ctx, "while one member waits", 1)
		o.Barrier = s.Barrier(ctx, 0)
		o.Second = m[1].Suspend(ctx, s.Question("text"))
		o.Two = f.Settle(ctx, "while two members wait", 2)
		for n, sus := range []host.Suspension{o.First, o.Second} {
			reply := m[n].MustAnswer(ctx, sus.ID, "go on")
			o.Answers = append(o.Answers, reply)
		}
		o.After = f.Settle(ctx, "after the answers", 0)
		o.MemberLog = m[0].Log(ctx, "the log of the first member")
		o.FolderLog = s.LogAt(ctx, "the log of the portfolio", host.At("/portfolios/%s/events", f.ID))
		o.Stream = stream.Until(ctx, s.Patience, host.EventMemberSuspended, 2, host.EventMemberResumed, 2)
	},
}

// AggregatesObservation holds portfolios whose members were completed, abandoned or suspended.
type AggregatesObservation struct {
	Completed host.Reply `json:"completed"` // all members completed
	Failed    host.Reply `json:"failed"`    // one abandoned, one suspended
	Progress  host.Reply `json:"progress"`  // one completed, one suspended
	Abandoned host.Reply `json:"abandoned"` // one abandoned, one completed
}

var aggregates = &scenarios.Drive[AggregatesObservation]{
	ID: "openintent/portfolio-aggregates", Title: "has members of portfolios completed, abandoned and suspended",
	Sends: []string{
		"POST /intents, 8 times", "POST /portfolios, 4 times", "POST /portfolios/{id}/intents",
		"POST /intents/{id}/state and /status", "GET /portfolios/{id}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AggregatesObservation) {
		s := host.Open(ctx, c)
		for _, k := range []struct {
			into *host.Reply
			ends [2]string
		}{
			{&o.Completed, [2]string{host.Completed, host.Completed}},
			{&o.Failed, [2]string{host.Abandoned, host.Suspended}},
			{&o.Progress, [2]string{host.Completed, host.Suspended}},
			{&o.Abandoned, [2]string{host.Abandoned, host.Completed}},
		} {
			var members []*host.Intent
			for range k.ends {
				members = append(members, s.NewIntent(ctx, "member", host.Active, nil))
			}
			f := s.Portfolio(ctx, nil, members...)
			for n, end := range k.ends {
				if end == host.Suspended {
					members[n].Suspend(ctx, s.Question("text"))
				} else {
					members[n].Must(ctx, end)
				}
			}
			*k.into = f.Read(ctx, "a portfolio with members "+k.ends[0]+" and "+k.ends[1])
		}
	},
}

// PhasesObservation is a workflow (a portfolio of phases) with a phase that was suspended and answered.
type PhasesObservation struct {
	Names      []string        `json:"names"` // names under which the phase may be listed
	IntentID   string          `json:"intentId"`
	Suspension host.Suspension `json:"suspension"`
	During     host.Watched    `json:"during"`
	Workflow   host.Reply      `json:"workflow"` // while the phase is suspended
	Answer     host.Reply      `json:"answer"`
	After      host.Watched    `json:"after"`
	Ended      host.Reply      `json:"ended"` // the workflow after the answer
}

var phases = &scenarios.Drive[PhasesObservation]{
	ID: "openintent/phases", Title: "suspends and answers a phase of a workflow",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/children, twice", "POST /portfolios", "POST /portfolios/{id}/intents",
		"POST /intents/{id}/state and /status", "GET /portfolios/{id}", "GET /workflows/{id}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PhasesObservation) {
		s := host.Open(ctx, c)
		review, report := s.Phases(ctx)
		f := s.Portfolio(ctx, nil, review, report)
		o.IntentID, o.Names = review.ID, []string{host.PhaseReview, review.Made.Body.Key("title").String()}
		o.Suspension = review.Suspend(ctx, s.Question("text").Within(3600, "fail", nil))
		look := func(when string, workflow *host.Reply, into *host.Watched) {
			*into = f.Settle(ctx, when, map[bool]int64{true: 1}[into == &o.During])
			*workflow = s.Get(wire.Misfit(ctx, "OIP-R24"), "the workflow "+when, host.At("/workflows/%s", f.ID))
		}
		look("while a phase waits", &o.Workflow, &o.During)
		o.Answer = review.MustAnswer(ctx, o.Suspension.ID, "go on")
		look("after the answer", &o.Ended, &o.After)
	},
}
