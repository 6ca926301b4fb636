package rules

import "time"

// Tokens is what the token of an interrupt opens, and how long.
type Tokens struct {
	// Ends is when a token ends, given when its interrupt was requested, when that ends itself (zero: never), and how long
	// tokens live.
	Ends func(requested, due time.Time, life time.Duration) time.Time

	// Genuine tells whether a token was made here, given whether its signature is ours.
	Genuine func(signed bool) bool
}

func honestTokens() Tokens {
	return Tokens{
		Ends:    tokenEnds,
		Genuine: func(signed bool) bool { return signed },
	}
}

func tokenEnds(requested, due time.Time, life time.Duration) time.Time {
	end := requested.Add(life)
	if !due.IsZero() && due.Before(end) {
		return due
	}
	return end
}
