package openintent

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Watched is a portfolio as it stood.
type Watched struct {
	Portfolio Reply `json:"portfolio"`
	Members   Reply `json:"members"`
}

func (w Watched) docs() documents { return named("portfolio", w.Portfolio.Body) }

// PortfolioObservation is a portfolio with three members, of which one and then two wait. One of them is a member twice.
type PortfolioObservation struct {
	FirstID   string     `json:"firstId"`
	Before    Watched    `json:"before"`
	First     Suspension `json:"first"`
	One       Watched    `json:"one"` // while one waits
	Barrier   Barrier    `json:"barrier"`
	Second    Suspension `json:"second"`
	Two       Watched    `json:"two"`
	Answers   []Reply    `json:"answers"`
	After     Watched    `json:"after"`
	MemberLog Log        `json:"memberLog"` // of the first
	FolderLog Log        `json:"folderLog"` // of the portfolio
	Stream    Stream     `json:"stream"`    // of the portfolio
}

var watched = &scenarios.Drive[PortfolioObservation]{
	ID: "openintent/portfolio", Title: "suspends and answers two members of a portfolio, of which one was added twice",
	Sends: []string{"POST /intents, 3 times", "POST /portfolios", "POST /portfolios/{id}/intents, 4 times", "GET /subscribe/portfolios/{id}", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond", "GET /portfolios/{id} and its intents and events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PortfolioObservation) {
		s := open(ctx, c)
		m := make([]*intent, 3)
		for n := range m {
			m[n] = s.mk(ctx, "member", active, nil)
		}
		f := s.portfolio(ctx, nil, m...)
		if err := scenarios.Try(func() { f.add(ctx, m[0]) }); !isBlocked(err) { // a server may refuse to have a member twice
			scenarios.End(err)
		}
		o.FirstID = m[0].ID
		stream := s.subscribe(ctx, "portfolios", f.ID)
		defer stream.close()
		o.Before = f.look(ctx, "before")
		o.First = m[0].suspend(ctx, s.question("text"))
		o.One = f.settle(ctx, "while one member waits", 1)
		o.Barrier = s.barrier(ctx, 0)
		o.Second = m[1].suspend(ctx, s.question("text"))
		o.Two = f.settle(ctx, "while two members wait", 2)
		for n, sus := range []Suspension{o.First, o.Second} {
			said := m[n].mustAnswer(ctx, sus.ID, "go on")
			o.Answers = append(o.Answers, said)
		}
		o.After = f.settle(ctx, "after the answers", 0)
		o.MemberLog = m[0].log(ctx, "the log of the first member")
		o.FolderLog = s.logAt(ctx, "the log of the portfolio", at("/portfolios/%s/events", f.ID))
		o.Stream = stream.until(ctx, s.Patience, eventMemberSuspended, 2, eventMemberResumed, 2)
	},
}

func (f *folder) look(ctx context.Context, when string) (w Watched) {
	w.Portfolio = f.read(ctx, "the portfolio "+when)
	w.Members = f.members(ctx, "its members "+when)
	return w
}

// settle waits until the portfolio counts so many members that wait, where it counts them at all, and reads it.
func (f *folder) settle(ctx context.Context, when string, count int64) Watched {
	first := f.look(ctx, when)
	if !locate(portfolioCount, first.docs()).Present() {
		return first
	}
	f.Await(ctx, "the portfolio counts its members", func(ctx context.Context) (wire.Value, bool) {
		now := f.read(ctx, "the portfolio "+when)
		v := locate(portfolioCount, named("portfolio", now.Body)).Value
		n, ok := v.Int()
		return v, ok && n == count
	})
	return f.look(ctx, when)
}

// AggregatesObservation are portfolios whose members ended, or did not.
type AggregatesObservation struct {
	Completed Reply `json:"completed"` // all members completed
	Failed    Reply `json:"failed"`    // one abandoned, one waits
	Progress  Reply `json:"progress"`  // one completed, one waits
	Abandoned Reply `json:"abandoned"` // one abandoned, one completed
}

var aggregates = &scenarios.Drive[AggregatesObservation]{
	ID: "openintent/portfolio-aggregates", Title: "has members of portfolios completed, abandoned and suspended",
	Sends: []string{"POST /intents, 8 times", "POST /portfolios, 4 times", "POST /portfolios/{id}/intents", "POST /intents/{id}/state and /status", "GET /portfolios/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AggregatesObservation) {
		s := open(ctx, c)
		for _, k := range []struct {
			into *Reply
			ends [2]string
		}{
			{&o.Completed, [2]string{completed, completed}}, {&o.Failed, [2]string{abandoned, suspended}},
			{&o.Progress, [2]string{completed, suspended}}, {&o.Abandoned, [2]string{abandoned, completed}},
		} {
			var members []*intent
			for range k.ends {
				m := s.mk(ctx, "member", active, nil)
				members = append(members, m)
			}
			f := s.portfolio(ctx, nil, members...)
			for n, end := range k.ends {
				if end == suspended {
					members[n].suspend(ctx, s.question("text"))
				} else {
					members[n].must(ctx, end)
				}
			}
			*k.into = f.read(ctx, "a portfolio with members "+k.ends[0]+" and "+k.ends[1])
		}
	},
}

// PhasesObservation is a workflow, which is a portfolio of phases, one of which waits and is answered.
type PhasesObservation struct {
	Names      []string   `json:"names"` // under which the phase may be listed
	IntentID   string     `json:"intentId"`
	Suspension Suspension `json:"suspension"`
	During     Watched    `json:"during"`
	Workflow   Reply      `json:"workflow"`
	Answer     Reply      `json:"answer"`
	After      Watched    `json:"after"`
	Ended      Reply      `json:"ended"` // the workflow then
}

var phases = &scenarios.Drive[PhasesObservation]{
	ID: "openintent/phases", Title: "suspends and answers a phase of a workflow",
	Sends: []string{"POST /intents", "POST /intents/{id}/children, twice", "POST /portfolios", "POST /portfolios/{id}/intents", "POST /intents/{id}/state and /status", "GET /portfolios/{id}", "GET /workflows/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *PhasesObservation) {
		s := open(ctx, c)
		review, report := s.phases(ctx)
		f := s.portfolio(ctx, nil, review, report)
		o.IntentID, o.Names = review.ID, []string{phaseReview, review.Made.Body.Key("title").String()}
		o.Suspension = review.suspend(ctx, s.question("text").within(3600, "fail", nil))
		look := func(when string, workflow *Reply, into *Watched) {
			*into = f.settle(ctx, when, map[bool]int64{true: 1}[into == &o.During])
			*workflow = s.get(ctx, "the workflow "+when, at("/workflows/%s", f.ID))
		}
		look("while a phase waits", &o.Workflow, &o.During)
		o.Answer = review.mustAnswer(ctx, o.Suspension.ID, "go on")
		look("after the answer", &o.Ended, &o.After)
	},
}

// Phases of the workflow, as the text's example has them.
const (
	phaseReview = "compliance_review"
	phaseReport = "generate_report"
	outputKey   = "verdict"
)

// phases are two intents of which the second takes an output of the first (RFC-0024): the contract is in their state. In a
// portfolio they are a workflow.
func (s *server) phases(ctx context.Context) (review, report *intent) {
	parent := s.mk(ctx, "workflow", active, nil)
	review = parent.kid(ctx, phaseReview)
	title := review.Made.Body.Key("title").String()
	report = parent.kidWith(ctx, phaseReport, map[string]any{
		"_io_inputs": map[string]any{"decision": phaseReview + "." + outputKey}, "_io_dep_title_to_name": map[string]any{title: phaseReview},
	}, review.ID)
	return review, report
}
