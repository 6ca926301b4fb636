package console

// What tests know of the guard, of sessions, and of where signing in leads.
const (
	Policy      = policy
	SessionLife = sessionLife
	Guesses     = guesses
	Guessing    = guessing
)

var NextOf = nextOf
