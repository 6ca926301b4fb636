package workflow

import (
	"math"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// What a gate is set to, by a port of that name or in its config.
const (
	keyTitle       = "title"
	keyDescription = "description"
	keyArtifactID  = "artifactId"
	keyArtifact    = "artifactData"
	keyArtifactAs  = "artifactType"
	keyActions     = "actions"
	keyRequired    = "requiredApprovals"
	keyPolicy      = "rejectionPolicy"
	keyApprovers   = "approversList"
	keyQuestions   = "questions"
	keyContext     = "contextType"
	keyEventType   = "eventType"
	keyCorrelation = "correlation"
	keyTimeout     = "timeoutMs"
)

// What only the config of a gate has.
const (
	keyKind    = "kind"    // core.interrupt: external-event
	keyData    = "data"    // core.interrupt: what the interrupt shows
	KeyProfile = "profile" // core.approvalGate: authRequired
)

// AuthRequired is the profile of approvals that nobody gives without a key.
const AuthRequired = "openwop-interrupt-auth-required"

// What a gate may ask for at most.
const (
	maxApprovals = 1000
	maxQuestions = 64
	MaxSchema    = 4 << 10 // bytes of the schema of one question
)

// GateRequest is what a gate asks.
type GateRequest struct {
	Kind    openwopv1.InterruptKind
	Data    any
	Expires bool
	Timeout time.Duration
}

// settings are what a gate is set to. What is wrong with them is told once, about the first that was read.
type settings struct {
	values map[string]any
	wrong  *Misfit
}

// settingNames are what each type of gate can be set to.
var settingNames = map[string][]string{
	TypeApproval: {
		keyTitle, keyDescription, keyArtifactID, keyArtifact, keyArtifactAs, keyActions, keyRequired, keyPolicy, keyApprovers, keyTimeout,
	},
	TypeQuestions: {keyQuestions, keyContext, keyTimeout},
	TypeInterrupt: {keyEventType, keyCorrelation, keyTimeout},
}

// ReadGate reads what a gate asks whose ports have these values.
func (n *Node) ReadGate(ports map[string]any) (r GateRequest, wrong *Misfit) {
	s := &settings{values: map[string]any{}}
	data, _ := n.Config[keyData].(map[string]any)
	for _, key := range settingNames[n.TypeID] {
		for _, from := range []map[string]any{data, n.Config, ports} {
			if value := from[key]; value != nil {
				s.values[key] = value
			}
		}
	}
	switch n.TypeID {
	case TypeApproval:
		r.Kind, r.Data = openwopv1.InterruptKindApproval, n.readApproval(s)
	case TypeQuestions:
		r.Kind, r.Data = openwopv1.InterruptKindClarification, readQuestions(s)
	default:
		r.Kind, r.Data = openwopv1.InterruptKindExternalEvent, readEvent(s)
	}
	if ms, set := s.number(keyTimeout, 0, MaxDelay); set {
		r.Expires, r.Timeout = true, time.Duration(math.Ceil(ms))*time.Millisecond
	}
	return r, s.wrong
}

func (n *Node) readApproval(s *settings) openwopv1.ApprovalData {
	data := openwopv1.ApprovalData{
		ArtifactID:   s.text(keyArtifactID, n.ID),
		ArtifactType: s.text(keyArtifactAs, "artifact"),
		Title:        s.text(keyTitle, "May this go on?"),
		Actions:      s.actions(),
	}
	if description := s.text(keyDescription, ""); description != "" {
		data.Description = &description
	}
	if artifact, set := s.values[keyArtifact]; set {
		data.ArtifactData = s.encode(keyArtifact, artifact)
	}
	if required, set := s.number(keyRequired, 1, maxApprovals); set {
		if required != math.Trunc(required) {
			s.misfit(keyRequired, "must be an integer")
		}
		data.RequiredApprovals = new(int64(required))
	}
	switch policy := openwopv1.ApprovalDataRejectionPolicy(s.text(keyPolicy, "")); {
	case policy == "" || policy.Valid():
		data.RejectionPolicy = policy
	default:
		s.misfit(keyPolicy, "must be single-veto or majority")
	}
	data.ApproversList = s.texts(keyApprovers)
	if QuorumOf(data).Several() && slices.Contains(data.Actions, openwopv1.ApprovalActionEditAccept) {
		s.misfit(keyActions, "edit-accept does not go with %s: which of the edited artifacts would be accepted?", keyRequired)
	}
	return data
}

func readEvent(s *settings) openwopv1.ExternalEventData {
	data := openwopv1.ExternalEventData{EventType: s.text(keyEventType, "")}
	if data.EventType == "" {
		s.misfit(keyEventType, "must be given")
	}
	correlation, ok := s.values[keyCorrelation].(map[string]any)
	if !ok {
		s.misfit(keyCorrelation, "must be an object")
	}
	data.Correlation = correlation
	return data
}
