package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// small returns groups of three intents in states that few deeds lead to.
func small() (all []model.Group) {
	for _, offers := range []model.Offers{{}, {Lifecycle: true, Portfolio: true, Plan: true, Windows: true, Deadline: true}} {
		for _, status := range model.Statuses {
			for _, record := range []string{"", model.Waiting, model.Answered, model.Expired, model.Ended} {
				for window := range model.Windows {
					g := model.Group{Size: 3, Offers: offers}
					g.Start()
					g.All[0].Parent, g.All[1].Parent, g.All[2].Parent = model.None, 0, model.None
					g.All[1].Needs = 1 << 2
					g.All[2].Status, g.All[2].Record, g.All[2].Window, g.All[2].Asks = status, record, window, window%len(model.Kinds)
					g.All[2].Again = record == model.Answered && status == model.Suspended
					if record != "" {
						g.All[2].Round = 1
					}
					g.All[1].Held = status == model.Suspended
					g.All[1].Leased, g.All[2].Leased = true, true
					g.Folders[0].Members, g.Folders[1].Members = 1<<2, 1<<1
					g.Folders[0].Dated, g.Folders[1].Passed = window%2 == 0 && record != model.Waiting || window > 4, status == model.Active
					g.Works[0] = model.Errand{Intent: 2, Is: model.Runs}
					if all = append(all, g); status == model.Suspended { // with all that shows it
						g.All[2].Passed, g.Works[0].Is, g.All[2].Parent = 1, model.Mirrors, 0
						all = append(all, g)
						g.Folders[1].Members = 1<<1 | 1<<2
						g.All[1].Status, g.All[1].Held = model.Suspended, false
						all = append(all, g)
					}
				}
			}
		}
	}
	return append(all, model.Group{Size: 3, Astray: true})
}

var deeds = append([]model.Action{
	model.Answer, model.Pass, model.Records, model.Halts, model.Complete, model.Abandon, model.Note, model.Activate, model.Depend,
	model.Frees, model.Join, model.Leave, model.Claim, model.Renew, model.Deadline,
}, model.Reads...)

// Whatever comes of deeds: what is held has something open, and portfolios tell no more at least than at most.
func TestGroupStates(t *testing.T) {
	all := small()
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(all).Draw(rt, "begin")
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			in := model.Deed{
				Do: rapid.SampledFrom(deeds).Draw(rt, "do"), Intent: rapid.IntRange(0, 2).Draw(rt, "of"), On: rapid.IntRange(0, 1).Draw(rt, "on"),
				Value: rapid.IntRange(0, 2).Draw(rt, "value"), Window: rapid.IntRange(0, len(model.Windows)-1).Draw(rt, "window"),
			}
			ways := model.GroupModel.RuleOf(g, in).Ways
			way := rapid.IntRange(0, len(ways)-1).Draw(rt, "way")
			if g = ways[way].To(g, history.Step[model.Deed, model.Found]{In: in}); g.Astray {
				return
			}
			for n := range g.Size {
				if s := g.All[n]; s.Held && (s.Status != model.Active || s.Needs == 0) {
					rt.Fatalf("after %v intent %d is held: %v", in, n, s)
				}
				for _, f := range g.Folders {
					if f.Told[n].Suspended[0] > f.Told[n].Suspended[1] || f.Told[n].Resumed[0] > f.Told[n].Resumed[1] {
						rt.Fatalf("after %v a portfolio tells %v of intent %d", in, f.Told[n], n)
					}
				}
			}
		}
	})
}
