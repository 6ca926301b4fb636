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
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
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
	tables := map[string]func() ([]access.MisfitCell, error){"openwop": wop.MisfitTable, "openintent": intent.MisfitTable}
	for _, row := range protocols.All() {
		t.Run(row.Name(), func(t *testing.T) {
			p := row.Protocol
			if p.Requests == nil || len(operationsOf(t, p.Requests())) == 0 {
				return // a program reads one document, whose members are those of the suites
			}
			table, err := tables[row.Name()]()
			if err != nil {
				t.Fatal(err)
			}
			checkMisfitTable(t, p.Requests(), table, certifySuite(t, "misfits", whole[row.Name()], scenarios.Standard, 1))
		})
	}
}

// However a host differs, what it makes of requests that do not fit is not held against it.
func TestMisfitsOfHonestVariations(t *testing.T) {
	many(t)
	t.Parallel()
	hosts := map[string]protocols.Specimen{}
	for _, names := range append(variationsTogether(), []string{variation.All}, nil) {
		hosts["openwop "+strings.Join(names, ",")] = protocols.OpenWOP{Options: surface.Options{Version: surface.HighestVersion, Vary: names}}
	}
	for _, h := range prove.Honest(protocols.Named("openintent")) {
		hosts["openintent "+h.Name] = h.Specimen
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			for _, depth := range []scenarios.Depth{scenarios.Quick, scenarios.Standard} {
				r := certifySuite(t, "misfits", host, depth, 2)
				nothingWrong(t, r)
				for _, o := range r.Outcomes {
					if o.Verdict != scenarios.Passed {
						t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
					}
				}
			}
		})
	}
}
