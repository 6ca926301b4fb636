package surface

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

// What is decided about goals, heartbeats and the execution model at the surface goes by the rules: faults of the catalogue
// show.
func TestTheSurfaceOfGoalsGoesByTheRules(t *testing.T) {
	for _, c := range []struct {
		fault   string
		o       Options
		see     func(*client) string
		honest  string
		changed string
	}{
		{"goal.mode-of-its-own", Options{}, discovered, `"manual","schedule"`,
			`"manual","cron"`},
		{"shape.host-without-name", Options{}, func(c *client) string {
			return fmt.Sprint("named: ", strings.Contains(discovered(c), `"hostId":"assay-simhost"`))
		}, "named: true", "named: false"},
		{"goal.without-claim", Options{Without: []string{claimGoals}},
			func(c *client) string { return answered(c, "GET", goalsPath, nil) }, "404", "200"},
		{"goal.unbounded-is-malformed", Options{}, func(c *client) string { return answered(c, "POST", goalsPath, goalBody(`{}`)) },
			"422", "400"},
		{"goal.edit-of-state-ignored", Options{}, func(c *client) string {
			path := goalsPath + "/" + decoded[openwopv1.Goal](c.do("POST", goalsPath, goalBody(`{"maxLoopIterations":2}`)).want(http.StatusOK)).ID
			return answered(c, "PATCH", path, `{"state":"satisfied"}`)
		}, "400", "200"},
		{"goal.completed-by-a-call", Options{}, func(c *client) string {
			path := goalsPath + "/" + decoded[openwopv1.Goal](c.do("POST", goalsPath, goalBody(`{"maxLoopIterations":2}`)).want(http.StatusOK)).ID
			return answered(c, "POST", path+"/complete", nil) + " " + string(c.goalAt(path).State)
		}, "404 active", "200 satisfied"},
		{"goal.replay-judged", Options{}, func(c *client) string {
			path := goalsPath + "/" + decoded[openwopv1.Goal](c.do("POST", goalsPath, goalBody(`{"maxLoopIterations":9}`)).want(http.StatusOK)).ID
			fired := decoded[openwopv1.GoalTickReply](c.do("POST", path+"/tick", "{}").want(http.StatusOK)).RunID
			c.do("POST", "/v1/runs/"+fired+":fork", `{"mode":"replay","fromSeq":0}`).want(http.StatusCreated)
			return fmt.Sprint("runs: ", *c.goalAt(path).Progress.Iterations)
		}, "runs: 1", "runs: 2"},
		{"heartbeat.every-look-a-change", Options{}, func(c *client) string {
			c.tick("h", `1`)
			return fmt.Sprint("changed: ", c.tick("h", `1`).Changed)
		}, "changed: false", "changed: true"},
		{"heartbeat.change-not-told", Options{}, func(c *client) string {
			return string(c.do("POST", heartbeatSeam, `{"heartbeatId":"h","observedState":1}`).want(http.StatusOK).body)
		}, `"changed":true`, `"changed":false`},
	} {
		for _, faulty := range []bool{false, true} {
			want, o := c.honest, c.o
			if faulty {
				want, o = c.changed, committing(t, o, c.fault)
			}
			t.Run(fmt.Sprintf("%s/faulty=%t", c.fault, faulty), func(t *testing.T) {
				if got := c.see(serve(t, o)); !strings.Contains(got, want) {
					t.Errorf("got %s, want %s in it", got, want)
				}
			})
		}
	}
}

// discovered is the discovery document, whether or not it is as declared.
func discovered(c *client) string {
	c.t.Helper()
	response := c.open(c.t.Context(), "GET", "/.well-known/openwop", nil)
	defer response.Body.Close()
	return string(must(io.ReadAll(response.Body)))
}

// answered is the HTTP status of a request.
func answered(c *client, method, path string, body any) string {
	c.t.Helper()
	return fmt.Sprint(c.do(method, path, body).status)
}
