package rules

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestDispatch(t *testing.T) {
	d := Honest().Dispatch
	const rejects = openwopv1.DispatchConfigFanOutPolicyReject
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"decided first", d.DecidesFirst(Doubt{Kind: "ask-user"}) && d.DecidesFirst(Doubt{Kind: "next-worker"})},
		{"several where that is allowed", d.Takes(Order{Decided: true, Workers: 3, Policy: openwopv1.DispatchConfigFanOutPolicySequential})},
		{"one where it is not", d.Takes(Order{Decided: true, Workers: 1, Policy: rejects}) &&
			!d.Takes(Order{Decided: true, Workers: 2, Policy: rejects})},
		{"nothing is dispatched undecided", !d.Takes(Order{})},
		{"to terminate is the end", d.Ends(0) && d.Ends(3)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
