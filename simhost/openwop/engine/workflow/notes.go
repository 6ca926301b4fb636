package workflow

import (
	"github.com/openassay/assay/gen/openwopv1"
)

// readNotes reads which variable the turns note in what they see.
func (p *Program) readNotes(supervisor *Node) error {
	value, set := supervisor.Config[keyNotes]
	if !set {
		return nil
	}
	name, _ := value.(string)
	switch v, declared := p.variables[name]; {
	case !declared || v.Type != openwopv1.WorkflowVariableTypeArray:
		return refusedNode(supervisor.ID, "config.%s must name a variable of type array", keyNotes)
	case name == AnswerVariable:
		return refusedNode(supervisor.ID, "config.%s: variable %q takes the answers of people", keyNotes, AnswerVariable)
	}
	p.Notes = name
	return nil
}
