package surface

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestCreateAndGet(t *testing.T) {
	c := serve(t, Options{})
	ask := map[string]any{
		"workflowId": "conformance-noop",
		"inputs":     map[string]any{},
		"tags":       []string{"a", "b"},
		"metadata":   map[string]any{"who": "me", "n": 3},
		"configurable": map[string]any{
			"maxLoopIterations": 4, "runTimeoutMs": 20000, "recursionLimit": 5, "model": "m", "temperature": 0.5, "x-own": []any{"kept"},
		},
		"scopeId":  "s",
		"tenantId": "local",
	}
	created := decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", ask).want(http.StatusCreated))
	if created.EventsURL != "/v1/runs/"+created.RunID+"/events" || created.StatusURL != "/v1/runs/"+created.RunID {
		t.Errorf("the URLs are %q and %q", created.EventsURL, created.StatusURL)
	}
	c.until(created.RunID, openwopv1.RunStatusCompleted)
	got := decoded[map[string]any](c.do("GET", created.StatusURL, nil).want(http.StatusOK))
	for field, want := range map[string]any{
		"runId": created.RunID, "workflowId": "conformance-noop", "status": "completed",
		"tags": []any{"a", "b"}, "metadata": map[string]any{"who": "me", "n": 3.0}, "owner": map[string]any{"tenant": "local"},
		"configurable": map[string]any{
			"maxLoopIterations": 4.0, "runTimeoutMs": 20000.0, "recursionLimit": 5.0, "model": "m", "temperature": 0.5, "x-own": []any{"kept"},
		},
	} {
		if diff := cmp.Diff(want, got[field]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", field, diff)
		}
	}
}

// A run says which files it reads, at the versions as of when it began.
func TestSnapshotListsTheFilesOfARun(t *testing.T) {
	c := serve(t, Options{})
	put := func(content string) {
		c.do("PUT", "/v1/host/workspace/files/plan.md", map[string]any{"content": content}).want(http.StatusOK)
	}
	put("one")
	put("two")
	waiting := c.until(c.create("assay-loop-ask-user", nil), openwopv1.RunStatusWaitingInput)
	put("three")
	later := c.create("conformance-noop", nil)
	want := func(version int64) []openwopv1.WorkspaceFileRef {
		return []openwopv1.WorkspaceFileRef{{Path: "plan.md", Version: version}}
	}
	if diff := cmp.Diff(want(2), c.run(waiting.RunID).Workspace); diff != "" {
		t.Errorf("the suspended run (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want(3), c.until(later, openwopv1.RunStatusCompleted).Workspace); diff != "" {
		t.Errorf("the run that began later (-want +got)\n%s", diff)
	}
	without := serve(t, Options{Without: []string{"workspace"}})
	if got := without.until(without.create("conformance-noop", nil), openwopv1.RunStatusCompleted).Workspace; got != nil {
		t.Errorf("without a workspace a run reads %v", got)
	}
}

func TestWhatIsNotOfferedIsRefused(t *testing.T) {
	c := serve(t, Options{})
	for _, row := range []struct {
		more   map[string]any
		header header
		status int
		code   string
		field  string
	}{
		{nil, header{"X-Force-Engine-Version", "1"}, 403, "force_engine_version_forbidden", "X-Force-Engine-Version"},
		{nil, header{"X-Dedup", "enforce"}, 400, "validation_error", "scopeId"},
		{nil, header{"X-Dedup", "maybe"}, 400, "validation_error", "X-Dedup"},
		{map[string]any{"tenantId": "other"}, header{}, 403, "forbidden", "tenantId"},
		{map[string]any{"mode": "eval", "evalSuiteRef": "s", "agentId": "a"}, header{}, 501, "capability_not_provided", "mode"},
		{map[string]any{"evalSuiteRef": "s"}, header{}, 501, "capability_not_provided", "evalSuiteRef"},
		{map[string]any{"agentId": "a"}, header{}, 501, "capability_not_provided", "agentId"},
		{map[string]any{"callbackUrl": "http://127.0.0.1/"}, header{}, 501, "capability_not_provided", "callbackUrl"},
		{map[string]any{"residency": map[string]any{"region": "eu"}}, header{}, 422, "residency_unavailable", "residency"},
		{map[string]any{"configurable": map[string]any{"mockProvider": map[string]any{"id": "m"}}}, header{}, 403,
			"mock_provider_forbidden", "configurable.mockProvider"},
	} {
		body := map[string]any{"workflowId": "conformance-noop"}
		maps.Copy(body, row.more)
		var headers []header
		if row.header.name != "" {
			headers = append(headers, row.header)
		}
		if envelope := c.do("POST", "/v1/runs", body, headers...).wantError(row.status,
			row.code); envelope.Details["field"] != row.field || row.status >= 500 && envelope.Details["correlationId"] == nil {
			t.Errorf("%v %v: details %v, want field %s", row.more, row.header, envelope.Details, row.field)
		}
	}
}

func TestWorkflowsThatNeedWhatIsOffAreRefused(t *testing.T) {
	for _, row := range []struct{ claim, workflow, code, capability string }{
		{"orchestrator", "assay-loop", "capability_required", "agents.orchestrator"},
		{"dispatch", "assay-loop", "capability_required", "agents.dispatch"},
		{"dispatchMapping", "conformance-multi-agent-handoff", "validation_error", "agents.dispatchMapping"},
		{"workspace", "assay-loop-workspace", "capability_required", "workspace"},
	} {
		c := serve(t, Options{Without: []string{row.claim}})
		envelope := c.do("POST", "/v1/runs", map[string]any{"workflowId": row.workflow}).wantError(http.StatusBadRequest, row.code)
		if envelope.Details["requiredCapability"] != row.capability {
			t.Errorf("without %s: details are %v", row.claim, envelope.Details)
		}
		c.until(c.create("conformance-noop", nil), openwopv1.RunStatusCompleted)
	}
}

func TestGetWorkflow(t *testing.T) {
	c := serve(t, Options{})
	got := decoded[openwopv1.WorkflowDefinition](c.do("GET", "/v1/workflows/assay-loop", nil).want(http.StatusOK))
	if got.ID != "assay-loop" || len(got.Nodes) != 2 {
		t.Errorf("the definition is served as %+v", got)
	}
	c.do("GET", "/v1/workflows/assay-lop", nil).wantError(http.StatusNotFound, "not_found")
}

func TestCancelOfAWaitingRun(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("assay-loop-ask-user", nil)
	waiting := c.until(id, openwopv1.RunStatusWaitingInput)
	for i, body := range []any{map[string]any{"reason": "no longer needed"}, nil, ""} {
		got := decoded[openwopv1.CancelRunResponse](c.do("POST", "/v1/runs/"+id+"/cancel", body).want(http.StatusOK))
		if got.RunID != id || got.Status != openwopv1.RunStatusCancelled && (i > 0 || got.Status != openwopv1.RunStatusCancelling) {
			t.Errorf("cancel %d answers %+v", i, got)
		}
		c.until(id, openwopv1.RunStatusCancelled)
	}
	page := c.poll(id, "")
	last := page.Events[len(page.Events)-1]
	var why openwopv1.RunCancelledPayload
	if err := json.Unmarshal(last.Payload, &why); err != nil || last.Type != "run.cancelled" || why.Reason == nil ||
		*why.Reason != "no longer needed" {
		t.Errorf("the log ends with %s %s", last.Type, last.Payload)
	}
	late := c.do("POST", "/v1/runs/"+id+"/interrupts/"+*waiting.CurrentNodeID, `{"resumeValue":{"answers":{}}}`)
	if late.status != http.StatusGone && late.status != http.StatusNotFound && late.status != http.StatusConflict {
		t.Errorf("an answer after the cancel gets %d: %s", late.status, late.body)
	}
}

func TestCancelOfAFinishedRunChangesNothing(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("conformance-noop", nil)
	before := c.until(id, openwopv1.RunStatusCompleted)
	got := decoded[openwopv1.CancelRunResponse](c.do("POST", "/v1/runs/"+id+"/cancel", nil).want(http.StatusOK))
	if got.Status != openwopv1.RunStatusCompleted {
		t.Errorf("cancel answers %+v", got)
	}
	if diff := cmp.Diff(before, c.run(id)); diff != "" {
		t.Errorf("the run changed (-before +after)\n%s", diff)
	}
}

func TestFork(t *testing.T) {
	c := serve(t, Options{})
	source := c.create("assay-loop", nil)
	c.until(source, openwopv1.RunStatusCompleted)
	fork := decoded[openwopv1.ForkRunResponse](c.do("POST", "/v1/runs/"+source+":fork", `{"mode":"replay"}`).want(http.StatusCreated))
	if fork.SourceRunID != source || fork.Mode != "replay" || fork.FromSeq == nil || *fork.FromSeq != 0 ||
		fork.EventsURL != "/v1/runs/"+fork.RunID+"/events" {
		t.Errorf("the fork is answered with %+v", fork)
	}
	c.until(fork.RunID, openwopv1.RunStatusCompleted)
	if diff := cmp.Diff(iterations(t, c.poll(source, "").Events), iterations(t, c.poll(fork.RunID, "").Events)); diff != "" {
		t.Errorf("the iterations differ (-source +fork)\n%s", diff)
	}
	c.do("POST", "/v1/runs/"+source+":fork", `{"mode":"replay","fromSeq":100000}`).wantError(http.StatusUnprocessableEntity,
		"invalid_from_seq")
	c.do("POST", "/v1/runs/"+source+":fork", `{"mode":"replay","runOptionsOverlay":{"tags":["x"]}}`).wantError(http.StatusBadRequest,
		"validation_error")
	c.do("POST", "/v1/runs/"+source+":fork", `{"mode":"replay","runOptionsOverlay":{}}`).wantError(http.StatusBadRequest, "validation_error")
	c.do("POST", "/v1/runs/"+strings.Repeat("x", 30)+":fork",
		`{"mode":"replay","fromSeq":100000,"runOptionsOverlay":{}}`).wantError(http.StatusNotFound, "not_found")
}

func TestBranch(t *testing.T) {
	c := serve(t, Options{})
	source := c.create("assay-loop", nil)
	c.until(source, openwopv1.RunStatusCompleted)
	path := "/v1/runs/" + source + ":fork"
	branch := decoded[openwopv1.ForkRunResponse](c.do("POST", path,
		`{"mode":"branch","fromSeq":2,"runOptionsOverlay":{"configurable":{"maxLoopIterations":2},"tags":["x"]}}`).want(http.StatusCreated))
	if branch.SourceRunID != source || branch.Mode != "branch" || branch.FromSeq == nil || *branch.FromSeq != 2 {
		t.Errorf("the branch is answered with %+v", branch)
	}
	s := c.until(branch.RunID, openwopv1.RunStatusFailed)
	if s.Error == nil || s.Error.Code != "loop_limit_exceeded" || !cmp.Equal(s.Tags, []string{"x"}) {
		t.Errorf("with a lower bound the branch is %+v", s)
	}
	if got := iterations(t, c.poll(branch.RunID, "").Events); !cmp.Equal(got, []int64{1, 2}) {
		t.Errorf("the branch counts %v", got)
	}
	for _, bad := range []struct {
		body, code string
		status     int
	}{
		{`{"mode":"branch","fromSeq":100000}`, "invalid_from_seq", http.StatusUnprocessableEntity},
		{`{"mode":"branch","fromSeq":1,"runOptionsOverlay":{"configurable":{"maxLoopIterations":0}}}`, "validation_error", http.StatusBadRequest},
		{`{"mode":"branch","fromSeq":1,"runOptionsOverlay":{"configurable":{"mockProvider":{"id":"m"}}}}`, codeMockProvider,
			http.StatusForbidden},
	} {
		c.do("POST", path, bad.body).wantError(bad.status, bad.code)
	}
}

// A host that replays and does not branch says so, but first whether the run is there.
func TestBranchIsRefusedWhereItIsOff(t *testing.T) {
	c := serve(t, Options{Without: []string{"branch"}})
	id := c.create("conformance-noop", nil)
	c.until(id, openwopv1.RunStatusCompleted)
	c.do("POST", "/v1/runs/"+id+":fork", `{"mode":"branch","fromSeq":0}`).wantError(http.StatusNotImplemented, "capability_not_provided")
	c.do("POST", "/v1/runs/"+id+"x:fork", `{"mode":"branch","fromSeq":0}`).wantError(http.StatusNotFound, "not_found")
	c.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).want(http.StatusCreated)
}

func TestForkIsRefusedWhereReplayIsOff(t *testing.T) {
	c := serve(t, Options{Without: []string{"replay"}})
	id := c.create("conformance-noop", nil)
	c.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).wantError(http.StatusNotImplemented, "capability_not_provided")
}

func TestResolve(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("assay-loop-ask-user", nil)
	waiting := c.until(id, openwopv1.RunStatusWaitingInput)
	if waiting.CurrentNodeID == nil {
		t.Fatalf("the waiting run does not say at which node: %+v", waiting)
	}
	path := "/v1/runs/" + id + "/interrupts/"
	c.do("POST", path+"elsewhere", `{"resumeValue":{"answers":{"q1":"yes"}}}`).wantError(http.StatusNotFound, "interrupt_not_found")
	before := c.poll(id, "")
	for _, wrong := range []string{`{"resumeValue":null}`, `{"resumeValue":7}`, `{"resumeValue":"yes"}`} {
		c.do("POST", path+*waiting.CurrentNodeID, wrong).wantError(http.StatusBadRequest, "validation_error")
	}
	if diff := cmp.Diff(before, c.poll(id, "")); diff != "" {
		t.Errorf("refused answers moved the run (-before +after)\n%s", diff)
	}
	got := decoded[openwopv1.ResolveInterruptResponse](c.do("POST", path+*waiting.CurrentNodeID,
		`{"resumeValue":{"answers":{"q1":"yes"}}}`).want(http.StatusOK))
	if got.RunID != id || got.NodeID != *waiting.CurrentNodeID {
		t.Errorf("the answer is answered with %+v", got)
	}
	c.until(id, openwopv1.RunStatusCompleted)
	again := c.do("POST", path+*waiting.CurrentNodeID, `{"resumeValue":{"answers":{"q1":"yes"}}}`)
	if again.status != http.StatusNotFound && again.status != http.StatusConflict {
		t.Errorf("a second answer gets %d: %s", again.status, again.body)
	}
	if got := iterations(t, c.poll(id, "").Events); !cmp.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("the iterations are %v, want 1 to 4", got)
	}
}

// iterations reads the counter off the decided events of a log; 0 where there is none.
func iterations(t *testing.T, events []openwopv1.RunEvent) []int64 {
	t.Helper()
	list := []int64{}
	for _, e := range events {
		if e.Type != openwopv1.RunEventTypeRunOrchestratorDecided {
			continue
		}
		var decided openwopv1.RunOrchestratorDecidedPayload
		if err := json.Unmarshal(e.Payload, &decided); err != nil {
			t.Fatalf("event %d: %v", e.Sequence, err)
		}
		if decided.Iteration == nil {
			list = append(list, 0)
		} else {
			list = append(list, *decided.Iteration)
		}
	}
	return list
}
