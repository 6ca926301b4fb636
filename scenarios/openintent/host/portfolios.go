package host

import (
	"context"
	"github.com/openassay/assay/scenarios"

	"github.com/openassay/assay/scenarios/wire"
)

// Watched is a portfolio and its members at one moment.
type Watched struct {
	Portfolio Reply `json:"portfolio"`
	Members   Reply `json:"members"`
}

// Docs returns the portfolio as a document to search.
func (w Watched) Docs() documents { return Named("portfolio", w.Portfolio.Body) }

// Look reads the portfolio and its members.
func (f *Portfolio) Look(ctx context.Context, when string) (w Watched) {
	w.Portfolio = f.Read(ctx, "the portfolio "+when)
	w.Members = f.Members(ctx, "its members "+when)
	return w
}

// Settle reads the portfolio when it counts this many suspended members, or at once if it counts none at all.
func (f *Portfolio) Settle(ctx context.Context, when string, count int64) Watched {
	first := f.Look(ctx, when)
	if !Locate(PortfolioCount, first.Docs()).Present() {
		return first
	}
	f.counts(ctx, when, count)
	return f.Look(ctx, when)
}

// Counts waits until the portfolio counts this many suspended members, unless it counts none at all.
func (f *Portfolio) Counts(ctx context.Context, count int64) {
	const when = "when it counts its members"
	if first := f.Read(ctx, "the portfolio "+when); Locate(PortfolioCount, Named("portfolio", first.Body)).Present() {
		f.counts(ctx, when, count)
	}
}

func (f *Portfolio) counts(ctx context.Context, when string, count int64) {
	f.Await(ctx, "the portfolio counts its members", func(ctx context.Context) (wire.Value, bool) {
		now := f.Read(ctx, "the portfolio "+when)
		v := Locate(PortfolioCount, Named("portfolio", now.Body)).Value
		n, ok := v.Int()
		return v, ok && n == count
	})
}

// The phases of the workflow in RFC-0026 section 9, and the output that the second takes from the first.
const (
	PhaseReview = "compliance_review"
	PhaseReport = "generate_report"
	OutputKey   = "verdict"
)

// Phases makes two intents, the second of which takes an output of the first (RFC-0024). Their state holds that
// contract. In a portfolio they form a workflow.
func (s *Server) Phases(ctx context.Context) (review, report *Intent) {
	parent := s.NewIntent(ctx, "workflow", Active, nil)
	review = parent.Child(ctx, PhaseReview)
	title := review.Made.Body.Key("title").String()
	report = parent.ChildWith(ctx, PhaseReport, map[string]any{
		"_io_inputs":            map[string]any{"decision": PhaseReview + "." + OutputKey},
		"_io_dep_title_to_name": map[string]any{title: PhaseReview},
	}, review.ID)
	return review, report
}

// ClaimsByTask finds out which claims look at inputs: leases on intents, or claims of their tasks (OIP-R28). unresolved is the reply to
// a lease whose upstream is at work. It ends the drive if the server has neither.
func (s *Server) ClaimsByTask(ctx context.Context) (unresolved Reply, byTask bool) {
	_, early := s.Phases(ctx)
	if unresolved = early.Lease(ctx, "a lease whose upstream is at work", Scope, 60); !unresolved.Ok() {
		return unresolved, false
	}
	free := s.NewIntent(ctx, "free", Active, nil)
	// A server that refuses any such claim has another reason.
	switch control := s.Task(ctx, free, nil).Claim(ctx, "a claim of a task without inputs"); {
	case MissingRoute(control):
		scenarios.End(scenarios.NotThere(unresolved.Status, "claims that look at inputs: a lease on an intent whose _io_inputs "+
			"name a phase that it depends on, or POST "+s.Prefix+"/tasks/{id}/claim of its task"))
	case !control.Ok():
		free.SetUp("claim a task without inputs", control)
	}
	return unresolved, true
}
