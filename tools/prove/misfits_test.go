package prove_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	intent "github.com/openassay/assay/scenarios/openintent/operations"
	wop "github.com/openassay/assay/scenarios/openwop/operations"
)

// checkMisfitTable compares a table of misfits with its contract, and with what a host was asked that has everything.
func checkMisfitTable(t *testing.T, bundled []byte, table []access.MisfitCell, r *scenarios.Report) {
	t.Helper()
	nothingWrong(t, r)
	sent := labels(r)
	of := func(operation string, kind apidoc.Kind) bool {
		for label := range sent {
			if strings.HasPrefix(label, operation+", "+string(kind)) {
				return true
			}
		}
		return false
	}
	for _, id := range operationsOf(t, bundled) {
		for _, kind := range apidoc.Kinds {
			if !slices.ContainsFunc(table, func(c access.MisfitCell) bool { return c.Operation == id && c.Kind == kind }) {
				t.Errorf("%s with %s: neither sent nor left out", id, kind)
			}
		}
	}
	asked := 0
	for _, c := range table {
		switch is := of(c.Operation, c.Kind); {
		case c.Reason == "" && !is:
			t.Errorf("%s with %s: not sent, and no reason is given", c.Operation, c.Kind)
		case c.Reason != "" && is:
			t.Errorf("%s with %s: sent, although %s", c.Operation, c.Kind, c.Reason)
		case c.Reason != "" && len(strings.Fields(c.Reason)) < 5:
			t.Errorf("%s with %s: %q is no reason", c.Operation, c.Kind, c.Reason)
		case is:
			asked++
		}
	}
	if asked < 60 {
		t.Errorf("%d kinds of misfits of operations are sent", asked)
	}
}

func TestEveryOperationIsAskedWithEveryMisfit(t *testing.T) {
	t.Parallel()
	checkTables(t, "misfits", map[string]func() ([]access.MisfitCell, error){"openwop": wop.MisfitTable, "openintent": intent.MisfitTable},
		checkMisfitTable)
}

// However a host differs, what it makes of requests that do not fit is not held against it.
func TestMisfitsOfHonestVariations(t *testing.T) {
	many(t)
	t.Parallel()
	passedByVariations(t, "misfits", scenarios.Quick, scenarios.Standard)
}
