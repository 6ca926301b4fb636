package openwop

// Nothing advertises that runs can be paused, cancelled in bulk or compared.
// The claims are their own, so that a host which does not serve one of these
// leaves nothing else unproved.
var (
	runPause          = as("run-pause", "runs that are paused and go on", protocol)
	runPauseSuspended = as("run-pause-suspended", "runs that are paused while they are suspended", executionModel)
	runBulkCancel     = as("run-bulk-cancel", "several runs that are cancelled by one request", protocol)
	runDiff           = as("run-diff", "runs that are compared", protocol)
	tenantsControl    = as("tenants-control", "runs that nobody else pauses, cancels in bulk or compares", protocol)
)
