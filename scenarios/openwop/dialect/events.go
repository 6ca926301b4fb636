package dialect

import "github.com/openassay/assay/gen/openwopv1"

// Event is a type of event, by the name that all versions share. [EventOf] reads it; [Type] and [Types] expect it.
type Event = openwopv1.RunEventType

// The events that the suites know.
const (
	AgentDecided                    = openwopv1.RunEventTypeAgentDecided
	AgentHandoff                    = openwopv1.RunEventTypeAgentHandoff
	AgentInvocationCompleted        = openwopv1.RunEventTypeAgentInvocationCompleted
	AgentInvocationStarted          = openwopv1.RunEventTypeAgentInvocationStarted
	AgentMemoryConsolidated         = openwopv1.RunEventTypeAgentMemoryConsolidated
	AgentPromptResolved             = openwopv1.RunEventTypeAgentPromptResolved
	AgentReasoned                   = openwopv1.RunEventTypeAgentReasoned
	AgentReasoningDelta             = openwopv1.RunEventTypeAgentReasoningDelta
	AgentToolCalled                 = openwopv1.RunEventTypeAgentToolCalled
	AgentToolReturned               = openwopv1.RunEventTypeAgentToolReturned
	Verified                        = openwopv1.RunEventTypeAgentVerified
	ApprovalGranted                 = openwopv1.RunEventTypeApprovalGranted
	ApprovalOverridden              = openwopv1.RunEventTypeApprovalOverridden
	ApprovalReceived                = openwopv1.RunEventTypeApprovalReceived
	ApprovalRejected                = openwopv1.RunEventTypeApprovalRejected
	ApprovalRequested               = openwopv1.RunEventTypeApprovalRequested
	ArtifactCreated                 = openwopv1.RunEventTypeArtifactCreated
	AuthorizationDecided            = openwopv1.RunEventTypeAuthorizationDecided
	BudgetConsumed                  = openwopv1.RunEventTypeBudgetConsumed
	BudgetExhausted                 = openwopv1.RunEventTypeBudgetExhausted
	BudgetReserved                  = openwopv1.RunEventTypeBudgetReserved
	BudgetThresholdCrossed          = openwopv1.RunEventTypeBudgetThresholdCrossed
	Breached                        = openwopv1.RunEventTypeCapBreached
	ChannelWritten                  = openwopv1.RunEventTypeChannelWritten
	ClarificationRequested          = openwopv1.RunEventTypeClarificationRequested
	ClarificationResolved           = openwopv1.RunEventTypeClarificationResolved
	CommitmentFired                 = openwopv1.RunEventTypeCommitmentFired
	ConnectorAuthExpired            = openwopv1.RunEventTypeConnectorAuthExpired
	ConnectorAuthorized             = openwopv1.RunEventTypeConnectorAuthorized
	ConversationClosed              = openwopv1.RunEventTypeConversationClosed
	ConversationExchanged           = openwopv1.RunEventTypeConversationExchanged
	ConversationOpened              = openwopv1.RunEventTypeConversationOpened
	ConfidenceEscalated             = openwopv1.RunEventTypeCoreWorkflowChainConfidenceEscalated
	HandedOver                      = openwopv1.RunEventTypeCoreWorkflowChainEvent
	DeploymentCanaryAdjusted        = openwopv1.RunEventTypeDeploymentCanaryAdjusted
	DeploymentPromoted              = openwopv1.RunEventTypeDeploymentPromoted
	DeploymentRolledBack            = openwopv1.RunEventTypeDeploymentRolledBack
	DeploymentStateChanged          = openwopv1.RunEventTypeDeploymentStateChanged
	EgressDecided                   = openwopv1.RunEventTypeEgressDecided
	EnvelopeNlToFormatEngaged       = openwopv1.RunEventTypeEnvelopeNlToFormatEngaged
	EnvelopeRecoveryApplied         = openwopv1.RunEventTypeEnvelopeRecoveryApplied
	EnvelopeRefusal                 = openwopv1.RunEventTypeEnvelopeRefusal
	EnvelopeRetryAttempted          = openwopv1.RunEventTypeEnvelopeRetryAttempted
	EnvelopeRetryExhausted          = openwopv1.RunEventTypeEnvelopeRetryExhausted
	EnvelopeTruncated               = openwopv1.RunEventTypeEnvelopeTruncated
	EvalCompleted                   = openwopv1.RunEventTypeEvalCompleted
	EvalScored                      = openwopv1.RunEventTypeEvalScored
	EvalStarted                     = openwopv1.RunEventTypeEvalStarted
	GoalClosed                      = openwopv1.RunEventTypeGoalClosed
	GoalEvaluated                   = openwopv1.RunEventTypeGoalEvaluated
	ImportApplied                   = openwopv1.RunEventTypeImportApplied
	InterruptRequested              = openwopv1.RunEventTypeInterruptRequested
	InterruptResolved               = openwopv1.RunEventTypeInterruptResolved
	LeaseAcquired                   = openwopv1.RunEventTypeLeaseAcquired
	LeaseHandedOff                  = openwopv1.RunEventTypeLeaseHandedOff
	LeaseLost                       = openwopv1.RunEventTypeLeaseLost
	LeaseRenewed                    = openwopv1.RunEventTypeLeaseRenewed
	LogAppended                     = openwopv1.RunEventTypeLogAppended
	MemoryCompacted                 = openwopv1.RunEventTypeMemoryCompacted
	MemoryWritten                   = openwopv1.RunEventTypeMemoryWritten
	ModelCapabilityInsufficient     = openwopv1.RunEventTypeModelCapabilityInsufficient
	ModelCapabilitySubstituted      = openwopv1.RunEventTypeModelCapabilitySubstituted
	NodeCancelled                   = openwopv1.RunEventTypeNodeCancelled
	NodeCompleted                   = openwopv1.RunEventTypeNodeCompleted
	NodeDispatched                  = openwopv1.RunEventTypeNodeDispatched
	NodeFailed                      = openwopv1.RunEventTypeNodeFailed
	NodeResumed                     = openwopv1.RunEventTypeNodeResumed
	NodeRetried                     = openwopv1.RunEventTypeNodeRetried
	NodeSkipped                     = openwopv1.RunEventTypeNodeSkipped
	NodeStarted                     = openwopv1.RunEventTypeNodeStarted
	NodeSuspendFailed               = openwopv1.RunEventTypeNodeSuspendFailed
	NodeSuspended                   = openwopv1.RunEventTypeNodeSuspended
	OutputChunk                     = openwopv1.RunEventTypeOutputChunk
	PromptComposed                  = openwopv1.RunEventTypePromptComposed
	ProposalActivated               = openwopv1.RunEventTypeProposalActivated
	ProposalCreated                 = openwopv1.RunEventTypeProposalCreated
	ProviderUsage                   = openwopv1.RunEventTypeProviderUsage
	ReplayDiverged                  = openwopv1.RunEventTypeReplayDiverged
	ReplayDivergedAtRefusal         = openwopv1.RunEventTypeReplayDivergedAtRefusal
	RosterRunInitiated              = openwopv1.RunEventTypeRosterRunInitiated
	RunCancelled                    = openwopv1.RunEventTypeRunCancelled
	RunCompleted                    = openwopv1.RunEventTypeRunCompleted
	RunDeadLettered                 = openwopv1.RunEventTypeRunDeadLettered
	RunFailed                       = openwopv1.RunEventTypeRunFailed
	Decided                         = openwopv1.RunEventTypeRunOrchestratorDecided
	RunPaused                       = openwopv1.RunEventTypeRunPaused
	RunRestoredFromSnapshot         = openwopv1.RunEventTypeRunRestoredFromSnapshot
	RunResumed                      = openwopv1.RunEventTypeRunResumed
	RunResuming                     = openwopv1.RunEventTypeRunResuming
	RunStarted                      = openwopv1.RunEventTypeRunStarted
	ToolSessionClosed               = openwopv1.RunEventTypeToolSessionClosed
	ToolSessionOpened               = openwopv1.RunEventTypeToolSessionOpened
	TriggerDeliveryAttempted        = openwopv1.RunEventTypeTriggerDeliveryAttempted
	TriggerSubscriptionStateChanged = openwopv1.RunEventTypeTriggerSubscriptionStateChanged
	VariableChanged                 = openwopv1.RunEventTypeVariableChanged
	VersionPinned                   = openwopv1.RunEventTypeVersionPinned
	VoiceBargeIn                    = openwopv1.RunEventTypeVoiceBargeIn
	VoiceCancelled                  = openwopv1.RunEventTypeVoiceCancelled
	VoiceEndpointCandidate          = openwopv1.RunEventTypeVoiceEndpointCandidate
	VoiceSpeechStart                = openwopv1.RunEventTypeVoiceSpeechStart
	VoiceSynthesisChunk             = openwopv1.RunEventTypeVoiceSynthesisChunk
	VoiceTranscript                 = openwopv1.RunEventTypeVoiceTranscript
	VoiceTurnCommit                 = openwopv1.RunEventTypeVoiceTurnCommit
	WorkflowLoopbackLimit           = openwopv1.RunEventTypeWorkflowLoopbackLimit
	WorkflowRestored                = openwopv1.RunEventTypeWorkflowRestored
	WorkflowStalled                 = openwopv1.RunEventTypeWorkflowStalled
	WorkspaceUpdated                = openwopv1.RunEventTypeWorkspaceUpdated
)

// Events lists all of them.
var Events = []Event{
	AgentDecided, AgentHandoff, AgentInvocationCompleted, AgentInvocationStarted, AgentMemoryConsolidated,
	AgentPromptResolved, AgentReasoned, AgentReasoningDelta, AgentToolCalled, AgentToolReturned, Verified,
	ApprovalGranted, ApprovalOverridden, ApprovalReceived, ApprovalRejected, ApprovalRequested, ArtifactCreated,
	AuthorizationDecided, BudgetConsumed, BudgetExhausted, BudgetReserved, BudgetThresholdCrossed, Breached,
	ChannelWritten, ClarificationRequested, ClarificationResolved, CommitmentFired, ConnectorAuthExpired,
	ConnectorAuthorized, ConversationClosed, ConversationExchanged, ConversationOpened, ConfidenceEscalated, HandedOver,
	DeploymentCanaryAdjusted, DeploymentPromoted, DeploymentRolledBack, DeploymentStateChanged, EgressDecided,
	EnvelopeNlToFormatEngaged, EnvelopeRecoveryApplied, EnvelopeRefusal, EnvelopeRetryAttempted, EnvelopeRetryExhausted,
	EnvelopeTruncated, EvalCompleted, EvalScored, EvalStarted, GoalClosed, GoalEvaluated, ImportApplied,
	InterruptRequested, InterruptResolved, LeaseAcquired, LeaseHandedOff, LeaseLost, LeaseRenewed, LogAppended,
	MemoryCompacted, MemoryWritten, ModelCapabilityInsufficient, ModelCapabilitySubstituted, NodeCancelled,
	NodeCompleted, NodeDispatched, NodeFailed, NodeResumed, NodeRetried, NodeSkipped, NodeStarted, NodeSuspendFailed,
	NodeSuspended, OutputChunk, PromptComposed, ProposalActivated, ProposalCreated, ProviderUsage, ReplayDiverged,
	ReplayDivergedAtRefusal, RosterRunInitiated, RunCancelled, RunCompleted, RunDeadLettered, RunFailed, Decided,
	RunPaused, RunRestoredFromSnapshot, RunResumed, RunResuming, RunStarted, ToolSessionClosed, ToolSessionOpened,
	TriggerDeliveryAttempted, TriggerSubscriptionStateChanged, VariableChanged, VersionPinned, VoiceBargeIn,
	VoiceCancelled, VoiceEndpointCandidate, VoiceSpeechStart, VoiceSynthesisChunk, VoiceTranscript, VoiceTurnCommit,
	WorkflowLoopbackLimit, WorkflowRestored, WorkflowStalled, WorkspaceUpdated,
}
