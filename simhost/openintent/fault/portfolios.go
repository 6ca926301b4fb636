package fault

import (
	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

func flags(change func(suspended int64, ever bool) (bool, int64)) func(*rules.Set) {
	return func(s *rules.Set) { s.Containers.Flags = change }
}

// aggregates has a portfolio say another word over its members, where when holds for them.
func aggregates(word openintentv1.AggregateWord, when func(*openintentv1.PortfolioAggregate) bool) mutate.ReplyFunc {
	return portfolios(func(p *openintentv1.Portfolio) {
		if when(p.AggregateStatus) {
			p.AggregateStatus.Status = word
		}
	})
}

func withSuspended(a *openintentv1.PortfolioAggregate) bool { return a.ByStatus[suspended] > 0 }

// phases changes every suspended phase of every portfolio that is shown.
func phases(change func(*openintentv1.SuspendedPhase)) mutate.ReplyFunc {
	return documents(change, "phase_name", "suspended_since")
}

var portfolioFaults = []Fault{
	{
		ID: "openintent.portfolio-blind", Title: "a portfolio says that it has no suspended members, and counts them",
		Looks: "has_suspended_members is false during a suspension", Breaks: []string{oi.OIP0026R4B, oi.OIP0026T5},
		Replace: flags(func(n int64, _ bool) (bool, int64) { return false, n }),
	},
	{
		ID: "openintent.portfolio-flag-sticky", Title: "a portfolio that had a suspended member has one for ever",
		Looks: "has_suspended_members is true behind the answer", Breaks: []string{oi.OIP0026R4B},
		Replace: flags(func(n int64, ever bool) (bool, int64) { return ever, n }),
	},
	{
		ID: "openintent.portfolio-counts-to-one", Title: "a portfolio counts one suspended member at most",
		Looks: "suspended_member_count is 1 of two", Breaks: []string{oi.OIP0026R4C},
		Replace: flags(func(n int64, _ bool) (bool, int64) { return n > 0, min(n, 1) }),
	},
	{
		ID: "openintent.portfolio-counts-to-two", Title: "a portfolio counts two suspended members at most",
		Looks: "suspended_member_count is 2 of three", Breaks: []string{oi.OIP0026R4C},
		Replace: flags(func(n int64, _ bool) (bool, int64) { return n > 0, min(n, 2) }),
	},
	{
		ID: "openintent.memberships-counted", Title: "an intent that is a member twice counts twice",
		Looks: "suspended_member_count is 2 of one intent", Breaks: []string{oi.OIPREAD6},
		Replace: func(s *rules.Set) { s.Containers.Members = func(intents []string) []string { return intents } },
	},
	{
		ID: "openintent.completed-in-progress", Title: "a portfolio whose members are all completed is still in progress",
		Looks: "the aggregate is in_progress of completed members", Breaks: []string{oi.OIP0026R4D, oi.OIP0026T14},
		Reply: aggregates(openintentv1.AggregateWordInProgress, func(a *openintentv1.PortfolioAggregate) bool {
			return a.ByStatus[completed] == *a.Total
		}),
	},
	{
		ID: "openintent.suspended-beats-abandoned", Title: "a portfolio with an abandoned member is in progress while another is suspended",
		Looks: "the aggregate is in_progress over an abandoned member", Breaks: []string{oi.OIP0026R4E},
		Reply: aggregates(openintentv1.AggregateWordInProgress, withSuspended),
	},
	{
		ID: "openintent.suspended-fails-portfolio", Title: "a portfolio with a suspended member has failed",
		Looks: "the aggregate is failed of a suspended member", Breaks: []string{oi.OIP0026R4F},
		Reply: aggregates(openintentv1.AggregateWordFailed, withSuspended),
	},
	{
		ID: "openintent.phases-untold", Title: "the progress of a workflow lists no suspended phases",
		Looks: "suspended_phases is empty during a suspension", Breaks: []string{oi.OIP0026R4I},
		Reply: portfolios(func(p *openintentv1.Portfolio) {
			if p.Progress != nil {
				p.Progress.SuspendedPhases = []openintentv1.SuspendedPhase{}
			}
		}),
	},
	{
		ID: "openintent.phase-unnamed", Title: "a suspended phase has no name",
		Looks: "phase_name is empty", Breaks: []string{oi.OIP0026R4J},
		Reply: phases(func(p *openintentv1.SuspendedPhase) { p.PhaseName = "" }),
	},
	{
		ID: "openintent.member-suspended-untold", Title: "a portfolio does not tell that a member is suspended",
		Looks: "portfolio.member_suspended is nowhere", Breaks: []string{oi.OIP0026X1},
		Twin:    "an event that is missing, where its twin has one too many",
		Replace: untold("portfolio.member_suspended"),
	},
	{
		ID: "openintent.member-suspended-twice", Title: "a portfolio tells twice that a member is suspended",
		Looks: "portfolio.member_suspended is twice on the log", Breaks: []string{oi.OIP0026X1},
		Replace: twice("portfolio.member_suspended"),
	},
	{
		ID: "openintent.member-resumed-untold", Title: "a portfolio does not tell that a member resumes",
		Looks: "portfolio.member_resumed is nowhere", Breaks: []string{oi.OIP0026X2},
		Replace: untold("portfolio.member_resumed"),
	},
}

// dated is the abandonment_reason of an intent that the deadline of a portfolio abandons.
const dated = "portfolio_deadline_exceeded"

func isDated(in *openintentv1.Intent) bool {
	return in.AbandonmentReason != nil && *in.AbandonmentReason == dated
}

// takesFallback shows the fallback value as the answer to what expired, where when holds for its intent.
func takesFallback(when func(*openintentv1.Intent) bool) mutate.ReplyFunc {
	return records(func(in *openintentv1.Intent, record map[string]any) {
		if value := record["fallback_value"]; value != nil && record["resolution"] == suspension.Expired && when(in) {
			record["response"] = value
		}
	})
}

// expiring has the log tell intent.suspension_expired otherwise, where it has this reason.
func expiring(reason string, change func(rules.Told) []rules.Told) func(*rules.Set) {
	return telling(expired, func(e rules.Told) []rules.Told {
		if e.Payload["reason"] == reason {
			return change(e)
		}
		return []rules.Told{e}
	})
}

var deadlineFaults = []Fault{
	{
		ID: "openintent.deadline-ignored", Title: "the deadline of a portfolio passes over suspended members",
		Looks: "a suspended member is suspended behind the deadline", Breaks: []string{oi.OIP0026R5, oi.OIP0026R5C, oi.OIP0026R5D},
		Replace: func(s *rules.Set) { s.Deadline.Ends = func(string, bool) string { return "" } },
	},
	{
		ID: "openintent.deadline-takes-fallback", Title: "at the deadline the fallback value is taken for the answer",
		Looks: "the record of an abandoned member has the fallback value as response", Breaks: []string{oi.OIP0026R5B},
		Reply: takesFallback(isDated),
	},
	{
		ID: "openintent.deadline-continues", Title: "at the deadline a suspended member goes on with its fallback value",
		Looks: "a suspended member is active behind the deadline", Breaks: []string{oi.OIP0026R5, oi.OIP0026R5B, oi.OIP0026R5C},
		Reply: takesFallback(func(in *openintentv1.Intent) bool { return in.AbandonmentReason == nil }),
		Replace: func(s *rules.Set) {
			before := s.Deadline.Ends
			s.Deadline.Ends = func(status string, recorded bool) string {
				if before(status, recorded) == abandoned {
					return active
				}
				return ""
			}
		},
	},
	{
		ID: "openintent.deadline-unexplained", Title: "an intent that the deadline abandons does not say why",
		Looks: "abandonment_reason is missing", Breaks: []string{oi.OIP0026R5C},
		Reply: intents(func(in *openintentv1.Intent) {
			if isDated(in) {
				in.AbandonmentReason = nil
			}
		}),
		Replace: worded("status_changed", func(p map[string]any) {
			if p["abandonment_reason"] == dated {
				delete(p, "abandonment_reason")
			}
		}),
	},
	{
		ID: "openintent.deadline-unaudited", Title: "the deadline leaves no intent.suspension_expired",
		Looks: "intent.suspension_expired is not on the log", Breaks: []string{oi.OIP0026R5D},
		Twin:    "no event at all, where its twin tells a wrong reason",
		Replace: expiring("portfolio_deadline", func(rules.Told) []rules.Told { return nil }),
	},
	{
		ID: "openintent.deadline-as-timeout", Title: "the event of the deadline says timeout",
		Looks: "the reason of intent.suspension_expired is timeout", Breaks: []string{oi.OIP0026R5D},
		Replace: worded(expired, func(p map[string]any) { p["reason"] = "timeout" }),
	},
}
