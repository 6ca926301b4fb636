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
	Run: func(ctx context.Context, c *scenarios.Conn) (o PortfolioObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		m := make([]*intent, 3)
		for n := range m {
			if m[n], err = s.mk(ctx, "member", active, nil); err != nil {
				return o, err
			}
		}
		f, err := s.portfolio(ctx, nil, m...)
		if err != nil {
			return o, err
		}
		if err = f.add(ctx, m[0]); isBlocked(err) { // a server may refuse to have a member twice
			err = nil
		}
		if err != nil {
			return o, err
		}
		o.FirstID = m[0].ID
		stream, err := s.subscribe(ctx, "portfolios", f.ID)
		if err != nil {
			return o, err
		}
		defer stream.close()
		if o.Before, err = f.look(ctx, "before"); err != nil {
			return o, err
		}
		if o.First, err = m[0].suspend(ctx, s.question("text")); err != nil {
			return o, err
		}
		if o.One, err = f.settle(ctx, "while one member waits", 1); err != nil {
			return o, err
		}
		if o.Barrier, err = s.barrier(ctx, 0); err != nil {
			return o, err
		}
		if o.Second, err = m[1].suspend(ctx, s.question("text")); err != nil {
			return o, err
		}
		if o.Two, err = f.settle(ctx, "while two members wait", 2); err != nil {
			return o, err
		}
		for n, sus := range []Suspension{o.First, o.Second} {
			said, err := m[n].mustAnswer(ctx, sus.ID, "go on")
			if err != nil {
				return o, err
			}
			o.Answers = append(o.Answers, said)
		}
		if o.After, err = f.settle(ctx, "after the answers", 0); err != nil {
			return o, err
		}
		if o.MemberLog, err = m[0].log(ctx, "the log of the first member"); err != nil {
			return o, err
		}
		if o.FolderLog, err = s.logAt(ctx, "the log of the portfolio", at("/portfolios/%s/events", f.ID)); err != nil {
			return o, err
		}
		o.Stream = stream.until(ctx, s.Patience, eventMemberSuspended, 2, eventMemberResumed, 2)
		return o, nil
	},
}

func (f *folder) look(ctx context.Context, when string) (w Watched, err error) {
	if w.Portfolio, err = f.read(ctx, "the portfolio "+when); err != nil {
		return w, err
	}
	w.Members, err = f.members(ctx, "its members "+when)
	return w, err
}

// settle waits until the portfolio counts so many members that wait, where it counts them at all, and reads it.
func (f *folder) settle(ctx context.Context, when string, count int64) (Watched, error) {
	first, err := f.look(ctx, when)
	if err != nil || !locate(portfolioCount, first.docs()).Present() {
		return first, err
	}
	_, err = f.Await(ctx, "the portfolio counts its members", func(ctx context.Context) (wire.Value, bool, error) {
		now, err := f.read(ctx, "the portfolio "+when)
		v := locate(portfolioCount, named("portfolio", now.Body)).Value
		n, ok := v.Int()
		return v, ok && n == count, err
	})
	if err != nil {
		return first, err
	}
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
	Run: func(ctx context.Context, c *scenarios.Conn) (o AggregatesObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		for _, k := range []struct {
			into *Reply
			ends [2]string
		}{
			{&o.Completed, [2]string{completed, completed}}, {&o.Failed, [2]string{abandoned, suspended}},
			{&o.Progress, [2]string{completed, suspended}}, {&o.Abandoned, [2]string{abandoned, completed}},
		} {
			var members []*intent
			for range k.ends {
				m, err := s.mk(ctx, "member", active, nil)
				if err != nil {
					return o, err
				}
				members = append(members, m)
			}
			f, err := s.portfolio(ctx, nil, members...)
			if err != nil {
				return o, err
			}
			for n, end := range k.ends {
				if end == suspended {
					_, err = members[n].suspend(ctx, s.question("text"))
				} else {
					err = members[n].must(ctx, end)
				}
				if err != nil {
					return o, err
				}
			}
			if *k.into, err = f.read(ctx, "a portfolio with members "+k.ends[0]+" and "+k.ends[1]); err != nil {
				return o, err
			}
		}
		return o, nil
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
	Run: func(ctx context.Context, c *scenarios.Conn) (o PhasesObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		review, report, err := s.phases(ctx)
		if err != nil {
			return o, err
		}
		f, err := s.portfolio(ctx, nil, review, report)
		if err != nil {
			return o, err
		}
		o.IntentID, o.Names = review.ID, []string{phaseReview, review.Made.Body.Key("title").String()}
		if o.Suspension, err = review.suspend(ctx, s.question("text").within(3600, "fail", nil)); err != nil {
			return o, err
		}
		look := func(when string, workflow *Reply, into *Watched) (err error) {
			if *into, err = f.settle(ctx, when, map[bool]int64{true: 1}[into == &o.During]); err != nil {
				return err
			}
			*workflow, err = s.get(ctx, "the workflow "+when, at("/workflows/%s", f.ID))
			return err
		}
		if err = look("while a phase waits", &o.Workflow, &o.During); err != nil {
			return o, err
		}
		if o.Answer, err = review.mustAnswer(ctx, o.Suspension.ID, "go on"); err != nil {
			return o, err
		}
		err = look("after the answer", &o.Ended, &o.After)
		return o, err
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
func (s *server) phases(ctx context.Context) (review, report *intent, err error) {
	parent, err := s.mk(ctx, "workflow", active, nil)
	if err != nil {
		return nil, nil, err
	}
	if review, err = parent.kid(ctx, phaseReview); err != nil {
		return nil, nil, err
	}
	title := review.Made.Body.Key("title").String()
	report, err = parent.kidWith(ctx, phaseReport, map[string]any{
		"_io_inputs": map[string]any{"decision": phaseReview + "." + outputKey}, "_io_dep_title_to_name": map[string]any{title: phaseReview},
	}, review.ID)
	return review, report, err
}
