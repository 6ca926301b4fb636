package goals_test

import (
	"context"
	"strings"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/goals"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// alone returns an observation of an honest goal that fired its own runs.
func alone(t *testing.T) goals.GoalAloneObservation {
	t.Helper()
	shown := func(state string, runs int) wire.Wait {
		return wire.Wait{What: "the goal moves", Reached: true, Last: wiretest.Value(t, standing(state, runs))}
	}
	active := replied(t, 200, standing("active", 2))
	return goals.GoalAloneObservation{Goal: made(t), Beside: made(t), Bound: 4, Going: shown("active", 2), Paused: active,
		Settled: active, Meanwhile: shown("active", 4), Held: active,
		Resumed: goals.GoalEdit{Reply: active, After: active}, Ended: shown("bound-exceeded", 4), After: shown("active", 6),
		Later: replied(t, 200, standing("bound-exceeded", 4))}
}

// stuckArmed returns a goal that was escalated with one run listed, and that is shown so when another one had gone on.
func stuckArmed(t *testing.T, state string, runs int) goals.GoalArmedStuck {
	t.Helper()
	return goals.GoalArmedStuck{Child: host.Child{ID: "the stuck run"}, Before: wiretest.Value(t, standing("escalated", 1)),
		Others: wire.Wait{What: "the goal moves", Reached: true}, Later: replied(t, 200, standing(state, runs))}
}

func TestJudgesOfAGoalThatGoesOnByItself(t *testing.T) {
	for scenario, fires := range map[string]string{"schedule-fires": requirement.OWP0097A3, "heartbeat-fires": requirement.OWP0097A4,
		"commitment-fires": requirement.OWP0097A5} {
		unlessTimed := requirement.OWP0097E8 // what time moves is not looked at while it is stuck
		if scenario == "schedule-fires" {
			unlessTimed = "passed"
		}
		for _, c := range []struct {
			name  string
			spoil func(*goals.GoalAloneObservation)
			want  string
		}{
			{"honest", func(*goals.GoalAloneObservation) {}, "passed"},
			{"fires nothing", func(o *goals.GoalAloneObservation) { o.Going.Reached = false }, fires},
			{"stops for good", func(o *goals.GoalAloneObservation) {
				o.Ended = wire.Wait{What: "the goal moves", Last: wiretest.Value(t, standing("active", 3))}
			}, fires},
			{"does not stop at its bound", func(o *goals.GoalAloneObservation) {
				o.Ended = wire.Wait{What: "the goal moves", Last: wiretest.Value(t, standing("active", 5))}
			}, requirement.OWP0097E4},
			{"was too quick for us when it was resumed", func(o *goals.GoalAloneObservation) {
				o.Resumed.After = replied(t, 200, standing("bound-exceeded", 4))
			}, "blocked"},
			{"came to its end while paused", func(o *goals.GoalAloneObservation) {
				o.Held = replied(t, 200, standing("bound-exceeded", 4))
				o.Resumed.After = o.Held
			}, requirement.OWP0097C5},
			{"goes on while paused", func(o *goals.GoalAloneObservation) { o.Held = replied(t, 200, standing("active", 3)) }, requirement.OWP0097C5},
			{"does not resume", func(o *goals.GoalAloneObservation) { o.Resumed.After = replied(t, 200, standing("abandoned", 2)) },
				requirement.OWP0097C5},
			{"fires beyond its bound", func(o *goals.GoalAloneObservation) { o.Later = replied(t, 200, standing("bound-exceeded", 5)) },
				requirement.OWP0097E4},
			{"ends as satisfied", func(o *goals.GoalAloneObservation) { o.Later = replied(t, 200, standing("satisfied", 4)) },
				requirement.OWP0097E4},
			{"may not be paused by us", func(o *goals.GoalAloneObservation) { o.Paused = replied(t, 403, hosttest.Fields{}) }, "blocked"},
			{"was too quick for us", func(o *goals.GoalAloneObservation) {
				o.Settled = replied(t, 200, standing("bound-exceeded", 4))
			}, "blocked"},
			{"is not made", func(o *goals.GoalAloneObservation) { o.Goal = refusedGoal(t, 500, objective) }, "blocked"},
			{"stands alone", func(o *goals.GoalAloneObservation) { o.Beside = refusedGoal(t, 500, objective) }, "blocked"},
			{"stops the one beside it with it", func(o *goals.GoalAloneObservation) { o.Meanwhile.Reached = false }, "blocked"},
			{"ends the one beside it with it", func(o *goals.GoalAloneObservation) { o.After.Reached = false }, "blocked"},
			{"waits for a person, and lists the stuck run a moment later", func(o *goals.GoalAloneObservation) {
				o.Stuck = stuckArmed(t, "escalated", 2)
			}, "passed"},
			{"goes on while it waits for a person", func(o *goals.GoalAloneObservation) { o.Stuck = stuckArmed(t, "escalated", 3) }, unlessTimed},
			{"wakes up while it waits for a person", func(o *goals.GoalAloneObservation) { o.Stuck = stuckArmed(t, "active", 1) }, unlessTimed},
			{"was not to be stuck beside one that stays", func(o *goals.GoalAloneObservation) {
				o.Stuck = stuckArmed(t, "active", 3)
				o.Stuck.Others.Reached = false
			}, "passed"},
		} {
			t.Run(scenario+" "+c.name, func(t *testing.T) {
				o := alone(t)
				c.spoil(&o)
				if scenario == "schedule-fires" {
					hosttest.Expect(t, scenario, goals.GoalScheduleObservation{GoalAloneObservation: o}, c.want)
					return
				}
				hosttest.Expect(t, scenario, o, c.want)
			})
		}
	}
}

func TestJudgesOfAGoalsLife(t *testing.T) {
	for _, c := range []struct {
		name, scenario string
		spoil          func(*goals.GoalLifeObservation)
		want           string
	}{
		{"honest", "only-the-judge", func(*goals.GoalLifeObservation) {}, "passed"},
		{"an edit satisfies", "only-the-judge", func(o *goals.GoalLifeObservation) {
			o.Acts[1].Edit.After = replied(t, 200, standing("satisfied", 1))
		}, requirement.OWP0097E1},
		{"a sure no satisfies", "only-the-judge", func(o *goals.GoalLifeObservation) { o.Ticks[1] = ticked(t, "satisfied", 2) },
			requirement.OWP0097E1},
		{"the verdict does not", "only-the-judge", func(o *goals.GoalLifeObservation) { o.Ticks[2].Shown.Reached = false },
			requirement.OWP0097E1},
		{"may not be edited by us", "only-the-judge",
			func(o *goals.GoalLifeObservation) { o.Acts[0].Edit.Reply = replied(t, 403, hosttest.Fields{}) }, "blocked"},
		// another scenario's failure
		{"works on", "only-the-judge", func(o *goals.GoalLifeObservation) { o.Still = still(t, "satisfied", 4) }, "passed"},
		{"is opened again", "only-the-judge", func(o *goals.GoalLifeObservation) { o.Still = still(t, "active", 3) }, requirement.OWP0097E1},
		{"honest", "every-run-judged", func(*goals.GoalLifeObservation) {}, "passed"},
		{"a sure no satisfies", "every-run-judged", func(o *goals.GoalLifeObservation) { o.Ticks = o.Ticks[:2] }, "blocked"},
		{"works on", "every-run-judged", func(o *goals.GoalLifeObservation) { o.Still = still(t, "satisfied", 4) }, "blocked"},
		{"the verdict lags", "every-run-judged", func(o *goals.GoalLifeObservation) {
			g := standing("active", 2)
			g["completion"] = hosttest.Fields{"check": "verifier", "lastVerdict": hosttest.Fields{"satisfied": false, "runId": "run-1"}}
			o.Ticks[1].Shown.Last = wiretest.Value(t, g)
		}, requirement.OWP0097E9},
		{"a run is not judged", "every-run-judged", func(o *goals.GoalLifeObservation) {
			o.Trail.Events = eventList(t, goalLog("satisfied", 3)[1:])
		}, requirement.OWP0097E9},
		{"the count starts anew", "every-run-judged", func(o *goals.GoalLifeObservation) {
			log := goalLog("satisfied", 3)
			log[2]["payload"].(hosttest.Fields)["iterations"] = 1
			o.Trail.Events = eventList(t, log)
		}, requirement.OWP0097D1},
		{"did not end", "every-run-judged", func(o *goals.GoalLifeObservation) { o.Still = still(t, "active", 3) }, "blocked"},
	} {
		t.Run(c.scenario+" "+c.name, func(t *testing.T) {
			o := goals.GoalLifeObservation{GoalObservation: through(t, "satisfied", 3)}
			for i := range 3 {
				active := replied(t, 200, standing("active", i))
				o.Acts = append(o.Acts, goals.GoalAct{What: "pause and resume", Edit: goals.GoalEdit{Reply: active, After: active}})
			}
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgeOfASecretInAnObjective(t *testing.T) {
	leaks := with(standing("active", 0), "objective", "Assay <secret:1>")
	for _, c := range []struct {
		name  string
		spoil func(*goals.GoalSecretObservation)
		want  string
	}{
		{"honest", func(*goals.GoalSecretObservation) {}, "passed"},
		{"refuses it", func(o *goals.GoalSecretObservation) {
			*o = goals.GoalSecretObservation{Goal: refusedGoal(t, 400, objective),
				List: replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{}})}
		}, "passed"},
		{"refuses it and keeps it", func(o *goals.GoalSecretObservation) { o.Goal = refusedGoal(t, 400, objective) }, requirement.OWP0097E11},
		{"serves it", func(o *goals.GoalSecretObservation) { o.Goal.Fresh = replied(t, 200, leaks) }, requirement.OWP0097E11},
		{"answers with it", func(o *goals.GoalSecretObservation) { o.Goal.Created = replied(t, 200, leaks) }, requirement.OWP0097E11},
		{"lists it", func(o *goals.GoalSecretObservation) {
			o.List = replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{leaks}})
		}, requirement.OWP0097E11},
		{"takes it by an edit", func(o *goals.GoalSecretObservation) { o.Edited.After = replied(t, 200, leaks) }, requirement.OWP0097E11},
		{"takes it by an edit to a long one", func(o *goals.GoalSecretObservation) {
			o.Long = goals.GoalEdit{Reply: replied(t, 200, standing("active", 0)), After: replied(t, 200, leaks)}
		}, requirement.OWP0097E11},
		{"answers an edit to a long one with it", func(o *goals.GoalSecretObservation) {
			o.Long = goals.GoalEdit{Reply: replied(t, 200, leaks), After: replied(t, 200, standing("active", 0))}
		}, requirement.OWP0097E11},
		{"takes an edit to a long one without it", func(o *goals.GoalSecretObservation) { o.Long = o.Edited }, "passed"},
		{"refuses an edit to a long one", func(o *goals.GoalSecretObservation) {
			o.Long = goals.GoalEdit{Reply: replied(t, 400, hosttest.Fields{"error": "validation_error"}),
				After: replied(t, 200, standing("active", 0))}
		}, "passed"},
		{"tells it in an event", func(o *goals.GoalSecretObservation) {
			o.Trail.Events = eventList(t, []hosttest.Fields{goalEvent(1, "goal.evaluated", hosttest.Fields{"why": "<secret:1>"})})
		}, requirement.OWP0097E11},
		{"cannot list", func(o *goals.GoalSecretObservation) { o.List = replied(t, 500, hosttest.Fields{}) }, "blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			active := replied(t, 200, standing("active", 0))
			o := goals.GoalSecretObservation{Goal: made(t), Edited: goals.GoalEdit{Reply: active, After: active},
				Trail: goals.GoalTrail{Events: eventList(t, goalLog("satisfied", 1))},
				List:  replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{standing("active", 0)}})}
			c.spoil(&o)
			hosttest.Expect(t, "secret-redacted", o, c.want)
		})
	}
}

func TestJudgeOfGoalsThatAreNotClaimed(t *testing.T) {
	for _, c := range []struct {
		name       string
		list, make host.GoalReply
		want       string
	}{
		{"honest", replied(t, 404, hosttest.Fields{"error": "not_found"}), replied(t, 404, hosttest.Fields{"error": "not_found"}), "passed"},
		{"a page for every path", replied(t, 200, hosttest.Fields{"html": "welcome"}), replied(t, 405, hosttest.Fields{}), "passed"},
		{"lists them", replied(t, 200, hosttest.Fields{"goals": []hosttest.Fields{}}), replied(t, 404, hosttest.Fields{}), requirement.OWP0097G3},
		{"makes one", replied(t, 404, hosttest.Fields{}), replied(t, 201, standing("active", 0)), requirement.OWP0097G3},
	} {
		t.Run(c.name, func(t *testing.T) {
			hosttest.Expect(t, "absent-without-claim", goals.GoalsUnclaimedObservation{Paths: []string{"/v1/goals"},
				Lists: []host.GoalReply{c.list}, Makes: []host.GoalReply{c.make}}, c.want)
		})
	}
}

// A host that stores objectives verbatim serves its secret again. Its record does not show it.
func TestAHostThatServesItsSecretAgain(t *testing.T) {
	t.Parallel()
	const key = "a-secret-of-the-host"
	o := scenarios.Options{Seed: 7, Patience: time.Second, Select: scenarios.Selection{Scenarios: []string{"goal-completion/secret-redacted"}}}
	certify := func(key string) *scenarios.Report {
		c, err := scenarios.Certify(t.Context(), wire.Target{URL: hosttest.Serve(t, honestGoals(&hosttest.InventedGoals{})...),
			HostSecret: key}, o, openwop.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		return c.Finish(context.Background())
	}
	r := certify(key)
	if out := r.Outcomes[0]; out.Failure == nil || out.Failure.Requirement != requirement.OWP0097E11 {
		t.Errorf("%s: %s", out.Verdict, out.Reason)
	}
	for _, d := range r.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), key) {
			t.Error("the transcript holds the secret")
		}
	}
	if out := certify("short").Outcomes[0]; out.Verdict != scenarios.Blocked {
		t.Errorf("with a short secret: %s: %s", out.Verdict, out.Reason)
	}
}

// A host that keeps any word for an armRef need not be able to read ours (OWP-R109).
func TestASilentScheduleAccusesWhoReadsIt(t *testing.T) {
	for status, want := range map[int]string{201: "blocked", 422: requirement.OWP0097A3, 500: requirement.OWP0097A3} {
		o := goals.GoalScheduleObservation{GoalAloneObservation: alone(t), AnyArm: wiretest.Status(t, status)}
		o.Going.Reached = false
		hosttest.Expect(t, "schedule-fires", o, want)
	}
}
