package prove_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// committed is the kill matrix of docs/. That it is the one that is found is tested elsewhere.
func committed(t *testing.T) results.KillMatrix {
	t.Helper()
	m, err := prove.Committed(docs, scenarios.Quick)
	if err != nil {
		t.Fatalf("%v: run make prove", err)
	}
	return m
}

// What is asked of the proof of a protocol, at least: faults, requirements that they break, and in 100 checks those that
// kill a fault and those that alone kill one. The judges of agents ask the rules of a turn again in every story that they
// see, so few of these checks are alone. Drawn programs come to much of what a scenario asks about by itself, and take from its share.
var goodEnough = map[string]struct{ faults, broken, killing, alone int64 }{
	openwop.Protocol.ID:     {100, 80, 90, 60},
	agenticloop.Protocol.ID: {40, 80, 65, 9},
	openintent.Protocol.ID:  {45, 80, 80, 15},
}

func TestTheFiguresAreGoodEnough(t *testing.T) {
	m := committed(t)
	if len(m.Protocols) != len(goodEnough) {
		t.Errorf("%d protocols are proved, want %d", len(m.Protocols), len(goodEnough))
	}
	for _, p := range m.Protocols {
		n, want := p.Totals, goodEnough[p.Protocol]
		if n.Faults < want.faults || n.Broken < want.broken {
			t.Errorf("%s: %d faults break %d requirements, want %d and %d", p.Protocol, n.Faults, n.Broken, want.faults, want.broken)
		}
		if n.Killing*100 < n.Checks*want.killing {
			t.Errorf("%s: %d of %d checks kill a fault, want %d in 100", p.Protocol, n.Killing, n.Checks, want.killing)
		}
		if n.Alone*100 < n.Checks*want.alone {
			t.Errorf("%s: %d of %d checks are the only one to kill some fault, want %d in 100", p.Protocol, n.Alone, n.Checks, want.alone)
		}
	}
}

// faults are those of all protocols.
func faults(m results.KillMatrix) (all []results.FaultResult) {
	for _, p := range m.Protocols {
		all = append(all, p.Faults...)
	}
	return all
}

// Every MUST that is asked about is broken by a fault that is killed for it, or it is said why none can break it.
func TestEveryMUSTIsBroken(t *testing.T) {
	broken := map[string]bool{}
	for _, f := range faults(committed(t)) {
		for _, k := range f.Kills {
			broken[k.Requirement] = true
		}
	}
	asked := map[scenarios.RequirementID]bool{}
	for _, suite := range prove.Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				asked[id] = true
			}
		}
	}
	for _, protocol := range protocols.Table {
		for _, row := range protocol.Ledger.Rows {
			_, said := protocol.Unbroken[row.ID]
			switch must := row.Level == "MUST" && asked[scenarios.RequirementID(row.ID)]; {
			case must && !broken[row.ID] && !said:
				t.Errorf("%s is broken by no fault: %s", row.ID, row.Text)
			case said && (!must || broken[row.ID]):
				t.Errorf("%s need not be among those that no fault breaks", row.ID)
			}
		}
	}
}

// Of faults that break the same and are caught by the same all but one say what they are there for.
func TestNoFaultIsThereTwice(t *testing.T) {
	unsaid := map[string]string{}
	for _, f := range faults(committed(t)) {
		if f.Twin != "" {
			continue
		}
		var killers []string
		for _, k := range f.Kills {
			killers = append(killers, k.Scenario)
		}
		slices.Sort(killers)
		id := fmt.Sprint(slices.Sorted(slices.Values(f.Breaks)), slices.Compact(killers))
		if other := unsaid[id]; other != "" {
			t.Errorf("%s breaks what %s breaks, and is caught by the same scenarios: say why it is there, or leave it out", f.ID, other)
		}
		unsaid[id] = f.ID
	}
}

// A row of the ledger by its id, not one that merely looks like it.
func TestFaultsBreakWhatIsInTheLedger(t *testing.T) {
	for _, h := range prove.Hosts() {
		if h.Fault == nil {
			continue
		}
		for _, id := range h.Fault.Breaks {
			if row, ok := h.Protocol().Ledger.Find(scenarios.RequirementID(id)); !ok || row.Level == "MAY" {
				t.Errorf("%s breaks %s, which no host can break", h.Name, id)
			}
		}
	}
}

// The figures that people read first are those of the matrix.
func TestTheReadmeHasTheFigures(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range committed(t).Protocols {
		for _, line := range prove.Figures(p) {
			if !strings.Contains(string(raw), line) {
				t.Errorf("the README does not say of %s: %s", p.Title, line)
			}
		}
	}
}

// A matrix of other faults or scenarios than those of today, or of fewer, is not taken for the one of today.
func TestAnOutdatedMatrixIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*results.KillMatrix)
		want  string
	}{
		"another catalogue": {func(m *results.KillMatrix) { m.Protocols[1].Digest = m.Protocols[0].Digest },
			"the faults, honest hosts or scenarios of agentic-loop/v2 have changed since"},
		"a protocol is gone": {func(m *results.KillMatrix) { m.Protocols = m.Protocols[:2] },
			"the faults, honest hosts or scenarios of openintent/v1 have changed since"},
		"a fault is gone":       {func(m *results.KillMatrix) { f := &m.Protocols[0].Faults; *f = (*f)[1:] }, "it leaves out ancestry."},
		"an honest host, too":   {func(m *results.KillMatrix) { h := &m.Protocols[0].Honest; *h = (*h)[1:] }, "it leaves out honest"},
		"it is of another form": {func(m *results.KillMatrix) { m.Schema = "assay.kill-matrix/2" }, `its schema is "assay.kill-matrix/2"`},
	} {
		t.Run(name, func(t *testing.T) {
			m, dir := committed(t), t.TempDir()
			c.spoil(&m)
			if err := prove.Write(dir, m); err != nil {
				t.Fatal(err)
			}
			if _, err := prove.Committed(dir, scenarios.Quick); !errors.Is(err, prove.ErrStale) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := prove.Committed(t.TempDir(), scenarios.Quick); !errors.Is(err, prove.ErrStale) {
		t.Errorf("without any: %v", err)
	}
}

// A pair that one matrix has and another has not is told by name, and a fault that only one of them knows is not compared.
func TestPairsThatAreLostAndGained(t *testing.T) {
	hosts := []prove.Host{hostWith("a.both", "OWP-0061-B1", "OWP-0061-D1"), hostWith("a.one", "OWP-0061-B1")}
	before := proved(t, hosts, map[string][]scenarios.Outcome{"a.both": {failed(counts, "OWP-0061-B1")},
		"a.one": {failed(counts, "OWP-0061-B1")}})
	now := proved(t, hosts[:1], map[string][]scenarios.Outcome{"a.both": {failed(asks, "OWP-0061-D1")}})
	lost, gained := prove.Compare(before, now)
	if diff := cmp.Diff([]prove.Pair{{Fault: "a.both", Scenario: string(counts.ID), Requirement: "OWP-0061-B1"}}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]prove.Pair{{Fault: "a.both", Scenario: string(asks.ID), Requirement: "OWP-0061-D1"}}, gained); diff != "" {
		t.Errorf("gained (-want +got):\n%s", diff)
	}
}
