package rules

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestDispatch(t *testing.T) {
	d := Honest().Dispatch
	told := Dispatched{Cause: "e1", Payload: openwopv1.NodeDispatchedPayload{ChildRunID: "c", ChildWorkflowID: "w"}, By: "loop", Started: "e0"}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"decided first", d.DecidesFirst(Doubt{Kind: "ask-user"}) && d.DecidesFirst(Doubt{Kind: "next-worker"})},
		{"one agent", d.Agent("a", true) == "a" && d.Agent("a", false) == "a"},
		{"to terminate is the end", d.Ends(0) && d.Ends(3)},
		{"several where that is allowed", d.Takes(openwopv1.DispatchConfigFanOutPolicySequential, 3)},
		{"one where it is not", d.Takes(openwopv1.DispatchConfigFanOutPolicyReject, 1) &&
			!d.Takes(openwopv1.DispatchConfigFanOutPolicyReject, 2)},
		{"nothing is dispatched undecided", d.NeedsDecision()},
		{"told as it is", d.Told(told) == told},
		{"no turn after a stop", d.Rests()},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
