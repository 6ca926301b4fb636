package rules

// Reads is what a turn sees of the stores around its run (RFC 0061 C and D).
type Reads struct {
	// Sees tells as of when a turn reads.
	Sees func(Reading) Sight

	// Refreshes tells whether a turn that begins looks anew at a store, given whether the turn before it was suspended and resumed.
	Refreshes func(at Store, resumed bool) bool
}

// Store is what can be read.
type Store int

// The stores around a run.
const (
	Workspace Store = iota // its files
	Memories               // what it remembers
)

// Reading is a look of a turn at a store.
type Reading struct {
	Store   Store
	First   bool // it is the first turn of the run
	Several bool // it looks at more than one file, or tag
	End     bool // the turn has decided, and not just begun
	Wrote   bool // it has written before
	Resumed bool // it was suspended before
	Forked  bool // the run is a fork
	Noted   bool // it is a replay, and its source has noted what it read here
}

// Sight is a moment as of which something is read.
type Sight int

// The moments.
const (
	AsTurnBegan Sight = iota
	AsRunBegan
	AsIs
	AsNoted // by the source of a replay
	Never   // there is nothing to be seen
)

func honestReads() Reads {
	return Reads{
		Sees: func(r Reading) Sight {
			if r.Noted {
				return AsNoted
			}
			return AsTurnBegan
		},
		Refreshes: func(Store, bool) bool { return true },
	}
}
