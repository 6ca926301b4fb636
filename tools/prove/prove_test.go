package prove_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/prove"
)

// Every fault is caught for the right reason, no honest host is accused, and the matrix that is committed says so. With
// -short a few faults stand for all.
func TestTheSuitesAreProved(t *testing.T) {
	o := prove.Options{Hosts: prove.Hosts(), Seed: 1, Certify: certifyHonestOnce}
	if testing.Short() { // with the race detector each of them takes many times as long
		o.Hosts, o.AtOnce = some(o.Hosts, 8), runtime.NumCPU()
	}
	m, err := lab.Prove(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Protocols {
		tellWhatIsWrong(t, p)
	}
	if testing.Short() {
		return
	}
	if err := prove.Check("../../docs", m); err != nil {
		t.Errorf("%v: run make prove", err)
	}
}

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

// certifyHonestOnce shares the reports of honest hosts with other tests. What is faulty is certified as it comes: no
// other test looks at it.
func certifyHonestOnce(ctx context.Context, h prove.Host, o scenarios.Options) (*scenarios.Report, error) {
	if h.Fault != nil {
		return lab.Certify(ctx, h, o)
	}
	return certifiedOnce(ctx, h, o)
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
