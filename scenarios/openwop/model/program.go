// Package model says what a run of a loop must show, whatever its plan: an interpreter of programs, without a host. It is the
// oracle of drives that draw what they ask.
package model

import (
	"bytes"
	"encoding/json"

	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// Program is what a loop is asked to do: the decisions of its supervisor, turn by turn, and what they act on.
type Program struct {
	Workflow string `json:"workflow"`
	Turns    []Turn `json:"turns"`
	Inputs   Values `json:"inputs"`             // of the run, beside its plan: values of the workflow's variables, none of them null
	Bound    int    `json:"bound"`              // configurable.maxLoopIterations; 0 for none
	Scripted bool   `json:"scripted,omitempty"` // the plan is the workflow's own
}

// Values are JSON values by the names of variables. They keep their numbers to the last digit when they are read again.
type Values map[string]any

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Values) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode((*map[string]any)(v))
}

// Turn is one decision. Exactly one of Workers, Prompt and Reason is set.
type Turn struct {
	Workers []string `json:"workers,omitempty"` // of a decision for workers, one after the other
	Prompt  string   `json:"prompt,omitempty"`  // of a decision to ask a person
	Reason  string   `json:"reason,omitempty"`  // of a decision to end the loop

	Confidence *float64 `json:"confidence,omitempty"` // nil if the decision states none; a question has none
}

// Kind is the kind of the decision.
func (t Turn) Kind() string {
	switch {
	case t.Workers != nil:
		return string(dialect.NextWorkerDecisionKindNextWorker)
	case t.Prompt != "":
		return string(dialect.AskUserDecisionKindAskUser)
	}
	return string(dialect.TerminateDecisionKindTerminate)
}

// Decision is the decision in the form that a plan and a log have.
func (t Turn) Decision() map[string]any {
	d := map[string]any{"kind": t.Kind()}
	switch {
	case t.Workers != nil:
		workers := make([]any, len(t.Workers))
		for i, w := range t.Workers {
			workers[i] = w
		}
		d["nextWorkerIds"] = workers
	case t.Prompt != "":
		d["prompt"] = t.Prompt
	default:
		d["reason"] = t.Reason
	}
	if t.Confidence != nil {
		d["confidence"] = *t.Confidence
	}
	return d
}

// Doubted reports whether the decision is below a floor, so that a person must be asked before it is carried out (RFC 0039 A).
func (t Turn) Doubted(floor float64) bool { return t.Confidence != nil && *t.Confidence < floor }

// Plan is the program as a supervisor is given it.
func (p Program) Plan() []any {
	plan := make([]any, len(p.Turns))
	for i, t := range p.Turns {
		plan[i] = t.Decision()
	}
	return plan
}
