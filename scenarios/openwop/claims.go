package openwop

import (
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const modelPointer = "/multiAgent/executionModel"

var (
	executionModel = scenarios.Claim{
		ID: "execution-model", Title: "a multi-agent execution model, at any version",
		Pointer: modelPointer + "/supported == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("supported")
			on, _ := v.Bool()
			return v, on
		},
	}
	// executionModelBlock is the claim of whoever writes the block at all: what
	// stands in it must be well-formed even where it says no.
	executionModelBlock = scenarios.Claim{
		ID: "execution-model-block", Title: "an execution model block in the advertisement",
		Pointer: modelPointer + " present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d)
			return v, v.Present()
		},
	}
	executionModel3 = versionAtLeast(3, "cross-host causation")
	executionModel4 = versionAtLeast(4, "replay determinism")
	executionModel5 = versionAtLeast(5, "the stateful agent loop")

	executionModelBelow5 = scenarios.Claim{
		ID: "execution-model<5", Title: "an execution model below the stateful agent loop",
		Pointer: modelPointer + "/version < 5",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("version")
			n, ok := v.Int()
			_, on := executionModel.Look(d)
			return v, on && ok && n < 5
		},
	}
	experimentalModel = scenarios.Claim{
		ID: "execution-model-experimental", Title: "an execution model that may still change",
		Pointer: modelPointer + `/tier == "experimental"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("tier")
			return v, v.String() == "experimental"
		},
	}
	// resumeAdvertised is the claim of whoever writes the flag at all.
	resumeAdvertised = scenarios.Claim{
		ID: "stateful-resume-flag", Title: "the flag statefulResume in the advertisement, true or not",
		Pointer: modelPointer + "/statefulResume present",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("statefulResume")
			return v, v.Present()
		},
	}
	statefulResume = scenarios.Claim{
		ID: "stateful-resume", Title: "a suspended loop goes on where it stood",
		Pointer: modelPointer + "/statefulResume == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("statefulResume")
			on, _ := v.Bool()
			return v, on
		},
	}
	loopLimit = scenarios.Claim{
		ID: "loop-limit", Title: "a ceiling on loop iterations",
		Pointer: "/limits/maxLoopIterations, with " + executionModel.Pointer,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := family(d, "limits").Key("maxLoopIterations")
			_, on := executionModel.Look(d)
			return v, on && v.Present()
		},
	}
	replay = scenarios.Claim{
		ID: "replay", Title: "replay of a finished loop at version 5",
		Pointer: "/replay/supported == true, with " + executionModel5.Pointer,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := family(d, "replay").Key("supported")
			on, _ := v.Bool()
			_, five := executionModel5.Look(d)
			return v, on && five
		},
	}
)

var claims = []scenarios.Claim{
	executionModelBlock, executionModel, executionModel3, executionModel4, executionModel5, executionModelBelow5,
	experimentalModel, resumeAdvertised, statefulResume, loopLimit, replay,
}

func model(d scenarios.Discovery) wire.Value { return family(d, "multiAgent").Key("executionModel") }

func versionAtLeast(n int64, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: fmt.Sprintf("execution-model>=%d", n), Title: title,
		Pointer: fmt.Sprintf("%s/version >= %d", modelPointer, n),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("version")
			got, ok := v.Int()
			_, on := executionModel.Look(d)
			return v, on && ok && got >= n
		},
	}
}
