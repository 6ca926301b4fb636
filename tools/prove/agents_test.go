package prove_test

import (
	"testing"

	"github.com/openassay/assay/simhost/agent/fault"
	"github.com/openassay/assay/tools/prove"
)

// No honest agent is accused, whatever its profile leaves off, and some of the faults stand for all: assay prove --fault
// 'agent.*' tries every one.
func TestAgentsAreProved(t *testing.T) {
	many(t)
	const few = 12
	hosts := prove.HonestAgents()
	all := fault.All()
	for i := range few {
		hosts = append(hosts, prove.FaultyAgent(all[i*len(all)/few]))
	}
	m, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Honest) != len(hosts)-few || len(m.Faults) != few {
		t.Errorf("%d honest agents, %d faulty ones", len(m.Honest), len(m.Faults))
	}
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
