package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const AncestryPointer = modelPointer + "/crossHostCausation/ancestryEndpointSupported"

var (
	Ancestry      = with(ExecutionModel3, On("ancestry", "which run dispatched a run", AncestryPointer, AncestryFlag))
	AncestryForks = with(Ancestry, as("ancestry-forks", "the ancestry of a fork", FinishedReplay))
	NoAncestry    = with(ExecutionModel, scenarios.Claim{
		ID: "no-ancestry", Title: "an execution model that does not say which run dispatched a run",
		Pointer: AncestryPointer + " != true", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := AncestryFlag(d)
			on, _ := v.Bool()
			return v, !on
		},
	})
)

func AncestryFlag(d scenarios.Discovery) wire.Value {
	return Model(d).At("/crossHostCausation/ancestryEndpointSupported")
}
