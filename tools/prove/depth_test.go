package prove_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// deeper are the faults whose rows say that quick does not show them.
func deeper() (out []protocols.Fault) {
	for _, f := range protocols.Faults() {
		if f.Depth != "" {
			out = append(out, f)
		}
	}
	return out
}

// A row names standard or deep, or nothing; what shows only at a depth is left out above it, and counted.
func TestAFaultSaysFromWhichDepthItShows(t *testing.T) {
	if len(deeper()) == 0 {
		t.Fatal("no fault is deeper than quick, so nothing here is looked at")
	}
	least := map[scenarios.Depth]int{}
	for _, f := range deeper() {
		d, err := scenarios.ParseDepth(f.Depth)
		if err != nil || d == scenarios.Quick {
			t.Errorf("%s shows from depth %q: give standard or deep, or leave it out", f.ID, f.Depth)
			continue
		}
		least[d]++
	}
	for depth, left := range map[scenarios.Depth]int{
		scenarios.Quick: least[scenarios.Standard] + least[scenarios.Deep], scenarios.Standard: least[scenarios.Deep], scenarios.Deep: 0,
	} {
		shown, n := prove.AtDepth(prove.Hosts(), depth)
		if n != left || len(shown)+n != len(prove.Hosts()) {
			t.Errorf("at depth %s %d are left out, want %d, and %d of %d shown", depth, n, left, len(shown), len(prove.Hosts()))
		}
		if i := slices.IndexFunc(shown, func(h prove.Host) bool { return h.Name == deeper()[0].ID }); (i < 0) != (depth == scenarios.Quick) {
			t.Errorf("at depth %s %s is at %d", depth, deeper()[0].ID, i)
		}
	}
}

// A matrix of a depth has files of its own, covers the faults of that depth, and is not taken for one of another.
func TestAMatrixIsOfItsDepth(t *testing.T) {
	dir := t.TempDir()
	raw, err := os.ReadFile(docs + "/" + prove.JSONName(scenarios.Quick))
	if err != nil {
		t.Fatal(err)
	}
	var m results.KillMatrix
	if err := json.Unmarshal(raw, &m); err != nil || m.Depth != "" {
		t.Fatalf("the matrix of quick is of depth %q: %v", m.Depth, err)
	}
	m.Depth = results.KillMatrixDepthStandard
	if err := prove.Write(dir, m); err != nil {
		t.Fatal(err)
	}
	if err := prove.Check(dir, m); err != nil {
		t.Error(err)
	}
	if _, err := prove.Committed(dir, scenarios.Quick); !errors.Is(err, prove.ErrStale) || !strings.Contains(err.Error(), "there is no") {
		t.Errorf("read at quick: %v", err)
	}
	// That of quick has not the fault that shows only at standard: its digest is another one.
	if _, err := prove.Committed(dir, scenarios.Standard); !errors.Is(err, prove.ErrStale) ||
		!strings.Contains(err.Error(), "have changed since") {
		t.Errorf("the matrix of quick as that of standard: %v", err)
	}
	m.Depth = results.KillMatrixDepthDeep
	if err := prove.Check(dir, m); !errors.Is(err, prove.ErrStale) || !strings.Contains(err.Error(), prove.JSONName(scenarios.Deep)) {
		t.Errorf("checked at deep: %v", err)
	}
}

// What quick does not show is caught at its depth, by what its row says that it breaks.
func TestADeeperFaultIsCaughtAtItsDepth(t *testing.T) {
	many(t)
	for _, f := range deeper() {
		depth, err := scenarios.ParseDepth(f.Depth)
		if err != nil {
			t.Fatal(err)
		}
		m, err := lab.Prove(t.Context(), prove.Options{Hosts: []prove.Host{prove.Faulty(f)}, Aimed: true, Depth: depth, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Protocols[0].Faults[0]; got.Verdict != results.FaultResultVerdictCaught || string(m.Depth) != f.Depth {
			t.Errorf("%s at depth %s: %s, wrong %v", f.ID, m.Depth, got.Verdict, got.Wrong)
		}
	}
}

// A fault that shows only from a later chance on, or beside an older run, is caught at standard when only its scenarios are asked: they
// have time for several rounds, even if a round takes many exchanges, waits, or runs alone.
func TestALateFaultIsCaughtAtStandard(t *testing.T) {
	many(t)
	var hosts []prove.Host
	for protocol, specs := range map[string][]string{
		"openwop":      {"gate.questions-left-open:from=4", "gate.expired-answered:from=2", "gate.scope-unchecked:from=2"},
		"openintent":   {"openintent.config-writable:from=5", "openintent.intent-read-without-key:from=5"},
		"agentic-loop": {"agent.trigger-unknown:from=3"},
	} {
		for _, spec := range specs {
			f, err := protocols.Named(protocol).Fault(spec)
			if err != nil {
				t.Fatal(err)
			}
			hosts = append(hosts, prove.Faulty(f))
		}
	}
	m, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Aimed: true, Depth: scenarios.Standard, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Protocols {
		for _, f := range p.Faults {
			if f.Verdict != results.FaultResultVerdictCaught {
				t.Errorf("%s %s: %v", f.ID, f.Verdict, f.Wrong)
			}
		}
	}
}
