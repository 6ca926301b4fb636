package claims

// No field advertises tenants: every host that speaks the protocol keeps them apart. These are claims of their
// own, so that a host certified with a single key leaves no other claim unproved.
var (
	TenantsApart    = as("tenants", "tenants that are kept apart", Protocol)
	TenantsChildren = as("tenants-children", "child runs that belong to a tenant", Supervisor)
	TenantsAnswers  = as("tenants-answers", "interrupts that belong to a tenant", ExecutionModel)
	TenantsForks    = as("tenants-forks", "forks that belong to a tenant", FinishedReplay)
	TenantsFiles    = as("tenants-files", "workspace files that belong to a tenant", WorkspaceFiles)
	TenantsHaveGoal = as("tenants-goals", "standing goals that belong to a tenant", Goals)
)
