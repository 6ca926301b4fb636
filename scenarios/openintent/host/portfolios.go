package host

import (
	"context"

	"github.com/openassay/assay/scenarios/wire"
)

// Watched is a portfolio as it stood.
type Watched struct {
	Portfolio Reply `json:"portfolio"`
	Members   Reply `json:"members"`
}

func (w Watched) Docs() documents { return Named("portfolio", w.Portfolio.Body) }

func (f *Folder) Look(ctx context.Context, when string) (w Watched) {
	w.Portfolio = f.Read(ctx, "the portfolio "+when)
	w.Members = f.members(ctx, "its members "+when)
	return w
}

// Settle waits until the portfolio counts so many members that wait, where it counts them at all, and reads it.
func (f *Folder) Settle(ctx context.Context, when string, count int64) Watched {
	first := f.Look(ctx, when)
	if !Locate(PortfolioCount, first.Docs()).Present() {
		return first
	}
	f.Await(ctx, "the portfolio counts its members", func(ctx context.Context) (wire.Value, bool) {
		now := f.Read(ctx, "the portfolio "+when)
		v := Locate(PortfolioCount, Named("portfolio", now.Body)).Value
		n, ok := v.Int()
		return v, ok && n == count
	})
	return f.Look(ctx, when)
}

// Phases of the workflow, as the text's example has them.
const (
	PhaseReview = "compliance_review"
	PhaseReport = "generate_report"
	OutputKey   = "verdict"
)

// Phases are two intents of which the second takes an output of the first (RFC-0024): the contract is in their state. In a
// portfolio they are a workflow.
func (s *Server) Phases(ctx context.Context) (review, report *Intent) {
	parent := s.NewIntent(ctx, "workflow", Active, nil)
	review = parent.Kid(ctx, PhaseReview)
	title := review.Made.Body.Key("title").String()
	report = parent.KidWith(ctx, PhaseReport, map[string]any{
		"_io_inputs": map[string]any{"decision": PhaseReview + "." + OutputKey}, "_io_dep_title_to_name": map[string]any{title: PhaseReview},
	}, review.ID)
	return review, report
}
