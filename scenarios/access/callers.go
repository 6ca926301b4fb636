package access

import (
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Caller is somebody who may not use what is asked for, named by what is sent as the credential.
type Caller string

// The callers.
const (
	Nobody    Caller = "without a credential"
	Empty     Caller = "with an empty credential"
	Malformed Caller = "with a credential of another form"
	Unknown   Caller = "with a credential that was never given out"
	Longer    Caller = "with a right credential and more behind it"
	Shorter   Caller = "with a right credential that lacks its end"
	Cased     Caller = "with a right credential in letters of the other case"
	Expired   Caller = "with a credential that was right once"
	Tenant    Caller = "as another tenant"
	Another   Caller = "with the credential of something else"
)

// Callers are all of them.
var Callers = []Caller{Nobody, Empty, Malformed, Unknown, Longer, Shorter, Cased, Expired, Tenant, Another}

// times is how often a caller without a credential asks, by depth. A host that caches what it looked up may let in a repeated request.
var times = [scenarios.Deep + 1]int{1, 5, 6}

// InTurn returns the callers in the order in which they ask.
func InTurn(c *scenarios.Conn) []Caller {
	return append(slices.Clone(Callers), slices.Repeat([]Caller{Nobody}, times[c.Depth]-1)...)
}

// Carries is what the caller sends in place of a right credential, or makes of one.
func (c Caller) Carries() wire.Credential {
	return map[Caller]wire.Credential{
		Nobody: wire.NoCredential, Empty: wire.Empty, Malformed: wire.Malformed, Unknown: wire.Unknown, Longer: wire.Longer,
		Shorter: wire.Shorter, Cased: wire.Cased,
	}[c]
}

// Keyless reports whether the caller sends no key at all.
func (c Caller) Keyless() bool { return c == Nobody || c == Empty }

// Cell is a way that a caller asks.
type Cell struct {
	Way    Way
	Caller Caller
	Reason string // why the caller does not ask it; "" if it does
}

// Table is what every caller asks of a contract. excluded says why a way is not asked by a caller, "" if it is.
func (c *Contract) Table(excluded func(Way, Caller) string) []Cell {
	var cells []Cell
	for _, w := range c.Ways {
		for _, who := range Callers {
			cells = append(cells, Cell{w, who, excluded(w, who)})
		}
	}
	return cells
}
