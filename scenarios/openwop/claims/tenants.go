package claims

// Nothing advertises tenants: whoever speaks the protocol keeps them apart. The
// claims are their own, so that a host which is certified with one key leaves
// these unproved and no others.
var (
	TenantsApart    = as("tenants", "tenants that are kept apart", Protocol)
	TenantsChildren = as("tenants-children", "child runs that belong to a tenant", Supervisor)
	TenantsAnswers  = as("tenants-answers", "interrupts that belong to a tenant", ExecutionModel)
	TenantsForks    = as("tenants-forks", "forks that belong to a tenant", FinishedReplay)
	TenantsFiles    = as("tenants-files", "workspace files that belong to a tenant", WorkspaceFiles)
	TenantsHaveGoal = as("tenants-goals", "standing goals that belong to a tenant", Goals)
)
