package workflow

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// checkGates refuses gates that could never ask anything.
func (p *Program) checkGates() error {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if !n.IsGate() {
			continue
		}
		known := slices.Clone(settingNames[n.TypeID])
		switch n.TypeID {
		case TypeApproval:
			known = append(known, KeyProfile)
			if profile, set := n.Config[KeyProfile]; set && profile != AuthRequired {
				return refusedNode(n.ID, "config.%s must be %s", KeyProfile, AuthRequired)
			}
		case TypeInterrupt:
			known = append(known, keyKind, keyData)
			if n.Config[keyKind] != string(event.ExternalEvent) {
				return refusedNode(n.ID, "config.%s must be %s: the other kinds have nodes of their own", keyKind, event.ExternalEvent)
			}
			if data, set := n.Config[keyData]; set && !isEventData(data) {
				return refusedNode(n.ID, "config.%s must be {%s, %s}", keyData, keyEventType, keyCorrelation)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(n.Config)) {
			if !slices.Contains(known, key) {
				return refusedNode(n.ID, "config.%s is not known to this host", key)
			}
		}
	}
	return nil
}

func isEventData(data any) bool {
	object, ok := data.(map[string]any)
	for key := range object {
		ok = ok && (key == keyEventType || key == keyCorrelation)
	}
	return ok
}

// checkAsked reads what the gates are to ask as it stands when the run begins, so that a caller who sends something wrong
// hears of it at once. What comes from another node is not known then; every gate reads it again.
func (p *Program) checkAsked(inputs map[string]any) error {
	for i := range p.Nodes[:p.Loop] {
		n := &p.Nodes[i]
		if !n.IsGate() || n.Disabled {
			continue
		}
		values, fields, open := map[string]any{}, map[string]string{}, map[string]bool{}
		for _, port := range n.Ports {
			value, field, known := p.portAtStart(port, inputs)
			fields[port.Name], open[port.Name] = field, !known
			if value != nil {
				values[port.Name] = value
			}
		}
		_, wrong := n.ReadGate(values)
		switch {
		case wrong == nil || open[wrong.At]:
		case fields[wrong.At] != "":
			return codes.Invalid(fields[wrong.At], "%s", wrong.Says)
		default:
			return refusedNode(n.ID, "%s: %s", wrong.At, wrong.Says)
		}
	}
	return nil
}

// portAtStart is what a port holds when a run with these inputs begins, where that is known; field is what the caller can
// mend about it, "" where that is the definition.
func (p *Program) portAtStart(port Port, inputs map[string]any) (value any, field string, known bool) {
	switch {
	case port.NodeID != "", port.Variable == AnswerVariable, port.Variable == ArtifactVariable:
		return nil, "", false
	case port.Variable == "":
		return port.Static, "", true
	}
	value = p.Defaults[port.Variable]
	if given, ok := inputs[port.Variable]; ok {
		value = given
	}
	return value, "inputs." + port.Variable, true
}

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
	Kind    event.Interrupt
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
		r.Kind, r.Data = event.Approval, n.readApproval(s)
	case TypeQuestions:
		r.Kind, r.Data = event.Clarification, readQuestions(s)
	default:
		r.Kind, r.Data = event.ExternalEvent, readEvent(s)
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

// ArtifactVariable takes the artifact as an approval accepted it.
const ArtifactVariable = "artifact"

// IsGate tells the nodes that do nothing but raise an interrupt and wait for what resolves it.
func (n *Node) IsGate() bool {
	return n.TypeID == TypeApproval || n.TypeID == TypeQuestions || n.TypeID == TypeInterrupt
}

// Quorum is how many must say what for an approval to be resolved. The zero value is for interrupts that one answer resolves.
type Quorum struct {
	Required int
	Majority bool // rejections count, too; otherwise the first one decides
}

func QuorumOf(data openwopv1.ApprovalData) (q Quorum) {
	if r := data.RequiredApprovals; r != nil {
		q = Quorum{int(*r), data.RejectionPolicy == openwopv1.ApprovalDataRejectionPolicyMajority}
	}
	return q
}

// Several tells whether one answer is not enough.
func (q Quorum) Several() bool { return q.Required > 1 }

// MaxDelay keeps a delay within what a timer can hold; it is some 31 years.
const MaxDelay = 1e12
