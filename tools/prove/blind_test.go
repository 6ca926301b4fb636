package prove_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/prove"
)

// How many judges are blinded, drawn with which seed: `make blind` takes many.
var (
	judges    = flag.Int("judges", 3, "how many judges are made to pass always")
	judgeSeed = flag.Uint64("judge-seed", 1, "what these judges are drawn with")
)

// A judge that passes whatever it sees is noticed: the faults that its scenario kills in the committed matrix are certified
// again, and a pair is lost. A few judges kill nothing, so 19 of 20 must be noticed.
func TestABlindJudgeIsNoticed(t *testing.T) {
	t.Parallel()
	was := committed(t)
	var all []results.ProvedScenario
	for _, p := range was.Protocols {
		all = append(all, p.Scenarios...)
	}
	random := rand.New(rand.NewPCG(*judgeSeed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	drawn := all[:min(*judges, len(all))]
	noticed := 0
	for _, s := range drawn {
		faults := killedBy(s)
		if len(faults) == 0 {
			t.Logf("%s kills no fault: nobody would notice", s.ID)
			continue
		}
		hosts, err := prove.Matching(faults...)
		if err != nil {
			t.Fatal(err)
		}
		m, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Aimed: true, Seed: 1, Certify: blinded(scenarios.ScenarioID(s.ID))})
		if err != nil {
			t.Fatal(err)
		}
		lost, _ := prove.Compare(was, m)
		if slices.ContainsFunc(lost, func(p prove.Pair) bool { return p.Scenario == s.ID }) {
			noticed++
		} else {
			t.Logf("%s is blind, and nobody notices", s.ID)
		}
		for _, p := range lost {
			if p.Scenario != s.ID {
				t.Errorf("while %s is blind, not any more: %s", s.ID, p)
			}
		}
	}
	t.Logf("%d of %d blind judges are noticed", noticed, len(drawn))
	if noticed*20 < len(drawn)*19 {
		t.Errorf("%d of %d blind judges are noticed, want 19 of 20", noticed, len(drawn))
	}
}

// killedBy are the faults that a scenario kills.
func killedBy(s results.ProvedScenario) (faults []string) {
	for _, c := range s.Checks {
		faults = append(faults, c.Kills...)
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// blinded certifies with a judge for which every check holds, and that finds nothing odd.
func blinded(id scenarios.ScenarioID) func(context.Context, prove.Host, scenarios.Options) (*scenarios.Report, error) {
	return func(ctx context.Context, h prove.Host, o scenarios.Options) (*scenarios.Report, error) {
		if h.Fault == nil { // it is there for comparison, and certified elsewhere
			return &scenarios.Report{}, nil
		}
		r, err := lab.Certify(ctx, h, o)
		if err != nil {
			return nil, err
		}
		for i := range r.Outcomes {
			out := &r.Outcomes[i]
			if out.Scenario.ID != id {
				continue
			}
			if out.Verdict == scenarios.Failed {
				out.Verdict, out.Reason, out.Failure = scenarios.Passed, "", nil
			}
			out.Findings = nil
			for k := range out.Checks {
				out.Checks[k].OK = true
			}
		}
		return r, nil
	}
}
