package model

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// Phases are two intents, of which the second takes an input from the first and depends on it, in one of the states in which they may
// be. Agents take leases on the first, and claim the second.
type Phases struct {
	Status  string `json:"status"`  // of the first
	Record  bool   `json:"record"`  // it has a record that waits
	Endless bool   `json:"endless"` // its records have no window; that of others is longer than any history
	Written bool   `json:"written"` // the output is there
	Claim   Hold   `json:"claim"`   // on the second
	Lease   Hold   `json:"lease"`   // of the first agent on the first
	Seen    bool   `json:"seen"`    // one was read
}

// Hold is what is known of a lease.
type Hold string

// A lease that was not taken, one that holds, and one of which no text says whether it does.
const (
	Free  Hold = ""
	Holds Hold = "holds"
	Open  Hold = "open"
)

// Handling is a step.
type Handling struct {
	Do Action `json:"do"`
}

// What only phases are asked, beside actions of questions and groups.
const (
	LookNext Action = "read the second intent"
	Puts     Action = "write the output"
	Claims   Action = "claim the second intent"
	Unclaims Action = "give the claim back"
	Strange  Action = "have another agent take the lease"
	Wait     Action = "let more time pass than a lease lasts"
)

// Handled is what was seen of it.
type Handled struct {
	Reply
	// Says, Names, Early: a refusal says that the upstream is suspended, which one it is, and to come again before it was.
	Says  bool `json:"says,omitempty"`
	Names bool `json:"names,omitempty"`
	Early bool `json:"early,omitempty"`
	// Same, Shorter: a lease that was renewed is the one that was taken, and ends before the time that it had.
	Same    bool `json:"same,omitempty"`
	Shorter bool `json:"shorter,omitempty"`
}

type (
	phasesStep = history.Step[Handling, Handled]
	phasesRule = history.Rule[Phases, Handling, Handled]
	phasesWay  = history.Way[Phases, Handling, Handled]
)

func (p Phases) same(phasesStep) Phases { return p }

// handles returns whether a step is this one, in some states.
func handles(do Action, in func(Phases) bool) func(Phases, Handling) bool {
	return func(p Phases, step Handling) bool { return step.Do == do && in(p) }
}

func anyPhases(Phases) bool { return true }

func (p Phases) waits() bool { return p.Status == Suspended }

var (
	takes         = mayTake[Phases, Handling, Handled]
	phasesTo      = doing[Phases, Handling, Handled]
	phasesTaken   = taken[Phases, Handling, Handled]
	phasesRefused = refusedIfAsked[Phases, Handling, Handled]
)

// onlyShows returns the one way of a step.
func onlyShows(shows func(Phases, phasesStep) []history.Miss) []phasesWay {
	return []phasesWay{{Must: true, Shows: shows, To: Phases.same}}
}

// PhasesModel says what they may show.
var PhasesModel = &history.Model[Phases, Handling, Handled]{
	Rules: []*phasesRule{
		{
			Name: "an intent is shown as it is", Of: scenarios.IDs{openintent.OIP00014}, When: handles(Look, anyPhases),
			Ways: []phasesWay{{Must: true, Shows: Phases.shown, To: seenPhases}},
		},
		{
			Name: "what is claimed, or refused to be, stays to be claimed", Of: scenarios.IDs{openintent.OIP0026V5},
			When: handles(LookNext, anyPhases),
			Ways: []phasesWay{{Must: true, Shows: claimable, To: seenPhases}},
		},
		{
			Name: "what comes of a claim on what was claimed is open", When: handles(Claims, func(p Phases) bool { return p.Claim != Free }),
			Ways: takes(func(p *Phases) { p.Claim = Open }),
		},
		{
			Name: "a claim over an upstream that is suspended is refused", Readings: []string{"OIP-R27", "OIP-R115"},
			Of:   scenarios.IDs{openintent.OIP0026V1, openintent.OIP0026V2, openintent.OIP0026V3, openintent.OIPREAD18},
			When: handles(Claims, Phases.waits), Ways: onlyShows(refusesClaim),
		},
		{
			Name: "a claim whose inputs are all there is granted", Of: scenarios.IDs{openintent.OIP00241, openintent.OIP0026V5},
			When: handles(Claims, func(p Phases) bool { return p.Status == Completed && p.Written }),
			Ways: []phasesWay{
				{Name: "granted", Must: true, Shows: phasesTaken, To: phasesTo(func(p *Phases) { p.Claim = Holds })},
				{Name: "refused for want of a right, or for load", Shows: excused, To: Phases.same},
			},
		},
		{
			Name: "what comes of a claim whose upstream is at work is open", When: handles(Claims, anyPhases),
			Ways: takes(func(p *Phases) { p.Claim = Holds }),
		},
		{
			Name: "a claim is given back", When: handles(Unclaims, anyPhases),
			Ways: []phasesWay{
				{Name: "taken", Shows: phasesTaken, To: phasesTo(func(p *Phases) { p.Claim = Free })},
				{Name: "refused", Shows: phasesRefused, To: phasesTo(func(p *Phases) { p.Claim = Open })},
			},
		},
		{
			Name: "a lease is taken", When: handles(Claim, func(p Phases) bool { return p.Lease == Free && !p.waits() }),
			Ways: takes(func(p *Phases) { p.Lease = Holds }),
		},
		{
			Name: "what comes of a further lease, or of one on what waits, is open", When: handles(Claim, anyPhases), Ways: onlyShows(whatever),
		},
		{
			Name: "a lease stays with its owner while its intent waits, and can be renewed", Of: scenarios.IDs{openintent.OIP0025L3},
			When: handles(Renew, func(p Phases) bool { return p.Lease == Holds && p.waits() }), Ways: onlyShows(renews),
		},
		{
			Name: "what comes of a renewal is open", When: handles(Renew, anyPhases), Ways: onlyShows(whatever),
		},
		{
			Name: "the lease of what waits does not expire into other hands", Of: scenarios.IDs{openintent.OIP0025L4},
			When: handles(Strange, func(p Phases) bool { return p.Lease == Holds && p.waits() }), Ways: onlyShows(phasesRefused),
		},
		{
			Name: "whether another agent gets a lease is open", When: handles(Strange, anyPhases),
			Ways: takes(func(p *Phases) { p.Lease = Open }),
		},
		{
			Name: "a lease of what waits outlasts its time", When: handles(Wait, Phases.waits), Ways: onlyShows(whatever),
		},
		{
			Name: "what becomes of leases whose time is over is open", When: handles(Wait, anyPhases),
			Ways: []phasesWay{{Shows: whatever, To: phasesTo(func(p *Phases) { p.Lease = Open })}},
		},
		{
			Name: "what comes of a record over another, or of one of what is not active, is open",
			When: handles(Records, func(p Phases) bool { return p.Record || p.Status != Active }), Ways: onlyShows(whatever),
		},
		{
			Name: "a record is taken", Of: scenarios.IDs{openintent.OIP0026L1}, When: handles(Records, anyPhases),
			Ways: takes(func(p *Phases) { p.Record = true }),
		},
		{
			Name: "only an active intent is suspended", Of: scenarios.IDs{openintent.OIP0025L1},
			When: handles(Halts, func(p Phases) bool { return p.Status == Completed && p.Record }), Ways: onlyShows(phasesRefused),
		},
		{
			Name: "what comes of suspending an intent again, or without a record, is open",
			When: handles(Halts, func(p Phases) bool { return !p.Record || p.waits() }), Ways: onlyShows(whatever),
		},
		{
			Name: "an intent is suspended", When: handles(Halts, anyPhases), Ways: takes(func(p *Phases) { p.Status = Suspended }),
		},
		{
			Name: "an answer to what waits is taken", Of: scenarios.IDs{openintent.OIPREAD2}, When: handles(Answer, Phases.waits),
			Ways: []phasesWay{
				{Name: "taken", Must: true, Shows: phasesTaken, To: phasesTo(func(p *Phases) {
					p.Status, p.Record, p.Lease = Active, false, p.resumed()
				})},
				{Name: "refused for want of a right, or for load", Shows: excused, To: Phases.same},
			},
		},
		{
			Name: "an answer to what does not wait is not asked about", When: handles(Answer, anyPhases), Ways: onlyShows(whatever),
		},
		{
			Name: "the output is written", When: handles(Puts, anyPhases), Ways: takes(func(p *Phases) { p.Written = true }),
		},
		{
			Name: "a suspended intent is not completed past its answer", Of: scenarios.IDs{openintent.OIP0025L2},
			When: handles(Complete, Phases.waits), Ways: onlyShows(phasesRefused),
		},
		{
			Name: "an intent is completed", When: handles(Complete, anyPhases),
			Ways: takes(func(p *Phases) { p.Status, p.Lease = Completed, Open }),
		},
	},
	Tell: tellPhases,
}

func tellPhases(s phasesStep) string {
	line := string(s.In.Do)
	switch s.In.Do {
	case Claim:
		line = "take a lease on the first intent"
	case Look, Records, Halts, Answer, Complete, Renew:
		line += " the first intent"
	}
	if s.Lost {
		return line
	}
	return fmt.Sprintf("%s: HTTP %d, %s", line, s.Out.Code, s.Out.Body.Key("status").String())
}

// Asks reports whether the texts say what comes of a step, so that it is worth being taken.
func (p Phases) Asks(do Action) bool {
	switch do {
	case Records:
		return p.Status == Active && !p.Record
	case Halts:
		return p.Record && !p.waits()
	case Claim:
		return p.Lease == Free && p.Status == Active
	case Renew:
		return p.Lease != Free
	case Claims:
		return p.Claim == Free
	case Unclaims:
		return p.Claim == Holds
	case Answer:
		return p.waits()
	}
	return true
}

// resumed returns what is known of a lease when its intent goes on: how long it then lasts no text says.
func (p Phases) resumed() Hold {
	if p.Lease == Free {
		return Free
	}
	return Open
}

func seenPhases(p Phases, s phasesStep) Phases {
	p.Seen = p.Seen || !s.Lost
	return p
}

func (p Phases) shown(s phasesStep) []history.Miss {
	if status := s.Out.Body.Key("status"); !s.Out.ok() || status.String() != p.Status {
		return []history.Miss{miss(status, "status %s", p.Status)}
	}
	return nil
}

func claimable(_ Phases, s phasesStep) []history.Miss {
	switch status := s.Out.Body.Key("status"); status.String() {
	case Draft, Active, Blocked:
		return nil
	default:
		return []history.Miss{miss(status, "%s or %s", Active, Blocked)}
	}
}

func whatever(Phases, phasesStep) []history.Miss { return nil }

// excused: a refusal for want of a right, or for load, violates nothing.
func excused(_ Phases, s phasesStep) []history.Miss {
	if s.Out.Code == 0 || s.Out.Code/100 == 5 {
		return nil
	}
	return refusal(s.Out.Status, s.Out.Code, 401, 403, 407, 408, 429)
}

// refusesClaim compares what a refusal says.
func refusesClaim(p Phases, s phasesStep) (out []history.Miss) {
	if out := phasesRefused(p, s); len(out) > 0 || s.Out.Code == 0 {
		return out
	}
	if !s.Out.Says {
		out = append(out, missOf(openintent.OIP0026V2, s.Out.Body, "upstream_intent_suspended"))
	}
	if !s.Out.Names {
		out = append(out, missOf(openintent.OIP0026V3, s.Out.Body, "the id of the intent that is suspended"))
	}
	if s.Out.Early {
		out = append(out, missOf(openintent.OIPREAD18, s.Out.Body, "no time to come again that was before it was suspended"))
	}
	return out
}

// renews compares a lease that was renewed with that which was taken.
func renews(_ Phases, s phasesStep) []history.Miss {
	switch {
	case s.Out.Code == 0:
		return nil
	case !s.Out.ok():
		return []history.Miss{miss(s.Out.Status, "HTTP 200")}
	case !s.Out.Same:
		return []history.Miss{miss(s.Out.Body.Key("id"), "the id that it had")}
	case s.Out.Shorter:
		return []history.Miss{miss(s.Out.Body.Key("expires_at"), "no time before that which it had")}
	}
	return nil
}
