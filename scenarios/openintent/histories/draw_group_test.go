package histories

import (
	"math/rand/v2"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// What is drawn of a world leads to where no text says what holds in few histories only, whatever a server takes and refuses, and
// meets each rule of the model that rests on a sentence.
func TestDrawnDeeds(t *testing.T) {
	d := scenarios.Discovery{Document: wiretest.Value(t, map[string]any{"assay": map[string]any{
		"features": []any{"core", "lifecycle", "graph", "portfolio", "plan", "notifier", "deadline"}, "notifier": "server",
		"clock": map[string]any{"advance": "/clock"},
	}})}
	met, astray := map[string]bool{}, 0
	const histories = 1500
	for seed := range uint64(histories) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test
		g := beginGroup(r, d)
		for range 60 {
			in := drawDeed(r, g)
			rule := model.GroupModel.RuleOf(g, in)
			met[rule.Name] = true
			way := 0
			if r.IntN(8) == 0 {
				way = len(rule.Ways) - 1
			}
			if g = rule.Ways[way].To(g, history.Step[model.Deed, model.Found]{In: in}); g.Astray {
				astray++
				break
			}
		}
	}
	for _, rule := range model.GroupModel.Rules {
		if len(rule.Of) > 0 && !met[rule.Name] {
			t.Errorf("nothing that is drawn meets the rule: %s", rule.Name)
		}
	}
	if astray > histories/5 {
		t.Errorf("%d histories of %d lead astray", astray, histories)
	}
}
