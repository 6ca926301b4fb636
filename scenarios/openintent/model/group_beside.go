package model

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
)

// besideRules are about portfolios, leases and time.
var besideRules = []*deedRule{
	{
		Name: "who joins a portfolio whose deadline is over is open",
		When: func(g Group, in Deed) bool { return in.Do == Join && g.Folders[in.On].Passed },
		Ways: either(astray),
	},
	{
		Name: "a member is added", Of: scenarios.IDs{openintent.OIPREAD6}, Readings: []string{"OIP-R127"},
		When: func(_ Group, in Deed) bool { return in.Do == Join },
		Ways: either(func(g Group, s deedStep) Group {
			f, n := &g.Folders[s.In.On], s.In.Intent
			if f.Members.Has(n) {
				f.Twice = f.Twice.with(n)
			}
			if f.Members = f.Members.with(n); g.All[n].Status == Suspended {
				f.Told[n].Suspended[1]++
				f.Joined = f.Joined.with(n) // whether that is told no text says
			}
			return g
		}),
	},
	{
		Name: "a member leaves", Of: scenarios.IDs{openintent.OIP0026R4C},
		When: func(_ Group, in Deed) bool { return in.Do == Leave },
		Ways: either(func(g Group, s deedStep) Group {
			f, n := &g.Folders[s.In.On], s.In.Intent
			if g.Astray = f.Twice.Has(n); !f.Members.Has(n) {
				return g
			}
			if f.Members = f.Members.without(n); g.All[n].Status == Suspended {
				f.Told[n].Resumed[1]++
			}
			return g
		}),
	},
	{
		Name: "a lease is taken", Of: scenarios.IDs{openintent.OIP0025L3},
		When: func(_ Group, in Deed) bool { return in.Do == Claim },
		Ways: either(func(g Group, s deedStep) Group {
			g.All[s.In.Intent].Leased = true
			return g
		}),
	},
	{
		Name: "a lease is renewed while its intent waits", Of: scenarios.IDs{openintent.OIP0025L3},
		When: func(g Group, in Deed) bool {
			s := g.All[in.Intent]
			return in.Do == Renew && s.Leased && s.Status == Suspended && g.Offers.Lifecycle
		},
		Ways: only(deedTaken, same),
	},
	{
		Name: "whether a lease is renewed is open",
		When: func(_ Group, in Deed) bool { return in.Do == Renew },
		Ways: []deedWay{{Shows: anything, To: same}},
	},
	{
		Name: "the deadline ends what waits", Of: scenarios.IDs{openintent.OIP0026R5},
		When: func(_ Group, in Deed) bool { return in.Do == Deadline },
		Ways: only(deedTaken, Group.deadline),
	},
	{
		Name: "whether time that passes for an intent passes for its portfolio is open",
		When: func(g Group, in Deed) bool { return in.Do == Pass && g.Due(in.Intent) },
		Ways: either(astray),
	},
	{
		Name: "time passes for what does not wait", Of: scenarios.IDs{openintent.OIP0025F4},
		When: func(g Group, in Deed) bool { return in.Do == Pass && !g.All[in.Intent].lapses() },
		Ways: only(deedTaken, func(g Group, s deedStep) Group { // a window would begin when the record says, or later
			one := &g.All[s.In.Intent]
			if one.Leased, one.Why = false, openintent.OIP0025F4; one.Record == Answered {
				one.Why = openintent.OIPREAD4
			}
			g.Astray = one.Record == Waiting && one.Status != Suspended
			return g
		}),
	},
	{
		Name: "time passes before the end of a window", Of: scenarios.IDs{openintent.OIP0026J1, openintent.OIP0026N6},
		When: func(g Group, in Deed) bool {
			s := g.All[in.Intent]
			return in.Do == Pass && s.Passed+1 < Windows[s.Window].Attempts
		},
		Ways: only(deedTaken, func(g Group, s deedStep) Group {
			one := &g.All[s.In.Intent]
			one.Passed++
			one.Leased, one.Why = false, openintent.OIP0026J1
			return g
		}),
	},
	{
		Name: "a window ends by its fallback", Of: scenarios.IDs{openintent.OIP0025F1, openintent.OIP0025F2, openintent.OIP0026N6},
		Readings: []string{"OIP-R12", "OIP-R13"},
		When:     func(_ Group, in Deed) bool { return in.Do == Pass },
		Ways: []deedWay{
			{Name: "as the text says first", Shows: deedTaken, To: func(g Group, s deedStep) Group { return g.lapse(s.In.Intent) }},
			{Name: "as it also allows", Shows: deedTaken, To: func(g Group, s deedStep) Group { return g.lapseOtherwise(s.In.Intent) }},
		},
	},
}

// Due reports whether a portfolio of n has a deadline that is not over.
func (g *Group) Due(n int) bool {
	for _, f := range g.Folders {
		if f.Members.Has(n) && f.Dated && !f.Passed {
			return true
		}
	}
	return false
}

// lapses reports whether time brings anything about.
func (s Single) lapses() bool { return s.waits() && Windows[s.Window].Attempts > 0 }
