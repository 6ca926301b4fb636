package goals_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfHeartbeats(t *testing.T) {
	looks := func(replies ...string) goals.HeartbeatLooks {
		o := goals.HeartbeatLooks{Seam: "/v1/host/sample/heartbeat/tick"}
		for i, reply := range replies {
			o.Looks = append(o.Looks, goals.HeartbeatLook{
				First: i == 0, Another: i%2 == 0, Status: wiretest.Status(t, 200), Reply: wiretest.Value(t, reply),
			})
		}
		return o
	}
	const yes, no, fired = `{"changed":true}`, `{"changed":false}`, `{"changed":false,"runId":"r"}`
	for _, c := range []struct {
		name, scenario string
		o              goals.HeartbeatLooks
		want           string
	}{
		{"honest", "change-told", looks(yes, no, yes, no, yes), "passed"},
		{"the first look is no change", "change-told", looks(no, no, yes, no, yes), "passed"},
		{"never a change", "change-told", looks(no, no, no, no, no), openwop.OWPHBT1},
		{"only the first is one", "change-told", looks(yes, no, yes, no, no), openwop.OWPHBT1},
		{"says nothing", "change-told", looks(yes, no, `{}`, no, yes), openwop.OWPHBT1},

		{"honest", "same-state-fires-nothing", looks(yes, no, yes, no, yes), "passed"},
		{"always a change", "same-state-fires-nothing", looks(yes, yes, yes, yes, yes), openwop.OWPHBT2},
		{"fires a run", "same-state-fires-nothing", looks(yes, no, yes, fired, yes), openwop.OWPHBT2},
		{"in a list", "same-state-fires-nothing", looks(yes, `{"evaluated":[{"changed":false}],"enqueuedRuns":0}`, yes, no, yes), "passed"},
		{"in a list, with a run", "same-state-fires-nothing", looks(yes, `{"evaluated":[{"changed":false}],"enqueuedRuns":1}`, yes, no,
			yes), openwop.OWPHBT2},
		{"a list that says another thing", "change-told", looks(yes, no, `{"evaluated":[{"changed":false}],"changed":true}`, no, yes),
			openwop.OWPHBT1},
		{"a run that is null", "same-state-fires-nothing", looks(yes, no, yes, `{"changed":false,"runId":null}`, yes), "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Expect(t, c.scenario, c.o, c.want) })
	}
	t.Run("a seam that falls over", func(t *testing.T) {
		o := looks(yes, no, yes, no, yes)
		o.Looks[3].Status = wiretest.Status(t, 500)
		hosttest.Expect(t, "same-state-fires-nothing", o, "blocked")
	})
}
