package surface

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/goal"
)

// continued is the body of a goal that goes on in another way.
func continued(mode, arm string) string {
	return strings.Replace(goalBody(`{"maxLoopIterations":2}`), `"mode":"manual"`, `"mode":"`+mode+`","armRef":"`+arm+`"`, 1)
}

func TestAHeartbeatGoesOnWithItsGoals(t *testing.T) {
	c := serve(t, Options{})
	path := goalsPath + "/" + decoded[openwopv1.Goal](c.do("POST", goalsPath, continued("heartbeat", "h-1")).want(http.StatusOK)).ID
	for i, row := range []struct {
		heartbeat, state string
		runs             int64
	}{{"h-1", `1`, 1}, {"h-1", `1`, 1}, {"h-2", `1`, 1}, {"h-1", `2`, 2}, {"h-1", `3`, 2}} {
		c.tick(row.heartbeat, row.state)
		if got := *c.goalAt(path).Progress.Iterations; got != row.runs {
			t.Errorf("after tick %d the goal has %d runs, want %d", i+1, got, row.runs)
		}
	}
	if got := c.goalAt(path).State; got != openwopv1.GoalStateBoundExceeded {
		t.Errorf("the goal is %s", got)
	}
}

func TestNoHeartbeatsNoGoalsByThem(t *testing.T) {
	c := serve(t, Options{Without: []string{claimHeartbeat}})
	c.do("POST", goalsPath, continued("heartbeat", "h-1")).wantError(http.StatusBadRequest, "validation_error")
	c.do("POST", goalsPath, continued("schedule", "every:1h")).want(http.StatusOK)
}

const commitmentSeam = "/v1/host/sample/commitment/fire"

func TestACommitmentGoesOnWithItsGoals(t *testing.T) {
	c := serve(t, Options{})
	id := decoded[openwopv1.Goal](c.do("POST", goalsPath, continued("commitment", "c-1")).want(http.StatusOK)).ID
	path := goalsPath + "/" + id
	for i, row := range []struct {
		commitment string
		runs       int
		fires      bool
	}{{"c-1", 1, true}, {"c-2", 1, false}, {"c-1", 2, true}, {"c-1", 2, false}} {
		got := decoded[openwopv1.CommitmentFireReply](c.do("POST", commitmentSeam,
			map[string]any{"commitmentId": row.commitment}).want(http.StatusOK))
		runs := c.goalAt(path).Progress.ContributingRunIds
		if len(runs) != row.runs || got.CommitmentID != row.commitment || len(got.Events) != 0 != row.fires {
			t.Errorf("firing %d comes to %+v, and to the runs %v", i+1, got, runs)
		}
		for _, e := range got.Events {
			want := openwopv1.CommitmentFiring{CommitmentID: "c-1", MemoryRef: id, Condition: openwopv1.CommitmentFiringConditionPredicate,
				EnqueuedRunID: runs[len(runs)-1]}
			if e.Type != openwopv1.CommitmentFiredTypeCommitmentFired || e.Payload != want {
				t.Errorf("firing %d tells %+v, want %+v", i+1, e, want)
			}
		}
	}
	if got := c.goalLog(path); got != "false false bound-exceeded" {
		t.Errorf("the log of the goal is %s", got)
	}
	c.do("POST", commitmentSeam, map[string]any{}).wantError(http.StatusBadRequest, "validation_error")
}

func TestACommitmentIsOfItsTenant(t *testing.T) {
	c := serve(t, Options{Tenants: map[string]string{"other": "other-key"}})
	path := goalsPath + "/" + decoded[openwopv1.Goal](c.do("POST", goalsPath, continued("commitment", "c-1")).want(http.StatusOK)).ID
	other := *c
	other.key = "other-key"
	other.do("POST", commitmentSeam, map[string]any{"commitmentId": "c-1"}).want(http.StatusOK)
	if runs := c.goalAt(path).Progress.ContributingRunIds; len(runs) != 0 {
		t.Errorf("another tenant fired %v", runs)
	}
}

func TestNoCommitmentsNoGoalsByThem(t *testing.T) {
	c := serve(t, Options{Without: []string{claimCommitments}})
	c.do("POST", goalsPath, continued("commitment", "c-1")).wantError(http.StatusBadRequest, "validation_error")
	c.do("POST", commitmentSeam, map[string]any{"commitmentId": "c-1"}).wantError(http.StatusNotFound, "not_found")
	agents := decoded[openwopv1.Capabilities](c.do("GET", "/.well-known/openwop", nil).want(http.StatusOK)).Agents
	if agents.Commitments != nil {
		t.Errorf("discovery has commitments: %+v", agents.Commitments)
	}
	if modes := agents.Goals.Continuation; slices.Contains(modes, openwopv1.GoalsCapabilityContinuationItemCommitment) {
		t.Errorf("goals go on by %v", modes)
	}
}

func TestAHostWhoseGoalsAreJudgedByAVerifier(t *testing.T) {
	c := serve(t, Options{GoalJudge: "verifier"})
	if got := decoded[openwopv1.Capabilities](c.do("GET", "/.well-known/openwop",
		nil).want(http.StatusOK)).Agents.Goals.Judge; got != openwopv1.GoalsCapabilityJudgeVerifier {
		t.Errorf("discovery has the judge %q", got)
	}
	c.do("POST", goalsPath, goalBody(`{"maxLoopIterations":2}`)).wantError(http.StatusBadRequest, "validation_error")
	made := decoded[openwopv1.Goal](c.do("POST", goalsPath, strings.Replace(goalBody(`{"maxLoopIterations":2}`), `"check":"host"`,
		`"check":"verifier"`, 1)).want(http.StatusOK))
	if made.Completion.VerifierRef == nil || *made.Completion.VerifierRef != goal.Verifier {
		t.Errorf("the goal is judged by %+v", made.Completion)
	}
	if _, err := New(t.Context(), Options{GoalJudge: "me"}); err == nil || !strings.Contains(err.Error(), "--goal-judge") {
		t.Errorf("a judge that there is not: %v", err)
	}
}
