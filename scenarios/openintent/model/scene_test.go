package model_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// What a program may do next in a scene, with the deeds that do the same to a group.
func next(rt *rapid.T, c *model.Scene, window []int) (s model.Step, deeds []model.Deed) {
	n := rapid.IntRange(0, len(c.Family)-1).Draw(rt, "of")
	s.Intent = n
	switch {
	case c.Is(n, model.Draft):
		s.Do = model.Activate
	case c.Is(n, model.Suspended):
		if s.Do = model.Answer; rapid.Bool().Draw(rt, "lapses") {
			s.Do, s.Fallback = model.Lapse, model.Windows[window[n]].Fallback
			return s, []model.Deed{{Do: model.Pass, Intent: n}}
		}
	case c.Is(n, model.Active):
		s.Do = rapid.SampledFrom([]model.Action{model.Suspend, model.Suspend, model.Complete, model.Abandon, model.Depend}).Draw(rt, "do")
		s.On = rapid.IntRange(0, len(c.Family)-1).Draw(rt, "on")
		switch {
		case s.Do == model.Suspend:
			window[n] = rapid.IntRange(1, 2).Draw(rt, "window")
			return s, []model.Deed{{Do: model.Records, Intent: n, Window: window[n]}, {Do: model.Halts, Intent: n}}
		case s.Do == model.Complete && c.Children(n)&^c.Having(model.Completed) != 0, s.Do == model.Depend && c.Reaches(s.On, n):
			return s, nil
		}
	default:
		return s, nil
	}
	return s, []model.Deed{{Do: s.Do, Intent: n, On: s.On}}
}

// Whatever a program does, a scene is one of the states in which a group may be after the same deeds.
func TestASceneIsOneOfTheStatesOfAGroup(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, g := model.Program{}, model.Group{Size: rapid.IntRange(1, model.MostIntents).Draw(rt, "intents")}
		for n := range g.Size {
			place := model.Place{Parent: rapid.IntRange(model.None, n-1).Draw(rt, "parent"), Draft: rapid.IntRange(0, 4).Draw(rt, "draft") == 0}
			for on := range n {
				if rapid.Bool().Draw(rt, "depends") {
					place.DependsOn, g.All[n].Needs = append(place.DependsOn, on), g.All[n].Needs|1<<on
				}
			}
			if g.All[n].Parent = place.Parent; place.Draft {
				g.All[n].Status = model.Draft
			}
			p.Places = append(p.Places, place)
		}
		g.Start()
		c, states, window := p.Begin(), []model.Group{g}, make([]int, g.Size)
		for range rapid.IntRange(0, 20).Draw(rt, "steps") {
			step, deeds := next(rt, c, window)
			if len(deeds) == 0 {
				continue
			}
			c.Take(step)
			for _, in := range deeds {
				out := model.Found{Code: 200, Names: model.Names{Sids: make([][]string, g.Size)}}
				states = model.GroupModel.After(states, history.Step[model.Deed, model.Found]{In: in, Out: out})
			}
			if !slices.ContainsFunc(states, func(g model.Group) bool { return !g.Astray && agrees(c, g) }) {
				rt.Fatalf("after %s intent %d there is none of %d states with %v", step.Do, step.Intent, len(states), c.Family)
			}
		}
	})
}

func agrees(c *model.Scene, g model.Group) bool {
	for n := range c.Family {
		if may := c.May(n); !slices.Equal(may, g.May(n)) && !(c.Family[n].Stays && slices.Contains(may, g.May(n)[0])) {
			return false
		}
	}
	return true
}
