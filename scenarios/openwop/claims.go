package openwop

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const modelPointer = "/multiAgent/executionModel"

var (
	// executionModelBlock is the claim of whoever writes the block at all: what
	// stands in it must be well-formed even where it says no.
	executionModelBlock = present("execution-model-block", "an execution model block in the advertisement", modelPointer, model)

	executionModel  = on("execution-model", "a multi-agent execution model, at any version", modelPointer+"/supported", modelField("supported"))
	executionModel2 = versionAtLeast(2, "the confidence floor")
	executionModel3 = versionAtLeast(3, "cross-host causation")
	executionModel4 = versionAtLeast(4, "replay determinism")
	executionModel5 = versionAtLeast(5, "the stateful agent loop")

	executionModelBelow5 = with(executionModel, scenarios.Claim{
		ID: "execution-model<5", Title: "an execution model below the stateful agent loop",
		Pointer: modelPointer + "/version < 5",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("version")
			n, ok := v.Int()
			return v, ok && n < 5
		},
	})
	experimentalModel = scenarios.Claim{
		ID: "execution-model-experimental", Title: "an execution model that may still change",
		Pointer: modelPointer + `/tier == "experimental"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("tier")
			return v, v.String() == "experimental"
		},
	}
	// resumeAdvertised is the claim of whoever writes the flag at all.
	resumeAdvertised = present("stateful-resume-flag", "the flag statefulResume in the advertisement, true or not", modelPointer+"/statefulResume", modelField("statefulResume"))
	statefulResume   = on("stateful-resume", "a suspended loop goes on where it stood", modelPointer+"/statefulResume", modelField("statefulResume"))

	loopLimit = with(executionModel, present("loop-limit", "a ceiling on loop iterations", "/limits/maxLoopIterations", func(d scenarios.Discovery) wire.Value {
		return family(d, "limits").Key("maxLoopIterations")
	}))
	replay = with(executionModel5, scenarios.Claim{
		ID: "replay", Title: "replay of a finished loop at version 5",
		Pointer: "/replay/supported == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, modes := family(d, "replay").Key("supported"), family(d, "replay").Key("modes")
			if modes.Present() && !slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == "replay" }) {
				return modes, false // forks of another kind
			}
			on, _ := v.Bool()
			return v, on
		},
	})
	statefulResumeReplay = with(statefulResume, as("stateful-resume-replay", "replay of a loop that was suspended and resumed", replay))

	// The files are claimed at the root; host.workspace is what the prose calls the capability, not where it stands.
	loopWorkspace       = with(executionModel5, on("loop-workspace", "workspace files as an input of each turn of a loop", "/workspace/supported", familyField("workspace", "supported")))
	loopWorkspaceResume = with(statefulResume, as("loop-workspace-resume", "workspace files as they were, after a resume", loopWorkspace))
	loopWorkspaceReplay = with(replay, as("loop-workspace-replay", "workspace files as they were, on replay", loopWorkspace))
	loopHeartbeat       = with(statefulResume, on("loop-heartbeat", "heartbeats beside suspended loops", "/heartbeat/supported", familyField("heartbeat", "supported")))

	// The block has no flag: that it is there is the claim (RFC 0097 A).
	goals        = present("goals", "standing goals", "/agents/goals", goalsBlock)
	goalsBounded = with(goals, scenarios.Claim{
		ID: "goals-bounded", Title: "no standing goal without bounds",
		Pointer: "/agents/goals/requiresBounds != false",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := goalsBlock(d).Key("requiresBounds")
			on, given := v.Bool()
			return v, on || !given // required is the default
		},
	})
	// The interrupt that escalates is rung 2 of the execution model (RFC 0044).
	goalsEscalation = with(goals, as("goals-escalation", "standing goals whose agent can get stuck", executionModel2))
)

var claims = []scenarios.Claim{
	executionModelBlock, executionModel, executionModel2, executionModel3, executionModel4, executionModel5, executionModelBelow5,
	experimentalModel, resumeAdvertised, statefulResume, loopLimit, replay, statefulResumeReplay,
	loopWorkspace, loopWorkspaceResume, loopWorkspaceReplay, loopHeartbeat, goals, goalsBounded, goalsEscalation,
}

func goalsBlock(d scenarios.Discovery) wire.Value { return family(d, "agents").Key("goals") }

func model(d scenarios.Discovery) wire.Value { return family(d, "multiAgent").Key("executionModel") }

func modelField(name string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return model(d).Key(name) }
}

func familyField(name, field string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return family(d, name).Key(field) }
}

// as is another claim that hangs on the same place of the advertisement.
func as(id, title string, c scenarios.Claim) scenarios.Claim {
	c.ID, c.Title = id, title
	return c
}

// on is the claim that a flag is true.
func on(id, title, pointer string, at func(scenarios.Discovery) wire.Value) scenarios.Claim {
	return scenarios.Claim{ID: id, Title: title, Pointer: pointer + " == true", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := at(d)
		on, _ := v.Bool()
		return v, on
	}}
}

// present is the claim that a field is there at all.
func present(id, title, pointer string, at func(scenarios.Discovery) wire.Value) scenarios.Claim {
	return scenarios.Claim{ID: id, Title: title, Pointer: pointer + " present", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := at(d)
		return v, v.Present()
	}}
}

// with is a claim that means something only beside another one. Where that one
// is not made, its value is what decides.
func with(other, c scenarios.Claim) scenarios.Claim {
	look := c.Look
	c.Look = func(d scenarios.Discovery) (wire.Value, bool) {
		if v, on := other.Look(d); !on {
			return v, false
		}
		return look(d)
	}
	return c
}

func versionAtLeast(n int64, title string) scenarios.Claim {
	return with(executionModel, scenarios.Claim{
		ID: fmt.Sprintf("execution-model>=%d", n), Title: title,
		Pointer: fmt.Sprintf("%s/version >= %d", modelPointer, n),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("version")
			got, ok := v.Int()
			return v, ok && got >= n
		},
	})
}
