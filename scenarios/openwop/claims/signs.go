package claims

// Claims used by signs only.
var (
	ExecutionModel6 = versionAtLeast(6, "verifier and convergence")
)
