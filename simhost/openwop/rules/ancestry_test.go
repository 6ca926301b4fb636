package rules

import "testing"

func TestHonestAncestry(t *testing.T) {
	a := Honest().Ancestry
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"one trace", a.Trace("t", "c") == "t"},
		{"the address is given", a.WellKnown("u") == "u"},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
