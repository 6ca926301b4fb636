package goals_test

import (
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A set-up names a sentence only where the goal's own words show it broken: a seam that decides by itself, a refusal
// and a goal that takes its time break none.
func TestSetupsThatAccuse(t *testing.T) {
	ended := func(spoil func(*goals.GoalObservation)) func(string, int) any {
		return func(state string, runs int) any {
			o := through(t, state, runs)
			spoil(&o)
			return o
		}
	}
	judged := func(state string, satisfied bool) func(*goals.GoalObservation) {
		return func(o *goals.GoalObservation) {
			g := standing(state, len(o.Ticks))
			g["completion"].(hosttest.Fields)["lastVerdict"].(hosttest.Fields)["satisfied"] = satisfied
			o.Still.Later = replied(t, 200, g)
		}
	}
	fresh := func(status int, body any) func(*goals.GoalObservation) {
		return func(o *goals.GoalObservation) { o.Goal.Fresh = replied(t, status, body) }
	}
	for _, c := range []struct {
		name, scenario string
		o              any
		want           scenarios.RequirementID
	}{
		{"satisfied, and active all the same", "every-run-judged", life(ended(judged("active", true))("satisfied", 3)), requirement.OWP0097G1},
		{"judged otherwise than asked", "every-run-judged", life(ended(judged("active", false))("satisfied", 3)), ""},
		{"satisfied without a verdict for it", "closed-at-bound", ended(judged("satisfied", false))("bound-exceeded", 3), requirement.OWP0097E1},
		{"satisfied by a verdict of the host's own", "closed-at-bound", ended(judged("satisfied", true))("bound-exceeded", 3), ""},
		{"active with the runs of its bound", "closed-at-bound", ended(judged("active", false))("bound-exceeded", 3), requirement.OWP0097E4},
		{"stopped early", "closed-at-bound", ended(func(o *goals.GoalObservation) { o.Runs = 4 })("bound-exceeded", 3), ""},
		{"never escalates", "goes-on-after-answer", goals.GoalEscalatedObservation{
			GoalObservation: ended(judged("active", false))("escalated", 2).(goals.GoalObservation)}, ""},
		{"fires a run after its end", "runs-of-the-goal", ended(func(o *goals.GoalObservation) {
			o.Still = still(t, "satisfied", 4)
		})("satisfied", 3), requirement.OWP0097G1},
		{"is not made", "stops-at-bound", goals.GoalObservation{Goal: refusedGoal(t, 422, objective)}, ""},
		{"is made and not found", "stops-at-bound", ended(fresh(404, hosttest.Fields{}))("bound-exceeded", 3), requirement.OWP0097C3},
		{"is served without a state", "stops-at-bound",
			ended(fresh(200, with(standing("", 0), "state", nil)))("bound-exceeded", 3), requirement.OWP0097B1},
		{"has ended at once", "stops-at-bound", ended(fresh(200, standing("bound-exceeded", 0)))("bound-exceeded", 3), ""},
		{"shows no progress", "stops-at-bound", ended(func(o *goals.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("bound-exceeded", 3), "progress", nil))
		})("bound-exceeded", 3), requirement.OWP0097C3},
		{"counts its runs and does not list them", "stops-at-bound", ended(func(o *goals.GoalObservation) {
			o.Still.Later = replied(t, 200, with(standing("bound-exceeded", 3), "progress", hosttest.Fields{"iterations": 3}))
		})("bound-exceeded", 3), ""},
		{"cannot be read at the end", "stops-at-bound", ended(func(o *goals.GoalObservation) {
			o.Still.Later = replied(t, 500, hosttest.Fields{"error": "internal_error", "message": "no"})
		})("bound-exceeded", 3), ""},
		{"shows no objective", "content-free", ended(fresh(200, with(standing("active", 0), "objective", nil)))("satisfied", 3),
			requirement.OWP0097B1},
		{"shows another objective", "content-free",
			ended(fresh(200, with(standing("active", 0), "objective", "[redacted]")))("satisfied", 3), ""},
		{"has no events", "content-free", ended(func(o *goals.GoalObservation) {
			o.Trail.Events = eventList(t, []hosttest.Fields{})
		})("satisfied", 3), ""},
		{"cannot list", "secret-redacted", goals.GoalSecretObservation{List: replied(t, 400, hosttest.Fields{})}, requirement.OWP0097C2},
		{"lists in a form of its own", "secret-redacted", goals.GoalSecretObservation{List: replied(t, 200, []any{})}, ""},
		{"has no abandon", "abandoned-disarms", givenUp(t, 404), requirement.OWP0097C6},
		{"refuses to abandon", "abandoned-disarms", givenUp(t, 409), ""},
		{"fires nothing by itself", "abandoned-disarms", func() any {
			o := givenUp(t, 200)
			o.Going = wire.Wait{What: "the goal shows 1 runs"}
			return o
		}(), ""},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, c.scenario, c.o, hosttest.BlockedOn(c.want))
		})
	}
}

func life(o any) any { return goals.GoalLifeObservation{GoalObservation: o.(goals.GoalObservation)} }

// givenUp returns goals on a schedule, one of which was asked to be abandoned and was answered so.
func givenUp(t *testing.T, status int) goals.GoalScheduleObservation {
	t.Helper()
	active := replied(t, 200, standing("active", 0))
	return goals.GoalScheduleObservation{GoalAloneObservation: alone(t),
		GivenUp: goals.GoalDisarmed{Goal: made(t), Asked: wiretest.Status(t, status), Settled: active, Later: host.GoalReply{}}}
}
