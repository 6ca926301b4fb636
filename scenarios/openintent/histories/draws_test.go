package histories

import (
	"math/rand/v2"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// What is drawn meets each rule of the model.
func TestDrawnChases(t *testing.T) {
	meetsEachRule(t, model.ChasedModel, func(r *rand.Rand) model.Chased { return chases.Begin(r, scenarios.Discovery{}) }, drawChasing)
}

func TestDrawnHandovers(t *testing.T) {
	meetsEachRule(t, model.PhasesModel, func(r *rand.Rand) model.Phases { return handovers.Begin(r, scenarios.Discovery{}) }, drawHandling)
}

func TestDrawnCoordinated(t *testing.T) {
	meetsEachRule(t, model.WatchedModel, func(r *rand.Rand) model.Watched { return coordinated.Begin(r, scenarios.Discovery{}) }, drawWatching)
}

func TestDrawnPapers(t *testing.T) {
	begin := func(r *rand.Rand) model.Paper { return papers.Begin(r, scenarios.Discovery{}) }
	meetsEachRule(t, model.PaperModel, begin, papers.Draw)
}

// meetsEachRule draws histories in which mostly what comes first happens.
func meetsEachRule[S comparable, In, Out any](
	t *testing.T, m *history.Model[S, In, Out], begin func(*rand.Rand) S, draw func(*rand.Rand, S) In,
) {
	t.Helper()
	met := map[string]bool{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test
		s := begin(r)
		for range 40 {
			in := draw(r, s)
			rule := m.RuleOf(s, in)
			if rule == nil {
				t.Fatalf("no rule is about %v in %v", in, s)
			}
			met[rule.Name] = true
			way := 0
			if r.IntN(8) == 0 {
				way = len(rule.Ways) - 1
			}
			s = rule.Ways[way].To(s, history.Step[In, Out]{In: in})
		}
	}
	for _, rule := range m.Rules {
		if len(rule.Of) > 0 && !met[rule.Name] {
			t.Errorf("nothing that is drawn meets the rule: %s", rule.Name)
		}
	}
}
