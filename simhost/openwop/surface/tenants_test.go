package surface

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

// twoTenants serves a host for two, each with a client of its own.
func twoTenants(t *testing.T, o Options) (mine, theirs *client) {
	t.Helper()
	o.Tenants = map[string]string{"b": "key-of-b"}
	mine = serve(t, o)
	other := *mine
	other.key = "key-of-b"
	return mine, &other
}

// onARun are the operations on a run; its id stands for %s.
var onARun = []struct{ method, path, body string }{
	{"GET", "/v1/runs/%s", ""},
	{"GET", "/v1/runs/%s/ancestry", ""},
	{"GET", "/v1/runs/%s/events", ""},
	{"GET", "/v1/runs/%s/events/poll?timeout=1", ""},
	{"POST", "/v1/runs/%s/cancel", `{}`},
	{"POST", "/v1/runs/%s:pause", `{}`},
	{"POST", "/v1/runs/%s:resume", `{}`},
	{"GET", "/v1/runs/%s:diff?against=run-a", ""},
	{"POST", "/v1/runs/%s:fork", `{"mode":"replay"}`},
	{"POST", "/v1/runs/%s/interrupts/supervisor", `{"resumeValue":{"answers":{"q1":"yes"}}}`},
}

// Every operation of the contract that is about a run stands above.
func TestEveryOperationOnARunIsLookedAt(t *testing.T) {
	looked := map[string]bool{}
	for _, op := range onARun {
		path, _, _ := strings.Cut(fmt.Sprintf(op.path, "r"), "?")
		looked[operationAt(op.method, path)] = true
	}
	for _, known := range templates {
		if strings.Contains(known.pointer, "{runId}") && !looked[known.pointer] {
			t.Errorf("nobody looks at %s", known.pointer)
		}
	}
}

func TestARunIsItsTenantsOwn(t *testing.T) {
	mine, theirs := twoTenants(t, Options{})
	waiting := mine.ask()
	ended := mine.create("conformance-multi-agent-handoff", nil)
	mine.until(ended, openwopv1.RunStatusCompleted)
	child := mine.poll(ended, "").Events
	before := map[string]openwopv1.EventPage{waiting.RunID: mine.poll(waiting.RunID, "timeout=1"), ended: mine.poll(ended, "")}
	ids := []string{waiting.RunID, ended}
	for _, e := range child {
		if p, ok := must2(openwopv1.DecodePayload(e.Type, e.Payload)).(*openwopv1.CoreWorkflowChainEventPayload); ok && p.ChildRunID != "" {
			ids = append(ids, p.ChildRunID)
		}
	}
	if len(ids) < 3 {
		t.Fatal("the handoff names no child")
	}
	for _, id := range ids {
		never := id[:len(id)-4] + "0000"
		for _, op := range onARun {
			for _, key := range []string{"", "k"} {
				answer := func(id string) string {
					var sent []header
					if key != "" && op.body != "" {
						sent = []header{{"Idempotency-Key", key}}
					}
					var body any
					if op.body != "" {
						body = op.body
					}
					r := theirs.do(op.method, fmt.Sprintf(op.path, id), body, sent...).want(http.StatusNotFound)
					return strings.ReplaceAll(string(r.body), id, "{id}")
				}
				if diff := cmp.Diff(answer(never), answer(id)); diff != "" {
					t.Errorf("%s %s (-a run that never was +one of another tenant)\n%s", op.method, op.path, diff)
				}
			}
		}
	}
	for id, page := range before {
		if diff := cmp.Diff(page, mine.poll(id, "timeout=1")); diff != "" {
			t.Errorf("run %s (-before +after another tenant had come)\n%s", id, diff)
		}
	}
	own := theirs.create("conformance-noop", map[string]any{"tenantId": "b"})
	if got := theirs.until(own, openwopv1.RunStatusCompleted); got.Owner.Tenant != "b" {
		t.Errorf("the run of b is owned by %+v", got.Owner)
	}
	theirs.do("POST", "/v1/runs", `{"workflowId":"conformance-noop","tenantId":"local"}`).wantError(http.StatusForbidden, "forbidden")
	// The token is the credential, whoever sends it.
	theirs.do("POST", *waiting.Interrupt.CallbackURL, `{"resumeValue":{"answers":{"q1":"yes"}}}`).want(http.StatusOK)
	mine.until(waiting.RunID, openwopv1.RunStatusCompleted)
}

func must2[T any](v T, _ bool, err error) T { return must(v, err) }

// What a run makes is owned as the run is.
func TestChildrenAndForksAreOwnedAsTheirRun(t *testing.T) {
	_, theirs := twoTenants(t, Options{})
	id := theirs.create("conformance-multi-agent-handoff", nil)
	theirs.until(id, openwopv1.RunStatusCompleted)
	fork := decoded[openwopv1.ForkRunResponse](theirs.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).want(http.StatusCreated)).RunID
	owned := []string{fork}
	owned = append(owned, theirs.children(id)...)
	path := theirs.goal(`{"maxLoopIterations":1}`)
	owned = append(owned, theirs.tickGoal(path, `{}`).RunID, theirs.tick("h", `1`).RunID)
	for _, id := range owned {
		if got := theirs.run(id); got.Owner == nil || got.Owner.Tenant != "b" {
			t.Errorf("run %s of %s is owned by %+v", id, got.WorkflowID, got.Owner)
		}
	}
}

// children are the runs that a run dispatched.
func (c *client) children(id string) (ids []string) {
	c.t.Helper()
	for _, e := range c.poll(id, "").Events {
		if p, ok := must2(openwopv1.DecodePayload(e.Type, e.Payload)).(*openwopv1.CoreWorkflowChainEventPayload); ok &&
			p.Phase == openwopv1.ChainPhaseDispatchSucceeded {
			ids = append(ids, p.ChildRunID)
		}
	}
	if len(ids) == 0 {
		c.t.Fatalf("run %s dispatched nothing", id)
	}
	return ids
}

func TestGoalsAreTheirTenantsOwn(t *testing.T) {
	mine, theirs := twoTenants(t, Options{})
	path := mine.goal(`{"maxLoopIterations":3}`)
	before := mine.goalAt(path)
	never := path[:len(path)-4] + "0000"
	for _, op := range []struct{ method, suffix, body string }{
		{"GET", "", ""}, {"GET", "/events", ""}, {"PATCH", "", `{"objective":"mine"}`}, {"POST", "/pause", ""}, {"POST", "/resume", ""},
		{"POST", "/abandon", ""}, {"POST", "/tick", `{}`},
	} {
		answer := func(path string) string {
			var body any
			if op.body != "" {
				body = op.body
			}
			id := path[strings.LastIndexByte(path, '/')+1:]
			return strings.ReplaceAll(string(theirs.do(op.method, path+op.suffix, body).want(http.StatusNotFound).body), id, "{id}")
		}
		if diff := cmp.Diff(answer(never), answer(path)); diff != "" {
			t.Errorf("%s %s (-a goal that never was +one of another tenant)\n%s", op.method, op.suffix, diff)
		}
	}
	theirs.goal(`{"maxLoopIterations":3}`)
	for _, c := range []*client{mine, theirs} {
		if list := decoded[openwopv1.GoalList](c.do("GET", goalsPath, nil).want(http.StatusOK)).Goals; len(list) != 1 {
			t.Errorf("with %s there are %d goals", c.key, len(list))
		}
	}
	if diff := cmp.Diff(before, mine.goalAt(path)); diff != "" {
		t.Errorf("the goal (-before +after)\n%s", diff)
	}
}

func TestFilesKeysAndHeartbeatsAreTheirTenantsOwn(t *testing.T) {
	mine, theirs := twoTenants(t, Options{})
	const file = "/v1/host/workspace/files/plan.md"
	mine.do("PUT", file, map[string]any{"content": "mine"}).want(http.StatusOK)
	theirs.do("GET", file, nil).wantError(http.StatusNotFound, "not_found")
	theirs.do("PUT", file, map[string]any{"content": "theirs"}).want(http.StatusOK)
	theirs.do("DELETE", file, nil).want(http.StatusNoContent)
	if got := decoded[openwopv1.WorkspaceFile](mine.do("GET", file, nil).want(http.StatusOK)); got.Content != "mine" || got.Version != 1 {
		t.Errorf("the file is %+v", got)
	}
	for tenant, status := range map[string]int{"local": http.StatusForbidden, "b": http.StatusNotFound, "anybody": http.StatusNotFound} {
		theirs.do("POST", "/v1/host/sample/workspace/op", map[string]any{"tenant": tenant, "op": "get", "path": "plan.md"}).want(status)
	}
	key := header{"Idempotency-Key", "k"}
	create := func(c *client) string {
		return decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", `{"workflowId":"conformance-noop"}`,
			key).want(http.StatusCreated)).RunID
	}
	if a, b := create(mine), create(theirs); a == b || a != create(mine) || b != create(theirs) {
		t.Errorf("one key made %s and %s", a, b)
	}
	if !mine.tick("h", `1`).Changed || !theirs.tick("h", `1`).Changed || mine.tick("h", `1`).Changed {
		t.Error("a heartbeat knows what another tenant's saw")
	}
}

// A host that is opened again knows whose everything was.
func TestTenantsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	mine, theirs := twoTenants(t, Options{DataDir: dir})
	run, goal := theirs.create("conformance-noop", nil), theirs.goal(`{"maxLoopIterations":3}`)
	theirs.until(run, openwopv1.RunStatusCompleted)
	mine.stop()
	mine, theirs = twoTenants(t, Options{DataDir: dir})
	theirs.run(run)
	theirs.goalAt(goal)
	mine.do("GET", "/v1/runs/"+run, nil).want(http.StatusNotFound)
	mine.do("GET", goal, nil).want(http.StatusNotFound)
}

func TestTenantsWhoCannotBeToldApart(t *testing.T) {
	for want, tenants := range map[string]map[string]string{
		"has the host's own key":         {"local": "k"},
		"give a name":                    {" ": "k"},
		"a client cannot send its key":   {"b": ""},
		"cannot send its key: give one":  {"b": " k"},
		`tenant "local" has the same`:    {"b": "dev"},
		`"c": tenant "b" has the same k`: {"b": "k", "c": "k"},
	} {
		_, err := New(t.Context(), Options{Tenants: tenants})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error with %q", tenants, err, want)
		}
	}
}

func TestBannerNamesEveryKey(t *testing.T) {
	mine, _ := twoTenants(t, Options{})
	if banner := mine.host.Banner("http://h"); !strings.Contains(banner, "key: dev\n") || !strings.Contains(banner, "key of b: key-of-b\n") {
		t.Errorf("the banner says\n%s", banner)
	}
}
