package agenticloop

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// spent is the story of a run that asks for n steps and is then escalated.
func spent(t *testing.T, budget, asks int, reason string) Spent {
	s := Spent{Budget: budget, Run: "R", Start: startR.turn(t)}
	for n := 2; n <= asks; n++ {
		s.Steps = append(s.Steps, told{name: fmt.Sprint("result ", n-1), before: object{"R": running(n-1, "fetch")}, answer: ok(object{"R": running(n, "fetch")}, request("R", n, "fetch"))}.turn(t))
	}
	if reason != "" {
		s.Steps = append(s.Steps, told{name: "the last result", before: object{"R": running(asks, "fetch")}, answer: ok(object{"R": over("escalated", asks)}, escalation("R", reason))}.turn(t))
	}
	return s
}

func TestJudgesOfBudgets(t *testing.T) {
	honest := func() BudgetObservation {
		o := BudgetObservation{Way: "scripted_config"}
		for n := 1; n <= 3; n++ {
			o.Runs = append(o.Runs, spent(t, n, n, "max_steps_exceeded"))
			o.Again = append(o.Again, spent(t, 2, 2, "max_steps_exceeded"))
		}
		lower, higher := spent(t, 1, 1, "max_steps_exceeded"), spent(t, 2, 2, "max_steps_exceeded")
		o.Lower, o.Higher = &lower, &higher
		return o
	}
	completes := spent(t, 3, 1, "")
	completes.Steps = append(completes.Steps, told{name: "done", before: runR, answer: ok(object{"R": over("done", 1)}, completion("R", 1))}.turn(t))
	for _, c := range []struct {
		scenario, name string
		change         func(*BudgetObservation)
		want           string
	}{
		{"max-steps-ends-the-run", "one step too many", func(o *BudgetObservation) { o.Runs[1] = spent(t, 2, 3, "max_steps_exceeded") }, agenticloopv2.RFC103G7},
		{"max-steps-ends-the-run", "one step too few is accepted", func(o *BudgetObservation) { o.Runs[2] = spent(t, 3, 2, "max_steps_exceeded") }, "passed"},
		{"max-steps-ends-the-run", "a budget of 1 is met by the start", func(o *BudgetObservation) {
			o.Runs[0] = Spent{Budget: 1, Start: told{name: "the start", answer: ok(object{"R": over("escalated", 1)}, escalation("R", "max_steps_exceeded"))}.turn(t)}
		}, "passed"},
		{"max-steps-ends-the-run", "a budget of 2 is met by the start", func(o *BudgetObservation) {
			o.Runs[1] = Spent{Budget: 2, Start: told{name: "the start", answer: ok(object{"R": over("escalated", 1)}, escalation("R", "max_steps_exceeded"))}.turn(t)}
		}, "blocked"},
		{"max-steps-ends-the-run", "no end", func(o *BudgetObservation) { o.Runs[1] = spent(t, 2, 2, "") }, agenticloopv2.RFC103F7},
		{"max-steps-ends-the-run", "it is done at its bound", func(o *BudgetObservation) { o.Runs[2] = completes }, agenticloopv2.RFC103F7},
		{"max-steps-ends-the-run", "it is done, left to itself", func(o *BudgetObservation) { o.Way, o.Runs[2] = "", completes }, "passed"},
		{"max-steps-ends-the-run", "it is always done, left to itself", func(o *BudgetObservation) { o.Way, o.Runs = "", []Spent{completes} }, "blocked"},
		{"max-steps-ends-the-run", "it crashes", func(o *BudgetObservation) { o.Runs[0].Steps[0] = told{name: "x", answer: "", exit: 1}.turn(t) }, "blocked"},
		{"same-cut-off", "another reason", func(o *BudgetObservation) { o.Again[2] = spent(t, 2, 2, "tired") }, agenticloopv2.RFC103M6},
		{"same-cut-off", "a turn earlier", func(o *BudgetObservation) { o.Again[1] = spent(t, 2, 1, "max_steps_exceeded") }, agenticloopv2.RFC103M6},
		{"same-cut-off", "another reason, and the profile says so", func(o *BudgetObservation) { o.Live, o.Again[2] = true, spent(t, 2, 1, "tired") }, "passed"},
		{"same-cut-off", "never", func(o *BudgetObservation) { o.Again[0] = spent(t, 2, 2, "") }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "budget/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "budget/"+c.scenario, o, c.want)
		})
	}
	t.Run("a start that is not heard is a finding", func(t *testing.T) {
		o := honest()
		lower, higher := spent(t, 1, 3, "x"), spent(t, 2, 4, "x")
		o.Lower, o.Higher = &lower, &higher
		for _, name := range []string{"start-lowers-it", "start-does-not-raise-it"} {
			if out := expect(t, "budget/"+name, o, "passed"); len(out.Findings) == 0 {
				t.Errorf("%s: no finding", name)
			}
			if out := expect(t, "budget/"+name, honest(), "passed"); len(out.Findings) != 0 {
				t.Errorf("%s: findings %v", name, out.Findings)
			}
		}
	})
}

func TestJudgeOfWhatIsPending(t *testing.T) {
	for name, c := range map[string]struct {
		third any
		want  string
	}{
		"honest":               {ok(object{"R": running(3, "fetch")}, request("R", 3, "fetch")), "passed"},
		"it is kept later":     {ok(object{"R": running(2, "fabric")}, request("R", 3, "fetch")), agenticloopv2.RFC103S6},
		"it is not kept":       {ok(object{"R": over("running", 3)}, request("R", 3, "fetch")), agenticloopv2.RFC103S6},
		"the tool is another":  {ok(object{"R": running(3, "fabric")}, request("R", 3, "fetch")), agenticloopv2.RFC103S6},
		"it crashes":           {"", "blocked"},
		"another run is named": {ok(object{"R": running(3, "fetch")}, request("S", 3, "fetch")), "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			last := told{name: "the result of step 2", before: runR2, answer: c.third}.turn(t)
			o := BudgetObservation{Turns: Turns{startR.turn(t), handed(t, "the result of step 1", ok(runR2, request("R", 2, "fabric"))), last}}
			expect(t, "state/pending-with-the-request", o, c.want)
		})
	}
	expect(t, "state/pending-with-the-request", BudgetObservation{Turns: Turns{told{name: "the start", answer: ok(nil)}.turn(t)}}, "blocked")
}

func TestJudgesOfFailures(t *testing.T) {
	tried := func(n int) object {
		r := running(1, "fetch")
		r["attempt"] = n
		return object{"R": r}
	}
	retry := func(n int) Turn {
		return told{name: fmt.Sprint("failure ", n), before: tried(n), answer: ok(tried(n+1), request("R", 1, "fetch"))}.turn(t)
	}
	end := told{name: "the last failure", before: tried(3), answer: ok(object{"R": over("escalated", 1)}, escalation("R", "tool_error"))}.turn(t)
	honest := func() FailuresObservation {
		return FailuresObservation{Start: startR.turn(t), Pending: pending{"R", 1, "fetch"}, Most: 2, Once: true, Failing: []Turn{retry(1), retry(2), end},
			Healed: told{name: "healed", before: tried(2), answer: ok(runR2, request("R", 2, "fabric"))}.turn(t)}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*FailuresObservation)
		want           string
	}{
		{"errors-end-the-run", "it gives up at once", func(o *FailuresObservation) { o.Failing = []Turn{end} }, "passed"},
		{"errors-end-the-run", "it never gives up", func(o *FailuresObservation) { o.Failing = []Turn{retry(1), retry(2), retry(3), retry(4), retry(5)} }, agenticloopv2.RFC103F6},
		{"errors-end-the-run", "one try too many", func(o *FailuresObservation) { o.Failing = []Turn{retry(1), retry(2), retry(3), end} }, agenticloopv2.RFC103F6},
		{"errors-end-the-run", "more tries than any profile says", func(o *FailuresObservation) {
			o.Most, o.Failing = -1, []Turn{retry(1), retry(2), retry(3), retry(4), retry(5), end}
		}, "passed"},
		{"errors-end-the-run", "no end, and no profile says when", func(o *FailuresObservation) { o.Most, o.Failing = -1, []Turn{retry(1), retry(2), retry(3)} }, "blocked"},
		{"errors-end-the-run", "it goes on", func(o *FailuresObservation) {
			o.Failing = []Turn{told{name: "failure 1", before: tried(1), answer: ok(runR2, request("R", 2, "fabric"))}.turn(t)}
		}, agenticloopv2.RFC103V10},
		{"errors-end-the-run", "it is done", func(o *FailuresObservation) {
			o.Failing = []Turn{told{name: "failure 1", before: tried(1), answer: ok(object{"R": over("done", 1)}, completion("R", 1))}.turn(t)}
		}, agenticloopv2.RFC103V10},
		{"retry-counts", "attempt stays", func(o *FailuresObservation) {
			o.Failing[0] = told{name: "failure 1", before: tried(1), answer: ok(tried(1), request("R", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103F4},
		{"retry-counts", "another tool", func(o *FailuresObservation) {
			o.Failing[0] = told{name: "failure 1", before: tried(1), answer: ok(object{"R": running(1, "fabric")}, request("R", 1, "fabric"))}.turn(t)
		}, agenticloopv2.RFC103F4},
		{"retry-counts", "no retry at all", func(o *FailuresObservation) { o.Failing = []Turn{end} }, agenticloopv2.RFC103F4},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "budget/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "budget/"+c.scenario, o, c.want)
		})
	}
	t.Run("a retry that leads nowhere is a finding", func(t *testing.T) {
		o := honest()
		o.Healed = told{name: "healed", before: tried(2), answer: ok(nil)}.turn(t)
		if out := expect(t, "budget/retry-succeeds", o, "passed"); len(out.Findings) == 0 {
			t.Error("no finding")
		}
		if out := expect(t, "budget/retry-succeeds", honest(), "passed"); len(out.Findings) != 0 {
			t.Errorf("findings %v", out.Findings)
		}
		o.Once = false
		expect(t, "budget/retry-succeeds", o, "blocked")
	})
}

func TestJudgesOfReframes(t *testing.T) {
	reframed := func(n, step int) Turn {
		r := running(step, "fetch")
		r["reframes"] = n
		return told{name: fmt.Sprint("result ", step-1), before: object{"R": running(step-1, "fetch")}, answer: ok(object{"R": r}, request("R", step, "fetch"))}.turn(t)
	}
	end := func(n int) Turn {
		r := over("escalated", 3)
		r["reframes"] = n
		return told{name: "the last result", before: object{"R": running(3, "fetch")}, answer: ok(object{"R": r}, escalation("R", "max_reframes_exceeded"))}.turn(t)
	}
	for name, c := range map[string]struct {
		steps []Turn
		want  string
	}{
		"honest":            {[]Turn{reframed(1, 2), reframed(2, 3), end(2)}, "passed"},
		"one too many":      {[]Turn{reframed(1, 2), reframed(2, 3), reframed(3, 4), end(3)}, agenticloopv2.RFC103G8},
		"it never ends":     {[]Turn{reframed(1, 2), reframed(2, 3), reframed(2, 4), reframed(2, 5)}, agenticloopv2.RFC103F8},
		"it does not count": {[]Turn{reframed(0, 2), reframed(0, 3), end(0)}, agenticloopv2.RFC103G8},
		"it takes none":     {[]Turn{told{name: "result 1", before: object{"R": running(1, "fetch")}, answer: ok(nil)}.turn(t)}, "blocked"},
		"none at all":       {nil, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, "budget/max-reframes-ends-the-run", ReframesObservation{Most: 2, Run: "R", Start: startR.turn(t), Steps: c.steps}, c.want)
		})
	}
}
