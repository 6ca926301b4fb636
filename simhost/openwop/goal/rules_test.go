package goal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// lived ticks a goal of at most two runs three times, which are not satisfied, and tells what came of it.
func (h *host) lived() string {
	h.t.Helper()
	id := h.create(within(2))
	for range 3 {
		if _, err := h.Tick(h.soon(), id, Tick{}); err != nil {
			break
		}
	}
	return fmt.Sprintf("%s, %d runs", story(h.events(id)), len(h.get(id).Progress.ContributingRunIds))
}

// asked is the code with which a goal is refused, or the objective, the judge and the bound of the goal.
func (h *host) asked(spoil func(*Create)) string {
	h.t.Helper()
	c := offered(within(2))
	spoil(&c)
	made, err := h.Create(h.soon(), c)
	if err != nil {
		return code(err)
	}
	return fmt.Sprintf("%s by %s", made.Objective, made.Completion.Check)
}

// Every rule is asked: another one in its place shows.
func TestTheGoalsGoByTheRules(t *testing.T) {
	yesAlways := func(rules.Firing) bool { return true }
	every := "every:1s"
	for _, c := range []struct {
		rule    string
		replace func(*rules.Goals)
		see     func(*host) string
		honest  string
		changed string
	}{
		{"Takes", func(r *rules.Goals) { r.Takes = func(string, bool) bool { return true } },
			func(h *host) string { return h.asked(func(c *Create) { c.Completion.Check = "nobody" }) }, CodeValidation, objective + " by nobody"},
		{"Takes, no bounds", func(r *rules.Goals) { r.Takes = func(string, bool) bool { return true } },
			func(h *host) string { return h.asked(func(c *Create) { c.Bounds = openwopv1.GoalBounds{} }) }, CodeUnbounded, objective + " by host"},
		{"Edits", func(r *rules.Goals) { r.Edits = func(openwopv1.GoalState, bool) bool { return false } }, func(h *host) string {
			_, err := h.Edit(h.soon(), h.create(within(2)), Edit{Objective: "another"})
			return "code: " + code(err)
		}, "code: ", "code: " + CodeClosed},
		{"Resumes", func(r *rules.Goals) { r.Resumes = func(openwopv1.GoalState) bool { return true } }, func(h *host) string {
			id := h.create(within(2))
			must[openwopv1.Goal](h.t)(h.Abandon(h.soon(), id))
			_, err := h.ReArm(h.soon(), id)
			return code(err) + " " + string(h.get(id).State)
		}, CodeClosed + " abandoned", " active"},
		{"Fires", func(r *rules.Goals) { r.Fires = yesAlways }, (*host).lived, "false false bound-exceeded, 2 runs",
			"false false bound-exceeded, 3 runs"},
		{"Fires, paused", func(r *rules.Goals) { r.Fires = func(rules.Firing) bool { return true } }, func(h *host) string {
			id := h.create(within(2))
			must[openwopv1.Goal](h.t)(h.Pause(h.soon(), id))
			return fmt.Sprint("fired: ", h.tick(id, Tick{}).RunID != "")
		}, "fired: false", "fired: true"},
		{"Fires, by itself", func(r *rules.Goals) { r.Fires = func(f rules.Firing) bool { return !f.ByItself } }, func(h *host) string {
			id := h.going(openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeSchedule, ArmRef: &every}, within(2))
			h.advances(time.Second)
			return fmt.Sprint("runs: ", len(h.runs(id)))
		}, "runs: 1", "runs: 0"},
		{"Satisfies", func(r *rules.Goals) { r.Satisfies = func(bool, *float64) bool { return true } }, (*host).lived,
			"false false bound-exceeded", "true satisfied, 1 runs"},
		{"Exceeds", func(r *rules.Goals) { r.Exceeds = func(rules.Spent) bool { return false } }, (*host).lived,
			"false false bound-exceeded", "false false false, 3 runs"},
	} {
		for _, changed := range []bool{false, true} {
			want := c.honest
			set := rules.Honest().Goals
			if changed {
				want = c.changed
				c.replace(&set)
			}
			t.Run(fmt.Sprintf("%s/changed=%t", c.rule, changed), func(t *testing.T) {
				h := newHost(t, func(h *host) { h.o.Rules, h.o.Secrets = set, []string{"hidden-secret"} })
				if got := c.see(h); !strings.Contains(got, want) {
					t.Errorf("got %q, want %q in it", got, want)
				}
			})
		}
	}
}

// A run that is adopted is judged like one that the goal fired; not where the goal has ended.
func TestAGoalAdoptsRuns(t *testing.T) {
	h := newHost(t)
	id, other := h.create(within(2)), h.create(within(9))
	foreign := h.tick(other, Tick{}).RunID
	h.tick(id, Tick{})
	for range 2 {
		if err := h.Adopt(h.soon(), id, foreign); err != nil {
			t.Fatal(err)
		}
		h.expectStory(id, "false false bound-exceeded")
	}
	if runs := h.get(id).Progress.ContributingRunIds; len(runs) != 2 || runs[1] != foreign {
		t.Errorf("the goal shows the runs %v", runs)
	}
}
