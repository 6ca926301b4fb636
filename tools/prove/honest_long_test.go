package prove_test

import (
	"context"
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
					accusedOf(t, row, h, *honestSeed+seed)
				})
			}
		}
	}
}

// accusedOf tells of what an honest host is accused of, and of what broke.
func accusedOf(t *testing.T, row *protocols.Row, h prove.Host, seed uint64) {
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	target, stop, err := h.Specimen.Start(t.Context(), lab.Target(row.Protocol), protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(context.WithoutCancel(t.Context()))
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: seed, Depth: scenarios.Standard}, row.Targets[0].Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.WithoutCancel(t.Context()))
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken {
			t.Errorf("%s is %s: %s\n%s", o.Scenario.ID, o.Verdict, o.Reason, lastOf(r, o.Drive))
		}
	}
	for _, b := range r.Breaches {
		t.Errorf("%s is violated: %+v", b.Requirement, b)
	}
	if code := r.ExitCode(); code != scenarios.ExitProved && code != scenarios.ExitUnproved {
		t.Errorf("exit code %d", code)
	}
}
