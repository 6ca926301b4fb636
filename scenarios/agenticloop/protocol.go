package agenticloop

import (
	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
)

// Protocol is the resumable agentic loop over plugin protocol 2. Its ledger is whole; rows whose scenarios are still to be
// written say planned.
var Protocol = &scenarios.Protocol{
	ID:     "agentic-loop/v2",
	Title:  "The resumable agentic loop (RFC-103) over plugin protocol 2",
	Ledger: ledger(),
	Claims: claims,
}

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(agenticloopv2.Requirements))
	for i, r := range agenticloopv2.Requirements {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}
