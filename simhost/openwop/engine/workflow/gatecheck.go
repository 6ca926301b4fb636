package workflow

import (
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
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
			if n.Config[keyKind] != string(openwopv1.InterruptKindExternalEvent) {
				return refusedNode(n.ID, "config.%s must be %s: the other kinds have nodes of their own", keyKind, openwopv1.InterruptKindExternalEvent)
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
