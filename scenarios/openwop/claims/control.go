package claims

// Nothing advertises that runs can be paused, cancelled in bulk or compared.
// The claims are their own, so that a host which does not serve one of these
// leaves nothing else unproved.
var (
	RunPause          = as("run-pause", "runs that are paused and go on", Protocol)
	RunPauseSuspended = as("run-pause-suspended", "runs that are paused while they are suspended", ExecutionModel)
	RunBulkCancel     = as("run-bulk-cancel", "several runs that are cancelled by one request", Protocol)
	RunDiff           = as("run-diff", "runs that are compared", Protocol)
	TenantsControl    = as("tenants-control", "runs that nobody else pauses, cancels in bulk or compares", Protocol)
)
