package goal

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// record is one append: what happened to one goal. What is set took hold in the order of the fields.
type record struct {
	GoalID string    `json:"goalId"`
	At     time.Time `json:"at"` // by the goal's own clock

	AheadMs int64    `json:"aheadMs,omitzero"` // its clock was moved on by so much
	Created *created `json:"created,omitempty"`
	Edited  *Edit    `json:"edited,omitempty"`
	Paused  *bool    `json:"paused,omitempty"`

	Fired   *script   `json:"fired,omitempty"`  // a tick was begun: its run exists, or shall
	Dropped bool      `json:"dropped,omitzero"` // the tick is over, and its run, if there is one, is not judged
	Ran     string    `json:"ran,omitzero"`     // that run
	Slot    time.Time `json:"slot,omitzero"`    // the moment of the schedule that fired it
	Beat    string    `json:"beat,omitzero"`    // the change of the heartbeat that fired it
	Stuck   string    `json:"stuck,omitzero"`   // the tick's run waits for a person
	ReArmed bool      `json:"reArmed,omitzero"` // that run has ended
	Judged  *verdict  `json:"judged,omitempty"` // the tick's run, or the one that was stuck

	Closed openwopv1.GoalState `json:"closed,omitzero"`
}

// created is what a goal was made of.
type created struct {
	Objective    string                          `json:"objective"` // redacted
	Completion   openwopv1.GoalCompletionRequest `json:"completion"`
	Continuation openwopv1.GoalContinuation      `json:"continuation"`
	Bounds       openwopv1.GoalBounds            `json:"bounds"`
	Owner        event.Owner                     `json:"owner"`
}

// script is what the run of a tick is to come to.
type script struct {
	Verdict  *openwopv1.ScriptedVerdict `json:"verdict,omitempty"`
	CostUSD  float64                    `json:"costUsd,omitzero"`
	Escalate bool                       `json:"escalate,omitzero"`
}

// verdict is what the judge found in a run.
type verdict struct {
	RunID      string   `json:"runId"`
	Satisfied  bool     `json:"satisfied"`
	Confidence *float64 `json:"confidence,omitempty"`
	CostUSD    float64  `json:"costUsd,omitzero"`
}

// events is how many events the record adds to the goal's log.
func (r *record) events() (n int) {
	if r.Judged != nil {
		n++
	}
	if r.Closed != "" {
		n++
	}
	return n
}

func (r *record) encode() ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode a change of goal %s: %w", r.GoalID, err)
	}
	return data, nil
}
