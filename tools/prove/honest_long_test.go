package prove_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

var honestSeed = flag.Uint64("honest", 1, "seed of the first of the certifications of each honest host")

// The committed matrix has every honest host at quick, with one seed. Here nobody is accused at standard, with three seeds, by
// certifications that slow one another down.
func TestHonestHostsAtStandard(t *testing.T) {
	if !testenv.Long() {
		t.Skip("ASSAY_LONG is not set: this takes long")
	}
	const seeds = 3
	for _, row := range protocols.All() {
		for _, h := range prove.Honest(row) {
			for seed := range uint64(seeds) {
				t.Run(fmt.Sprintf("%s/%s/%d", row.Name(), h.Name, *honestSeed+seed), func(t *testing.T) {
					t.Parallel()
					nobodyAccused(t, h, *honestSeed+seed)
				})
			}
		}
	}
}

// nobodyAccused certifies an honest host, and tells of what it is accused of and of what broke.
func nobodyAccused(t *testing.T, h prove.Host, seed uint64) {
	r, err := lab.Certify(t.Context(), h, scenarios.Options{Seed: seed, Depth: scenarios.Standard})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken {
			t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	for _, b := range r.Breaches {
		t.Errorf("%s is violated: %+v", b.Requirement, b)
	}
	if code := r.ExitCode(); code != scenarios.ExitProved && code != scenarios.ExitUnproved {
		t.Errorf("exit code %d", code)
	}
}
