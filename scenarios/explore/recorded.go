package explore

import (
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Recorded is the history of an object as a transcript tells it, as far as its steps are known.
type Recorded[S comparable, In, Out any] struct {
	Of        string // which object
	Begin     S
	Steps     []history.Step[In, Out]
	Exchanges []int // of each step: an entry of the transcript, counted from 1

	free []time.Duration // when each client has its last reply
}

// Add adds the step of an exchange. Those of an object are added in the order in which they were sent. Without a reply to go by the
// step is lost. No transcript says which client was at work: there are as many as requests under way at once.
func (r *Recorded[S, In, Out]) Add(x Exchange, in In, out Out) {
	client := slices.IndexFunc(r.free, func(since time.Duration) bool { return since <= x.Began })
	if client < 0 {
		client, r.free = len(r.free), append(r.free, 0)
	}
	r.free[client] = x.Ended
	step := history.Step[In, Out]{Client: client, Began: x.Began, Ended: x.Ended, In: in, Lost: !x.Answered()}
	if !step.Lost {
		step.Out = out
	}
	r.Steps, r.Exchanges = append(r.Steps, step), append(r.Exchanges, x.N)
}

// Cut notes that nothing is known of the object from then on. What was under way may have happened before.
func (r *Recorded[S, In, Out]) Cut(at time.Duration) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Ended > at {
			var none Out
			s.Lost, s.Out = true, none
		}
	}
}

// Told is what a model says of the history of an object that a transcript tells.
type Told struct {
	Kind, Of  string
	Exchanges []int // that its steps are, entries of the transcript
	// GaveUp: the model cannot decide.
	GaveUp bool
	// AtOnce: some of its steps overlap. Which sentence such a history violates first is chance.
	AtOnce bool
	// Violates are the sentences that the step breaks which the model does not explain; nil if it explains all of them.
	Violates scenarios.IDs
	Where    wire.Ref // of the reply that it does not explain
	Picture  string   // of the history that the model does not explain
	Held     []Held   // by the steps that it explains
}

// Held is a sentence that a step of a history keeps.
type Held struct {
	Of    scenarios.RequirementID
	Where wire.Ref
}

// Tell holds histories against the model.
func (k *Kind[S, In, Out]) Tell(kind string, recorded []Recorded[S, In, Out]) (all []Told) {
	for _, r := range recorded {
		v := k.Model.Explain([]S{r.Begin}, r.Steps, 0)
		told := Told{Kind: kind, Of: r.Of, Exchanges: r.Exchanges, GaveUp: v.GaveUp, AtOnce: len(r.free) > 1}
		if v.Wrong >= 0 {
			for _, c := range cited(v) {
				if !slices.Contains(told.Violates, c.Of) {
					told.Violates = append(told.Violates, c.Of)
				}
			}
			told.Where = k.Shown(r.Steps[v.Wrong].Out).Ref()
			told.Picture = k.Model.Picture(r.Steps, v)
			told.GaveUp = len(told.Violates) == 0 // no text says what comes of it
		}
		if !told.GaveUp {
			k.meets(r.Begin, r.Steps, v, func(step history.Step[In, Out], _ *history.Rule[S, In, Out], of scenarios.IDs, _ bool) {
				for _, id := range of {
					told.Held = append(told.Held, Held{id, k.Shown(step.Out).Ref()})
				}
			})
		}
		all = append(all, told)
	}
	return all
}
