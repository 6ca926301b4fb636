package openwop

// Nothing advertises tenants: whoever speaks the protocol keeps them apart. The
// claims are their own, so that a host which is certified with one key leaves
// these unproved and no others.
var (
	tenantsApart    = as("tenants", "tenants that are kept apart", protocol)
	tenantsChildren = as("tenants-children", "child runs that belong to a tenant", supervisor)
	tenantsAnswers  = as("tenants-answers", "interrupts that belong to a tenant", executionModel)
	tenantsForks    = as("tenants-forks", "forks that belong to a tenant", finishedReplay)
	tenantsFiles    = as("tenants-files", "workspace files that belong to a tenant", workspaceFiles)
	tenantsHaveGoal = as("tenants-goals", "standing goals that belong to a tenant", goals)
)
