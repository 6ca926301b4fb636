package surface

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Every rule about tenants is asked: another one in its place shows in what the other tenant is answered.
func TestTenantsGoByTheRules(t *testing.T) {
	open := func(s *rules.Set) { s.Tenants.Visits = func(rules.Visit) string { return "" } }
	for _, c := range []struct {
		rule, method, path string // RUN and GOAL stand for what is the first tenant's
		body               any
		replace            func(*rules.Set)
		honest, changed    int
	}{
		{"Visits", "GET", "/v1/runs/RUN", nil, open, 404, 200},
		{"Visits by another code", "GET", "/v1/runs/RUN/events/poll", nil,
			func(s *rules.Set) { s.Tenants.Visits = func(rules.Visit) string { return codeForbidden } }, 404, 403},
		{"Visits of ancestors", "GET", "/v1/runs/RUN/ancestry", nil, open, 404, 200},
		{"Visits, a file", "GET", filesPath + "/plan", nil, open, 404, 200},
		{"Visits, a goal", "GET", "GOAL", nil, open, 404, 200},
		{"Visits, to pause a goal", "POST", "GOAL/pause", nil, open, 404, 200},
		{"Visits, to abandon a goal", "POST", "GOAL/abandon", nil, open, 404, 200},
		{"Visits, to edit a goal", "PATCH", "GOAL", openwopv1.EditGoalRequest{Objective: "another"}, open, 404, 200},
		{"Owns", "POST", "/v1/runs", map[string]any{"workflowId": "conformance-noop", "tenantId": DefaultTenant},
			func(s *rules.Set) { s.Tenants.Owns = func(string, *string) string { return "b" } }, 403, 201},
	} {
		for _, faulty := range []bool{false, true} {
			mine, theirs := twoTenants(t, Options{})
			want := c.honest
			if faulty {
				c.replace(&mine.host.rules)
				want = c.changed
			}
			goal := mine.goal(`{"maxLoopIterations":1}`)
			mine.putFile("plan", "x")
			path := strings.NewReplacer("RUN", mine.create("conformance-noop", nil), "GOAL", goal).Replace(c.path)
			theirs.do(c.method, path, c.body).want(want)
		}
	}
}

func TestListsGoByTheRules(t *testing.T) {
	mine, theirs := twoTenants(t, Options{})
	mine.putFile("plan", "x")
	mine.goal(`{"maxLoopIterations":1}`)
	count := func() []int {
		return []int{
			len(decoded[openwopv1.WorkspaceFileList](theirs.do("GET", filesPath, nil).want(http.StatusOK)).Files),
			len(decoded[openwopv1.GoalList](theirs.do("GET", goalsPath, nil).want(http.StatusOK)).Goals),
		}
	}
	if got := count(); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("the other tenant lists %v files and goals", got)
	}
	mine.host.rules.Tenants.Visits = func(rules.Visit) string { return "" }
	if got := count(); !slices.Equal(got, []int{1, 1}) {
		t.Errorf("by another rule the other tenant lists %v files and goals", got)
	}
}

func TestKeysGoByTheRules(t *testing.T) {
	for _, shared := range []bool{false, true} {
		mine, theirs := twoTenants(t, Options{})
		if shared {
			mine.host.rules.Tenants.Keys = func(string, string) string { return "all" }
		}
		create := func(c *client) string {
			return decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", `{"workflowId":"conformance-noop"}`,
				header{"Idempotency-Key", "k"}).want(http.StatusCreated)).RunID
		}
		if same := create(mine) == create(theirs); same != shared {
			t.Errorf("the run is the same: %v, keys are shared: %v", same, shared)
		}
	}
}

// So are those about answers and tokens that the surface asks.
func TestTokensGoByTheRules(t *testing.T) {
	mine := serve(t, Options{LowScopeKey: "low"})
	set := &mine.host.rules
	set.Answers.Admits = func(rules.Respondent) bool { return true }
	ends := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	set.Tokens.Ends = func(time.Time, time.Time, time.Duration) time.Time { return ends }
	set.Tokens.Genuine = func(bool) bool { return true }
	waits := mine.ask()
	path := *mine.run(waits.RunID).Interrupt.CallbackURL
	said, _, _ := strings.Cut(path, ".")
	shown := decoded[openwopv1.InterruptInspection](mine.do("GET", said+".unsigned", nil, nobody).want(http.StatusOK))
	if !shown.ExpiresAt.Equal(ends) || shown.Key != *waits.Interrupt.Key {
		t.Errorf("the token shows %+v", shown)
	}
	low := *mine
	low.key = "low"
	low.do("POST", "/v1/runs/"+waits.RunID+"/interrupts/supervisor", `{"resumeValue":{"answers":{"q1":"yes"}}}`).want(http.StatusOK)
}
