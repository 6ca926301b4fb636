package host

import (
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
)

// Ledger holds the requirements of the protocol.
var Ledger = ledger()

func ledger() *scenarios.Ledger {
	rows := make([]scenarios.Requirement, len(openintentv1.Requirements))
	for i, r := range openintentv1.Requirements {
		rows[i] = scenarios.Requirement(r)
	}
	return scenarios.NewLedger(rows)
}
