package live

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// agentThreshold is the confidence below which an agent's decision is held, unless the run says otherwise (RFC 0006).
const agentThreshold = 0.7

// bounds are the bounds in force for a run, from what its configurable asks for and what the host advertises. A host
// without execution model knows no bound on turns.
func (o *Options) bounds(configurable map[string]any) (b state.Bounds, err error) {
	for _, bound := range []struct {
		kind       openwopv1.CapKind
		advertised int64
		into       *int64
	}{
		{openwopv1.CapKindLoopIterations, int64(o.Limits.MaxLoopIterations), &b.Turns},
		{openwopv1.CapKindNodeExecutions, int64(o.Limits.MaxNodeExecutions), &b.Nodes},
		{openwopv1.CapKindRunDuration, o.Limits.MaxRunDuration.Milliseconds(), &b.DurationMs},
	} {
		requested, err := step.Positive(configurable, step.BoundKeys[bound.kind])
		if err != nil {
			return state.Bounds{}, err
		}
		*bound.into = o.Rules.Bounds.InForce(bound.kind, requested, bound.advertised)
	}
	if !o.Rules.Bounds.CountsTurns(o.Version) {
		b.Turns = 0
	}
	return b, nil
}

// threshold is the confidence below which an agent's decision is held.
func threshold(configurable map[string]any) (float64, error) {
	value, set := configurable[step.KeyThreshold]
	if !set {
		return agentThreshold, nil
	}
	n, ok := workflow.Number(value)
	if !ok || !(n >= 0 && n <= 1) {
		return 0, codes.Invalid("configurable."+step.KeyThreshold, "must be a number from 0 to 1, not %v", value)
	}
	return n, nil
}
