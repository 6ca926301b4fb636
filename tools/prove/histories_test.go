package prove_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

var (
	historiesFor   = flag.Duration("histories-for", 0, "how long each target is explored; 0 is once")
	historyFaults  = flag.Int("history-faults", 0, "how many faults of each protocol are looked for, drawn with seed 1; 0 is none")
	historiesDepth = map[bool]scenarios.Depth{false: scenarios.Standard, true: scenarios.Deep}
)

// exploredFor explores a host, with one seed after the other, as long as nothing is found and there is time.
func exploredFor(ctx context.Context, t *testing.T, h prove.Host, suites []scenarios.Suite, lasts time.Duration) *scenarios.Report {
	t.Helper()
	began := time.Now()
	for seed := uint64(1); ; seed++ {
		r, err := lab.Ask(ctx, h, scenarios.Options{Seed: seed, Depth: historiesDepth[lasts > 0]}, suites...)
		if err != nil {
			t.Fatal(err)
		}
		if r.Totals()[scenarios.Passed] != len(r.Outcomes) || len(alongside(r)) > 0 || time.Since(began) >= lasts {
			return r
		}
	}
}

// alongside are the violations that everything shows which a drive reads, whatever for.
func alongside(r *scenarios.Report) []scenarios.Breach {
	return slices.DeleteFunc(slices.Clone(r.Breaches), func(b scenarios.Breach) bool { return b.By != scenarios.ByInvariant })
}

// No honest host shows what the models do not explain.
func TestHistoriesAccuseNobody(t *testing.T) {
	many(t)
	t.Parallel()
	for _, row := range protocols.Table {
		for _, kind := range row.Targets {
			if kind.Models == nil {
				continue
			}
			for _, h := range row.Honest() {
				t.Run(row.Name()+" "+h.Name, func(t *testing.T) {
					t.Parallel()
					host := prove.Host{Name: h.Name, Specimen: h.Specimen}
					r := exploredFor(t.Context(), t, host, explore.Of(kind.Suites()), *historiesFor)
					for _, b := range alongside(r) {
						t.Errorf("%s: %s: %s and not %s", b.Drive, b.Requirement, b.Expected, b.Actual)
					}
					for _, o := range r.Outcomes {
						switch o.Verdict {
						case scenarios.Passed, scenarios.Inapplicable, scenarios.Blocked:
						default:
							t.Errorf("%s: %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
						}
					}
				})
			}
		}
	}
}

// inHistories are faults that histories find, with the scenario that does.
var inHistories = map[string]scenarios.ScenarioID{
	"file.conflict-tells-next":  "openwop/histories/files",
	"file.prefix-is-folder":     "openwop/histories/files",
	"goal.closed-twice":         "openwop/histories/goals",
	"request.bodies-uncompared": "openwop/histories/keys",
	"stream.loses-the-answer":   "openwop/histories/runs",
	"gate.token-answers-again":  "openwop/histories/runs",
	"tenant.cancel-unguarded":   "openwop/histories/runs",

	"openintent.portfolio-counts-to-one": "openintent/histories/worlds",
	"openintent.never-unblocks":          "openintent/histories/worlds",
	"openintent.resumed-untold":          "openintent/histories/questions",
	"openintent.outer-fallback-wins":     "openintent/histories/worlds",
	"openintent.step-beyond-the-last":    "openintent/histories/chases",
	"openintent.reminded-after-answer":   "openintent/histories/chases",
	"openintent.lease-reaped":            "openintent/histories/phases",
	"openintent.escalated-once":          "openintent/histories/coordinated",
	"openintent.stale-plan-taken":        "openintent/histories/plans",
}

// What breaks a rule of a model is found in the histories of its objects.
func TestHistoriesFindWhatBreaksAModel(t *testing.T) {
	many(t)
	t.Parallel()
	for id, by := range inHistories {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			row := protocols.Named(strings.SplitN(string(by), "/", 2)[0])
			fault, err := row.Fault(id)
			if err != nil {
				t.Fatal(err)
			}
			only := explore.Of(row.Targets[0].Suites())
			only[0].Scenarios = slices.DeleteFunc(only[0].Scenarios, func(s scenarios.Scenario) bool { return s.ID != by })
			host := prove.Host{Name: id, Specimen: fault.Specimen}
			for seed := range uint64(20) {
				r, err := lab.Ask(t.Context(), host, scenarios.Options{Seed: 1 + seed, Depth: scenarios.Deep}, only...)
				if err != nil {
					t.Fatal(err)
				}
				switch o := r.Outcomes[0]; o.Verdict {
				case scenarios.Passed:
				case scenarios.Failed:
					if !slices.Contains(fault.Breaks, string(o.Failure.Requirement)) { // what clients at once show first is chance
						t.Logf("%s is violated: %s", o.Failure.Requirement, o.Failure.Expected)
					}
					return
				default:
					t.Fatalf("%s: %s", o.Verdict, o.Reason)
				}
			}
			t.Error("nothing was found")
		})
	}
}

// What the histories find of the faults that break a sentence which a model cites: it prints the shares.
func TestHistoriesFindFaults(t *testing.T) {
	if *historyFaults == 0 {
		t.Skip("-history-faults is 0: this measures, and takes long")
	}
	for _, row := range protocols.Table {
		for _, kind := range row.Targets {
			if kind.Models != nil {
				t.Run(row.Name(), func(t *testing.T) { measure(t, row, explore.Of(kind.Suites())) })
			}
		}
	}
}

func measure(t *testing.T, row *protocols.Row, suites []scenarios.Suite) {
	var cited []scenarios.RequirementID
	for _, s := range suites {
		for _, sc := range s.Scenarios {
			cited = append(append(cited, sc.Proves...), sc.Watches...)
		}
	}
	all := row.Faults()
	within := slices.DeleteFunc(slices.Clone(all), func(f protocols.Fault) bool {
		return !slices.ContainsFunc(f.Breaks, func(id string) bool { return slices.Contains(cited, scenarios.RequirementID(id)) })
	})
	t.Logf("%d of %d faults break a sentence that a model cites", len(within), len(all))
	r := rand.New(rand.NewPCG(1, 0)) //nolint:gosec // a draw, not a secret
	r.Shuffle(len(within), func(i, j int) { within[i], within[j] = within[j], within[i] })
	within = within[:min(*historyFaults, len(within))]
	var mu sync.Mutex
	var missed, lines []string
	small := 0
	t.Run("all", func(t *testing.T) {
		for _, f := range within {
			t.Run(f.ID, func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				report := exploredFor(t.Context(), t, prove.Host{Name: f.ID, Specimen: f.Specimen}, suites, max(*historiesFor, time.Millisecond))
				mu.Lock()
				defer mu.Unlock()
				for _, o := range report.Outcomes {
					if o.Verdict == scenarios.Failed {
						steps := strings.Count(o.Failure.Expected, "\n")
						if steps <= 9 { // and the lines of what would have been allowed
							small++
						}
						lines = append(lines, fmt.Sprintf("%s: %s, in %s, by %d lines, breaks %v", f.ID, o.Failure.Requirement,
							time.Since(began).Round(100*time.Millisecond), steps, f.Breaks))
						return
					}
				}
				if by := alongside(report); len(by) > 0 {
					lines = append(lines, fmt.Sprintf("%s: %s, in %s, by an invariant, breaks %v", f.ID, by[0].Requirement,
						time.Since(began).Round(100*time.Millisecond), f.Breaks))
					return
				}
				missed = append(missed, f.ID+": "+f.Title)
			})
		}
	})
	slices.Sort(lines)
	slices.SortFunc(missed, cmp.Compare)
	t.Logf("found %d of %d, %d of them in a few steps\n%s\nnot found:\n%s", len(lines), len(within), small, strings.Join(lines, "\n"),
		strings.Join(missed, "\n"))
}
