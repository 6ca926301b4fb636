// Package fault is the catalogue of the violations that the reference agent commits on demand. Each changes what a turn
// reads or leaves behind, from outside of the agent, or replaces rules of the agent (package rules); everything else stays
// honest. There is a file to a theme.
package fault

import (
	"encoding/json"

	"github.com/openassay/assay/simhost/agenticloop/rules"
	"github.com/openassay/assay/simhost/internal/listed"
	"github.com/openassay/assay/simhost/param"
)

// Fault is a named violation. Ids are chosen by hand and never reused.
type Fault struct {
	ID     string   // agent.what-is-wrong
	Title  string   // what the agent does
	Looks  string   // how that looks from outside
	Breaks []string // the requirements that it violates, three at most; what else turns out wrong is caught for the wrong reason

	// Revision is that of the protocol under which it shows, where that is not the first.
	Revision string

	// Process: it shows only where each turn is a process of its own.
	Process bool

	// Twin is why it is there beside another fault that breaks the same and is caught by the same scenarios.
	Twin string
	// Depth is the depth of a certification from which it shows: standard or deep; "" where quick shows it, too.
	Depth string

	// Request changes the members of a request before the agent reads it, Answer what a turn leaves behind, and Manifest
	// what the plugin says of itself, from outside of the agent. nil changes nothing.
	Request  func(request map[string]json.RawMessage)
	Answer   func(*Turn)
	Manifest func(manifest []byte) []byte
	// Replace puts other rules in the place of honest ones, where a violation is a decision that the agent takes. It may
	// call those that were there before. nil replaces nothing.
	Replace func(*rules.Set)

	set param.Values // of Params
}

// Step is the parameter of faults that can wait: a turn may be a process of its own, so what is gone by is the state that it
// gets.
var Step = param.Param{Name: "from", About: "the step of its runs from which on it shows", Least: 1, Most: 3}

// Params are what may be set of the fault.
func (f Fault) Params() []param.Param {
	if f.Manifest != nil {
		return nil
	}
	return []param.Param{Step}
}

// themes are all faults. Adding a fault is adding a row to one of them.
var themes = [][]Fault{
	manifestFaults,
	inputFaults,
	startFaults,
	deliveryFaults,
	correlationFaults,
	resumeFaults,
	nearFaults,
	stepFaults,
	toolFaults,
	requestFaults,
	endFaults,
	stateFaults,
	fileFaults,
	modelFaults,
	outputFaults,
	gatewayFaults,
}

// All lists every fault there is, by id.
func All() []Fault { return listed.By(idOf, themes...) }

// IDs are the ids of All.
func IDs() []string { return listed.IDs(idOf, All()) }

// Find is the fault that a spec names: an id, and behind a colon what is set of its parameters. The error of an id that no fault
// has names the nearest one; that of what cannot be set, what can.
func Find(spec string) (f Fault, err error) {
	f, set, err := listed.Find(idOf, All(), Fault.Params, spec, " of the agent")
	f.set = set
	return f, err
}

// Spec names the fault and what is set of it, as [Find] reads it.
func (f Fault) Spec() string { return param.Join(f.ID, f.set.String()) }

func idOf(f Fault) string { return f.ID }

// Manifest is what a manifest becomes by these faults, in the order given. The error is that of [Find].
func Manifest(ids ...string) (func(manifest []byte) []byte, error) {
	for _, id := range ids {
		if _, err := Find(id); err != nil {
			return nil, err
		}
	}
	return func(manifest []byte) []byte {
		for _, id := range ids {
			if f, err := Find(id); err == nil && f.Manifest != nil {
				manifest = f.Manifest(manifest)
			}
		}
		return manifest
	}, nil
}
