package histories

import (
	"math/rand/v2"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// offersOf are the claims of a server that groups are about.
func offersOf(d scenarios.Discovery) model.Offers {
	has := func(c scenarios.Claim) bool {
		_, is := c.Look(d)
		return is
	}
	clock := d.Document.At("/assay/clock/advance").String() != ""
	return model.Offers{
		Lifecycle: has(claims.Lifecycle), Portfolio: has(claims.Portfolio), Plan: has(claims.Plan),
		Windows: has(claims.Notifier) && clock, Deadline: has(claims.Deadline) && has(claims.Portfolio) && clock,
	}
}

// beginGroup draws a group: each intent may be below one before it, and depend on some of those.
func beginGroup(r *rand.Rand, d scenarios.Discovery) (g model.Group) {
	g.Offers = offersOf(d)
	g.Size = 3 + r.IntN(model.MostIntents-2)
	family, bound := r.IntN(4), r.IntN(4) // how much is below another, and depends on another
	for n := range g.Size {
		g.All[n].Parent = model.None
		if n > 0 && r.IntN(3) < family {
			g.All[n].Parent = r.IntN(n)
			if r.IntN(3) > 0 { // siblings are more than a chain
				g.All[n].Parent = 0
			}
		}
		for on := range n {
			if r.IntN(6) < bound && on != g.All[n].Parent && (on > 0 || family < 3) {
				g.All[n].Needs |= 1 << on
			}
		}
		if g.All[n].Parent == model.None && r.IntN(6) == 0 {
			g.All[n].Status = model.Draft
		}
	}
	for f := range g.Folders {
		for n := range g.Size {
			if r.IntN(3) > 0 {
				g.Folders[f].Members |= 1 << n
			}
		}
	}
	g.Folders[1].Dated = g.Offers.Deadline && r.IntN(2) == 0
	for w := range g.Works {
		g.Works[w] = model.Errand{Intent: r.IntN(g.Size), Is: model.Runs}
	}
	g.Start()
	return g
}

// choose draws one of several things by weights, in the order of the list.
func choose[T any](r *rand.Rand, of []weighed[T]) (one T) {
	sum := 0
	for _, w := range of {
		sum += w.weight
	}
	at := r.IntN(max(sum, 1))
	for _, w := range of {
		if at -= w.weight; at < 0 {
			return w.thing
		}
	}
	return one
}

type weighed[T any] struct {
	thing  T
	weight int
}

func when(holds bool, weight int) int {
	if holds {
		return weight
	}
	return 0
}

// drawDeed draws what the texts say something of: most of it what fits the state, some of it what must be refused.
func drawDeed(r *rand.Rand, g model.Group) model.Deed {
	n := r.IntN(g.Size)
	if !g.Seen { // a history in which no intent is read shows little
		return model.Deed{Do: model.Look, Intent: n}
	}
	for range 2 { // most of it is about what has not ended
		if s := g.All[n].Status; s == model.Completed || s == model.Abandoned {
			n = r.IntN(g.Size)
		}
	}
	if r.IntN(5) < 2 {
		return drawRead(r, g, n)
	}
	s := g.All[n]
	is := func(status string) bool { return s.Status == status }
	suspended, recorded := is(model.Suspended), s.Record == model.Waiting
	f := r.IntN(model.MostFolders)
	shelf := g.Folders[f]
	free := s.Round < model.MostRounds && !recorded && (!suspended || s.Record != model.Expired || s.Again)
	passed := false
	for _, other := range g.Folders {
		passed = passed || other.Passed && other.Members.Has(n)
	}
	passes := g.Offers.Windows && !g.Due(n)
	may := g.May(n)
	in := model.Deed{Intent: n}
	in.Do = choose(r, []weighed[model.Action]{
		{model.Answer, when(suspended && recorded, 60) + when(suspended && s.Again, 40) + when(!suspended, 6)},
		{model.Pass, when(passes && suspended && recorded, 12+when(s.Window > 0, 70)) +
			when(passes && !recorded, 1+when(s.Window > 0 && s.Record == model.Answered, 12))},
		{model.Records, when(free && is(model.Active), 30) + when(free && suspended, 60)},
		{model.Halts, when(is(model.Active) && recorded && !passed, 80) + when(is(model.Active) && !passed, 15) +
			when(!suspended && !passed && g.Offers.Lifecycle, 4)},
		{model.Complete, when(is(model.Active), 6) + 4},
		{model.Abandon, 1}, {model.Note, 6},
		{model.Activate, when(is(model.Draft), 20) + when(is(model.Active) && len(may) == 1 && may[0] == model.Blocked, 12)},
		{model.Depend, 10}, {model.Frees, when(s.Needs != 0, 8)},
		{model.Join, when(!shelf.Passed && (!shelf.Members.Has(n) || r.IntN(5) == 0), 6)},
		{model.Leave, when(!shelf.Twice.Has(n), 4)},
		{model.Claim, when(!s.Leased, 3)}, {model.Renew, when(s.Leased, 8)},
		{model.Deadline, when(shelf.Dated && !shelf.Passed && !unbegun(g, shelf), 1+when(suspended && shelf.Members.Has(n), 25))},
	})
	switch in.Do {
	case model.Join, model.Leave, model.Deadline:
		in.On = f
	case model.Answer:
		in.Names = choose(r, []weighed[string]{
			{"", 60}, {model.NamesEarlier, when(s.Round > 1, 15)}, {model.NamesOther, 5}, {model.NamesNear, 6}, {model.NamesNone, 4},
		})
		in.On, in.Value = r.IntN(g.Size), drawValue(r, s.Asks)
	case model.Records:
		in.Value, in.Merged = r.IntN(len(model.Kinds)), r.IntN(3) == 0
		if g.Offers.Windows && r.IntN(2) == 0 {
			in.Window = r.IntN(len(model.Windows))
		}
	case model.Note:
		in.Value = 1 + r.IntN(1000)
	case model.Depend, model.Frees:
		in.On = r.IntN(g.Size)
	}
	if in.Do != model.Records {
		in.Match = choose(r, []weighed[string]{{"", 26}, {model.MatchOld, 3}, {model.MatchLater, 2}, {model.MatchNone, 2}})
	}
	return in
}

// unbegun reports whether a member has a record and is not suspended: when its window would begin is open once time was let pass.
func unbegun(g model.Group, shelf model.Shelf) bool {
	for n := range g.Size {
		if s := g.All[n]; shelf.Members.Has(n) && s.Record == model.Waiting && s.Status != model.Suspended {
			return true
		}
	}
	return false
}

// drawValue draws an answer of which the texts say whether it fits.
func drawValue(r *rand.Rand, kind int) (value int) {
	for {
		value = r.IntN(len(model.Values))
		if fits, said := model.Fits(kind, value); said && (fits || r.IntN(3) == 0 && (value < model.Plain || model.Kinds[kind] != "text")) {
			return value
		}
	}
}

func drawRead(r *rand.Rand, g model.Group, n int) model.Deed {
	in := model.Deed{Intent: n}
	in.Do = choose(r, []weighed[model.Action]{
		{model.Look, 30}, {model.LookGraph, 8}, {model.LookReady, 5}, {model.LookHeld, 5}, {model.LookFolder, 12}, {model.LookMembers, 2},
		{model.LookWithin, 4}, {model.LookLog, 12}, {model.LookTold, 4}, {model.LookTask, 8}, {model.LookTasks, 2}, {model.LookPlan, 5},
	})
	switch in.Do {
	case model.LookFolder, model.LookMembers, model.LookTold:
		in.On = r.IntN(model.MostFolders)
	case model.LookTask:
		in.On = r.IntN(model.MostWorks)
	}
	return in
}
