package rules

import "strings"

// Access is who gets past the door of the host.
type Access struct {
	// Public tells whether a path is answered without a key, given whether it is one of those that everybody may read.
	Public func(path string, everybodys bool) bool

	// Enters tells whether who has no key that the host knows is let in all the same, as if it were the host's own tenant.
	Enters func(k Knock) bool

	// TurnedAway is the code with which who has no such key is refused.
	TurnedAway func(k Knock) string

	// LooksLast tells whether it is looked at the key only when that is done which was asked for.
	LooksLast func(k Knock) bool
}

// Knock is a request of somebody who has no key that the host knows.
type Knock struct {
	Method, Path string
	Key          bool        // one was sent
	Never        func() bool // it is about a run that never was
}

// Unauthenticated is the code for who has no key.
const Unauthenticated = "unauthenticated"

// Run is what the path names below a run, such as /events; false where it names none.
func (k Knock) Run() (operation string, ok bool) {
	id, ok := strings.CutPrefix(k.Path, "/v1/runs/")
	if slash := strings.IndexByte(id, '/'); slash >= 0 {
		return id[slash:], ok
	}
	return "", ok
}

func honestAccess() Access {
	return Access{
		Public:     func(_ string, everybodys bool) bool { return everybodys },
		Enters:     func(Knock) bool { return false },
		TurnedAway: func(Knock) string { return Unauthenticated },
		LooksLast:  func(Knock) bool { return false },
	}
}
