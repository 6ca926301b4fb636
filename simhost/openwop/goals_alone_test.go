package openwop

import (
	"net/http"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
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
