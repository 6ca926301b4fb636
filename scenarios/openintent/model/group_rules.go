package model

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// GroupModel says what a group may show, while one client at a time does what it likes.
var GroupModel = &history.Model[Group, Deed, Found]{
	Rules: blaming(slices.Concat([]*deedRule{
		{
			Name: "no text says what holds from here",
			When: func(g Group, _ Deed) bool { return g.Astray },
			Ways: []deedWay{{Shows: anything, To: same}},
		},
		{
			Name: "a note without a version is refused", Of: scenarios.IDs{openintent.OIP00011}, Readings: []string{"OIP-R3"},
			When: func(g Group, in Deed) bool {
				return in.Match == MatchNone && in.Do == Note && g.family().Is(in.Intent, Active)
			},
			Ways: only(deedRefused(400, 412, 428)),
		},
		{
			Name: "a change without a version is refused, for that or another reason", Of: scenarios.IDs{openintent.OIP00011},
			When: func(_ Group, in Deed) bool { return in.Match == MatchNone && slices.Contains(Writes, in.Do) },
			Ways: only(deedRefused()),
		},
		{
			Name: "a note at another version is refused", Of: scenarios.IDs{openintent.OIP00012}, Readings: []string{"OIP-R4"},
			When: func(g Group, in Deed) bool {
				return in.Match != "" && in.Do == Note && g.family().Is(in.Intent, Active)
			},
			Ways: only(deedRefused(409, 412)),
		},
		{
			Name: "a change at another version is refused, for that or another reason", Of: scenarios.IDs{openintent.OIP00012},
			When: func(_ Group, in Deed) bool { return in.Match != "" && slices.Contains(Writes, in.Do) },
			Ways: only(deedRefused()),
		},
	}, readRules, answerRules, statusRules, graphRules, besideRules)),
	Tell: tellDeed,
}

// blaming has each rule blame an intent that shows itself as it must not be, where a step went wrong: the step rests on it.
func blaming(rules []*deedRule) []*deedRule {
	for _, r := range rules {
		for i := range r.Ways {
			shows := r.Ways[i].Shows
			r.Ways[i].Shows = func(g Group, s deedStep) []history.Miss {
				out := shows(g, s)
				if len(out) == 0 {
					return nil
				}
				for n, own := range s.Out.Own {
					if own.Present() && !slices.Contains(g.May(n), own.String()) {
						return []history.Miss{missOf(g.All[n].Why, own, "status %s of intent %d", strings.Join(g.May(n), " or "), n)}
					}
				}
				return out
			}
		}
	}
	return rules
}

// answerRules are about answers (RFC-0025 8, RFC-0026 11).
var answerRules = []*deedRule{
	{
		Name: "an answer that names no suspension is refused", Of: scenarios.IDs{openintent.OIP0025A2},
		When: func(g Group, in Deed) bool {
			return in.Do == Answer && in.Names == NamesNone && g.All[in.Intent].waits()
		},
		Ways: only(deedRefused(422)),
	},
	{
		Name: "an answer to an earlier suspension is refused while the next one has no record", Of: scenarios.IDs{openintent.OIP0025A5},
		When: func(g Group, in Deed) bool {
			return in.Do == Answer && g.All[in.Intent].Again &&
				(in.Names == "" || in.Names == NamesEarlier && g.All[in.Intent].Round > 1)
		},
		Ways: only(refusedUntold),
	},
	{
		Name: "an answer after the window is refused", Of: scenarios.IDs{openintent.OIPREAD3}, Readings: []string{"OIP-R12"},
		When: func(g Group, in Deed) bool {
			s := g.All[in.Intent]
			return in.Do == Answer && s.Record == Expired && !s.Again && in.Names == ""
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "an answer to what was answered is refused", Of: scenarios.IDs{openintent.OIP0026K4}, Readings: []string{"OIP-R30"},
		When: func(g Group, in Deed) bool {
			return in.Do == Answer && g.All[in.Intent].Status != Suspended && g.All[in.Intent].Record == Answered
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "an answer to what does not wait is refused", Of: scenarios.IDs{openintent.OIP0025A4},
		When: func(g Group, in Deed) bool { return in.Do == Answer && g.All[in.Intent].Status != Suspended },
		Ways: only(deedRefused()),
	},
	{
		Name: "what comes of an answer to what has no record is open",
		When: func(g Group, in Deed) bool { return in.Do == Answer && g.All[in.Intent].Record != Waiting },
		Ways: either(astray),
	},
	{
		Name: "an answer to another suspension is refused", Of: scenarios.IDs{openintent.OIP0025A5},
		When: func(g Group, in Deed) bool { return in.Do == Answer && in.Names != "" },
		Ways: only(refusedUntold),
	},
	{
		Name: "a value that is none of the choices is refused", Of: scenarios.IDs{openintent.OIP0025A7},
		When: wrong("choice"), Ways: only(refusedChoice),
	},
	{
		Name: "a confirmation takes nothing but yes and no", Of: scenarios.IDs{openintent.OIP0025A9},
		When: wrong("confirm"), Ways: only(refusedConfirm),
	},
	{
		Name: "what a text takes that is no text is open",
		When: func(g Group, in Deed) bool {
			if in.Do != Answer {
				return false
			}
			_, said := Fits(g.All[in.Intent].Asks, in.Value)
			return !said
		},
		Ways: either(astray),
	},
	{
		Name: "an empty text is no answer, which is a SHOULD: a server that takes it goes its own way",
		When: wrong("text"), Ways: either(astray),
	},
	{
		Name: "an answer to what waits is taken", Of: scenarios.IDs{openintent.OIPREAD2, openintent.OIPREAD1},
		When: func(_ Group, in Deed) bool { return in.Do == Answer },
		Ways: []deedWay{{Must: true, Shows: tookAnswer, To: func(g Group, s deedStep) Group {
			g.family().answer(s.In.Intent, s.In.Value)
			return g.over(s.In.Intent, true)
		}}, {Name: "refused for another reason", Shows: refusedFor, To: same}},
	},
}

// waits reports whether it is suspended with a record that waits.
func (s Single) waits() bool { return s.Status == Suspended && s.Record == Waiting }

// wrong returns whether a value is no answer to a question of a kind.
func wrong(kind string) func(Group, Deed) bool {
	return func(g Group, in Deed) bool {
		asks := g.All[in.Intent].Asks
		if in.Do != Answer || Kinds[asks] != kind {
			return false
		}
		fits, said := Fits(asks, in.Value)
		return said && !fits
	}
}

// statusRules are about changes of a status and of the state.
var statusRules = []*deedRule{
	{
		Name: "a note is written", Of: scenarios.IDs{openintent.OIP00012},
		When: func(_ Group, in Deed) bool { return in.Do == Note },
		Ways: either(func(g Group, s deedStep) Group {
			g.All[s.In.Intent].Note = s.In.Value
			return g
		}),
	},
	{
		Name: "what comes of a record over one that waits is open",
		When: func(g Group, in Deed) bool {
			s := g.All[in.Intent]
			return in.Do == Records && (s.Record == Waiting || s.Round >= MostRounds || s.Status == Suspended && s.Record == Expired && !s.Again)
		},
		Ways: either(astray),
	},
	{
		Name: "a record is taken", Of: scenarios.IDs{openintent.OIP0026L1},
		When: func(_ Group, in Deed) bool { return in.Do == Records },
		Ways: either(func(g Group, s deedStep) Group {
			g.family().record(s.In.Intent, s.In.Value, s.In.Window)
			return g.begin(s.In.Intent)
		}),
	},
	{
		Name: "only an active intent is suspended", Of: scenarios.IDs{openintent.OIP0025L1},
		When: func(g Group, in Deed) bool {
			return in.Do == Halts && g.Offers.Lifecycle && g.All[in.Intent].Status != Suspended && !slices.Contains(g.May(in.Intent), Active)
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "what comes of suspending what is suspended is open",
		When: func(g Group, in Deed) bool { return in.Do == Halts && g.All[in.Intent].Status == Suspended },
		Ways: either(same),
	},
	{
		Name: "what comes of suspending what is not active is open without a state machine",
		When: func(g Group, in Deed) bool { return in.Do == Halts && g.All[in.Intent].Status != Active },
		Ways: either(astray),
	},
	{
		Name: "an intent is suspended", Of: scenarios.IDs{openintent.OIPREAD2},
		When: func(_ Group, in Deed) bool { return in.Do == Halts },
		Ways: either(func(g Group, s deedStep) Group { return g.halt(s.In.Intent) }),
	},
	{
		Name: "a suspended intent is not completed past its answer", Of: scenarios.IDs{openintent.OIP0025L2},
		When: func(g Group, in Deed) bool {
			return in.Do == Complete && g.Offers.Lifecycle && g.All[in.Intent].Status == Suspended
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "an intent is not completed while what it depends on is suspended", Of: scenarios.IDs{openintent.OIP0026R2B},
		When: func(g Group, in Deed) bool {
			return in.Do == Complete && g.All[in.Intent].Status != Completed && g.family().Waits(in.Intent)
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "a parent is not completed while a child is not", Of: scenarios.IDs{openintent.OIP00021},
		When: func(g Group, in Deed) bool {
			return in.Do == Complete && g.All[in.Intent].Status != Completed &&
				g.family().Children(in.Intent)&^g.family().Having(Completed)&^g.family().Having(Abandoned) != 0
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "an intent with nothing open is completed, if the server takes that", Readings: []string{"OIP-R122"},
		When: func(_ Group, in Deed) bool { return in.Do == Complete },
		Ways: either(func(g Group, s deedStep) Group { return g.end(s.In.Intent, Completed, openintent.OIP00012) }),
	},
	{
		Name: "an intent is abandoned", Of: scenarios.IDs{openintent.OIP00012},
		When: func(_ Group, in Deed) bool { return in.Do == Abandon },
		Ways: either(func(g Group, s deedStep) Group { return g.end(s.In.Intent, Abandoned, openintent.OIP00012) }),
	},
	{
		Name: "a blocked intent does not go on while something is open", Of: scenarios.IDs{openintent.OIP00022},
		When: func(g Group, in Deed) bool {
			return in.Do == Activate && (g.All[in.Intent].Status == Active || g.All[in.Intent].Held)
		},
		Ways: either(func(g Group, s deedStep) Group {
			g.All[s.In.Intent].Why = openintent.OIP00022
			return g
		}),
	},
	{
		Name: "a draft is activated, and blocked if something waits that it depends on", Of: scenarios.IDs{openintent.OIP00022},
		When: func(g Group, in Deed) bool { return in.Do == Activate && g.All[in.Intent].Status == Draft },
		Ways: either(func(g Group, s deedStep) Group {
			g.family().activate(s.In.Intent)
			return g
		}),
	},
	{
		Name: "what else goes on at the word of a caller is open",
		When: func(_ Group, in Deed) bool { return in.Do == Activate },
		Ways: either(astray),
	},
}

// graphRules are about dependencies (RFC-0002).
var graphRules = []*deedRule{
	{
		Name: "a dependency that closes a circle is refused", Of: scenarios.IDs{openintent.OIP0002200},
		When: func(g Group, in Deed) bool {
			return in.Do == Depend && !g.All[in.Intent].Needs.Has(in.On) && g.family().Reaches(in.On, in.Intent)
		},
		Ways: only(deedRefused()),
	},
	{
		Name: "a dependency is added", Of: scenarios.IDs{openintent.OIP00022},
		When: func(_ Group, in Deed) bool { return in.Do == Depend },
		Ways: either(func(g Group, s deedStep) Group {
			g.family().depend(s.In.Intent, s.In.On)
			if g.family().Open(s.In.Intent) != 0 { // it may be blocked, and what its tasks do then no text says
				g = g.idle(s.In.Intent)
			}
			return g
		}),
	},
	{
		Name: "a dependency is taken away", Of: scenarios.IDs{openintent.OIP0002201}, Readings: []string{"OIP-R200"},
		When: func(_ Group, in Deed) bool { return in.Do == Frees },
		Ways: either(func(g Group, s deedStep) Group {
			g.family().free(s.In.Intent, s.In.On)
			return g
		}),
	},
}
