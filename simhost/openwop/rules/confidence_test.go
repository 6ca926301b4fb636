package rules

import (
	"slices"
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestHonestConfidence(t *testing.T) {
	c := Honest().Confidence
	doubt := func(version int, confidence *float64) Doubt {
		return Doubt{Version: version, Kind: "next-worker", Confidence: confidence, Floor: 0.5}
	}
	for _, row := range []struct {
		rule string
		ok   bool
	}{
		{"below the floor is held", c.Holds(doubt(2, new(0.49)))},
		{"at the floor it is not", !c.Holds(doubt(2, new(0.5)))},
		{"no opinion is not", !c.Holds(doubt(2, nil))},
		{"version 1 knows no floor", !c.Holds(doubt(1, new(0.49)))},
		{"the interrupt that is advertised", c.Raises(event.Approval) == event.Approval},
		{"agents know a floor at any version", c.Holds(Doubt{Agent: true, Confidence: new(0.69), Floor: 0.7, Set: true})},
		{"what is accepted is carried out", c.After(false, false) == CarriedOut && c.After(false, true) == CarriedOut},
		{"what is rejected is not", c.After(true, false) == Dropped && c.After(true, true) == Dropped},
		{"by its own workers", slices.Equal(c.Workers([]string{"a", "b"}, true), []string{"a", "b"})},
	} {
		if !row.ok {
			t.Errorf("not so: %s", row.rule)
		}
	}
}
