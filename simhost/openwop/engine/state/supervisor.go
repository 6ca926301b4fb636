package state

import (
	"github.com/openassay/assay/gen/openwopv1"
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
