package fault

import (
	"slices"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/simhost/openintent/rules"
)

func flags(change func(suspended int64, ever bool) (bool, int64)) func(*rules.Set) {
	return func(s *rules.Set) { s.Containers.Flags = change }
}

func aggregates(change func(statuses []string) (string, bool)) func(*rules.Set) {
	return func(s *rules.Set) {
		before := s.Containers.Aggregate
		s.Containers.Aggregate = func(statuses []string) string {
			if word, ok := change(statuses); ok {
				return word
			}
			return before(statuses)
		}
	}
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
		ID: "openintent.memberships-counted", Title: "an intent that is a member twice counts twice",
		Looks: "suspended_member_count is 2 of one intent", Breaks: []string{oi.OIPREAD6},
		Replace: func(s *rules.Set) { s.Containers.Members = func(intents []string) []string { return intents } },
	},
	{
		ID: "openintent.completed-in-progress", Title: "a portfolio whose members are all completed is still in progress",
		Looks: "the aggregate is in_progress of completed members", Breaks: []string{oi.OIP0026R4D, oi.OIP0026T14},
		Replace: aggregates(func(statuses []string) (string, bool) { return "in_progress", rules.AllCompleted(statuses) }),
	},
	{
		ID: "openintent.suspended-beats-abandoned", Title: "a portfolio with an abandoned member is in progress while another is suspended",
		Looks: "the aggregate is in_progress over an abandoned member", Breaks: []string{oi.OIP0026R4E},
		Replace: aggregates(func(statuses []string) (string, bool) { return "in_progress", slices.Contains(statuses, suspended) }),
	},
	{
		ID: "openintent.suspended-fails-portfolio", Title: "a portfolio with a suspended member has failed",
		Looks: "the aggregate is failed of a suspended member", Breaks: []string{oi.OIP0026R4F},
		Replace: aggregates(func(statuses []string) (string, bool) { return "failed", slices.Contains(statuses, suspended) }),
	},
	{
		ID: "openintent.phases-untold", Title: "the progress of a workflow lists no suspended phases",
		Looks: "suspended_phases is empty during a suspension", Breaks: []string{oi.OIP0026R4I},
		Replace: func(s *rules.Set) { s.Containers.Phases = func() bool { return false } },
	},
	{
		ID: "openintent.phase-unnamed", Title: "a suspended phase has no name",
		Looks: "phase_name is empty", Breaks: []string{oi.OIP0026R4J},
		Replace: func(s *rules.Set) { s.Containers.PhaseName = func(string, string) string { return "" } },
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

func deadlines(change func(*rules.DeadlineEnd)) func(*rules.Set) {
	return func(s *rules.Set) {
		s.Deadline.Ends = func(e rules.DeadlineEnd) rules.DeadlineEnd {
			change(&e)
			return e
		}
	}
}

var deadlineFaults = []Fault{
	{
		ID: "openintent.deadline-ignored", Title: "the deadline of a portfolio passes over suspended members",
		Looks: "a suspended member is suspended behind the deadline", Breaks: []string{oi.OIP0026R5, oi.OIP0026R5C, oi.OIP0026R5D},
		Replace: func(s *rules.Set) { s.Deadline.Hits = func(string) bool { return false } },
	},
	{
		ID: "openintent.deadline-takes-fallback", Title: "at the deadline the fallback value is taken for the answer",
		Looks: "the record of an abandoned member has the fallback value as response", Breaks: []string{oi.OIP0026R5B},
		Replace: deadlines(func(e *rules.DeadlineEnd) { e.Fallback = true }),
	},
	{
		ID: "openintent.deadline-continues", Title: "at the deadline a suspended member goes on with its fallback value",
		Looks: "a suspended member is active behind the deadline", Breaks: []string{oi.OIP0026R5, oi.OIP0026R5B, oi.OIP0026R5C},
		Replace: deadlines(func(e *rules.DeadlineEnd) { e.Status, e.Abandonment, e.Fallback = active, "", true }),
	},
	{
		ID: "openintent.deadline-unexplained", Title: "an intent that the deadline abandons does not say why",
		Looks: "abandonment_reason is missing", Breaks: []string{oi.OIP0026R5C},
		Replace: deadlines(func(e *rules.DeadlineEnd) { e.Abandonment = "" }),
	},
	{
		ID: "openintent.deadline-unaudited", Title: "the deadline leaves no intent.suspension_expired",
		Looks: "intent.suspension_expired is not on the log", Breaks: []string{oi.OIP0026R5D},
		Twin:    "no event at all, where its twin tells a wrong reason",
		Replace: deadlines(func(e *rules.DeadlineEnd) { e.Audited = false }),
	},
	{
		ID: "openintent.deadline-as-timeout", Title: "the event of the deadline says timeout",
		Looks: "the reason of intent.suspension_expired is timeout", Breaks: []string{oi.OIP0026R5D},
		Replace: deadlines(func(e *rules.DeadlineEnd) { e.Reason = "timeout" }),
	},
}
