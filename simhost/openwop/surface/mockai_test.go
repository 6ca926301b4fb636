package surface

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

const (
	mockSeam = "/v1/host/sample/test/mock-ai/program"
	modelRun = "conformance-phase4-replay-divergence"
)

// programmed says what the model answers, call by call: JSON text, or "" to refuse.
func (c *client) programmed(contents ...string) {
	c.t.Helper()
	program := []any{}
	for _, content := range contents {
		answer := map[string]any{"content": content, "stopReason": "end_turn", "mode": "envelope"}
		if content == "" {
			answer = map[string]any{"stopReason": "safety", "refusalText": "not that"}
		}
		program = append(program, answer)
	}
	got := decoded[openwopv1.MockAiProgramReply](c.do("POST", mockSeam, map[string]any{"nodeId": "structured-call",
		"program": program}).want(http.StatusOK))
	if !got.Ok || got.Count != int64(len(contents)) {
		c.t.Fatalf("programmed %+v", got)
	}
}

func (c *client) forkOf(id string) string {
	c.t.Helper()
	return decoded[openwopv1.ForkRunResponse](c.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).want(http.StatusCreated)).RunID
}

func said(marker string) string { return fmt.Sprintf(`{"valid":true,"marker":%q}`, marker) }

// The program of a model, and what was taken of it, survive a restart between a run and its replay.
func TestModelAnswersAsProgrammed(t *testing.T) {
	o := Options{Version: 6, DataDir: t.TempDir(), Tenants: map[string]string{"other": "other-key"}}
	c := serve(t, o)
	c.programmed(said("a"), "", said("b"))
	id := c.create(modelRun, nil)
	c.until(id, "completed")
	c.stop()
	c = serve(t, o)
	refused := c.until(c.forkOf(id), "failed")
	if refused.Error.Code != "replay_diverged_at_refusal" {
		t.Errorf("a refusal in the replay: %+v", refused.Error)
	}
	other := c.forkOf(id)
	c.until(other, "completed")
	var types []string
	for _, e := range c.list(other).Events {
		types = append(types, string(e.Type))
		if strings.Contains(string(e.Payload), `"b"`) {
			t.Errorf("the replay has the other answer: %s", e.Payload)
		}
	}
	if got := strings.Join(types, " "); got != "run.started node.started replay.diverged node.completed run.completed" {
		t.Errorf("the replay is %s", got)
	}
	c.until(c.forkOf(id), "completed") // nothing is programmed any more

	c.programmed("")
	theirs := *c
	theirs.key = "other-key"
	theirs.until(theirs.create(modelRun, nil), "completed") // a program is its tenant's own
	if s := c.until(c.create(modelRun, nil), "failed"); s.Error.Code != "envelope_refused_by_provider" ||
		strings.Contains(s.Error.Message, "not that") {
		t.Errorf("a refusal: %+v", s.Error)
	}
}

func TestModelThatIsNotClaimedIsNotThere(t *testing.T) {
	c := serve(t, Options{Without: []string{"mockAI"}})
	c.do("POST", mockSeam, `{"nodeId":"n","program":[]}`).wantError(http.StatusNotFound, "not_found")
	c.do("POST", "/v1/runs", map[string]any{"workflowId": modelRun}).wantError(http.StatusBadRequest, "capability_required")
	c = serve(t, Options{})
	for _, bad := range []string{`{"program":[]}`, `{"nodeId":"n"}`, `{"nodeId":"n","program":[1]}`, `{"nodeId":"","program":[]}`,
		`{"nodeId":"n","program":[` + strings.Repeat("{},", 64) + `{}]}`} {
		c.do("POST", mockSeam, bad).wantError(http.StatusBadRequest, "validation_error")
	}
}
