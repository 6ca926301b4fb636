package rules

import (
	"encoding/json"
	"time"
)

// Tokens is what the token of an interrupt opens, and how long.
type Tokens struct {
	// Ends is when a token ends, given when its interrupt was requested, when that ends itself (zero: never), and how long
	// tokens live.
	Ends func(requested, due time.Time, life time.Duration) time.Time

	// Genuine tells whether a token was made here, given whether its signature is ours.
	Genuine func(signed bool) bool

	// Names is the interrupt that a token is made for, which shows this.
	Names func(i Interrupt, shows json.RawMessage) Interrupt

	// Opens is the interrupt that can be seen and answered by a token that names one.
	Opens func(named Interrupt) Interrupt

	// Shows is what of the interrupt's data somebody sees who has its token.
	Shows func(data json.RawMessage) json.RawMessage
}

// Interrupt is one that a run has raised.
type Interrupt struct{ RunID, InterruptID string }

func honestTokens() Tokens {
	return Tokens{
		Ends:    tokenEnds,
		Genuine: func(signed bool) bool { return signed },
		Names:   func(i Interrupt, _ json.RawMessage) Interrupt { return i },
		Opens:   func(named Interrupt) Interrupt { return named },
		Shows:   func(data json.RawMessage) json.RawMessage { return data },
	}
}

func tokenEnds(requested, due time.Time, life time.Duration) time.Time {
	end := requested.Add(life)
	if !due.IsZero() && due.Before(end) {
		return due
	}
	return end
}
