package rules

// Claims is what a host does of what it says of itself.
type Claims struct {
	// Serves tells whether the host does something, such as "agents.dispatch", given whether it claims to.
	Serves func(what string, claimed bool) bool
}

// What hosts claim beside the capabilities that workflows need, or do not.
const (
	ServesGoals      = "agents.goals"
	ServesAncestries = "multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported"
	ServesVerdicts   = "multiAgent.executionModel.verifier"
)

func honestClaims() Claims {
	return Claims{Serves: func(_ string, claimed bool) bool { return claimed }}
}
