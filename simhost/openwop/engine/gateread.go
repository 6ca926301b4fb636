package engine

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
	keyProfile = "profile" // core.approvalGate: authRequired
)

// authRequired is the profile of approvals that nobody gives without a key.
const authRequired = "openwop-interrupt-auth-required"

// keyEdited is the member of an answer that holds the artifact as it was edited.
const keyEdited = "editedArtifactData"

// What a gate may ask for at most.
const (
	maxApprovals = 1000
	maxQuestions = 64
	maxSchema    = 4 << 10  // bytes of the schema of one question
	maxAnswers   = 64 << 10 // bytes of what answers the questions
)

// gateRequest is what a gate asks.
type gateRequest struct {
	kind    openwopv1.InterruptKind
	data    any
	expires bool
	timeout time.Duration
}

// settings are what a gate is set to. What is wrong with them is told once, about the first that was read.
type settings struct {
	values map[string]any
	wrong  *misfit
}

// settingNames are what each type of gate can be set to.
var settingNames = map[string][]string{
	typeApproval: {
		keyTitle, keyDescription, keyArtifactID, keyArtifact, keyArtifactAs, keyActions, keyRequired, keyPolicy, keyApprovers, keyTimeout,
	},
	typeQuestions: {keyQuestions, keyContext, keyTimeout},
	typeInterrupt: {keyEventType, keyCorrelation, keyTimeout},
}

// readGate reads what a gate asks now.
func readGate(s *State, n *node) (gateRequest, *openwopv1.EventError) {
	values, missing := s.portValues(n)
	if missing != nil {
		return gateRequest{}, missing
	}
	r, wrong := n.readGate(values)
	if wrong != nil {
		return r, failure(codeGate, "node %q cannot ask: %s: %s", n.ID, wrong.at, wrong.says)
	}
	if data, ok := r.data.(openwopv1.ApprovalData); ok && s.gate.comment != "" {
		data.Description = &s.gate.comment
		r.data = data
	}
	return r, nil
}

// readGate reads what a gate asks whose ports have these values.
func (n *node) readGate(ports map[string]any) (r gateRequest, wrong *misfit) {
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
	case typeApproval:
		r.kind, r.data = openwopv1.InterruptKindApproval, n.readApproval(s)
	case typeQuestions:
		r.kind, r.data = openwopv1.InterruptKindClarification, readQuestions(s)
	default:
		r.kind, r.data = openwopv1.InterruptKindExternalEvent, readEvent(s)
	}
	if ms, set := s.number(keyTimeout, 0, maxDelay); set {
		r.expires, r.timeout = true, time.Duration(math.Ceil(ms))*time.Millisecond
	}
	return r, s.wrong
}

func (n *node) readApproval(s *settings) openwopv1.ApprovalData {
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
	if quorumOf(data).several() && slices.Contains(data.Actions, openwopv1.ApprovalActionEditAccept) {
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
