package host

// What a server may lack, and where drives look for it, in the words of a judge that ends by NotThere.
const (
	PortfoliosThere     = "a way to make a portfolio (POST /portfolios)"
	PortfolioFlagsThere = "has_suspended_members and suspended_member_count of a portfolio, at GET /portfolios/{id} " +
		"(there or below aggregate_status)"
	PortfolioWordThere   = "the aggregate status of a portfolio (completed, failed or in_progress), at GET /portfolios/{id}"
	ParentAggregateThere = "the aggregate_status of a parent, at GET /intents/{id}/graph or GET /intents/{id}"
	PlansThere           = "plans of tasks (POST /tasks and /plans)"
	MirrorThere          = "tasks that turn blocked when their intent is suspended"
	SuspendedTasksThere  = "suspended_tasks of a plan, at GET /plans/{id} (there or below progress) or GET /plans/{id}/progress"
)
