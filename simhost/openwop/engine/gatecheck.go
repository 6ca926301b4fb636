package engine

import (
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// checkGates refuses gates that could never ask anything.
func (p *program) checkGates() error {
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.isGate() {
			continue
		}
		known := slices.Clone(settingNames[n.TypeID])
		switch n.TypeID {
		case typeApproval:
			known = append(known, keyProfile)
			if profile, set := n.Config[keyProfile]; set && profile != authRequired {
				return refusedNode(n.ID, "config.%s must be %s", keyProfile, authRequired)
			}
		case typeInterrupt:
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
func (p *program) checkAsked(inputs map[string]any) error {
	for i := range p.nodes[:p.loop] {
		n := &p.nodes[i]
		if !n.isGate() || n.disabled {
			continue
		}
		values, fields, open := map[string]any{}, map[string]string{}, map[string]bool{}
		for _, port := range n.ports {
			value, field, known := p.portAtStart(port, inputs)
			fields[port.name], open[port.name] = field, !known
			if value != nil {
				values[port.name] = value
			}
		}
		_, wrong := n.readGate(values)
		switch {
		case wrong == nil || open[wrong.at]:
		case fields[wrong.at] != "":
			return invalid(fields[wrong.at], "%s", wrong.says)
		default:
			return refusedNode(n.ID, "%s: %s", wrong.at, wrong.says)
		}
	}
	return nil
}

// portAtStart is what a port holds when a run with these inputs begins, where that is known; field is what the caller can
// mend about it, "" where that is the definition.
func (p *program) portAtStart(port port, inputs map[string]any) (value any, field string, known bool) {
	switch {
	case port.nodeID != "", port.variable == answerVariable, port.variable == artifactVariable:
		return nil, "", false
	case port.variable == "":
		return port.static, "", true
	}
	value = p.defaults[port.variable]
	if given, ok := inputs[port.variable]; ok {
		value = given
	}
	return value, "inputs." + port.variable, true
}
