package openwop

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const ancestryPointer = modelPointer + "/crossHostCausation/ancestryEndpointSupported"

var (
	ancestry      = with(executionModel3, on("ancestry", "which run dispatched a run", ancestryPointer, ancestryFlag))
	ancestryForks = with(ancestry, as("ancestry-forks", "the ancestry of a fork", finishedReplay))
	noAncestry    = with(executionModel, scenarios.Claim{
		ID: "no-ancestry", Title: "an execution model that does not say which run dispatched a run",
		Pointer: ancestryPointer + " != true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := ancestryFlag(d)
			on, _ := v.Bool()
			return v, !on
		},
	})
)

func ancestryFlag(d scenarios.Discovery) wire.Value {
	return model(d).At("/crossHostCausation/ancestryEndpointSupported")
}
