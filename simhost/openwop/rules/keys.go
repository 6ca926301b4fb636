package rules

// Keys is what a host makes of idempotency keys.
type Keys struct {
	// Does is what becomes of a request under a key.
	Does func(k Keyed) Doing
}

// Keyed is a request under a key, and what is known of the key.
type Keyed struct {
	Key      string
	Known    bool // a request came under it before
	Same     bool // with the same body
	Free     bool // that request was answered with what a better one may change
	Answered bool // that request has an answer that counts
	Refused  bool // and it is a refusal
}

// Doing is what becomes of a request.
type Doing int

// The ways to treat a request under a key.
const (
	Begin  Doing = iota // it is done as one that is new
	Resume              // it is done as the one that was begun before
	Repeat              // the answer is given again
	Refuse              // the key belongs to another body
)

func honestKeys() Keys {
	return Keys{Does: does}
}

func does(k Keyed) Doing {
	switch {
	case k.Known && !k.Same && !k.Free:
		return Refuse
	case k.Same && k.Answered:
		return Repeat
	case k.Known && k.Same:
		return Resume
	}
	return Begin
}
