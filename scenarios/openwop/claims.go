package openwop

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const modelPointer = "/multiAgent/executionModel"

var (
	// protocol is the claim of every host: whoever names a version of the protocol speaks it.
	protocol = present("protocol", "OpenWOP v1", "/protocolVersion", func(d scenarios.Discovery) wire.Value { return d.Document.Key("protocolVersion") })

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
	finishedReplay = scenarios.Claim{
		ID: "finished-replay", Title: "replay of a finished run",
		Pointer: "/replay/supported == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, modes := family(d, "replay").Key("supported"), family(d, "replay").Key("modes")
			if modes.Present() && !slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == "replay" }) {
				return modes, false // forks of another kind
			}
			on, _ := v.Bool()
			return v, on
		},
	}
	replay               = with(executionModel5, as("replay", "replay of a finished loop at version 5", finishedReplay))
	statefulResumeReplay = with(statefulResume, as("stateful-resume-replay", "replay of a loop that was suspended and resumed", replay))

	// RFC 0006 has the claim at the root, the schema below agents; and the model is made of what both ask (facts C30).
	supervisor = scenarios.Claim{
		ID: "supervisor", Title: "a supervisor that decides and dispatches",
		Pointer: "/agents/orchestrator == true, or /orchestrator/supported, or " + modelPointer + "/supported",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			for _, v := range []wire.Value{family(d, "agents").Key("dispatch"), family(d, "dispatch").Key("supported")} {
				if on, given := v.Bool(); given && !on {
					return v, false
				}
			}
			for _, v := range []wire.Value{family(d, "orchestrator").Key("supported"), model(d).Key("supported")} {
				if on, _ := v.Bool(); on {
					return v, true
				}
			}
			v := family(d, "agents").Key("orchestrator")
			on, _ := v.Bool()
			return v, on
		},
	}
	// Mappings are part of the loop of the model, so they are left off only by saying so.
	dispatchMapping = with(supervisor, scenarios.Claim{
		ID: "dispatch-mapping", Title: "variables that are mapped to a worker and back",
		Pointer: "/agents/dispatchMapping == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := family(d, "agents").Key("dispatchMapping")
			if on, given := v.Bool(); given {
				return v, on
			}
			return executionModel.Look(d)
		},
	})
	handoffMapping = with(executionModel, as("handoff-mapping", "variables that a handoff brings back", dispatchMapping))

	// The files are claimed at the root; host.workspace is what the prose calls the capability, not where it stands.
	loopWorkspace       = with(executionModel5, on("loop-workspace", "workspace files as an input of each turn of a loop", "/workspace/supported", familyField("workspace", "supported")))
	loopWorkspaceResume = with(statefulResume, as("loop-workspace-resume", "workspace files as they were, after a resume", loopWorkspace))
	loopWorkspaceReplay = with(replay, as("loop-workspace-replay", "workspace files as they were, on replay", loopWorkspace))
	loopHeartbeat       = with(statefulResume, on("loop-heartbeat", "heartbeats beside suspended loops", "/heartbeat/supported", familyField("heartbeat", "supported")))

	nodeLimit = present("node-limit", "a ceiling on node executions", "/limits/maxNodeExecutions", func(d scenarios.Discovery) wire.Value {
		return family(d, "limits").Key("maxNodeExecutions")
	})
	durationLimit = present("duration-limit", "a ceiling on the time of a run", "/limits/maxRunDurationMs", func(d scenarios.Discovery) wire.Value {
		return family(d, "limits").Key("maxRunDurationMs")
	})
	breachReplay       = as("breach-replay", "replay of a run that crossed a bound", finishedReplay)
	breachReplayInTime = with(durationLimit, as("duration-breach-replay", "replay of a run that was over its time", finishedReplay))

	// What an agent holds back is a rule of RFC 0006 alone: a model without its claim does not make it.
	orchestrator = with(supervisor, scenarios.Claim{
		ID: "orchestrator", Title: "a supervisor whose agent may be unsure",
		Pointer: "/agents/orchestrator == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, at := family(d, "agents").Key("orchestrator"), family(d, "orchestrator").Key("supported")
			if on, _ := at.Bool(); on {
				return at, true
			}
			on, _ := v.Bool()
			return v, on
		},
	})
	supervisorWithoutModel = with(orchestrator, scenarios.Claim{
		ID: "supervisor-without-model", Title: "a supervisor without an execution model",
		Pointer: modelPointer + "/supported != true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, on := executionModel.Look(d)
			return v, !on
		},
	})

	executionModelBelow2 = with(executionModel, scenarios.Claim{
		ID: "execution-model<2", Title: "an execution model below the confidence floor",
		Pointer: modelPointer + "/version < 2",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("version")
			n, ok := v.Int()
			return v, ok && n < 2
		},
	})
	approvalEscalation = with(executionModel2, scenarios.Claim{
		ID: "approval-escalation", Title: "a decision below the floor that somebody can reject",
		Pointer: modelPointer + `/confidenceEscalationInterruptKind == "approval"`,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := model(d).Key("confidenceEscalationInterruptKind")
			return v, v.String() == string(openwopv1.InterruptKindApproval)
		},
	})

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
	goalsSchedule   = goalsBy(openwopv1.GoalContinuationModeSchedule, "standing goals that go on by a schedule")
	goalsHeartbeat  = goalsBy(openwopv1.GoalContinuationModeHeartbeat, "standing goals that go on by a heartbeat")
	goalsCommitment = goalsBy(openwopv1.GoalContinuationModeCommitment, "standing goals that go on by a commitment")
	goalsReplay     = with(goals, as("goals-replay", "replays of the runs of standing goals", finishedReplay))
	noGoals         = scenarios.Claim{
		ID: "no-goals", Title: "a host without standing goals", Pointer: "/agents/goals absent",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := goalsBlock(d)
			return v, !v.Present()
		},
	}
	// The interrupt that escalates is rung 2 of the execution model (RFC 0044).
	goalsEscalation = with(goals, as("goals-escalation", "standing goals whose agent can get stuck", executionModel2))
)

var claims = []scenarios.Claim{
	forkReplay, forkBranch, forkBranchLoop,
	anyHost, bodyLimit, fixturesListed, noSupervisors, noDispatch, noDispatchMapping, agentsBlock, workspaceBlock, memoryBlock, heartbeatBlock,
	protocol, executionModelBlock, executionModel, executionModel2, executionModel3, executionModel4, executionModel5, executionModelBelow5,
	experimentalModel, resumeAdvertised, statefulResume, loopLimit, replay, statefulResumeReplay,
	supervisor, dispatchMapping, handoffMapping, attestation,
	loopWorkspace, loopWorkspaceResume, loopWorkspaceReplay, loopHeartbeat, heartbeats,
	workspaceFiles, workspaceVersioned, workspaceMaxVersions, workspaceMaxFileBytes, workspaceMaxFiles, workspaceRuns, workspaceRunsBelow5, noWorkspace,
	nodeLimit, durationLimit, breachReplay, breachReplayInTime, orchestrator, supervisorWithoutModel, executionModelBelow2, approvalEscalation,
	goals, goalsBounded, goalsEscalation, goalsSchedule, goalsHeartbeat, goalsCommitment, goalsReplay, noGoals,
	ancestry, ancestryForks, noAncestry, remoteDispatch,
	memory, memoryRuns, memoryWorkers, memoryTTL, memorySiblings, memoryEvents, loopMemory, loopMemoryWorkers, loopMemoryResume, memoryForks, memoryBranches, tenantsMemory,
	executionModel6, executionModelBelow6, verifier, verifierGating, verifierTold, noVerifier, replayDeterminism, refusalDivergence, llmCacheKey,
	approvals, clarifications, externalEvents, quorums, authRequired, approvalScopes, answeredByToken, interruptExpiry, approvalsReplay, cascade,
	runPause, runPauseSuspended, runBulkCancel, runDiff, tenantsControl,
	tenantsApart, tenantsChildren, tenantsAnswers, tenantsForks, tenantsFiles, tenantsHaveGoal,
}

// goalsBy is the claim that goals go on in one mode.
func goalsBy(mode openwopv1.GoalContinuationMode, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: "goals-" + string(mode), Title: title,
		Pointer: "/agents/goals/continuation has " + string(mode),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			modes := goalsBlock(d).Key("continuation")
			return modes, slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == string(mode) })
		},
	}
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
