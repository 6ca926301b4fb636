package surface

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/serving/contract"
)

const goalsPath = "/v1/host/sample/goals"

// goalBody is a goal to be, with these bounds.
func goalBody(bounds string) string {
	return `{"objective":"the MARKER of an objective","completion":{"check":"host"},"continuation":{"mode":"manual"},"bounds":` + bounds + `}`
}

// goal sets up a goal and returns its path.
func (c *client) goal(bounds string) string {
	c.t.Helper()
	made := decoded[openwopv1.Goal](c.do("POST", goalsPath, goalBody(bounds)).want(http.StatusOK))
	return goalsPath + "/" + made.ID
}

func (c *client) goalAt(path string) openwopv1.Goal {
	c.t.Helper()
	return decoded[openwopv1.Goal](c.do("GET", path, nil).want(http.StatusOK))
}

func (c *client) tickGoal(path, ask string) openwopv1.GoalTickReply {
	c.t.Helper()
	return decoded[openwopv1.GoalTickReply](c.do("POST", path+"/tick", ask).want(http.StatusOK))
}

// goalLog is the log of a goal, a word an event: evaluations by their verdict, closings by the final state.
func (c *client) goalLog(path string) string {
	c.t.Helper()
	var words []string
	for i, e := range decoded[openwopv1.GoalEventList](c.do("GET", path+"/events", nil).want(http.StatusOK)).Events {
		if e.Sequence != int64(i) || goalsPath+"/"+e.GoalID != path {
			c.t.Errorf("event %d is number %d of goal %s", i, e.Sequence, e.GoalID)
		}
		words = append(words, fmt.Sprint(e.Payload[map[openwopv1.GoalEventType]string{"goal.evaluated": "satisfied",
			"goal.closed": "finalState"}[e.Type]]))
	}
	return strings.Join(words, " ")
}

func TestAGoalThatIsSatisfied(t *testing.T) {
	c := serve(t, Options{})
	path := c.goal(`{"maxLoopIterations":3}`)
	made := c.goalAt(path)
	if made.State != "active" || made.Owner.Tenant != DefaultTenant || *made.Progress.Iterations != 0 || made.Completion.LastVerdict != nil {
		t.Errorf("the goal begins as %+v", made)
	}
	first := c.tickGoal(path, `{}`)
	last := c.tickGoal(path, `{"verdict":{"satisfied":true,"confidence":0.75},"costUsd":1.5}`)
	if c.goalLog(path) != "false true satisfied" || last.Goal.State != "satisfied" || *last.Goal.Completion.LastVerdict.RunID != last.RunID {
		t.Errorf("the log says %q, and the goal is %+v", c.goalLog(path), last.Goal)
	}
	if diff := cmp.Diff([]string{first.RunID, last.RunID}, last.Goal.Progress.ContributingRunIds); diff != "" {
		t.Errorf("the contributing runs (-ticks +goal)\n%s", diff)
	}
	const worker = "work" // the node of a contributing run
	for id, want := range map[string]map[string]any{
		first.RunID: {"satisfied": false, "costUsd": 0.0},
		last.RunID:  {"satisfied": true, "confidence": 0.75, "costUsd": 1.5},
	} {
		run := c.run(id)
		if outputs := at(run.NodeStates, "/"+worker+"/outputs"); !cmp.Equal(outputs, any(want)) || run.Status != "completed" {
			t.Errorf("run %s is %s with outputs %v, want %v", id, run.Status, outputs, want)
		}
		for _, place := range []string{"/v1/runs/" + id, "/v1/runs/" + id + "/events/poll", path + "/events"} {
			if body := c.do("GET", place, nil).want(http.StatusOK).body; strings.Contains(string(body), "MARKER") {
				t.Errorf("%s tells the objective: %s", place, body)
			}
		}
	}
}

func TestAGoalEndsAtItsBound(t *testing.T) {
	for _, row := range []struct{ bounds, tick, log string }{
		{`{"maxLoopIterations":3}`, `{}`, "false false false bound-exceeded"},
		{`{"maxCostUsd":1}`, `{"costUsd":0.6}`, "false false bound-exceeded"},
		{`{"runTimeoutMs":3600000}`, `{"elapsedMs":1500000}`, "false false bound-exceeded"},
	} {
		c := serve(t, Options{})
		path := c.goal(row.bounds)
		runs := map[string]bool{}
		for c.goalAt(path).State == "active" {
			runs[c.tickGoal(path, row.tick).RunID] = true
		}
		if log := c.goalLog(path); log != row.log {
			t.Errorf("%s: the log says %q, want %q", row.bounds, log, row.log)
		}
		delete(runs, "")
		if want := strings.Count(row.log, "false"); len(runs) != want || len(c.goalAt(path).Progress.ContributingRunIds) != want {
			t.Errorf("%s: %d runs were fired, want %d", row.bounds, len(runs), want)
		}
		before := c.goalAt(path)
		for _, ask := range []string{"/tick", "/pause", "/resume", "/abandon"} {
			envelope := c.do("POST", path+ask, `{}`).wantError(http.StatusConflict, "goal_closed")
			if envelope.Details["state"] != "bound-exceeded" {
				t.Errorf("%s is refused with %v", ask, envelope.Details)
			}
		}
		c.do("PATCH", path, `{"objective":"o"}`).wantError(http.StatusConflict, "goal_closed")
		if diff := cmp.Diff(before, c.goalAt(path)); diff != "" {
			t.Errorf("what was refused changed the goal\n%s", diff)
		}
	}
}

func TestWhatIsNoGoalIsRefused(t *testing.T) {
	c := serve(t, Options{})
	with := func(member, value string) string {
		return strings.TrimSuffix(goalBody(`{"maxLoopIterations":1}`), "}") + `,"` + member + `":` + value + `}`
	}
	in := func(old, other string) string {
		return strings.Replace(goalBody(`{"maxLoopIterations":1}`), old, other, 1)
	}
	for _, row := range []struct {
		name, body string
		status     int
		field      string
	}{
		{"without bounds", in(`,"bounds":{"maxLoopIterations":1}`, ``), 422, "bounds"},
		{"with empty bounds", goalBody(`{}`), 422, "bounds"},
		{"null for bounds", goalBody(`null`), 400, "bounds"},
		{"no run", goalBody(`{"maxLoopIterations":0}`), 400, "bounds.maxLoopIterations"},
		{"less than no run", goalBody(`{"maxLoopIterations":-1}`), 400, "bounds.maxLoopIterations"},
		{"half a run", goalBody(`{"maxLoopIterations":0.5}`), 400, "bounds.maxLoopIterations"},
		{"more runs than there are numbers", goalBody(`{"maxLoopIterations":1e30}`), 400, ""},
		{"negative time", goalBody(`{"runTimeoutMs":-1}`), 400, "bounds.runTimeoutMs"},
		{"negative cost", goalBody(`{"maxCostUsd":-0.01}`), 400, "bounds.maxCostUsd"},
		{"a bound that is none", goalBody(`{"maxIterations":1}`), 400, ""},
		{"its state", with("state", `"satisfied"`), 400, ""},
		{"its state, honestly", with("state", `"active"`), 400, ""},
		{"an id of its own", with("id", `"goal-1"`), 400, ""},
		{"somebody else's", with("owner", `{"tenant":"other"}`), 400, ""},
		{"a verdict", in(`"check":"host"`, `"check":"host","lastVerdict":{"satisfied":true}`), 400, ""},
		{"another judge", in(`"check":"host"`, `"check":"verifier"`), 400, "completion.check"},
		{"a verifier", in(`"check":"host"`, `"check":"host","verifierRef":"v"`), 400, "completion.verifierRef"},
		{"no judge that there is", in(`"check":"host"`, `"check":"me"`), 400, "completion.check"},
		{"a schedule", in(`"mode":"manual"`, `"mode":"schedule"`), 400, "continuation.armRef"},
		{"a commitment", in(`"mode":"manual"`, `"mode":"commitment"`), 400, "continuation.armRef"},
		{"an arm", in(`"mode":"manual"`, `"mode":"manual","armRef":"a"`), 400, "continuation.armRef"},
		{"no objective", in(`the MARKER of an objective`, ``), 400, "objective"},
		{"too long an objective", in(`the MARKER of an objective`, strings.Repeat("x", 8193)), 400, "objective"},
		{"no object", `[]`, 400, ""},
		{"nothing", ``, 400, ""},
		{"no JSON", `{"objective":`, 400, ""},
	} {
		envelope := c.do("POST", goalsPath, row.body).wantError(row.status, "validation_error")
		if field := fmt.Sprint(envelope.Details["field"]); row.field != "" && field != row.field {
			t.Errorf("%s: the field is %q, want %q: %s", row.name, field, row.field, envelope.Message)
		}
	}
	c.do("POST", goalsPath, in("the", strings.Repeat("x", contract.MaxBody))).wantError(http.StatusRequestEntityTooLarge, "payload_too_large")
	if goals := decoded[openwopv1.GoalList](c.do("GET", goalsPath, nil).want(http.StatusOK)).Goals; len(goals) != 0 {
		t.Errorf("goals came of what was refused: %v", goals)
	}
	c.do("POST", goalsPath, in(`"mode":"manual"`, `"mode":"manual","armRef":null`)).want(http.StatusOK)
	c.do("POST", goalsPath, in(`the MARKER of an objective`, strings.Repeat("ä", 8192))).want(http.StatusOK)
}

func TestAnEditLeavesTheStateToTheJudge(t *testing.T) {
	c := serve(t, Options{})
	path := c.goal(`{"maxLoopIterations":2}`)
	before := c.goalAt(path)
	for _, body := range []string{
		`{"state":"satisfied"}`, `{"objective":"o","state":"satisfied"}`, `{}`, `{"bounds":{"maxLoopIterations":9}}`, `{"objective":""}`,
		`{"completion":{"check":"verifier"}}`, `{"completion":{"check":"host","lastVerdict":{"satisfied":true}}}`,
		`{"continuation":{"mode":"heartbeat"}}`,
		`{"progress":{"iterations":0}}`, `{"owner":{"tenant":"other"}}`, `null`,
	} {
		c.do("PATCH", path, body).wantError(http.StatusBadRequest, "validation_error")
	}
	if diff := cmp.Diff(before, c.goalAt(path)); diff != "" {
		t.Errorf("what was refused changed the goal\n%s", diff)
	}
	edited := decoded[openwopv1.Goal](c.do("PATCH", path,
		`{"objective":"another","completion":{"check":"host"},"continuation":{"mode":"manual","armRef":null}}`).want(http.StatusOK))
	if edited.Objective != "another" || edited.State != "active" || *edited.Bounds.MaxLoopIterations != 2 {
		t.Errorf("edited to %+v", edited)
	}
	c.do("POST", path, `{"state":"satisfied"}`).wantError(http.StatusMethodNotAllowed, "method_not_allowed")
	c.do("DELETE", path, nil).wantError(http.StatusMethodNotAllowed, "method_not_allowed")
}

func TestPausedNothingFires(t *testing.T) {
	c := serve(t, Options{})
	path := c.goal(`{"maxLoopIterations":2}`)
	before := c.goalAt(path)
	for range 2 {
		if diff := cmp.Diff(before, decoded[openwopv1.Goal](c.do("POST", path+"/pause", nil).want(http.StatusOK))); diff != "" {
			t.Errorf("paused (-before +after)\n%s", diff)
		}
	}
	if done := c.tickGoal(path, `{"verdict":{"satisfied":true}}`); done.RunID != "" || len(done.Events) != 0 {
		t.Errorf("paused, the tick comes to %+v", done)
	}
	for range 2 {
		if diff := cmp.Diff(before, decoded[openwopv1.Goal](c.do("POST", path+"/resume", nil).want(http.StatusOK))); diff != "" {
			t.Errorf("resumed (-before +after)\n%s", diff)
		}
	}
	if done := c.tickGoal(path, `{}`); done.RunID == "" || c.goalLog(path) != "false" {
		t.Errorf("resumed, the tick comes to %+v", done)
	}
}

func TestAnAbandonedGoalStaysSo(t *testing.T) {
	c := serve(t, Options{})
	path := c.goal(`{"maxLoopIterations":2}`)
	for range 2 {
		if got := decoded[openwopv1.Goal](c.do("POST", path+"/abandon", nil).want(http.StatusOK)); got.State != "abandoned" {
			t.Errorf("abandoned, it is %s", got.State)
		}
	}
	for _, ask := range []string{"/resume", "/pause", "/tick"} {
		c.do("POST", path+ask, `{}`).wantError(http.StatusConflict, "goal_closed")
	}
	c.do("PATCH", path, `{"objective":"o"}`).wantError(http.StatusConflict, "goal_closed")
	if got := c.goalAt(path); got.State != "abandoned" || c.goalLog(path) != "abandoned" {
		t.Errorf("it is %s, and its log says %q", got.State, c.goalLog(path))
	}
}

func TestAnEscalatedGoalWaitsForAPerson(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir})
	path := c.goal(`{"maxLoopIterations":3}`)
	stuck := c.tickGoal(path, `{"escalate":true}`)
	if stuck.Goal.State != "escalated" || !isSuspended(c.run(stuck.RunID).Status) || c.goalLog(path) != "escalated" {
		t.Fatalf("the tick comes to %+v, and its run is %s", stuck, c.run(stuck.RunID).Status)
	}
	c.stop()
	c = serve(t, Options{DataDir: dir})
	for _, ask := range []string{"/resume", "/tick", "/pause"} {
		if envelope := c.do("POST", path+ask, `{}`).wantError(http.StatusConflict, "goal_closed"); !strings.Contains(envelope.Message,
			stuck.RunID) {
			t.Errorf("%s is refused with %q, which does not say what to answer", ask, envelope.Message)
		}
	}
	c.answer(c.run(stuck.RunID))
	if got := decoded[openwopv1.Goal](c.do("POST", path+"/resume", nil).want(http.StatusOK)); got.State != "active" {
		t.Errorf("resumed, it is %s", got.State)
	}
	c.tickGoal(path, `{"verdict":{"satisfied":true}}`)
	if log := c.goalLog(path); log != "escalated false true satisfied" {
		t.Errorf("the log says %q", log)
	}
}

func TestEscalationNeedsARunThatWaits(t *testing.T) {
	for _, o := range []Options{{Version: 1}, {Without: []string{"executionModel"}}, {Without: []string{"orchestrator"}}} {
		c := serve(t, o)
		path := c.goal(`{"maxLoopIterations":3}`)
		c.do("POST", path+"/tick", `{"escalate":true}`).wantError(http.StatusNotImplemented, "capability_not_provided")
		c.tickGoal(path, `{"escalate":false}`)
		if log := c.goalLog(path); log != "false" {
			t.Errorf("%+v: the log says %q", o, log)
		}
	}
	c := serve(t, Options{Version: 2})
	if done := c.tickGoal(c.goal(`{"maxLoopIterations":3}`), `{"escalate":true}`); done.Goal.State != "escalated" {
		t.Errorf("at version 2 the goal is %s", done.Goal.State)
	}
}

func TestWhatIsNoTickIsRefused(t *testing.T) {
	c := serve(t, Options{})
	path := c.goal(`{"maxLoopIterations":3}`)
	for _, body := range []string{
		``, `[]`, `{"verdict":{}}`, `{"verdict":null}`, `{"verdict":{"satisfied":"yes"}}`, `{"verdict":{"satisfied":true,"confidence":1.01}}`,
		`{"verdict":{"satisfied":true,"runId":"run-1"}}`, `{"costUsd":-1}`, `{"costUsd":1e999}`, `{"elapsedMs":-1}`, `{"elapsedMs":1.5}`,
		`{"elapsedMs":9223372036854775807}`, `{"elapsedMs":9223372036854775808}`, `{"state":"satisfied"}`, `{"runId":"run-1"}`,
		`{"escalate":true,"verdict":{"satisfied":true}}`, `{"escalate":true,"costUsd":1}`,
	} {
		c.do("POST", path+"/tick", body).wantError(http.StatusBadRequest, "validation_error")
	}
	if got := c.goalAt(path); *got.Progress.Iterations != 0 || got.State != "active" {
		t.Errorf("what was refused left %+v", got)
	}
}

func TestGoalsAreListed(t *testing.T) {
	c := serve(t, Options{})
	var paths []string
	for range 3 {
		paths = append(paths, c.goal(`{"maxLoopIterations":1}`))
	}
	c.tickGoal(paths[1], `{}`)
	for query, want := range map[string][]string{"": paths, "?state=active": {paths[0], paths[2]},
		"?state=bound-exceeded": {paths[1]}, "?state=satisfied": nil} {
		var got []string
		for _, goal := range decoded[openwopv1.GoalList](c.do("GET", goalsPath+query, nil).want(http.StatusOK)).Goals {
			got = append(got, goalsPath+"/"+goal.ID)
		}
		if !slices.Equal(want, got) {
			t.Errorf("%q lists %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"?state=", "?state=bogus", "?state=active&state=satisfied", "?state=%zz"} {
		c.do("GET", goalsPath+query, nil).wantError(http.StatusBadRequest, "validation_error")
	}
}

// goalCalls is every operation on goals, on the one at path.
func goalCalls(path string) map[string][3]string {
	return map[string][3]string{
		"list": {"GET", goalsPath}, "create": {"POST", goalsPath, goalBody(`{"maxLoopIterations":1}`)}, "get": {"GET", path},
		"edit": {"PATCH", path, `{"objective":"o"}`}, "pause": {"POST", path + "/pause"}, "resume": {"POST", path + "/resume"},
		"tick": {"POST", path + "/tick", `{}`}, "events": {"GET", path + "/events"}, "abandon": {"POST", path + "/abandon"},
	}
}

func TestThereIsNoSuchGoal(t *testing.T) {
	c := serve(t, Options{})
	for _, id := range []string{"goal-nowhere", "%00", "..%2Fgoals", strings.Repeat("g", 129)} {
		calls := goalCalls(goalsPath + "/" + id)
		maps.DeleteFunc(calls, func(name string, _ [3]string) bool { return name == "list" || name == "create" })
		for _, call := range calls {
			c.do(call[0], call[1], call[2]).wantError(http.StatusNotFound, "not_found")
		}
	}
}

func TestGoalsThatAreNotClaimedAreNotThere(t *testing.T) {
	for without, gone := range map[string][]string{
		"goals":     {"list", "create", "get", "edit", "pause", "resume", "abandon", "tick", "events"},
		"goalsSeam": {"tick", "events"},
	} {
		c := serve(t, Options{Without: []string{without}})
		path := goalsPath + "/goal-1"
		if without == "goalsSeam" {
			path = c.goal(`{"maxLoopIterations":1}`)
		}
		for name, call := range goalCalls(path) {
			if got := c.do(call[0], call[1], call[2]); slices.Contains(gone, name) {
				got.wantError(http.StatusNotFound, "not_found")
			} else if name == "list" || name == "create" || name == "get" {
				got.want(http.StatusOK)
			}
		}
	}
}

func TestTheSameKeyIsOneGoal(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir})
	body := goalBody(`{"maxLoopIterations":2}`)
	first := c.do("POST", goalsPath, body, key("k")).want(http.StatusOK)
	sameReply(t, first, c.do("POST", goalsPath, body, key("k")))
	c.do("POST", goalsPath, goalBody(`{"maxLoopIterations":3}`), key("k")).wantError(http.StatusConflict, "idempotency_key_mismatch")
	c.do("POST", goalsPath, goalBody(`{}`), key("l")).wantError(http.StatusUnprocessableEntity, "validation_error")
	c.stop()
	forgetOutcome(t, dir, keyLog(DefaultTenant, "POST "+goalsPath, "k"), false)
	c = serve(t, Options{DataDir: dir})
	again := c.do("POST", goalsPath, body, key("k")).want(http.StatusOK)
	if decoded[openwopv1.Goal](again).ID != decoded[openwopv1.Goal](first).ID {
		t.Errorf("after a crash the key makes %s, and made %s", again.body, first.body)
	}
	if goals := decoded[openwopv1.GoalList](c.do("GET", goalsPath, nil)).Goals; len(goals) != 1 {
		t.Errorf("one key made %d goals", len(goals))
	}
}

func TestTheKeyOfTheHostIsNoPartOfAnObjective(t *testing.T) {
	c := serve(t, Options{Key: "a-key-of-some-length"})
	body := strings.Replace(goalBody(`{"maxLoopIterations":2}`), "MARKER", "a-key-of-some-length", 1)
	made := c.do("POST", goalsPath, body).want(http.StatusOK)
	edited := c.do("PATCH", goalsPath+"/"+decoded[openwopv1.Goal](made).ID, `{"objective":"a-key-of-some-length"}`).want(http.StatusOK)
	for _, got := range []reply{made, edited, c.do("GET", goalsPath, nil)} {
		if strings.Contains(string(got.body), "a-key-of") || !strings.Contains(string(got.body), "[REDACTED:1]") {
			t.Errorf("the objective is served as %s", got.body)
		}
	}
}

func TestTheDeadlineOfAGoalNeedsNoTick(t *testing.T) {
	hands := clock.NewManual(time.Unix(1_800_000_000, 0))
	c := serve(t, Options{Clock: hands})
	path, other := c.goal(`{"runTimeoutMs":60000}`), c.goal(`{"runTimeoutMs":60000}`)
	c.tickGoal(path, `{"elapsedMs":59000}`)
	hands.Advance(2 * time.Second)
	if got := c.goalAt(path); got.State != "bound-exceeded" || c.goalLog(path) != "false bound-exceeded" {
		t.Errorf("after its deadline the goal is %s", got.State)
	}
	if got := c.goalAt(other); got.State != "active" {
		t.Errorf("the other one, whose clock is not ahead, is %s", got.State)
	}
}

func TestGoalsSurviveARestart(t *testing.T) {
	o := Options{DataDir: t.TempDir()}
	c := serve(t, o)
	path := c.goal(`{"maxLoopIterations":2,"maxCostUsd":10}`)
	c.tickGoal(path, `{"costUsd":6,"verdict":{"satisfied":false,"confidence":0.5}}`)
	before, log := c.goalAt(path), c.do("GET", path+"/events", nil)
	c.stop()
	c = serve(t, o)
	if diff := cmp.Diff(before, c.goalAt(path)); diff != "" {
		t.Errorf("the goal (-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(string(log.body), string(c.do("GET", path+"/events", nil).body)); diff != "" {
		t.Errorf("its log (-before +after)\n%s", diff)
	}
	c.tickGoal(path, `{}`)
	if got := c.goalLog(path); got != "false false bound-exceeded" {
		t.Errorf("the log says %q", got)
	}
}

func TestTicksThatComeTogetherKeepTheBound(t *testing.T) {
	const bound, more = 4, 3
	c := serve(t, Options{})
	path := c.goal(fmt.Sprintf(`{"maxLoopIterations":%d}`, bound))
	replies := make([]reply, bound+more)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = c.do("POST", path+"/tick", `{}`) })
	}
	all.Wait()
	runs := map[string]bool{}
	for _, r := range replies {
		if r.status == http.StatusOK {
			runs[decoded[openwopv1.GoalTickReply](r).RunID] = true
		} else {
			r.wantError(http.StatusConflict, "goal_closed")
		}
	}
	if len(runs) != bound || len(c.goalAt(path).Progress.ContributingRunIds) != bound {
		t.Errorf("%d runs were fired, want %d", len(runs), bound)
	}
	if got := c.goalLog(path); got != strings.Repeat("false ", bound)+"bound-exceeded" {
		t.Errorf("the log says %q", got)
	}
}
