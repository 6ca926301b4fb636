package prove_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/access"
	intent "github.com/openassay/assay/scenarios/openintent/operations"
	wop "github.com/openassay/assay/scenarios/openwop/operations"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// certifySuite certifies a host of a specimen for one suite.
func certifySuite(t *testing.T, suite string, host protocols.Specimen, depth scenarios.Depth, seed uint64) *scenarios.Report {
	t.Helper()
	target, stop, err := host.Start(t.Context(), lab.Target(host.Protocol()), protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(context.Background())
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: seed, Depth: depth, Patience: testenv.Patience(10 * time.Second),
		Select: scenarios.Selection{Suites: []string{suite}}}, protocols.Of(host.Protocol()).Targets[0].Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// labels are those of all requests of a report.
func labels(r *scenarios.Report) map[string]bool {
	all := map[string]bool{}
	for _, d := range r.Drives {
		for n := 1; n <= d.Transcript.Len(); n++ {
			all[d.Transcript.Entry(n).Label] = true
		}
	}
	return all
}

// operationsOf are the ids of all operations of a bundled contract.
func operationsOf(t *testing.T, bundled []byte) (ids []string) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(bundled, &doc); err != nil {
		t.Fatal(err)
	}
	for _, item := range doc.Paths {
		for method, raw := range item {
			var op struct {
				OperationID string `json:"operationId"`
			}
			if slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) && json.Unmarshal(raw, &op) == nil {
				ids = append(ids, op.OperationID)
			}
		}
	}
	return ids
}

// checkTable compares a table with its contract, and with what a host was asked that has everything.
func checkTable(t *testing.T, bundled []byte, table []access.Cell, r *scenarios.Report) {
	t.Helper()
	nothingWrong(t, r)
	ids, sent := operationsOf(t, bundled), labels(r)
	if len(ids) < 30 {
		t.Errorf("the contract has %d operations", len(ids))
	}
	for _, id := range ids {
		for _, who := range access.Callers {
			if !slices.ContainsFunc(table, func(c access.Cell) bool { return c.Way.Operation == id && c.Way.With == "" && c.Caller == who }) {
				t.Errorf("%s %s: neither asked for nor left out", id, who)
			}
		}
	}
	for _, c := range table {
		name := c.Way.Name() + " " + string(c.Caller)
		switch {
		case c.Reason == "" && !sent[name]:
			t.Errorf("%s: not asked for, and no reason is given", name)
		case c.Reason != "" && sent[name]:
			t.Errorf("%s: asked for, although %s", name, c.Reason)
		case c.Reason != "" && len(strings.Fields(c.Reason)) < 5:
			t.Errorf("%s: %q is no reason", name, c.Reason)
		}
	}
}

// checkTables checks the table of each protocol against its contract and what its suite asked a host that has everything. A protocol
// without operations of HTTP has no table: a program is started by who may start it, and gets its input from nobody else.
func checkTables[Cell any](t *testing.T, suite string, tables map[string]func() ([]Cell, error),
	check func(t *testing.T, bundled []byte, table []Cell, r *scenarios.Report),
) {
	for _, row := range protocols.All() {
		t.Run(row.Name(), func(t *testing.T) {
			p := row.Protocol
			if p.Requests == nil || len(operationsOf(t, p.Requests())) == 0 {
				if tables[row.Name()] != nil {
					t.Error("it has a table, and no operations")
				}
				return
			}
			table, err := tables[row.Name()]()
			if err != nil {
				t.Fatal(err)
			}
			check(t, p.Requests(), table, certifySuite(t, suite, whole[row.Name()], scenarios.Standard, 1))
		})
	}
}

func TestEveryOperationIsAskedForWithEveryCredential(t *testing.T) {
	t.Parallel()
	checkTables(t, "credentials", map[string]func() ([]access.Cell, error){"openwop": wop.Table, "openintent": intent.Table}, checkTable)
}

var whole = map[string]protocols.Specimen{
	"openwop":    protocols.OpenWOP{Options: surface.Options{Version: surface.HighestVersion}},
	"openintent": protocols.OpenIntent{},
}

// passedByVariations checks that every scenario of a suite whose claim it makes is passed by each honest way to differ, at these depths.
func passedByVariations(t *testing.T, suite string, depths ...scenarios.Depth) {
	hosts := map[string]protocols.Specimen{}
	for _, names := range append(variationsTogether(), []string{variation.All}, nil) {
		hosts["openwop "+strings.Join(names, ",")] = protocols.OpenWOP{Options: surface.Options{Version: surface.HighestVersion, Vary: names}}
	}
	for _, h := range prove.Honest(protocols.Named("openintent")) {
		hosts["openintent "+h.Name] = h.Specimen
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			for _, depth := range depths {
				r := certifySuite(t, suite, host, depth, 2)
				nothingWrong(t, r)
				for _, o := range r.Outcomes {
					if o.Verdict != scenarios.Passed && !strings.HasPrefix(o.Reason, "not claimed: ") {
						t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
					}
				}
			}
		})
	}
}

// However a host differs, what it refuses is not held against it.
func TestRefusalsOfHonestVariations(t *testing.T) {
	many(t)
	t.Parallel()
	passedByVariations(t, "credentials", scenarios.Standard)
}
