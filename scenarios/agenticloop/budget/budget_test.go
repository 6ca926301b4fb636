package budget_test

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/budget"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
)

// spent is the story of a run that asks for n steps and is then escalated.
func spent(t *testing.T, limit, asks int, reason string) budget.Spent {
	s := budget.Spent{Budget: limit, Run: "R", Start: hosttest.StartR.Turn(t)}
	for n := 2; n <= asks; n++ {
		s.Steps = append(s.Steps,
			hosttest.Turn(t, fmt.Sprint("result ", n-1), host.Object{"R": hosttest.Running(n-1, "fetch")},
				hosttest.Ok(host.Object{"R": hosttest.Running(n, "fetch")}, hosttest.Request("R", n, "fetch"))))
	}
	if reason != "" {
		s.Steps = append(s.Steps, hosttest.Turn(t, "the last result", host.Object{"R": hosttest.Running(asks, "fetch")},
			hosttest.Ok(host.Object{"R": hosttest.Over("escalated", asks)}, hosttest.Escalation("R", reason))))
	}
	return s
}

// spentAs is the story of a run with an id of its own that asks for one step and is then escalated.
func spentAs(t *testing.T, run, reason string) budget.Spent {
	return budget.Spent{Budget: 2, Run: run,
		Start: hosttest.Turn(t, "the start", nil,
			hosttest.Ok(host.Object{run: hosttest.Running(1, "fetch")}, hosttest.Request(run, 1, "fetch"))),
		Steps: []host.Turn{hosttest.Turn(t, "the last result", host.Object{run: hosttest.Running(1, "fetch")},
			hosttest.Ok(host.Object{run: hosttest.Over("escalated", 1)}, hosttest.Escalation(run, reason)))}}
}

func TestJudgesOfBudgets(t *testing.T) {
	honest := func() budget.BudgetObservation {
		o := budget.BudgetObservation{Way: "scripted_config"}
		for n := 1; n <= 3; n++ {
			o.Runs = append(o.Runs, spent(t, n, n, "max_steps_exceeded"))
			o.Again = append(o.Again, spent(t, 2, 2, "max_steps_exceeded"))
		}
		lower, higher := spent(t, 1, 1, "max_steps_exceeded"), spent(t, 2, 2, "max_steps_exceeded")
		o.Lower, o.Higher = &lower, &higher
		return o
	}
	completes := spent(t, 3, 1, "")
	completes.Steps = append(completes.Steps,
		hosttest.Turn(t, "done", hosttest.RunR,
			hosttest.Ok(host.Object{"R": hosttest.Over("done", 1)}, hosttest.Completion("R", 1))))
	for _, c := range []struct {
		scenario, name string
		change         func(*budget.BudgetObservation)
		want           string
	}{
		{"max-steps-ends-the-run", "one step too many", func(o *budget.BudgetObservation) {
			o.Runs[1] = spent(t, 2, 3, "max_steps_exceeded")
		}, agenticloop.RFC103G7},
		{"max-steps-ends-the-run", "one step too many, beside the end", func(o *budget.BudgetObservation) {
			o.Runs[1].Steps[1] = hosttest.Turn(t, "the last result", hosttest.RunR2,
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 2)}, hosttest.Escalation("R", "max_steps_exceeded"),
					hosttest.Request("R", 3, "fetch")))
		}, agenticloop.RFC103G7},
		{"max-steps-ends-the-run", "one step too few is accepted", func(o *budget.BudgetObservation) {
			o.Runs[2] = spent(t, 3, 2, "max_steps_exceeded")
		}, "passed"},
		{"max-steps-ends-the-run", "a budget of 1 is met by the start", func(o *budget.BudgetObservation) {
			o.Runs[0] = budget.Spent{Budget: 1,
				Start: hosttest.Turn(t, "the start", nil,
					hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)},
						hosttest.Escalation("R", "max_steps_exceeded")))}
		}, "passed"},
		{"max-steps-ends-the-run", "a budget of 2 is met by the start", func(o *budget.BudgetObservation) {
			o.Runs[1] = budget.Spent{Budget: 2,
				Start: hosttest.Turn(t, "the start", nil,
					hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)},
						hosttest.Escalation("R", "max_steps_exceeded")))}
		}, "blocked"},
		{"max-steps-ends-the-run", "no end", func(o *budget.BudgetObservation) {
			o.Runs[1] = spent(t, 2, 2, "")
		}, agenticloop.RFC103F7},
		{"max-steps-ends-the-run", "it is done at its bound", func(o *budget.BudgetObservation) {
			o.Runs[2] = completes
		}, agenticloop.RFC103F7},
		{"max-steps-ends-the-run", "it is done, left to itself", func(o *budget.BudgetObservation) {
			o.Way, o.Runs[2] = "", completes
		}, "passed"},
		{"max-steps-ends-the-run", "it is always done, left to itself", func(o *budget.BudgetObservation) {
			o.Way, o.Runs = "", []budget.Spent{completes}
		}, "blocked"},
		{"max-steps-ends-the-run", "it crashes", func(o *budget.BudgetObservation) {
			o.Runs[0].Steps[0] = hosttest.Told{Name: "x", Answer: "", Exit: 1}.Turn(t)
		}, hosttest.Violates(agenticloop.RFC103I7)},
		{"same-cut-off", "another reason", func(o *budget.BudgetObservation) {
			o.Again[2] = spent(t, 2, 2, "tired")
		}, agenticloop.RFC103M6},
		{"same-cut-off", "a reason that names its run", func(o *budget.BudgetObservation) {
			for i, run := range []string{"R", "R-two", "R-three"} {
				o.Again[i] = spentAs(t, run, "run "+run+" met its budget of 2")
			}
		}, "passed"},
		{"same-cut-off", "a reason that names its run, and another bound", func(o *budget.BudgetObservation) {
			o.Again[0], o.Again[1], o.Again[2] = spentAs(t, "R", "run R met its budget of 2"), spentAs(t, "Q", "run Q met its budget of 2"),
				spentAs(t, "S", "run S met its budget of 3")
		}, agenticloop.RFC103M6},
		{"same-cut-off", "a turn earlier", func(o *budget.BudgetObservation) {
			o.Again[1] = spent(t, 2, 1, "max_steps_exceeded")
		}, agenticloop.RFC103M6},
		{"same-cut-off", "another reason, and the profile says so", func(o *budget.BudgetObservation) {
			o.Live, o.Again[2] = true, spent(t, 2, 1, "tired")
		}, "passed"},
		{"same-cut-off", "never", func(o *budget.BudgetObservation) { o.Again[0] = spent(t, 2, 2, "") }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "budget/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "budget/"+c.scenario, o, c.want)
		})
	}
	t.Run("an api.trigger that is not heard is a finding", func(t *testing.T) {
		o, called := honest(), spent(t, 1, 3, "x")
		o.Called = &called
		if out := hosttest.Expect(t, "budget/start-lowers-it", o, "passed"); len(out.Findings) == 0 {
			t.Error("no finding")
		}
		if called = spent(t, 1, 1, "max_steps_exceeded"); len(hosttest.Expect(t, "budget/start-lowers-it", o, "passed").Findings) != 0 {
			t.Error("a finding where it is heard")
		}
	})
	t.Run("a start that is not heard is a finding", func(t *testing.T) {
		o := honest()
		lower, higher := spent(t, 1, 3, "x"), spent(t, 2, 4, "x")
		o.Lower, o.Higher = &lower, &higher
		for _, name := range []string{"start-lowers-it", "start-does-not-raise-it"} {
			if out := hosttest.Expect(t, "budget/"+name, o, "passed"); len(out.Findings) == 0 {
				t.Errorf("%s: no finding", name)
			}
			if out := hosttest.Expect(t, "budget/"+name, honest(), "passed"); len(out.Findings) != 0 {
				t.Errorf("%s: findings %v", name, out.Findings)
			}
		}
	})
}

func TestJudgesOfFailures(t *testing.T) {
	tried := func(n int) host.Object {
		r := hosttest.Running(1, "fetch")
		r["attempt"] = n
		return host.Object{"R": r}
	}
	retry := func(n int) host.Turn {
		return hosttest.Turn(t, fmt.Sprint("failure ", n), tried(n),
			hosttest.Ok(tried(n+1), hosttest.Request("R", 1, "fetch")))
	}
	end := hosttest.Turn(t, "the last failure", tried(3),
		hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)}, hosttest.Escalation("R", "tool_error")))
	honest := func() budget.FailuresObservation {
		return budget.FailuresObservation{Start: hosttest.StartR.Turn(t),
			Pending: host.Pending{Run: "R", Step: 1, Tool: "fetch"}, Most: 2, Once: true,
			Failing: []host.Turn{retry(1), retry(2), end},
			Healed: hosttest.Turn(t, "healed", tried(2),
				hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")))}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*budget.FailuresObservation)
		want           string
	}{
		{"errors-end-the-run", "it gives up at once", func(o *budget.FailuresObservation) {
			o.Failing = []host.Turn{end}
		}, "passed"},
		{"errors-end-the-run", "it never gives up", func(o *budget.FailuresObservation) {
			o.Failing = []host.Turn{retry(1), retry(2), retry(3), retry(4), retry(5)}
		}, agenticloop.RFC103F6},
		{"errors-end-the-run", "one try too many", func(o *budget.FailuresObservation) {
			o.Failing = []host.Turn{retry(1), retry(2), retry(3), end}
		}, agenticloop.RFC103F6},
		{"errors-end-the-run", "more tries than any profile says", func(o *budget.FailuresObservation) {
			o.Most, o.Failing = -1, []host.Turn{retry(1), retry(2), retry(3), retry(4), retry(5), end}
		}, "passed"},
		{"errors-end-the-run", "no end, and no profile says when", func(o *budget.FailuresObservation) {
			o.Most, o.Failing = -1, []host.Turn{retry(1), retry(2), retry(3)}
		}, "blocked"},
		{"errors-end-the-run", "it goes on", func(o *budget.FailuresObservation) {
			o.Failing = []host.Turn{hosttest.Turn(t,
				"failure 1", tried(1), hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")))}
		}, agenticloop.RFC103V10},
		{"errors-end-the-run", "it is done", func(o *budget.FailuresObservation) {
			o.Failing = []host.Turn{hosttest.Turn(t, "failure 1", tried(1),
				hosttest.Ok(host.Object{"R": hosttest.Over("done", 1)}, hosttest.Completion("R", 1)))}
		}, agenticloop.RFC103V10},
		{"retry-counts", "the profile allows no retry", func(o *budget.FailuresObservation) {
			o.Most, o.Failing = 0, []host.Turn{end}
		}, "blocked"},
		{"errors-end-the-run", "the reason has another name", func(o *budget.FailuresObservation) {
			e := hosttest.Escalation("R", "")
			e["payload"] = host.Object{"run_id": "R", "why": "the tool fails"}
			o.Failing = []host.Turn{hosttest.Turn(t, "the last failure", tried(3), hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)}, e))}
		}, "passed"},
		{"errors-end-the-run", "there is no reason", func(o *budget.FailuresObservation) {
			e := hosttest.Escalation("R", "")
			e["payload"] = host.Object{"run_id": "R", "goal": "g"}
			o.Failing = []host.Turn{hosttest.Turn(t, "the last failure", tried(3), hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)}, e))}
		}, agenticloop.RFC103F3},
		{"retry-counts", "attempt stays", func(o *budget.FailuresObservation) {
			o.Failing[0] = hosttest.Turn(t, "failure 1", tried(1),
				hosttest.Ok(tried(1), hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103F4},
		{"retry-counts", "attempt grows by events of the tool's own", func(o *budget.FailuresObservation) {
			o.Own = []host.Turn{retry(1), retry(2)}
		}, "passed"},
		{"retry-counts", "attempt stays with an event of the tool's own", func(o *budget.FailuresObservation) {
			o.Own = []host.Turn{retry(1), hosttest.Turn(t, "failure 2", tried(2), hosttest.Ok(tried(2), hosttest.Request("R", 1, "fetch")))}
		}, agenticloop.RFC103F4},
		{"retry-counts", "another tool", func(o *budget.FailuresObservation) {
			o.Failing[0] = hosttest.Turn(t, "failure 1", tried(1),
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fabric")}, hosttest.Request("R", 1, "fabric")))
		}, agenticloop.RFC103F4},
		{"retry-counts", "no retry at all", func(o *budget.FailuresObservation) {
			o.Failing = []host.Turn{end}
		}, agenticloop.RFC103F4},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "budget/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "budget/"+c.scenario, o, c.want)
		})
	}
	t.Run("a retry that leads nowhere is a finding", func(t *testing.T) {
		o := honest()
		o.Healed = hosttest.Turn(t, "healed", tried(2), hosttest.Ok(nil))
		if out := hosttest.Expect(t, "budget/retry-succeeds", o, "passed"); len(out.Findings) == 0 {
			t.Error("no finding")
		}
		if out := hosttest.Expect(t, "budget/retry-succeeds", honest(), "passed"); len(out.Findings) != 0 {
			t.Errorf("findings %v", out.Findings)
		}
		o.Once = false
		hosttest.Expect(t, "budget/retry-succeeds", o, hosttest.Violates(agenticloop.RFC103F4))
	})
}

func TestJudgesOfReframes(t *testing.T) {
	reframed := func(n, step int) host.Turn {
		r := hosttest.Running(step, "fetch")
		r["reframes"] = n
		return hosttest.Turn(t, fmt.Sprint("result ", step-1), host.Object{"R": hosttest.Running(step-1, "fetch")},
			hosttest.Ok(host.Object{"R": r}, hosttest.Request("R", step, "fetch")))
	}
	end := func(n int) host.Turn {
		r := hosttest.Over("escalated", 3)
		r["reframes"] = n
		return hosttest.Turn(t, "the last result", host.Object{"R": hosttest.Running(3, "fetch")},
			hosttest.Ok(host.Object{"R": r}, hosttest.Escalation("R", "max_reframes_exceeded")))
	}
	for name, c := range map[string]struct {
		steps []host.Turn
		want  string
	}{
		"honest": {[]host.Turn{reframed(1, 2), reframed(2, 3), end(2)}, "passed"},
		"one too many": {[]host.Turn{reframed(1, 2), reframed(2, 3), reframed(3, 4), end(3)},
			agenticloop.RFC103G8},
		"the one too many counts": {[]host.Turn{reframed(1, 2), reframed(2, 3), end(3)}, "passed"},
		"more than that count":    {[]host.Turn{reframed(1, 2), reframed(2, 3), end(4)}, agenticloop.RFC103G8},
		"it never ends": {[]host.Turn{reframed(1, 2), reframed(2, 3), reframed(2, 4), reframed(2, 5)},
			agenticloop.RFC103F8},
		"it does not count": {[]host.Turn{reframed(0, 2), reframed(0, 3), end(0)}, agenticloop.RFC103G8},
		"it takes none": {
			[]host.Turn{hosttest.Turn(t, "result 1", host.Object{"R": hosttest.Running(1, "fetch")}, hosttest.Ok(nil))},
			hosttest.Violates(agenticloop.RFC103V9)},
		"none at all": {nil, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			hosttest.Expect(t, "budget/max-reframes-ends-the-run",
				budget.ReframesObservation{Most: 2, Run: "R", Start: hosttest.StartR.Turn(t), Steps: c.steps}, c.want)
		})
	}
}
