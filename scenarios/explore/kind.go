package explore

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// SuiteID is that of the suites that explore.
const SuiteID = "histories"

// Of returns those of the suites that explore.
func Of(suites []scenarios.Suite) []scenarios.Suite {
	return slices.DeleteFunc(slices.Clone(suites), func(s scenarios.Suite) bool { return s.ID != SuiteID })
}

// Kind is a kind of objects that histories are about. An object may be a small world of things that hang together.
type Kind[S comparable, In, Out any] struct {
	Model *history.Model[S, In, Out]
	// Begin draws how an object is to be made, and what the target claims of it, as its first state.
	Begin func(*rand.Rand, scenarios.Discovery) S
	// Make makes an object so on the target. It may end the drive. If it blocks, the drive tries other objects: see [scenarios.Block].
	Make func(ctx context.Context, c *scenarios.Conn, begin S) Object[In, Out]
	// Draw draws a step in a state in which the object may be. It names nothing that only one object has (no id, no version): the
	// same steps are asked of others.
	Draw func(*rand.Rand, S) In
	// Beside are the sentences that the model cites of single members, beside those of its rules: see [history.Miss].
	Beside scenarios.IDs
	// Shown returns what a check of a step is about.
	Shown func(Out) wire.Value
	// Nothing reports whether an outcome shows nothing of the object; nil: every outcome shows something.
	Nothing func(Out) bool
	// Over reports whether an object has come to its end, behind which a history goes on for a few steps only; nil if none ever does.
	Over func(S) bool
	// Clients is how many act at once at most; 0 is one, where no text says what happens at once.
	Clients int
	// Single: each step is one request. Only of those it is known what may have become of them where a reply is lost, or a target is
	// killed meanwhile. Else it is killed between steps.
	Single bool
	// Kill is the step that kills the target, also while an object does not rest; the model has rules for it. nil: kills are not steps.
	Kill *In
	// Rests reports whether nothing of an object goes on by itself in a state, so that it is known what must be there when the target
	// was killed then. nil: nothing ever does.
	Rests func(S) bool
}

// Object is an object on the target. Do takes a step; it is called by several clients at once.
type Object[In, Out any] interface {
	Do(ctx context.Context, client int, in In) Out
}

// History is what happened to an object.
type History[S comparable, In, Out any] struct {
	Begin S                       `json:"begin"`
	Steps []history.Step[In, Out] `json:"steps"`
	// Small: it was made of one before that the model does not explain, and the model does not explain it either.
	Small bool `json:"small,omitempty"`
}

// Observation is the histories of a drive.
type Observation[S comparable, In, Out any] struct {
	Histories []History[S, In, Out] `json:"histories"`
	Known     scenarios.IDs         `json:"known,omitempty"` // sentences that are not held against the target: see [scenarios.Conn.Known]
}

// SeenAs implements [scenarios.Seer].
func (o Observation[S, In, Out]) SeenAs() scenarios.Evidence {
	for _, h := range o.Histories {
		for _, s := range h.Steps {
			if s.Killed {
				return scenarios.Survived
			}
		}
	}
	return scenarios.Observed
}
