package history

import (
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Step is what a client did to an object, and what came of it.
type Step[In, Out any] struct {
	Client int           `json:"client"`
	Began  time.Duration `json:"began"` // since the history began
	Ended  time.Duration `json:"ended"` // when the reply was there
	// Lost: no reply was seen. The object may have taken the step, at any time since it began, or never.
	Lost bool `json:"lost,omitempty"`
	// Killed: the target was killed meanwhile, and started again.
	Killed bool `json:"killed,omitempty"`
	In     In   `json:"in"`
	Out    Out  `json:"out"`
}

// Rule says what may come of a step in some states. In a list a rule presumes that no rule before it holds.
type Rule[S comparable, In, Out any] struct {
	Name     string        // what is so, as a clause
	Of       scenarios.IDs // the sentences; the first is the one that a deviation violates unless its [Miss] names another
	Readings []string      // what is accepted beside the letter of them
	When     func(S, In) bool
	// Bears returns further sentences that an allowed reply bears out; nil: none.
	Bears func(S, Step[In, Out]) scenarios.IDs
	Ways  []Way[S, In, Out]
}

// Way is one of the ways that a rule leaves open.
type Way[S comparable, In, Out any] struct {
	Name string
	// Must: the text demands that it is possible. Of the others it only says that they are allowed.
	Must bool
	// Shows returns in what a reply is not what this way shows; nothing if it is.
	Shows func(S, Step[In, Out]) []Miss
	// To returns the state after it. The reply of a lost step is zero.
	To func(S, Step[In, Out]) S
}

// Miss is one thing that a reply shows and may not.
type Miss struct {
	Of   scenarios.RequirementID // "" for that of the rule
	At   wire.Value
	Want string // what it may be
}

// Model is what an object may show.
type Model[S comparable, In, Out any] struct {
	Rules []*Rule[S, In, Out]
	// Tell tells a step and its reply in a line.
	Tell func(Step[In, Out]) string

	known scenarios.IDs // see Except
}

// Except returns the model of an object of which some sentences are not asked. A step that violates nothing else ends what is known
// of the object: see [Verdict.GaveUp].
func (m *Model[S, In, Out]) Except(known scenarios.IDs) *Model[S, In, Out] {
	if len(known) == 0 {
		return m
	}
	copied := *m
	copied.known = known
	return &copied
}

// Sentence returns the sentence that a miss under a rule violates, "" if it only tells the ways of a rule apart that cites none.
func (r *Rule[S, In, Out]) Sentence(m Miss) scenarios.RequirementID {
	if m.Of == "" && len(r.Of) > 0 {
		return r.Of[0]
	}
	return m.Of
}

// RuleOf returns the rule that holds for a step in a state, nil if none does.
func (m *Model[S, In, Out]) RuleOf(s S, in In) *Rule[S, In, Out] {
	for _, r := range m.Rules {
		if r.When(s, in) {
			return r
		}
	}
	return nil
}

// Taken is how a step may have gone.
type Taken[S comparable, In, Out any] struct {
	Rule   *Rule[S, In, Out]
	Way    *Way[S, In, Out] // nil: it was lost before it arrived
	To     S
	Misses []Miss // why it cannot have gone so
}

// ways returns all ways that a step may go in a state, those that its reply rules out among them.
func (m *Model[S, In, Out]) ways(s S, step Step[In, Out]) (all []Taken[S, In, Out]) {
	r := m.RuleOf(s, step.In)
	if r == nil {
		return nil
	}
	for i := range r.Ways {
		w := &r.Ways[i]
		t := Taken[S, In, Out]{Rule: r, Way: w}
		if !step.Lost {
			t.Misses = w.Shows(s, step)
		}
		if len(t.Misses) == 0 {
			t.To = w.To(s, step)
		}
		all = append(all, t)
	}
	if step.Lost {
		all = append(all, Taken[S, In, Out]{Rule: r, To: s})
	}
	return all
}

// excuses reports whether a step may have gone so but for what violates known sentences alone.
func (m *Model[S, In, Out]) excuses(t Taken[S, In, Out]) bool {
	return len(t.Misses) > 0 && !slices.ContainsFunc(t.Misses, func(miss Miss) bool {
		return !slices.Contains(m.known, t.Rule.Sentence(miss))
	})
}

// Took returns the ways that a step may have gone in these states, by what its reply shows.
func (m *Model[S, In, Out]) Took(states []S, step Step[In, Out]) (all []Taken[S, In, Out]) {
	for _, s := range states {
		for _, t := range m.ways(s, step) {
			if len(t.Misses) == 0 {
				all = append(all, t)
			}
		}
	}
	return all
}

// After returns the states after a step.
func (m *Model[S, In, Out]) After(states []S, step Step[In, Out]) (next []S) {
	seen := make(map[S]bool, len(states))
	for _, t := range m.Took(states, step) {
		if !seen[t.To] {
			seen[t.To] = true
			next = append(next, t.To)
		}
	}
	return next
}
