package rules

// Claims is what a host says of itself, and what it refuses because it does not claim it.
type Claims struct {
	// Document is the discovery document, given as it should be.
	Document func(raw []byte) []byte

	// Headers are those that it is served with, by name. It must leave what it is given as it is.
	Headers func(map[string]string) map[string]string

	// Refused are the capabilities for want of which workflows are refused, given those that the host lacks.
	Refused func(lacks []string) []string
}

func honestClaims() Claims {
	return Claims{
		Document: func(raw []byte) []byte { return raw },
		Headers:  func(h map[string]string) map[string]string { return h },
		Refused:  func(lacks []string) []string { return lacks },
	}
}
