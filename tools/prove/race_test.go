//go:build race

package prove_test

import (
	"runtime"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/prove"
)

// Hosts and suites of all protocols at the same time, under the race detector. Certifications take many times as long with it,
// so a few hosts stand for all, and what they are certified for is tested without it.
func TestRaces(t *testing.T) {
	m, err := lab.Prove(t.Context(), prove.Options{Hosts: some(prove.Hosts(), 8), AtOnce: runtime.NumCPU(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Protocols {
		tellWhatIsWrong(t, p)
	}
}

// some are the first honest host of each protocol and n faulty ones, spread over all.
func some(hosts []prove.Host, n int) (few []prove.Host) {
	var faulty []prove.Host
	honest := map[*scenarios.Protocol]bool{}
	for _, h := range hosts {
		switch {
		case h.Fault != nil:
			faulty = append(faulty, h)
		case !honest[h.Protocol()]:
			honest[h.Protocol()] = true
			few = append(few, h)
		}
	}
	for i := range min(n, len(faulty)) {
		few = append(few, faulty[i*len(faulty)/n])
	}
	return few
}
