package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var tenantFaults = []Fault{
	{
		ID:      "tenant.log-unguarded",
		Title:   "the log of a run can be polled by whoever knows its id",
		Looks:   "another tenant's poll is HTTP 200",
		Breaks:  []string{openwop.OWPISO1},
		Replace: visits("", by("pollRunEvents")),
	},
	{
		ID:      "tenant.stream-forbidden",
		Title:   "the stream of another tenant's run is forbidden, and that of a run that never was is not found",
		Looks:   "HTTP 403 tells that there is such a run",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, by("streamRunEvents")),
	},
	{
		ID:      "tenant.child-unguarded",
		Title:   "a run that another dispatched can be read by whoever knows its id",
		Looks:   "another tenant reads the child",
		Breaks:  []string{openwop.OWPISO7},
		Replace: visits("", func(v rules.Visit) bool { return v.Dispatched && v.Operation == "getRun" }),
	},
	{
		ID:      "tenant.child-forbidden",
		Title:   "a run that another tenant's dispatched is forbidden, and one that never was is not found",
		Looks:   "HTTP 403 tells that there is such a child",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, func(v rules.Visit) bool { return v.Dispatched && v.Operation == "getRun" }),
	},
	{
		ID:      "tenant.cancel-unguarded",
		Title:   "a run can be cancelled by whoever knows its id",
		Looks:   "another tenant cancels it",
		Breaks:  []string{openwop.OWPISO3},
		Replace: visits("", by("cancelRun")),
	},
	{
		ID:      "tenant.cancel-forbidden",
		Title:   "who would cancel another tenant's run is told that it is not theirs",
		Looks:   "HTTP 403 tells that there is such a run",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, by("cancelRun")),
	},
	{
		ID:      "tenant.answer-unguarded",
		Title:   "what a run asks can be answered by whoever knows its id",
		Looks:   "another tenant's answer is HTTP 200",
		Breaks:  []string{openwop.OWPISO3},
		Replace: visits("", by("resolveInterruptByRun")),
	},
	{
		ID:      "tenant.answer-looks-first",
		Title:   "an answer to another tenant's run is refused for its interrupt, and one to a run that never was for the run",
		Looks:   "the code interrupt_not_found tells that there is such a run",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(rules.InterruptNotFound, by("resolveInterruptByRun")),
	},
	{
		ID:      "tenant.fork-unguarded",
		Title:   "a run can be forked by whoever knows its id",
		Looks:   "another tenant's fork is HTTP 201",
		Breaks:  []string{openwop.OWPISO3},
		Replace: visits("", by("forkRun")),
	},
	{
		ID:      "tenant.fork-forbidden",
		Title:   "who would fork another tenant's run is told that it is not theirs",
		Looks:   "HTTP 403 tells that there is such a run",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, by("forkRun")),
	},
	{
		ID:      "tenant.forks-are-everybodys",
		Title:   "a fork can be read by whoever knows its id",
		Looks:   "another tenant reads the fork, and not its source",
		Breaks:  []string{openwop.OWPISO8},
		Replace: visits("", func(v rules.Visit) bool { return v.Forked && v.Operation == "getRun" }),
	},
	{
		ID:      "tenant.keys-shared",
		Title:   "idempotency keys are the host's, and not their tenants'",
		Looks:   "a tenant gets the reply that another had under the same key",
		Breaks:  []string{openwop.OWPISO5},
		Replace: func(s *rules.Set) { s.Tenants.Keys = func(string, string) string { return "everybody" } },
	},
	{
		ID:     "tenant.owner-by-body",
		Title:  "a run belongs to the tenant that its body names",
		Looks:  "who made the run does not find it, and the tenant that was named does",
		Breaks: []string{openwop.OWPISO6},
		Replace: func(s *rules.Set) {
			owns := s.Tenants.Owns
			s.Tenants.Owns = func(tenant string, named *string) string {
				if named != nil {
					return *named
				}
				return owns(tenant, named)
			}
		},
	},
	{
		ID:      "tenant.file-readable",
		Title:   "a tenant without a file at a path reads the one that another has there",
		Looks:   "GET of another tenant's file is HTTP 200",
		Breaks:  []string{openwop.OWPISO10},
		Twin:    "what is read is one thing, what is destroyed another",
		Replace: visits("", by("getWorkspaceFile")),
	},
	{
		ID:      "tenant.file-overwritten",
		Title:   "a tenant without a file at a path writes the one that another has there",
		Looks:   "a file has another content, and who has it did not write",
		Breaks:  []string{openwop.OWPISO10},
		Twin:    "nobody reads what is another's, and it is gone all the same",
		Replace: visits("", by("putWorkspaceFile")),
	},
	{
		ID:      "tenant.files-listed",
		Title:   "the list of files has those of every tenant",
		Looks:   "a tenant's list names the file of another",
		Breaks:  []string{openwop.OWPISO10},
		Twin:    "the file itself stays closed: only its name is given away",
		Replace: visits("", by("listWorkspaceFiles")),
	},
	{
		ID:      "tenant.file-forbidden",
		Title:   "another tenant's file is forbidden, and one that never was is not found",
		Looks:   "HTTP 403 tells that there is such a file",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, by("getWorkspaceFile")),
	},
	{
		ID:      "tenant.file-destroyed",
		Title:   "a tenant without a file at a path deletes the one that another has there",
		Looks:   "a file is gone, and who has it did not delete it",
		Breaks:  []string{openwop.OWPISO10},
		Twin:    "it is asked for by a tenant that has nothing at the path, which one that writes there before does not show",
		Replace: visits("", by("deleteWorkspaceFile")),
	},
	{
		ID:      "tenant.goal-trail-unguarded",
		Title:   "the events of a goal can be read by whoever knows its id",
		Looks:   "another tenant reads what became of the runs of the goal",
		Breaks:  []string{openwop.OWPISO4},
		Twin:    "it discloses, and there it changes",
		Replace: visits("", by("listGoalEvents")),
	},
	{
		ID:      "tenant.goal-ticked",
		Title:   "whoever knows the id of a goal has its next run fired",
		Looks:   "another tenant's tick is HTTP 200, and counts as a run of the goal",
		Breaks:  []string{openwop.OWPISO4},
		Replace: visits("", by("tickGoal")),
	},
	{
		ID:      "tenant.goal-paused",
		Title:   "a goal can be paused by whoever knows its id",
		Looks:   "another tenant's pause is HTTP 200, and the goal is paused",
		Breaks:  []string{openwop.OWPISO4},
		Replace: visits("", by("pauseGoal")),
	},
	{
		ID:      "tenant.goals-listed",
		Title:   "the list of goals has those of every tenant",
		Looks:   "a tenant's list names the goal of another",
		Breaks:  []string{openwop.OWPISO4},
		Twin:    "the goal itself stays closed: only what it is about is given away",
		Replace: visits("", by("listGoals")),
	},
	{
		ID:      "tenant.goal-forbidden",
		Title:   "another tenant's goal is forbidden, and one that never was is not found",
		Looks:   "HTTP 403 tells that there is such a goal",
		Breaks:  []string{openwop.OWPISO2},
		Replace: visits(forbidden, by("getGoal")),
	},
}

const forbidden = "forbidden"

// by are visits by an operation, in whatever way that which it is on came to be.
func by(operation string) func(rules.Visit) bool {
	return func(v rules.Visit) bool { return v.Operation == operation }
}

// visits answers these visits of other tenants with a code, and lets them in where it is empty.
func visits(code string, these func(rules.Visit) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Tenants.Visits
		s.Tenants.Visits = func(v rules.Visit) string {
			if v.Owner != "" && v.Owner != v.Tenant && these(v) {
				return code
			}
			return honest(v)
		}
	}
}
