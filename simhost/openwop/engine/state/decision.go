package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Decision is a decision taken apart.
type Decision struct {
	Kind       string
	Workers    []string
	Prompt     string
	Confidence *float64
	Unmet      []string // criteria of success, of a decision to terminate
	Wire       openwopv1.OrchestratorDecision
}

// ReadDecision takes apart a decision as it stands in an event.
func ReadDecision(wire openwopv1.OrchestratorDecision) (Decision, error) {
	d := Decision{Wire: wire}
	value, err := wire.ValueByDiscriminator()
	if err != nil {
		return d, err
	}
	switch v := value.(type) {
	case openwopv1.NextWorkerDecision:
		d.Kind, d.Workers, d.Confidence = workflow.NextWorker, v.NextWorkerIds, v.Confidence
	case openwopv1.AskUserDecision:
		d.Kind, d.Prompt = workflow.AskUser, v.Prompt
	case openwopv1.TerminateDecision:
		d.Kind, d.Confidence, d.Unmet = workflow.Terminate, v.Confidence, unmet(v.SuccessCriteria)
	}
	return d, nil
}

// HandsOver tells whether a worker is being dealt with.
func (l *Loop) HandsOver() bool { return l.Phase == PhaseDispatching && l.Child != nil }

// Revises tells whether the loop goes on because its end is to be revised.
func (l *Loop) Revises() bool {
	return l.Phase == PhaseIdle && l.heeded == openwopv1.AgentVerifiedPayloadVerdictRevise
}

// judged folds a verdict. One that the host goes by and that is not a pass withholds what a worker brings back; at the
// run's end it sends the loop into another turn, or fails the run.
func (s *State) judged(event openwopv1.RunEvent, p *openwopv1.AgentVerifiedPayload) {
	l := &s.Loop
	l.Verified++
	l.Verdict = p.Verdict
	switch {
	case l.heeded == openwopv1.AgentVerifiedPayloadVerdictPass:
	case l.HandsOver():
		withheld := *l.Child
		withheld.Harvest = nil
		l.Child = &withheld
	case l.heeded == openwopv1.AgentVerifiedPayloadVerdictRevise:
		l.Phase = PhaseIdle
	default:
		s.Failing = &Failing{
			Err: openwopv1.RunError{
				Code:    codes.Unverified,
				Message: "the verifier did not let the run end well",
				Details: map[string]any{"target": p.Target},
			},
			Cause: event.EventID,
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
