package dialect

import "github.com/openassay/assay/gen/openwopv1"

// These are the documents that the suites send and read, with the members that all versions share. A dialect with
// other members moves them when it speaks.
type (
	AgentloopRequest            = openwopv1.AgentloopRequest
	ApprovalAction              = openwopv1.ApprovalAction
	ApprovalDataRejectionPolicy = openwopv1.ApprovalDataRejectionPolicy
	AskUserDecision             = openwopv1.AskUserDecision
	CancelRunRequest            = openwopv1.CancelRunRequest
	CapKind                     = openwopv1.CapKind
	ChainPhase                  = openwopv1.ChainPhase
	CommitmentFireRequest       = openwopv1.CommitmentFireRequest
	Configurable                = openwopv1.Configurable
	CreateGoalRequest           = openwopv1.CreateGoalRequest
	CreateRunRequest            = openwopv1.CreateRunRequest
	DrainPolicy                 = openwopv1.PauseRunRequestDrainPolicy
	EditGoalRequest             = openwopv1.EditGoalRequest
	ErrorEnvelope               = openwopv1.ErrorEnvelope
	ForkMode                    = openwopv1.ForkMode
	ForkRunRequest              = openwopv1.ForkRunRequest
	Goal                        = openwopv1.Goal
	GoalBounds                  = openwopv1.GoalBounds
	GoalCheck                   = openwopv1.GoalCheck
	GoalCompletion              = openwopv1.GoalCompletion
	GoalCompletionRequest       = openwopv1.GoalCompletionRequest
	GoalContinuation            = openwopv1.GoalContinuation
	GoalContinuationMode        = openwopv1.GoalContinuationMode
	GoalEvent                   = openwopv1.GoalEvent
	GoalEventList               = openwopv1.GoalEventList
	GoalEventType               = openwopv1.GoalEventType
	GoalList                    = openwopv1.GoalList
	GoalProgress                = openwopv1.GoalProgress
	GoalState                   = openwopv1.GoalState
	GoalTickReply               = openwopv1.GoalTickReply
	GoalTickRequest             = openwopv1.GoalTickRequest
	GoalVerdict                 = openwopv1.GoalVerdict
	HeartbeatTickRequest        = openwopv1.HeartbeatTickRequest
	InterruptKind               = openwopv1.InterruptKind
	NextWorkerDecision          = openwopv1.NextWorkerDecision
	RunOptions                  = openwopv1.RunOptions
	RunOwner                    = openwopv1.RunOwner
	ScriptedVerdict             = openwopv1.ScriptedVerdict
	SuccessCriterion            = openwopv1.SuccessCriterion
	TerminateDecision           = openwopv1.TerminateDecision
	WorkspaceFileCreate         = openwopv1.WorkspaceFileCreate
	WorkspaceOpRequest          = openwopv1.WorkspaceOpRequest
	WorkspaceOpRequestOp        = openwopv1.WorkspaceOpRequestOp
)

// The words used in them.
const (
	AgentVerifiedPayloadVerdictFail                   = openwopv1.AgentVerifiedPayloadVerdictFail
	AgentVerifiedPayloadVerdictPass                   = openwopv1.AgentVerifiedPayloadVerdictPass
	AgentVerifiedPayloadVerdictRevise                 = openwopv1.AgentVerifiedPayloadVerdictRevise
	ApprovalActionAccept                              = openwopv1.ApprovalActionAccept
	ApprovalActionAsk                                 = openwopv1.ApprovalActionAsk
	ApprovalActionEditAccept                          = openwopv1.ApprovalActionEditAccept
	ApprovalActionRefine                              = openwopv1.ApprovalActionRefine
	ApprovalActionReject                              = openwopv1.ApprovalActionReject
	ApprovalDataRejectionPolicyMajority               = openwopv1.ApprovalDataRejectionPolicyMajority
	ApprovalDataRejectionPolicySingleVeto             = openwopv1.ApprovalDataRejectionPolicySingleVeto
	AskUserDecisionKindAskUser                        = openwopv1.AskUserDecisionKindAskUser
	CapKindLoopIterations                             = openwopv1.CapKindLoopIterations
	CapKindNodeExecutions                             = openwopv1.CapKindNodeExecutions
	CapKindRunDuration                                = openwopv1.CapKindRunDuration
	ChainPhaseChildCancelled                          = openwopv1.ChainPhaseChildCancelled
	ChainPhaseChildCompleted                          = openwopv1.ChainPhaseChildCompleted
	ChainPhaseChildFailed                             = openwopv1.ChainPhaseChildFailed
	ChainPhaseDispatchBegan                           = openwopv1.ChainPhaseDispatchBegan
	ChainPhaseDispatchFailed                          = openwopv1.ChainPhaseDispatchFailed
	ChainPhaseDispatchSucceeded                       = openwopv1.ChainPhaseDispatchSucceeded
	ChainPhaseOutputHarvested                         = openwopv1.ChainPhaseOutputHarvested
	ExecutionModelCrossChildMemoryConcurrencyAdvisory = openwopv1.ExecutionModelCrossChildMemoryConcurrencyAdvisory
	ForkModeBranch                                    = openwopv1.ForkModeBranch
	ForkModeReplay                                    = openwopv1.ForkModeReplay
	GoalCheckHost                                     = openwopv1.GoalCheckHost
	GoalCheckVerifier                                 = openwopv1.GoalCheckVerifier
	GoalContinuationModeCommitment                    = openwopv1.GoalContinuationModeCommitment
	GoalContinuationModeHeartbeat                     = openwopv1.GoalContinuationModeHeartbeat
	GoalContinuationModeManual                        = openwopv1.GoalContinuationModeManual
	GoalContinuationModeSchedule                      = openwopv1.GoalContinuationModeSchedule
	GoalEventTypeGoalClosed                           = openwopv1.GoalEventTypeGoalClosed
	GoalEventTypeGoalEvaluated                        = openwopv1.GoalEventTypeGoalEvaluated
	GoalStateAbandoned                                = openwopv1.GoalStateAbandoned
	GoalStateActive                                   = openwopv1.GoalStateActive
	GoalStateBoundExceeded                            = openwopv1.GoalStateBoundExceeded
	GoalStateEscalated                                = openwopv1.GoalStateEscalated
	GoalStateSatisfied                                = openwopv1.GoalStateSatisfied
	InterruptKindApproval                             = openwopv1.InterruptKindApproval
	InterruptKindClarification                        = openwopv1.InterruptKindClarification
	InterruptKindLowConfidence                        = openwopv1.InterruptKindLowConfidence
	NextWorkerDecisionKindNextWorker                  = openwopv1.NextWorkerDecisionKindNextWorker
	PauseRunRequestDrainPolicyDrainCurrentNode        = openwopv1.PauseRunRequestDrainPolicyDrainCurrentNode
	PauseRunRequestDrainPolicyImmediate               = openwopv1.PauseRunRequestDrainPolicyImmediate
	RunEventDiffOpAdded                               = openwopv1.RunEventDiffOpAdded
	RunEventDiffOpChanged                             = openwopv1.RunEventDiffOpChanged
	RunEventDiffOpRemoved                             = openwopv1.RunEventDiffOpRemoved
	RunParentCauseA2AMessage                          = openwopv1.RunParentCauseA2AMessage
	RunParentCauseCoreDispatch                        = openwopv1.RunParentCauseCoreDispatch
	RunParentCauseCoreSubWorkflow                     = openwopv1.RunParentCauseCoreSubWorkflow
	RunParentCauseMCPToolCall                         = openwopv1.RunParentCauseMCPToolCall
	TerminateDecisionKindTerminate                    = openwopv1.TerminateDecisionKindTerminate
	WorkspaceOpRequestOpDelete                        = openwopv1.WorkspaceOpRequestOpDelete
	WorkspaceOpRequestOpGet                           = openwopv1.WorkspaceOpRequestOpGet
	WorkspaceOpRequestOpList                          = openwopv1.WorkspaceOpRequestOpList
	WorkspaceOpRequestOpPut                           = openwopv1.WorkspaceOpRequestOpPut
)
