package host_test

import (
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// judged concludes a scenario with only a setup, and a check behind it that holds.
func judged(t *testing.T, setup func(*scenarios.Judge)) scenarios.Outcome {
	t.Helper()
	status := wiretest.Status(t, 200)
	s := scenarios.Scenario{ID: "openwop/test/setup", Title: "a setup", Proves: scenarios.IDs{requirement.OWPEVT1},
		Ask: scenarios.Ask(&scenarios.Drive[int]{ID: "openwop/test"}, func(_ int, j *scenarios.Judge) {
			setup(j)
			j.Check(requirement.OWPEVT1, status).To(check.Status(200))
		})}
	return scenarios.Conclude(s, openwop.Protocol.Ledger, 0)
}

// A setup that goes wrong accuses a host of what it shows, and of nothing where the host may have a reason.
func TestSetupsAccuseOfWhatIsShown(t *testing.T) {
	const passed = "passed"
	loop := hosttest.LoopOf(3)
	created := func(status int, id any) host.RunLog {
		l := loop.Log(t)
		l.Created, l.ID = wiretest.Status(t, status), wiretest.Value(t, map[string]any{"runId": id}).Key("runId")
		if status/100 != 2 || id == "" {
			l.RunID = ""
		}
		return l
	}
	at := func(status string) host.RunLog {
		l := loop.WithStatus(status).Log(t)
		l.Ended.Reached = false
		return l
	}
	given := func(l host.RunLog) func(*scenarios.Judge) {
		return func(j *scenarios.Judge) { l.Given(j, requirement.OWPCAP19, requirement.OWP0037A1) }
	}
	over := func(l host.RunLog) func(*scenarios.Judge) { return l.Over }
	fork := func(l host.RunLog) func(*scenarios.Judge) { return l.GivenFork }
	takes := func(l host.RunLog, turns int) func(*scenarios.Judge) {
		return func(j *scenarios.Judge) { l.Takes(j, turns, requirement.OWP0061E3) }
	}
	keeps := func(l host.RunLog, kinds ...string) func(*scenarios.Judge) {
		return func(j *scenarios.Judge) {
			l.KeepsTo(j, len(kinds), func(i int, d wire.Value) bool { return d.Key("kind").String() == kinds[i] })
		}
	}
	empty := hosttest.Story{Id: "r", Status: "completed"}
	for name, c := range map[string]struct {
		setup func(*scenarios.Judge)
		want  scenarios.RequirementID // passed, "" if blocked on none
	}{
		"a loop that ran":                        {given(loop.Log(t)), passed},
		"a listed fixture is not known":          {given(created(404, nil)), requirement.OWPCAP19},
		"a run without an id":                    {given(created(201, "")), requirement.OWPCAP19},
		"a request above a limit":                {given(created(413, nil)), ""},
		"a request that the host finds wrong":    {given(created(422, nil)), ""},
		"a host that falls over":                 {given(created(500, nil)), ""},
		"a loop that stands still":               {given(at("running")), requirement.OWP0037A1},
		"a loop in a queue":                      {given(at("pending")), ""},
		"a loop that waits for somebody":         {given(at("waiting-approval")), ""},
		"a loop that is paused":                  {given(at("paused")), ""},
		"another run that stands still":          {over(at("running")), ""},
		"another run that is not known":          {over(created(404, nil)), ""},
		"a fork":                                 {fork(loop.Log(t)), passed},
		"a fork that is refused":                 {fork(created(410, nil)), ""},
		"a fork without an id":                   {fork(created(201, "")), requirement.OWPRPL1},
		"a fork that does not end":               {fork(at("running")), ""},
		"a log without an end":                   {empty.Log(t).Told, requirement.OWPEVT9},
		"a log with nothing but an end":          {empty.Then(hosttest.Event{Kind: "run.completed"}).Log(t).Told, ""},
		"a turn":                                 {loop.Log(t).Decides, passed},
		"a loop that completed without a turn":   {empty.Log(t).Decides, requirement.OWP0037A2},
		"a loop that failed without a turn":      {empty.WithStatus("failed").Log(t).Decides, ""},
		"as many turns as planned":               {takes(loop.Log(t), 3), passed},
		"more turns than planned":                {takes(loop.Log(t), 2), requirement.OWP0061E3},
		"fewer turns than planned":               {takes(loop.Log(t), 4), ""},
		"the turns of the plan":                  {keeps(loop.Log(t), "next-worker", "next-worker", "terminate"), passed},
		"another turn than the plan has":         {keeps(loop.Log(t), "next-worker", "ask-user", "terminate"), requirement.OWP0037A2},
		"one turn more than the plan has":        {keeps(loop.Log(t), "next-worker", "next-worker"), requirement.OWP0037A2},
		"a loop that stops before its plan does": {keeps(loop.Log(t), "next-worker", "next-worker", "terminate", "terminate"), ""},
		"a child that is not there": {func(j *scenarios.Judge) { host.ChildServed(j, wiretest.Status(t, 404), "c") },
			requirement.OWPDSP12},
		"a child that the key may not read": {func(j *scenarios.Judge) { host.ChildServed(j, wiretest.Status(t, 403), "c") }, ""},
		"a barrier that is not reached": {func(j *scenarios.Judge) { host.SentinelEnded(j, wire.Wait{What: "w", Patience: time.Second}) },
			""},
	} {
		t.Run(name, func(t *testing.T) {
			out := judged(t, c.setup)
			switch {
			case c.want == passed:
				if out.Verdict != scenarios.Passed {
					t.Errorf("%s (%s), want passed", out.Verdict, out.Reason)
				}
			case out.Verdict != scenarios.Blocked || out.BlockedOn != c.want:
				t.Errorf("%s on %q (%s), want blocked on %q", out.Verdict, out.BlockedOn, out.Reason, c.want)
			case out.Unblock == "":
				t.Error("it does not say what would unblock it")
			}
		})
	}
}

// An id whose last characters are all capitals, such as those that are drawn from base 62, is another one, too.
func TestStrangerOf(t *testing.T) {
	for id, want := range map[string]string{
		"jr_CDNyb1UB23ODJQPH": "jr_CDNyb1UB23PEKRQI", "run-19": "svo-20", "evt-000Zz-": "evu-111Aa-", "0190-abcdef": "0190-bcdefg", "": "",
	} {
		if got := host.StrangerOf(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
