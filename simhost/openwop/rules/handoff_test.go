package rules

import (
	"reflect"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestHonestHandoff(t *testing.T) {
	h := Honest().Handoff
	mapping := openwopv1.VariableMapping{"in": "there", "no": "not-there"}
	there := map[string]any{"there": 1}
	harvested := func(child openwopv1.RunStatus, mapping openwopv1.VariableMapping) map[string]any {
		return h.Harvested(Harvest{Child: child, Mapping: mapping, Maps: true, Variables: there})
	}
	other := openwopv1.VariableMapping{"x": "y"}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"a child counts as what it is", h.CountsAs(openwopv1.RunStatusFailed, true) == openwopv1.RunStatusFailed},
		{"the loop goes on", h.GoesOn(event.ChildFailed) && h.GoesOn(event.DispatchFailed)},
		{"its own mapping", reflect.DeepEqual(Given{Default: mapping, Own: other}.Mapping(), other)},
		{"its own mapping, also where that is empty", len(Given{Default: mapping, Own: openwopv1.VariableMapping{}}.Mapping()) == 0},
		{"else none", Given{}.Mapping() == nil},
		{"given what there is, by the default mapping else", reflect.DeepEqual(h.Given(Given{Default: mapping, Variables: there}),
			map[string]any{"in": 1})},
		{"harvest of a completed child", reflect.DeepEqual(harvested(openwopv1.RunStatusCompleted, mapping), map[string]any{"in": 1})},
		{"none without mapping", harvested(openwopv1.RunStatusCompleted, nil) == nil},
		{"none of a failed child", harvested(openwopv1.RunStatusFailed, mapping) == nil &&
			harvested(openwopv1.RunStatusCancelled, mapping) == nil},
		{"all below are stopped", h.Stops(Descendant{Depth: 1, Waits: true}) && h.Stops(Descendant{Depth: 2, Abroad: true})},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
