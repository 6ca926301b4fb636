package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Claims about the verifier, and about replaying the answers of models.
var (
	ExecutionModelBelow6 = with(ExecutionModel, scenarios.Claim{
		ID: "execution-model<6", Title: "an execution model below verified results",
		Pointer: modelPointer + "/version < 6", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("version")
			n, ok := v.Int()
			return v, ok && n < 6
		},
	})

	Verifier = with(ExecutionModel6, On("verifier", "results that are verified before they count",
		modelPointer+"/verifier/supported", verifierField("supported")))
	VerifierGating = with(Verifier, On("verifier-gating", "verdicts that decide whether a result counts",
		modelPointer+"/verifier/gating", verifierField("gating")))
	VerifierTold = with(Verifier, scenarios.Claim{
		ID: "verifier-told", Title: "verdicts that are told, and no more",
		Pointer: modelPointer + "/verifier/gating != true", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := verifierField("gating")(d)
			on, _ := v.Bool()
			return v, !on
		},
	})
	NoVerifier = with(ExecutionModel, scenarios.Claim{
		ID: "no-verifier", Title: "an execution model without a verifier",
		Pointer: modelPointer + "/verifier/supported != true", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, on := Verifier.Look(d)
			return v, !on
		},
	})

	ReplayDeterminism = with(ForkReplay, with(ExecutionModel4, On("replay-determinism", "replays that are as their source was",
		modelPointer+"/replayDeterminism/supported", determinismField("supported"))))
	RefusalDivergence = with(ForkReplay, with(ExecutionModel4, On("refusal-divergence",
		"replays that fail where a model refuses what it answered", modelPointer+"/replayDeterminism/refusalDivergenceEmission",
		determinismField("refusalDivergenceEmission"))))
	LlmCacheKey = with(ExecutionModel4, present("llm-cache-key", "a key under which the answer of a model is kept",
		modelPointer+"/replayDeterminism/llmCacheKeyRecipe", determinismField("llmCacheKeyRecipe")))
)

func verifierField(name string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return Model(d).Key("verifier").Key(name) }
}

func determinismField(name string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return Model(d).Key("replayDeterminism").Key(name) }
}
