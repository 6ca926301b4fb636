package host

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
)

// Ledger holds the requirements of the protocol.
var Ledger = ledger()

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(openintent.RequirementsV1))
	for i, r := range openintent.RequirementsV1 {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}
