package workflow

import (
	"maps"
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// CheckInputs refuses inputs that do not fit the variables of their names, variables that have no value and must, and
// scripts that are none.
func (p *Program) CheckInputs(inputs map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(p.variables)) {
		v := p.variables[name]
		value, given := inputs[name]
		switch {
		case given && !isOfType(value, v.Type):
			return codes.Invalid("inputs."+name, "must be of type %s", v.Type)
		case !given && isTrue(v.Required) && len(v.DefaultValue) == 0:
			return codes.Invalid("inputs."+name, "must be given: the workflow requires it")
		}
	}
	if err := p.checkAsked(inputs); err != nil {
		return err
	}
	return p.checkScript(inputs)
}

func isOfType(value any, t openwopv1.WorkflowVariableType) bool {
	ok := false
	switch t {
	case openwopv1.WorkflowVariableTypeString:
		_, ok = value.(string)
	case openwopv1.WorkflowVariableTypeNumber:
		_, ok = Number(value)
	case openwopv1.WorkflowVariableTypeBoolean:
		_, ok = value.(bool)
	case openwopv1.WorkflowVariableTypeObject:
		_, ok = value.(map[string]any)
	case openwopv1.WorkflowVariableTypeArray:
		_, ok = value.([]any)
	}
	return ok
}

// checkScript reads the whole script as it stands when the run begins, and what its turns are to read and write, so that a
// caller who sends a wrong one hears of it at once. It may change later; every turn reads it again.
func (p *Program) checkScript(inputs map[string]any) error {
	if p.Loop == len(p.Nodes) {
		return nil
	}
	port, field := p.atStart(keyPlan, inputs)
	plan, where, err := p.Script(map[string]any{keyPlan: port})
	for i := 0; err == nil && i < len(plan); i++ {
		if _, err = parseDecision(plan[i], false); err != nil {
			where = where + "[" + strconv.Itoa(i) + "]"
			field = field + "[" + strconv.Itoa(i) + "]"
		}
	}
	switch {
	case err == nil:
		return first(p.checkReadsAndWrites(inputs), p.checkVerdicts(inputs))
	case port != nil && field != "":
		return codes.Invalid(field, "%v", err)
	default:
		return refusedNode(p.Supervisor().ID, "%s: %v", where, err)
	}
}
