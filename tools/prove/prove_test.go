package prove_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// The honest hosts are certified whole and accused of nothing; ways to differ, each alone, are for make prove. Every fault is asked
// the scenarios that prove a requirement it breaks, and each check kills it that does in the committed matrix, which `make prove` makes of everything against everything.
func TestTheSuitesAreProved(t *testing.T) {
	many(t)
	t.Parallel()
	was, err := prove.Committed(docs, scenarios.Quick)
	if err != nil {
		t.Fatalf("%v: run make prove", err)
	}
	atQuick, _ := prove.AtDepth(prove.Hosts(), scenarios.Quick)
	hosts := slices.DeleteFunc(atQuick, func(h prove.Host) bool {
		o, ok := h.Specimen.(protocols.OpenWOP)
		return ok && h.Fault == nil && len(o.Options.Vary) == 1 && o.Options.Vary[0] != variation.All
	})
	var seen spared
	m, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Seed: 1, Aimed: true, Certify: seen.certify})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Protocols {
		tellWhatIsWrong(t, p)
	}
	lost, gained := prove.Compare(was, m)
	for _, pair := range lost {
		t.Errorf("not any more: %s: %s", pair, seen.told(pair))
	}
	for _, pair := range gained {
		if !kills(was, pair.Fault, pair.Scenario) { // on a busy machine such a scenario may reach more of its checks
			t.Errorf("not in the committed matrix: %s: run make prove", pair)
		}
	}
}

// kills reports whether a scenario kills a fault in a matrix, by any of its checks.
func kills(m results.KillMatrix, fault, scenario string) bool {
	return slices.ContainsFunc(m.Protocols, func(p results.ProvedProtocol) bool {
		return slices.ContainsFunc(p.Faults, func(f results.FaultResult) bool {
			return f.ID == fault && slices.ContainsFunc(f.Kills, func(k results.Kill) bool { return k.Scenario == scenario })
		})
	})
}

// docs is where the committed matrix is.
const docs = "../../docs"

func tellWhatIsWrong(t *testing.T, m results.ProvedProtocol) {
	t.Helper()
	for _, h := range m.Honest {
		for _, a := range h.Accused {
			t.Errorf("%s: %s is %s: %s", h.Host, a.Scenario, a.Verdict, a.Reason)
		}
	}
	for _, f := range m.Faults {
		if len(f.Kills) == 0 {
			t.Errorf("%s survives, breaks %v", f.ID, f.Breaks)
		}
		for _, a := range f.Wrong {
			t.Errorf("%s, which breaks %v, is caught for the wrong reason: %s is %s: %s", f.ID, f.Breaks, a.Scenario, a.Verdict, a.Reason)
		}
	}
}

// spared holds the verdicts other than failed that scenarios came to on faulty hosts.
type spared struct{ sync.Map }

func (s *spared) told(p prove.Pair) any {
	if told, asked := s.Load(p.Fault + " " + p.Scenario); asked {
		return told
	}
	return "it failed, and for something else, or was not asked"
}

// certify shares the reports of honest hosts with other tests. What is faulty is certified as it comes: no other test looks at it.
func (s *spared) certify(ctx context.Context, h prove.Host, o scenarios.Options) (*scenarios.Report, error) {
	if h.Fault == nil {
		return certifiedOnce(ctx, h, o)
	}
	r, err := lab.Certify(ctx, h, o)
	if err != nil {
		return nil, err
	}
	for _, outcome := range r.Outcomes {
		if outcome.Verdict != scenarios.Failed {
			s.Store(h.Fault.ID+" "+string(outcome.Scenario.ID), fmt.Sprint(outcome.Verdict, ": ", outcome.Reason))
		}
	}
	return r, nil
}
