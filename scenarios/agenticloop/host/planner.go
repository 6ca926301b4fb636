package host

import (
	"maps"
)

// decision is one that the agent is to take.
type Decision struct {
	Kind      string // call, done, reframe, refuse or garbage
	Tool      string
	Arguments Object
	Outcome   string
}

func Call(tool string, arguments Object) Decision {
	return Decision{Kind: "call", Tool: tool, Arguments: arguments}
}

func Done(outcome string) Decision { return Decision{Kind: "done", Outcome: outcome} }

var Reframe = Decision{Kind: "reframe"}

// plan is a way to have the agent take decisions: what its requests, its start and its results have to hold for that.
type Plan struct {
	Via     string // the seam
	config  Object
	env     map[string]string
	Context Object         // of the start
	results map[int]Object // by the number of the result, from 1: what it has to hold
	Model   *MockModel     // nil unless a model is asked
}

// Lay puts the plan into a job.
func (plan *Plan) Lay(j Job) Job {
	if plan == nil {
		return j
	}
	config := maps.Clone(plan.config)
	if config == nil {
		config = Object{}
	}
	maps.Copy(config, j.Config)
	j.Config = config
	env := maps.Clone(plan.env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, j.Env)
	j.Env = env
	return j
}

// Body is what the n-th result, from 1, holds: what steers, over the usual one.
func (plan *Plan) Body(n int, usual Object) Object {
	if plan != nil {
		maps.Copy(usual, plan.results[n])
	}
	return usual
}

// Close ends what was served for the plan.
func (plan *Plan) Close() {
	if plan != nil && plan.Model != nil {
		plan.Model.close()
	}
}
