package surface

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

// To JSON Schema 2.0 and 2e0 are integers. Wherever the contract says integer they are taken, in a query, a header, an answer, a
// setting of a run and a definition, as what they are.
func TestIntegersAreTakenHoweverTheyAreSpelled(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("conformance-noop", nil)
	c.until(id, openwopv1.RunStatusCompleted)
	want := c.poll(id, "lastSequence=1&timeout=1")
	for _, query := range []string{"lastSequence=1.0&timeout=1", "since=1e0&timeout=1.0", "lastSequence=10e-1&timeout=0.1e1"} {
		if diff := cmp.Diff(want, c.poll(id, query)); diff != "" {
			t.Errorf("%s is another cursor (-want +got)\n%s", query, diff)
		}
	}
	for _, query := range []string{"lastSequence=1.5", "timeout=6.1e1", "timeout=1e-1", "lastSequence=1.", "lastSequence=1e30",
		"since=-1.5"} {
		c.do("GET", "/v1/runs/"+id+"/events/poll?"+query, nil).wantError(http.StatusBadRequest, "validation_error")
	}
	if frames := c.stream(id, "streamMode=debug&bufferMs=1e2").rest(); len(frames) == 0 {
		t.Error("the stream of a buffer of 1e2 ms is empty")
	}
	c.putFile("a.md", "a")
	first := c.do("GET", "/v1/host/workspace/files/a.md?version=1.0", nil).want(http.StatusOK)
	if f := decoded[openwopv1.WorkspaceFile](first); f.Version != 1 {
		t.Errorf("version 1.0 is version %d", f.Version)
	}
	c.do("POST", "/v1/runs", `{"workflowId":"conformance-noop"}`, header{"X-Force-Engine-Version", "1.0"}).wantError(http.StatusForbidden,
		"force_engine_version_forbidden")

	for _, answer := range []string{"3.0", "3e0", "30E-1"} {
		s := c.gate("assay-questions", `{"questions":[{"id":"n","question":"How many?","schema":{"type":"integer","minimum":3}}]}`,
			openwopv1.RunStatusWaitingInput)
		c.do("POST", byNode(s), `{"resumeValue":{"answers":{"n":3.5}}}`).wantError(http.StatusBadRequest, "validation_error")
		c.do("POST", byNode(s), `{"resumeValue":{"answers":{"n":`+answer+`}}}`).want(http.StatusOK)
		c.until(s.RunID, openwopv1.RunStatusCompleted)
	}
	s := c.gate("assay-approval", `{"timeoutMs":6.0e4}`, openwopv1.RunStatusWaitingApproval)
	if shown := c.inspect(s); shown.TimeoutMs == nil || *shown.TimeoutMs != 60000 {
		t.Errorf("a gate of 6.0e4 ms has %v", shown.TimeoutMs)
	}
	c.do("POST", byNode(s), accepts).want(http.StatusOK)
	c.until(s.RunID, openwopv1.RunStatusCompleted)
	quorum := c.gate("assay-quorum", `{"requiredApprovals":1.0e0}`, openwopv1.RunStatusWaitingApproval)
	c.do("POST", byNode(quorum), accepts).want(http.StatusOK)
	c.until(quorum.RunID, openwopv1.RunStatusCompleted)
	event := c.gate("assay-event", `{"correlation":{"order":7}}`, openwopv1.RunStatusWaitingExternal)
	c.do("POST", byNode(event), `{"resumeValue":{"order":7.0}}`).want(http.StatusOK)
	c.until(event.RunID, openwopv1.RunStatusCompleted)
	loop := c.create("assay-loop", map[string]any{"inputs": map[string]any{"plan": []any{map[string]any{"kind": "next-worker",
		"nextWorkerIds": []string{"conformance-noop"}}}}, "configurable": map[string]any{"escalationThreshold": 0.5}})
	c.until(loop, openwopv1.RunStatusCompleted)
}

// A body that spells a number in another way is the same body under its key.
func TestAKeyKnowsANumberHoweverItIsSpelled(t *testing.T) {
	c := serve(t, Options{})
	first := c.do("POST", "/v1/runs", noop, key("k")).want(http.StatusCreated)
	sameReply(t, first, c.do("POST", "/v1/runs", strings.NewReplacer(`"a":1`, `"a":1.0`, `"b":2`, `"b":2e0`).Replace(noop), key("k")))
	c.do("POST", "/v1/runs", strings.Replace(noop, `"a":1`, `"a":1.5`, 1), key("k")).wantError(http.StatusConflict,
		"idempotency_key_mismatch")
}

func TestADefinitionSpellsItsIntegersAsItLikes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "own.json", strings.Replace(minimalWorkflow, `"settings":{}`, `"settings":{"timeout":6.0e4,"maxRetries":2.0}`, 1))
	c := serve(t, Options{Workflows: dir})
	got := decoded[openwopv1.WorkflowDefinition](c.do("GET", "/v1/workflows/own", nil).want(http.StatusOK))
	if *got.Settings.Timeout != 60000 || *got.Settings.MaxRetries != 2 {
		t.Errorf("the settings are %+v", got.Settings)
	}
	c.until(c.create("own", nil), openwopv1.RunStatusCompleted)
}
