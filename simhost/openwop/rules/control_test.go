package rules

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestHonestControl(t *testing.T) {
	c := Honest().Control
	looks, refused := c.Bulk(100, 100)
	none, tooMany := c.Bulk(101, 100)
	for _, p := range []struct {
		rule string
		ok   bool
	}{
		{"a failed node fails its run", c.Fails(true) && c.Fails(false)},
		{"a wait is given up", c.GivesUp(Stopped{}) && c.GivesUp(Stopped{Overtime: true, Child: true, Paused: true})},
		{"a paused run can be cancelled", c.Cancels(openwopv1.RunStatusPaused)},
		{"100 runs at once", looks == 100 && !refused},
		{"101 are too many, and none is looked at", none == 0 && tooMany},
		{"a drain waits for the node under way", !c.Pauses(true, true, false) && c.Pauses(true, false, false)},
		{"a suspended run is paused at once", c.Pauses(true, false, true)},
		{"an immediate pause waits for nothing", c.Pauses(false, true, false)},
		{"a paused run takes no step", c.Holds(Standing{Behind: 1}) && c.Holds(Standing{Waiting: true})},
		{"a paused run takes no answer", c.Holds(Standing{Answer: true})},
		{"ids and times do not count", !c.Compares("eventId") && !c.Compares("runId") && !c.Compares("timestamp")},
		{"what happened does", c.Compares("type") && c.Compares("nodeId") && c.Compares("payload")},
	} {
		if !p.ok {
			t.Errorf("not so: %s", p.rule)
		}
	}
}

func TestHonestLoopsAndBreaches(t *testing.T) {
	s := Honest()
	own := Bound{Kind: event.NodeExecutions, Limit: 3, Own: true}
	for _, p := range []struct {
		rule string
		ok   bool
	}{
		{"a replay has the number of its source", s.Loop.Next(1, Past{Suspended: true, Held: true, Again: true, Recorded: 3}) == 3},
		{"a held turn counts once", s.Loop.Next(3, Past{Suspended: true, Held: true}) == 4},
		{"the last node that the bound allows runs", !s.Bounds.Crosses(Use{N: 3, Last: true}, own)},
		{"breaches are recalled", s.Bounds.Recalls(event.RunDuration)},
	} {
		if !p.ok {
			t.Errorf("not so: %s", p.rule)
		}
	}
}
