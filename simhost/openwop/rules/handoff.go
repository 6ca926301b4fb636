package rules

import (
	"github.com/gowebpki/jcs"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Handoff is how a worker gets its work and hands in what came of it.
type Handoff struct {
	// CountsAs is the status that a child is taken to have, given the one that it has and whether its decision names more
	// workers after it. The handoff is over once that is a final one (RFC 0007 D).
	CountsAs func(child openwopv1.RunStatus, more bool) openwopv1.RunStatus

	// GoesOn tells whether the loop goes on after a handoff that this step ended (RFC 0037 A).
	GoesOn func(last event.Phase) bool

	// TakesNext tells whether a decision for several workers goes on to the next one after a handoff that this step ended.
	TakesNext func(last event.Phase) bool

	// Given are the inputs of a worker (RFC 0022 A).
	Given func(Given) map[string]any

	// Harvested are the parent's variables that a child sets when it has ended; nil is no harvest (RFC 0037 B, RFC 0022
	// B).
	Harvested func(Harvest) map[string]any

	// Canonical is the form in which what a child put out is summed up, given a form of it (RFC 8785).
	Canonical func(json []byte) ([]byte, error)

	// Stops tells whether a run that is stopped stops its child (RFC 0007).
	Stops func(Descendant) bool
}

// Given is what a worker could be given.
type Given struct {
	Default   openwopv1.VariableMapping // the worker's input to the parent's variable, where the worker has no mapping of its own
	Own       openwopv1.VariableMapping // that one
	Variables map[string]any            // the parent's
	Brought   map[string]any            // those of them that the worker before it in the same decision has set
}

// Mapping is the one that counts.
func (g Given) Mapping() openwopv1.VariableMapping { return OwnElseDefault(g.Default, g.Own) }

// Harvest is what could be brought back by a child that has ended.
type Harvest struct {
	Child     openwopv1.RunStatus
	Mapping   openwopv1.VariableMapping // the parent's variable to the child's
	Maps      bool                      // there is such a mapping for any worker
	Variables map[string]any            // the child's
	First     bool                      // its worker is the first of the decision
}

// Descendant is a child of a run that is stopped.
type Descendant struct {
	Depth  int  // how many runs are above it
	Abroad bool // another host runs it
	Waits  bool // it waits for an answer; not known of one abroad
	Paused bool // likewise
}

func honestHandoff() Handoff {
	return Handoff{
		CountsAs:  func(child openwopv1.RunStatus, _ bool) openwopv1.RunStatus { return child },
		GoesOn:    func(event.Phase) bool { return true },
		TakesNext: func(event.Phase) bool { return true },
		Given:     func(g Given) map[string]any { return Pick(g.Mapping(), g.Variables) },
		Harvested: func(h Harvest) map[string]any {
			if h.Child != openwopv1.RunStatusCompleted || len(h.Mapping) == 0 {
				return nil
			}
			return Pick(h.Mapping, h.Variables)
		},
		Canonical: jcs.Transform,
		Stops:     func(Descendant) bool { return true },
	}
}

// OwnElseDefault has a worker's own mapping replace the default one, and not add to it.
func OwnElseDefault(byDefault, own openwopv1.VariableMapping) openwopv1.VariableMapping {
	if own != nil {
		return own
	}
	return byDefault
}

// Pick applies a mapping, target to source. A source that is not set gives no target. Never nil.
func Pick(mapping openwopv1.VariableMapping, from map[string]any) map[string]any {
	picked := make(map[string]any, len(mapping))
	for target, source := range mapping {
		if value, ok := from[source]; ok {
			picked[target] = value
		}
	}
	return picked
}
