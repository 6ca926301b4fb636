package goal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

func commits(h *host) { h.o.Commitments = true }

func to(commitment string) openwopv1.GoalContinuation {
	return openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeCommitment, ArmRef: &commitment}
}

// fulfil fires a commitment, and is told the goals that go on by it.
func (h *host) fulfil(commitment string, want ...string) {
	h.t.Helper()
	var ids []string
	for _, f := range must[[]Fulfilled](h.t)(h.Fulfil(h.soon(), commitment)) {
		ids = append(ids, f.GoalID)
		if runs := h.get(f.GoalID).Progress.ContributingRunIds; !slices.Contains(runs, f.RunID) {
			h.t.Errorf("goal %s shows the runs %v, not %s", f.GoalID, runs, f.RunID)
		}
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		h.t.Errorf("goals that %s had go on (-expected +seen)\n%s", commitment, diff)
	}
}

func TestACommitmentThatIsFulfilledFiresOneRun(t *testing.T) {
	h := newHost(t, commits)
	id, other, paused := h.going(to("a"), within(3)), h.going(to("b"), within(9)), h.going(to("a"), within(9))
	must[openwopv1.Goal](t)(h.Pause(h.soon(), paused))
	h.advances(time.Hour) // time is nothing to it
	h.fulfil("a", id)
	h.expectStory(id, "false")
	h.restart()
	h.fulfil("c")
	must[openwopv1.Goal](t)(h.ReArm(h.soon(), paused))
	h.fulfil("a", id, paused)
	h.fulfil("a", id, paused)
	h.expectStory(id, "false false false bound-exceeded")
	h.fulfil("a", paused)
	h.expectStory(id, "false false false bound-exceeded")
	h.expectStory(other, "")
	h.expectStory(paused, "false false false")
}

// What is due some time after the last run is not due on a grid of moments, as a schedule is.
func TestACommitmentFallsDueAfterTheLastRun(t *testing.T) {
	h := newHost(t, commits)
	id := h.going(to("in:1s"), within(4))
	h.advances(999 * time.Millisecond)
	h.expectStory(id, "")
	h.advances(501 * time.Millisecond)
	h.expectStory(id, "false")
	h.tick(id, Tick{Verdict: sure(0.5)}) // a run that nobody waited for makes it anew as well
	h.advances(999 * time.Millisecond)
	h.expectStory(id, "false false")
	h.restart()
	h.fulfil("in:1s") // it has no condition but time
	h.advances(time.Millisecond)
	h.expectStory(id, "false false false")
	must[openwopv1.Goal](t)(h.Pause(h.soon(), id))
	h.advances(time.Minute)
	must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	h.advances(time.Second)
	h.expectStory(id, "false false false false bound-exceeded")
	h.advances(time.Hour)
	h.expectStory(id, "false false false false bound-exceeded")
}

// Whatever ends a goal, or holds it up, disarms its commitment.
func TestACommitmentIsDisarmed(t *testing.T) {
	for story, end := range map[string]func(h *host, id string){
		"true satisfied":       func(h *host, id string) { h.tick(id, Tick{Verdict: yes}) },
		"abandoned":            func(h *host, id string) { must[openwopv1.Goal](h.t)(h.Abandon(h.soon(), id)) },
		"escalated":            func(h *host, id string) { h.tick(id, Tick{Escalate: true}) },
		"false bound-exceeded": func(h *host, id string) { h.tick(id, Tick{CostUSD: 2}) },
	} {
		for _, arm := range []string{"in:1s", "a"} {
			h := newHost(t, commits)
			bounds := within(9)
			bounds.MaxCostUSD = new(1.0)
			id := h.going(to(arm), bounds)
			end(h, id)
			h.advances(time.Minute)
			h.fulfil(arm)
			h.expectStory(id, story)
			h.restart()
			h.advances(time.Minute)
			h.fulfil(arm)
			h.expectStory(id, story)
		}
	}
}

func TestCommitmentsThatAreRefused(t *testing.T) {
	h := newHost(t, commits)
	none := openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeCommitment}
	for name, next := range map[string]openwopv1.GoalContinuation{
		"none": none, "no id": to(""), "no delay": to("in:"), "too soon": to("in:1ms"), "too far": to("in:9000h"),
		"too long": to(strings.Repeat("c", 129)),
	} {
		c := offered(within(1))
		c.Continuation = next
		if _, err := h.Create(h.soon(), c); code(err) != CodeValidation {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := offered(openwopv1.GoalBounds{MaxCostUSD: new(1.0)})
	c.Continuation = to("in:1s")
	if _, err := h.Create(h.soon(), c); code(err) != CodeValidation {
		t.Errorf("a commitment that is made anew for ever: %v", err)
	}
}

func TestAHostThatJudgesByAVerifier(t *testing.T) {
	h := newHost(t, func(h *host) { h.o.Judge = openwopv1.GoalCheckVerifier })
	asked := func(check openwopv1.GoalCheck, ref *string) Create {
		c := offered(within(3))
		c.Completion = openwopv1.GoalCompletionRequest{Check: check, VerifierRef: ref}
		return c
	}
	for name, c := range map[string]Create{
		"the host":       asked(openwopv1.GoalCheckHost, nil),
		"nobody":         asked("", nil),
		"a client":       asked("client", nil),
		"another one":    asked(openwopv1.GoalCheckVerifier, new("v-1")),
		"one of no name": asked(openwopv1.GoalCheckVerifier, new("")),
	} {
		if _, err := h.Create(h.soon(), c); code(err) != CodeValidation {
			t.Errorf("judged by %s: %v", name, err)
		}
	}
	for _, ref := range []*string{nil, new(Verifier)} {
		goal := must[openwopv1.Goal](t)(h.Create(h.soon(), asked(openwopv1.GoalCheckVerifier, ref)))
		if got := goal.Completion.VerifierRef; got == nil || *got != Verifier {
			t.Errorf("the goal does not name its verifier: %v", got)
		}
		if _, err := h.Edit(h.soon(), goal.ID,
			Edit{Completion: &openwopv1.GoalCompletionRequest{Check: openwopv1.GoalCheckHost}}); code(err) != CodeValidation {
			t.Errorf("edited to another judge: %v", err)
		}
		h.tick(goal.ID, Tick{Verdict: sure(1)})
		h.tick(goal.ID, Tick{Verdict: yes})
		h.expectStory(goal.ID, "false true satisfied")
	}
}
