package rules

import (
	"reflect"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestHandoff(t *testing.T) {
	h := Honest().Handoff
	mapping := openwopv1.VariableMapping{"in": "there", "no": "not-there"}
	other := openwopv1.VariableMapping{"x": "y"}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"handoffs from 1", !h.Shows(0, openwopv1.ChainPhaseDispatchBegan) && h.Shows(1, openwopv1.ChainPhaseDispatchBegan)},
		{"a step has its cause", h.Cause(Step{Cause: "e1", Decided: "e0", Mapped: true}) == "e1"},
		{"a child counts as what it is", h.CountsAs(openwopv1.RunStatusFailed, true) == openwopv1.RunStatusFailed},
		{"the loop goes on", h.GoesOn(openwopv1.ChainPhaseChildFailed) && h.GoesOn(openwopv1.ChainPhaseDispatchFailed)},
		{"its own mapping", reflect.DeepEqual(h.Mapping(&mapping, &other, true), other)},
		{"its own mapping, also where that is empty", len(h.Mapping(&mapping, new(openwopv1.VariableMapping{}), false)) == 0},
		{"else the default", reflect.DeepEqual(h.Mapping(&mapping, nil, false), mapping)},
		{"else none", h.Mapping(nil, nil, true) == nil},
		{"given what there is", reflect.DeepEqual(h.Given(Given{Mapping: mapping, Variables: map[string]any{"there": 1}}),
			map[string]any{"in": 1})},
		{"harvest of a completed child", h.Harvests(openwopv1.RunStatusCompleted, true, true)},
		{"none without mapping", !h.Harvests(openwopv1.RunStatusCompleted, false, false)},
		{"none of a failed child", !h.Harvests(openwopv1.RunStatusFailed, true, true) && !h.Harvests(openwopv1.RunStatusCancelled, true, true)},
		{"all that is mapped is brought", len(h.Brought(map[string]any{"a": 1, "b": 2}, true)) == 2},
		{"all below are stopped", h.Stops(1) && h.Stops(2)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
