package host

import (
	"sync"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
)

// Ledger returns the sentences of the protocol.
var Ledger = sync.OnceValue(func() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(agenticloop.RequirementsV2))
	for i, r := range agenticloop.RequirementsV2 {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
})
