// Package claims defines what OpenWOP hosts can claim, each claim with its place in the discovery document.
package claims

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

const modelPointer = "/multiAgent/executionModel"

var (
	// Protocol is made by every host that names a version of the protocol.
	Protocol = present("protocol", "OpenWOP v1", "/protocolVersion",
		func(d scenarios.Discovery) wire.Value { return d.Document.Key("protocolVersion") })

	// ExecutionModelBlock is made by every host that has the block: its contents must be well-formed even if it
	// says no.
	ExecutionModelBlock = present("execution-model-block", "an execution model block in the advertisement", modelPointer, Model)

	ExecutionModel = On("execution-model", "a multi-agent execution model, at any version", modelPointer+"/supported",
		modelField("supported"))
	ExecutionModel2 = versionAtLeast(2, "the confidence floor")
	ExecutionModel3 = versionAtLeast(3, "cross-host causation")
	ExecutionModel4 = versionAtLeast(4, "replay determinism")
	ExecutionModel5 = versionAtLeast(5, "the stateful agent loop")

	ExecutionModelBelow5 = with(ExecutionModel, scenarios.Claim{
		ID: "execution-model<5", Title: "an execution model below the stateful agent loop",
		Pointer: modelPointer + "/version < 5", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("version")
			n, ok := v.Int()
			return v, ok && n < 5
		},
	})
	ExperimentalModel = scenarios.Claim{
		ID: "execution-model-experimental", Title: "an execution model that may still change",
		Pointer: modelPointer + `/tier == "experimental"`, Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("tier")
			return v, v.String() == "experimental"
		},
	}
	// ResumeAdvertised is made by every host that sets the flag, to true or false.
	ResumeAdvertised = present("stateful-resume-flag", "the flag statefulResume in the advertisement, true or not",
		modelPointer+"/statefulResume", modelField("statefulResume"))
	StatefulResume = On("stateful-resume", "a suspended loop goes on where it stood", modelPointer+"/statefulResume",
		modelField("statefulResume"))

	LoopLimit = with(ExecutionModel, present("loop-limit", "a ceiling on loop iterations", "/limits/maxLoopIterations",
		func(d scenarios.Discovery) wire.Value {
			return Family(d, "limits").Key("maxLoopIterations")
		}))
	FinishedReplay = scenarios.Claim{
		ID: "finished-replay", Title: "replay of a finished run",
		Pointer: "/replay/supported == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, modes := Family(d, "replay").Key("supported"), Family(d, "replay").Key("modes")
			if modes.Present() && !slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == "replay" }) {
				return modes, false // forks of another kind only
			}
			on, _ := v.Bool()
			return v, on
		},
	}
	Replay               = with(ExecutionModel5, as("replay", "replay of a finished loop at version 5", FinishedReplay))
	StatefulResumeReplay = with(StatefulResume, as("stateful-resume-replay", "replay of a loop that was suspended and resumed", Replay))

	// RFC 0006 puts the claim at the root, the schema puts it below agents. The model needs both (OWP-R30).
	Supervisor = scenarios.Claim{
		ID: "supervisor", Title: "a supervisor that decides and dispatches",
		Pointer: "/agents/orchestrator == true, or /orchestrator/supported, or " + modelPointer + "/supported",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			for _, v := range []wire.Value{Family(d, "agents").Key("dispatch"), Family(d, "dispatch").Key("supported")} {
				if on, given := v.Bool(); given && !on {
					return v, false
				}
			}
			for _, v := range []wire.Value{Family(d, "orchestrator").Key("supported"), Model(d).Key("supported")} {
				if on, _ := v.Bool(); on {
					return v, true
				}
			}
			v := Family(d, "agents").Key("orchestrator")
			on, _ := v.Bool()
			return v, on
		},
	}
	// Mappings belong to the model's loop, so only an explicit false leaves them out.
	DispatchMapping = with(Supervisor, scenarios.Claim{
		ID: "dispatch-mapping", Title: "variables that are mapped to a worker and back",
		Pointer: "/agents/dispatchMapping == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Family(d, "agents").Key("dispatchMapping")
			if on, given := v.Bool(); given {
				return v, on
			}
			return ExecutionModel.Look(d)
		},
	})
	HandoffMapping = with(ExecutionModel, as("handoff-mapping", "variables that a handoff brings back", DispatchMapping))

	// Files are claimed at the root. The prose calls the capability host.workspace, which is not its place.
	LoopWorkspace = with(ExecutionModel5, On("loop-workspace", "workspace files as an input of each turn of a loop",
		"/workspace/supported", FamilyField("workspace", "supported")))
	LoopWorkspaceResume = with(StatefulResume, as("loop-workspace-resume", "workspace files as they were, after a resume", LoopWorkspace))
	LoopWorkspaceReplay = with(Replay, as("loop-workspace-replay", "workspace files as they were, on replay", LoopWorkspace))
	LoopHeartbeat       = with(StatefulResume, On("loop-heartbeat", "heartbeats beside suspended loops", "/heartbeat/supported",
		FamilyField("heartbeat", "supported")))

	NodeLimit = present("node-limit", "a ceiling on node executions", "/limits/maxNodeExecutions", func(d scenarios.Discovery) wire.Value {
		return Family(d, "limits").Key("maxNodeExecutions")
	})
	DurationLimit = present("duration-limit", "a ceiling on the time of a run", "/limits/maxRunDurationMs",
		func(d scenarios.Discovery) wire.Value {
			return Family(d, "limits").Key("maxRunDurationMs")
		})
	BreachReplay       = as("breach-replay", "replay of a run that crossed a bound", FinishedReplay)
	BreachReplayInTime = with(DurationLimit, as("duration-breach-replay", "replay of a run that was over its time", FinishedReplay))

	// Only RFC 0006 says what an agent holds back, so the model alone does not imply this claim.
	Orchestrator = with(Supervisor, scenarios.Claim{
		ID: "orchestrator", Title: "a supervisor whose agent may be unsure",
		Pointer: "/agents/orchestrator == true",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, at := Family(d, "agents").Key("orchestrator"), Family(d, "orchestrator").Key("supported")
			if on, _ := at.Bool(); on {
				return at, true
			}
			on, _ := v.Bool()
			return v, on
		},
	})
	SupervisorWithoutModel = with(Orchestrator, scenarios.Claim{
		ID: "supervisor-without-model", Title: "a supervisor without an execution model",
		Pointer: modelPointer + "/supported != true", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v, on := ExecutionModel.Look(d)
			return v, !on
		},
	})

	ExecutionModelBelow2 = with(ExecutionModel, scenarios.Claim{
		ID: "execution-model<2", Title: "an execution model below the confidence floor",
		Pointer: modelPointer + "/version < 2", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("version")
			n, ok := v.Int()
			return v, ok && n < 2
		},
	})
	ApprovalEscalation = with(ExecutionModel2, scenarios.Claim{
		ID: "approval-escalation", Title: "a decision below the floor that somebody can reject",
		Pointer: modelPointer + `/confidenceEscalationInterruptKind == "approval"`, Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("confidenceEscalationInterruptKind")
			return v, v.String() == string(dialect.InterruptKindApproval)
		},
	})

	// The block has no flag: its presence is the claim (RFC 0097 A).
	Goals        = present("goals", "standing goals", "/agents/goals", GoalsBlock)
	GoalsBounded = with(Goals, scenarios.Claim{
		ID: "goals-bounded", Title: "no standing goal without bounds",
		Pointer: "/agents/goals/requiresBounds != false",
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := GoalsBlock(d).Key("requiresBounds")
			on, given := v.Bool()
			return v, on || !given // required is the default
		},
	})
	GoalsSchedule   = GoalsBy(dialect.GoalContinuationModeSchedule, "standing goals that go on by a schedule")
	GoalsHeartbeat  = GoalsBy(dialect.GoalContinuationModeHeartbeat, "standing goals that go on by a heartbeat")
	GoalsCommitment = GoalsBy(dialect.GoalContinuationModeCommitment, "standing goals that go on by a commitment")
	GoalsReplay     = with(Goals, as("goals-replay", "replays of the runs of standing goals", FinishedReplay))
	NoGoals         = scenarios.Claim{
		ID: "no-goals", Title: "a host without standing goals", Pointer: "/agents/goals absent", Choice: true,
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := GoalsBlock(d)
			return v, !v.Present()
		},
	}
	// Escalation uses the interrupt of rung 2 of the execution model (RFC 0044).
	GoalsEscalation = with(Goals, as("goals-escalation", "standing goals whose agent can get stuck", ExecutionModel2))
)

var All = []scenarios.Claim{
	ForkReplay, ForkBranch, ForkBranchLoop,
	AnyHost, BodyLimit, FixturesListed, NoSupervisors, NoDispatch, NoDispatchMapping, AgentsBlock, WorkspaceBlock, MemoryBlock, HeartbeatBlock,
	Protocol, ExecutionModelBlock, ExecutionModel, ExecutionModel2, ExecutionModel3, ExecutionModel4, ExecutionModel5, ExecutionModelBelow5,
	ExperimentalModel, ResumeAdvertised, StatefulResume, LoopLimit, Replay, StatefulResumeReplay,
	Supervisor, DispatchMapping, HandoffMapping, Attestation,
	LoopWorkspace, LoopWorkspaceResume, LoopWorkspaceReplay, LoopHeartbeat, Heartbeats,
	WorkspaceFiles, WorkspaceVersioned, WorkspaceMaxVersions, WorkspaceMaxFileBytes, WorkspaceMaxFiles, WorkspaceRuns,
	WorkspaceRunsBelow5, NoWorkspace,
	NodeLimit, DurationLimit, BreachReplay, BreachReplayInTime, Orchestrator, SupervisorWithoutModel, ExecutionModelBelow2, ApprovalEscalation,
	Goals, GoalsBounded, GoalsEscalation, GoalsSchedule, GoalsHeartbeat, GoalsCommitment, GoalsReplay, NoGoals,
	Ancestry, AncestryForks, NoAncestry, RemoteDispatch,
	memory, memoryRuns, MemoryWorkers, MemoryTTL, MemorySiblings, MemoryEvents, loopMemory, LoopMemoryWorkers, LoopMemoryResume,
	MemoryForks, MemoryBranches, TenantsMemory,
	ExecutionModel6, ExecutionModelBelow6, Verifier, VerifierGating, VerifierTold, NoVerifier, ReplayDeterminism, RefusalDivergence,
	LlmCacheKey,
	Approvals, Clarifications, ExternalEvents, Quorums, AuthRequired, ApprovalScopes, AnsweredByToken, InterruptExpiry,
	ApprovalsReplay, Cascade,
	RunPause, RunPauseSuspended, RunBulkCancel, RunDiff, TenantsControl,
	TenantsApart, TenantsChildren, TenantsAnswers, TenantsForks, TenantsFiles, TenantsHaveGoal,
}

// GoalsBy returns the claim that goals continue in this mode.
func GoalsBy(mode dialect.GoalContinuationMode, title string) scenarios.Claim {
	return scenarios.Claim{
		ID: "goals-" + string(mode), Title: title,
		Pointer: "/agents/goals/continuation has " + string(mode),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			modes := GoalsBlock(d).Key("continuation")
			return modes, slices.ContainsFunc(modes.Items(), func(m wire.Value) bool { return m.String() == string(mode) })
		},
	}
}

func GoalsBlock(d scenarios.Discovery) wire.Value { return Family(d, "agents").Key("goals") }

func Model(d scenarios.Discovery) wire.Value { return Family(d, "multiAgent").Key("executionModel") }

func modelField(name string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return Model(d).Key(name) }
}

// as returns claim c under another id and title.
func as(id, title string, c scenarios.Claim) scenarios.Claim {
	c.ID, c.Title = id, title
	return c
}

// On returns the claim that a flag is true.
func On(id, title, pointer string, at func(scenarios.Discovery) wire.Value) scenarios.Claim {
	return scenarios.Claim{ID: id, Title: title, Pointer: pointer + " == true", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := at(d)
		on, _ := v.Bool()
		return v, on
	}}
}

// present returns the claim that a field is present.
func present(id, title, pointer string, at func(scenarios.Discovery) wire.Value) scenarios.Claim {
	return scenarios.Claim{ID: id, Title: title, Pointer: pointer + " present", Look: func(d scenarios.Discovery) (wire.Value, bool) {
		v := at(d)
		return v, v.Present()
	}}
}

// with returns claim c, made only if other is made too. If other is not made, its value decides. It is a choice if either is.
func with(other, c scenarios.Claim) scenarios.Claim {
	c.Choice = c.Choice || other.Choice
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
	return with(ExecutionModel, scenarios.Claim{
		ID: fmt.Sprintf("execution-model>=%d", n), Title: title,
		Pointer: fmt.Sprintf("%s/version >= %d", modelPointer, n),
		Look: func(d scenarios.Discovery) (wire.Value, bool) {
			v := Model(d).Key("version")
			got, ok := v.Int()
			return v, ok && got >= n
		},
	})
}
