package rules

import "github.com/openassay/assay/gen/openwopv1"

// Handoff is how a worker gets its work and hands in what came of it.
type Handoff struct {
	// Shows tells whether a step of a handoff is on the log at this version of the execution model (RFC 0037 B).
	Shows func(version int, phase openwopv1.ChainPhase) bool

	// Cause returns the eventId that a step names as its cause.
	Cause func(Step) string

	// CountsAs is the status that a child is taken to have, given the one that it has and whether its decision names more
	// workers after it. The handoff is over once that is a final one (RFC 0007 D).
	CountsAs func(child openwopv1.RunStatus, more bool) openwopv1.RunStatus

	// GoesOn tells whether the loop goes on after a handoff that this step ended (RFC 0037 A).
	GoesOn func(last openwopv1.ChainPhase) bool

	// Mapping is the one for a worker: its own where it has one, else the default. back is what the worker brings back, else
	// what it is given (RFC 0022 A).
	Mapping func(byDefault, own *openwopv1.VariableMapping, back bool) openwopv1.VariableMapping

	// Given are the inputs of a worker (RFC 0022 A).
	Given func(Given) map[string]any

	// Harvests tells whether a child's variables go to its parent, given how it ended, whether there is an output mapping for
	// it, and whether there is one for any worker (RFC 0037 B, RFC 0022 B).
	Harvests func(child openwopv1.RunStatus, mapped, maps bool) bool

	// Brought are the parent's variables that a child sets, of those that the mapping takes from it. Its worker is the first
	// of the decision, or not.
	Brought func(values map[string]any, first bool) map[string]any

	// Stops tells whether a run that is stopped stops its child, which is so many runs below the first one (RFC 0007).
	Stops func(depth int) bool
}

// Step is a step of a handoff.
type Step struct {
	Phase   openwopv1.ChainPhase
	Cause   string // eventId of the step before it, or of the decision
	Decided string // eventId of the decision
	Mapped  bool   // what the worker brings back is mapped
	Abroad  bool   // another host runs the child
}

// Given is what a worker could be given.
type Given struct {
	Mapping   openwopv1.VariableMapping // the worker's input to the parent's variable
	Variables map[string]any            // the parent's
	Brought   map[string]any            // those of them that the worker before it in the same decision has set
}

func honestHandoff() Handoff {
	return Handoff{
		Shows:    func(version int, _ openwopv1.ChainPhase) bool { return version >= 1 },
		Cause:    func(s Step) string { return s.Cause },
		CountsAs: func(child openwopv1.RunStatus, _ bool) openwopv1.RunStatus { return child },
		GoesOn:   func(openwopv1.ChainPhase) bool { return true },
		Mapping:  ownElseDefault,
		Given:    func(g Given) map[string]any { return Pick(g.Mapping, g.Variables) },
		Harvests: func(child openwopv1.RunStatus, mapped, _ bool) bool {
			return child == openwopv1.RunStatusCompleted && mapped
		},
		Brought: func(values map[string]any, _ bool) map[string]any { return values },
		Stops:   func(int) bool { return true },
	}
}

// ownElseDefault has a worker's own mapping replace the default one, and not add to it.
func ownElseDefault(byDefault, own *openwopv1.VariableMapping, _ bool) openwopv1.VariableMapping {
	switch {
	case own != nil:
		return *own
	case byDefault != nil:
		return *byDefault
	default:
		return nil
	}
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
