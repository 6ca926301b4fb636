package claims

// No field advertises that runs can be paused, cancelled in bulk or compared. Each is a claim of its own, so that
// a host without it leaves no other claim unproved.
var (
	RunPause          = as("run-pause", "runs that are paused and go on", Protocol)
	RunPauseSuspended = as("run-pause-suspended", "runs that are paused while they are suspended", ExecutionModel)
	RunBulkCancel     = as("run-bulk-cancel", "several runs that are cancelled by one request", Protocol)
	RunDiff           = as("run-diff", "runs that are compared", Protocol)
	TenantsControl    = as("tenants-control", "runs that nobody else pauses, cancels in bulk or compares", Protocol)
)
