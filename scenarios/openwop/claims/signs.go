package claims

// Claims that only a sign asks for.
var (
	ExecutionModel6 = versionAtLeast(6, "verifier and convergence")
)
