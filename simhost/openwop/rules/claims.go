package rules

// Claims is what a host says of itself, and what it refuses because it does not claim it.
type Claims struct {
	// Refused are the capabilities for want of which workflows are refused, given those that the host lacks.
	Refused func(lacks []string) []string
}

func honestClaims() Claims {
	return Claims{
		Refused: func(lacks []string) []string { return lacks },
	}
}
