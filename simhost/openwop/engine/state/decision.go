package state

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Decision is a decision taken apart.
type Decision struct {
	Kind       string
	Workers    []string
	Prompt     string
	Confidence *float64
	Unmet      []string // criteria of success, of a decision to terminate
	Wire       json.RawMessage
}

// ReadDecision takes apart a decision as it stands in an event.
func ReadDecision(wire json.RawMessage) (Decision, error) {
	var said struct {
		Kind            string
		NextWorkerIDs   []string `json:"nextWorkerIds"`
		Prompt          string
		Confidence      *float64
		SuccessCriteria []openwopv1.SuccessCriterion
	}
	err := json.Unmarshal(wire, &said)
	d := Decision{Wire: wire, Kind: said.Kind}
	switch said.Kind {
	case workflow.NextWorker:
		d.Workers, d.Confidence = said.NextWorkerIDs, said.Confidence
	case workflow.AskUser:
		d.Prompt = said.Prompt
	case workflow.Terminate:
		d.Confidence, d.Unmet = said.Confidence, unmet(said.SuccessCriteria)
	}
	return d, err
}

// HandsOver tells whether a worker is being dealt with.
func (l *Loop) HandsOver() bool { return l.Phase == PhaseDispatching && l.Child != nil }

// Revises tells whether the loop goes on because its end is to be revised.
func (l *Loop) Revises() bool {
	return l.Phase == PhaseIdle && l.heeded == event.Revises
}

// judged folds a verdict. One that the host goes by and that is not a pass withholds what a worker brings back; at the
// run's end it sends the loop into another turn, or fails the run.
func (s *State) judged(e event.Event, p *event.VerifiedPayload) {
	l := &s.Loop
	l.Verified++
	l.Verdict = p.Verdict
	switch {
	case l.heeded == event.Passes:
	case l.HandsOver():
		withheld := *l.Child
		withheld.Harvest = nil
		l.Child = &withheld
	case l.heeded == event.Revises:
		l.Phase = PhaseIdle
	default:
		s.Failing = &Failing{
			Err: openwopv1.RunError{
				Code:    codes.Unverified,
				Message: "the verifier did not let the run end well",
				Details: map[string]any{"target": p.Target},
			},
			Cause: e.ID,
		}
	}
}

// unmet are the keys of the criteria that are not met.
func unmet(criteria []openwopv1.SuccessCriterion) (keys []string) {
	for _, c := range criteria {
		if !c.Met {
			keys = append(keys, c.Key)
		}
	}
	return keys
}
