package prove_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/faulty"
)

// explored explores a simulated OpenIntent server with a seed.
func explored(t *testing.T, o faulty.Options, depth scenarios.Depth, seed uint64) *scenarios.Report {
	t.Helper()
	h, err := faulty.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s := httptest.NewServer(h.Handler())
	defer s.Close()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: s.URL, Key: openintent.DefaultKey, KeyHeader: "X-API-Key"},
		scenarios.Options{Seed: seed, Depth: depth, Select: scenarios.Selection{Suites: []string{"histories"}}},
		suites.HistorySuites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.WithoutCancel(t.Context()))
}

// Drawn histories accuse no honest server, whatever it offers and however it looks.
func TestExploringAnHonestIntentServer(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]openintent.Options{
		"every feature": {},
		"no clock":      {Without: []string{"clock"}},
		"no containers": {Without: []string{"portfolio", "plan"}},
		"no lifecycle":  {Without: []string{"lifecycle", "notifier"}},
		"otherwise":     {Vary: []string{"flags-below-the-aggregate", "task-state", "fail-stays-suspended", "naive-times", "conflict-is-412"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nothingWrong(t, explored(t, faulty.Options{Options: o}, scenarios.Standard, 1))
		})
	}
}

// What breaks a rule of a model is found, and shown as a history that is no longer than it must be.
func TestExploringAFaultyIntentServer(t *testing.T) {
	t.Parallel()
	for fault, breaks := range map[string]scenarios.IDs{
		"openintent.portfolio-counts-to-one": {"OIP-0026-R4C"},
		"openintent.never-unblocks":          {"OIP-0026-R2D", "OIP-0002-201"},
		"openintent.resumed-untold":          {"OIP-0025-A14"},
		"openintent.outer-fallback-wins":     {"OIP-0026-B2"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				for _, o := range explored(t, faulty.Options{Faults: []string{fault}}, scenarios.Deep, 1+seed).Outcomes {
					if o.Verdict == scenarios.Failed {
						if !slices.Contains(breaks, o.Failure.Requirement) {
							t.Errorf("%s is violated: %s", o.Failure.Requirement, o.Failure.Expected)
						}
						return
					}
				}
			}
			t.Error("nothing was found")
		})
	}
}
