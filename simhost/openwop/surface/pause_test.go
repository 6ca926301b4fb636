package surface

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

// manual is a clock that the test moves.
func manual() *clock.Manual { return clock.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)) }

func TestPauseAndResume(t *testing.T) {
	now := manual()
	c := serve(t, Options{Clock: now})
	id := c.create("conformance-delay", map[string]any{"inputs": map[string]any{"delayMs": 1000}})
	paused := decoded[openwopv1.PauseRunResponse](c.do("POST", "/v1/runs/"+id+":pause",
		`{"reason":"a look","drainPolicy":"immediate"}`).want(http.StatusAccepted))
	if paused.RunID != id || paused.Status != openwopv1.RunStatusPaused || paused.PausedAt.IsZero() {
		t.Errorf("paused: %+v", paused)
	}
	if got := c.do("POST", "/v1/runs/"+id+":pause", `{}`).wantError(http.StatusConflict, "run_paused"); got.Details["runStatus"] != "paused" {
		t.Errorf("details: %v", got.Details)
	}
	before := c.poll(id, "timeout=1").Events
	now.Advance(time.Minute)
	if diff := cmp.Diff(before, c.poll(id, "timeout=1").Events); diff != "" || c.run(id).Status != openwopv1.RunStatusPaused {
		t.Errorf("it is %s (-before +after its time)\n%s", c.run(id).Status, diff)
	}
	resumed := decoded[openwopv1.ResumeRunResponse](c.do("POST", "/v1/runs/"+id+":resume", nil).want(http.StatusAccepted))
	if resumed.RunID != id || resumed.Status != openwopv1.RunStatusRunning || !resumed.ResumedAt.Equal(paused.PausedAt.Add(time.Minute)) {
		t.Errorf("resumed: %+v", resumed)
	}
	c.until(id, openwopv1.RunStatusCompleted)
	for _, verb := range []string{"pause", "resume"} {
		if got := c.do("POST", "/v1/runs/"+id+":"+verb, nil).wantError(http.StatusConflict,
			"run_terminal"); got.Details["runStatus"] != "completed" {
			t.Errorf("%s of a run that has ended: %v", verb, got.Details)
		}
	}
	waiting := c.ask()
	c.do("POST", "/v1/runs/"+waiting.RunID+":resume", nil).wantError(http.StatusConflict, "run_not_paused")
	c.do("POST", "/v1/runs/"+waiting.RunID+":pause", nil).want(http.StatusAccepted)
	c.do("POST", "/v1/runs/"+waiting.RunID+"/interrupts/supervisor",
		`{"resumeValue":{"answers":{"q1":"yes"}}}`).wantError(http.StatusConflict, "run_paused")
	early := header{"Idempotency-Key", "early"}
	c.do("POST", "/v1/runs/"+waiting.RunID+"/interrupts/supervisor", `{"resumeValue":{"answers":{"q1":"yes"}}}`,
		early).wantError(http.StatusConflict, "run_paused")
	c.do("POST", *waiting.Interrupt.CallbackURL, `{"resumeValue":{"answers":{"q1":"yes"}}}`, nobody).wantError(http.StatusConflict,
		"run_paused")
	c.do("POST", "/v1/runs/"+waiting.RunID+":pause", `{"drainPolicy":"never"}`).wantError(http.StatusBadRequest, "validation_error")
	c.do("POST", "/v1/runs/"+waiting.RunID+":resume", nil).want(http.StatusAccepted)
	c.do("POST", "/v1/runs/"+waiting.RunID+"/interrupts/supervisor", `{"resumeValue":{"answers":{"q1":"yes"}}}`, early).want(http.StatusOK)
	c.until(waiting.RunID, openwopv1.RunStatusCompleted)
}

// A pause that has to wait for the node under way is taken, and has no time yet.
func TestPauseThatDrains(t *testing.T) {
	now := manual()
	c := serve(t, Options{Clock: now})
	id := c.create("conformance-delay", map[string]any{"inputs": map[string]any{"delayMs": 1000}})
	if reply := decoded[openwopv1.PauseRunResponse](c.do("POST", "/v1/runs/"+id+":pause",
		nil).want(http.StatusAccepted)); !reply.PausedAt.IsZero() {
		t.Errorf("paused at %s", reply.PausedAt)
	}
	if s := c.run(id); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("it is %s", s.Status)
	}
	now.Advance(time.Second)
	c.until(id, openwopv1.RunStatusPaused)
	c.do("POST", "/v1/runs/"+id+":resume", nil).want(http.StatusAccepted)
	c.until(id, openwopv1.RunStatusCompleted)
}

// A pause that is taken back before the run came to it resumes nothing, whatever happened earlier.
func TestPauseThatIsTakenBack(t *testing.T) {
	now := manual()
	c := serve(t, Options{Clock: now})
	id := c.create("conformance-delay", map[string]any{"inputs": map[string]any{"delayMs": 1000}})
	c.do("POST", "/v1/runs/"+id+":pause", `{"drainPolicy":"immediate"}`).want(http.StatusAccepted)
	c.do("POST", "/v1/runs/"+id+":resume", nil).want(http.StatusAccepted)
	now.Advance(time.Millisecond)
	c.do("POST", "/v1/runs/"+id+":pause", nil).want(http.StatusAccepted)
	if reply := decoded[openwopv1.ResumeRunResponse](c.do("POST", "/v1/runs/"+id+":resume",
		nil).want(http.StatusAccepted)); !reply.ResumedAt.IsZero() {
		t.Errorf("resumed at %s", reply.ResumedAt)
	}
	now.Advance(time.Second)
	c.until(id, openwopv1.RunStatusCompleted)
}

// A paused run is paused still when the host is opened again.
func TestPauseSurvivesARestart(t *testing.T) {
	now, dir := manual(), t.TempDir()
	c := serve(t, Options{Clock: now, DataDir: dir})
	id := c.create("conformance-delay", map[string]any{"inputs": map[string]any{"delayMs": 1000}})
	c.do("POST", "/v1/runs/"+id+":pause", `{"drainPolicy":"immediate"}`).want(http.StatusAccepted)
	c.stop()
	now.Advance(time.Minute)
	c = serve(t, Options{Clock: now, DataDir: dir})
	if s := c.run(id); s.Status != openwopv1.RunStatusPaused {
		t.Fatalf("it is %s", s.Status)
	}
	c.do("POST", "/v1/runs/"+id+":resume", nil).want(http.StatusAccepted)
	c.until(id, openwopv1.RunStatusCompleted)
}

func TestWhatIsLeftOffIsNotProvided(t *testing.T) {
	c := serve(t, Options{Without: []string{"pause", "bulkCancel", "diff"}})
	id := c.create("conformance-noop", nil)
	c.until(id, openwopv1.RunStatusCompleted)
	for _, op := range []struct{ method, path, body string }{
		{"POST", "/v1/runs/" + id + ":pause", `{}`}, {"POST", "/v1/runs/" + id + ":resume", ""},
		{"POST", "/v1/runs:bulk-cancel", `{"runIds":["` + id + `"]}`}, {"GET", "/v1/runs/" + id + ":diff?against=" + id, ""},
	} {
		var body any
		if op.body != "" {
			body = op.body
		}
		c.do(op.method, op.path, body).wantError(http.StatusNotImplemented, "capability_not_provided")
	}
}

func TestBulkCancel(t *testing.T) {
	mine, theirs := twoTenants(t, Options{})
	lasting := map[string]any{"inputs": map[string]any{"delayMs": 30_000}}
	one, two := mine.create("conformance-cancellable", lasting), mine.create("conformance-cancellable", lasting)
	foreign := theirs.create("conformance-cancellable", lasting)
	done := mine.create("conformance-noop", nil)
	mine.until(done, openwopv1.RunStatusCompleted)
	ids := []string{two, "never", foreign, done, one, two}
	reply := decoded[openwopv1.BulkCancelResponse](mine.do("POST", "/v1/runs:bulk-cancel", map[string]any{"runIds": ids,
		"reason": "all of it"}).want(http.StatusOK))
	want := []string{"true cancelled", "false  not_found", "false  not_found", "true completed", "true cancelled", "true cancelled"}
	if len(reply.Results) != len(ids) {
		t.Fatalf("%d results", len(reply.Results))
	}
	for i, r := range reply.Results {
		got := fmt.Sprintf("%v %s", r.Ok, r.Status)
		if r.Error != nil {
			got += " " + r.Error.Error
		}
		if r.RunID != ids[i] || got != want[i] {
			t.Errorf("result %d is %s %s, want %s %s", i, r.RunID, got, ids[i], want[i])
		}
	}
	if words := strings.ReplaceAll(reply.Results[2].Error.Message, foreign, "never"); words != reply.Results[1].Error.Message {
		t.Errorf("the run of another tenant is refused in other words: %s", words)
	}
	for _, id := range []string{one, two} {
		events := mine.poll(id, "").Events
		p, ok := must2(openwopv1.DecodePayload(events[len(events)-1].Type, events[len(events)-1].Payload)).(*openwopv1.RunCancelledPayload)
		if !ok || p.Reason == nil || *p.Reason != "all of it" {
			t.Errorf("run %s ended with %s", id, events[len(events)-1].Payload)
		}
	}
	if s := theirs.run(foreign); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("the run of another tenant is %s", s.Status)
	}
}

func TestBulkCancelTakesOneToAHundred(t *testing.T) {
	c := serve(t, Options{})
	live := c.create("conformance-cancellable", nil)
	ids := []string{live}
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("never-%d", i))
	}
	if got := c.do("POST", "/v1/runs:bulk-cancel", map[string]any{"runIds": ids}).wantError(http.StatusBadRequest,
		"validation_error"); got.Details["maxRunIds"] != 100.0 {
		t.Errorf("details: %v", got.Details)
	}
	if s := c.run(live); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("a refused request left the run %s", s.Status)
	}
	c.do("POST", "/v1/runs:bulk-cancel", `{"runIds":[]}`).wantError(http.StatusBadRequest, "validation_error")
	if got := decoded[openwopv1.BulkCancelResponse](c.do("POST", "/v1/runs:bulk-cancel",
		map[string]any{"runIds": ids[:100]}).want(http.StatusOK)).Results; len(got) != 100 || !got[0].Ok || got[99].Ok {
		t.Errorf("%d results", len(got))
	}
}
