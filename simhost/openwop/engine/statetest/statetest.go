// Package statetest makes states for the tests of the engine's rooms.
package statetest

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// New is a run of a workflow before its first event. The error is a refusal of the definition.
func New(runID string, definition openwopv1.WorkflowDefinition) (state.State, error) {
	p, err := workflow.Compile(definition)
	if err != nil {
		return state.State{}, err
	}
	honest := rules.Honest()
	return state.New(runID, p, &honest), nil
}

// Fold is the state after one more record. It changes neither of its arguments.
func Fold(s state.State, r state.Record) (state.State, error) {
	s = s.Clone()
	if err := s.Fold(r); err != nil {
		return state.State{}, err
	}
	return s, nil
}
