package openwop_test

import (
	"regexp"
	"testing"

	"github.com/openassay/assay/scenarios/ledgertest"
	"github.com/openassay/assay/scenarios/openwop"
)

func TestLedger(t *testing.T) {
	ledgertest.Ledger{
		Protocol: openwop.Protocol, Suites: openwop.Suites(), IDs: regexp.MustCompile(`OWP-[0-9A-Z]+-[A-Z0-9]+`),
		Sources: "../../../shared/sources", Asks: ledgertest.Normative,
	}.Test(t)
}
