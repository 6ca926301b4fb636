package surface

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

const loopSeam = "/v1/host/sample/agentloop/run"

func (c *client) loop(ask string) openwopv1.AgentloopReply {
	c.t.Helper()
	return decoded[openwopv1.AgentloopReply](c.do("POST", loopSeam, ask).want(http.StatusOK))
}

// kinds and turns sum up the decisions of a reply.
func kinds(t *testing.T, r openwopv1.AgentloopReply) (kinds string, turns []int64) {
	t.Helper()
	for _, d := range r.Decisions {
		raw, err := json.Marshal(d.Decision)
		if err != nil {
			t.Fatal(err)
		}
		var decision struct{ Kind string }
		if err := json.Unmarshal(raw, &decision); err != nil {
			t.Fatal(err)
		}
		kinds += map[string]string{"next-worker": "w", "ask-user": "?", "terminate": "."}[decision.Kind]
		if d.Iteration != nil {
			turns = append(turns, *d.Iteration)
		}
	}
	return kinds, turns
}

func count(n int64) (list []int64) {
	for i := int64(1); i <= n; i++ {
		list = append(list, i)
	}
	return list
}

func TestLoopSeam(t *testing.T) {
	c := serve(t, Options{MaxLoopIterations: 12})
	bound := func(limit int64) *openwopv1.LoopBound {
		return &openwopv1.LoopBound{Kind: "loop-iterations", Limit: limit, Observed: limit + 1, ErrorCode: "loop_limit_exceeded"}
	}
	for _, row := range []struct {
		ask     string
		kinds   string
		resumed int64
		bound   *openwopv1.LoopBound
		status  openwopv1.RunStatus
	}{
		{`{"turns":1}`, ".", 0, nil, "completed"},
		{`{"turns":3}`, "ww.", 0, nil, "completed"},
		{`{"turns":12}`, "wwwwwwwwwww.", 0, nil, "completed"},
		{`{"turns":13}`, "wwwwwwwwwwww", 0, bound(12), "failed"},
		{`{"turns":1000}`, "wwwwwwwwwwww", 0, bound(12), "failed"},
		{`{"turns":5,"maxLoopIterations":2}`, "ww", 0, bound(2), "failed"},
		{`{"turns":2,"maxLoopIterations":2}`, "w.", 0, nil, "completed"},
		{`{"turns":5,"maxLoopIterations":100}`, "wwww.", 0, nil, "completed"},
		{`{"turns":20,"maxLoopIterations":100}`, "wwwwwwwwwwww", 0, bound(12), "failed"},
		{`{"turns":4,"suspendAtTurn":2}`, "w?", 0, nil, "waiting-input"},
		{`{"turns":4,"suspendAtTurn":2,"resume":false}`, "w?", 0, nil, "waiting-input"},
		{`{"turns":4,"suspendAtTurn":2,"resume":true}`, "w?w.", 2, nil, "completed"},
		{`{"turns":4,"suspendAtTurn":1,"resume":true}`, "?ww.", 1, nil, "completed"},
		{`{"turns":4,"suspendAtTurn":3,"resume":true}`, "ww?.", 3, nil, "completed"},
		{`{"turns":4,"suspendAtTurn":4}`, "www?", 0, nil, "waiting-input"},
		{`{"turns":6,"suspendAtTurn":2,"resume":true,"maxLoopIterations":3}`, "w?w", 2, bound(3), "failed"},
		{`{"turns":6,"suspendAtTurn":3,"resume":true,"maxLoopIterations":3}`, "ww?", 3, bound(3), "failed"},
		{`{"turns":6,"suspendAtTurn":3,"maxLoopIterations":2}`, "ww", 0, bound(2), "failed"},
		{`{"turns":2,"resume":true}`, "w.", 0, nil, "completed"},
	} {
		got := c.loop(row.ask)
		k, turns := kinds(t, got)
		if k != row.kinds || !cmp.Equal(turns, count(int64(len(row.kinds)))) {
			t.Errorf("%s: decisions %s in turns %v, want %s", row.ask, k, turns, row.kinds)
		}
		if row.resumed == 0 && got.ResumedIteration != nil || row.resumed != 0 && (got.ResumedIteration == nil ||
			*got.ResumedIteration != row.resumed) {
			t.Errorf("%s: resumed %v, want %d", row.ask, got.ResumedIteration, row.resumed)
		}
		if diff := cmp.Diff(row.bound, got.Bound); diff != "" {
			t.Errorf("%s: bound (-want +got)\n%s", row.ask, diff)
		}
		if got.WorkspaceVisible != nil {
			t.Errorf("%s: nothing was to be written, and the reply speaks of it", row.ask)
		}
		// The run behind the reply says the same over the public endpoints.
		if s := c.run(got.RunID); s.Status != row.status {
			t.Errorf("%s: the run is %s, want %s", row.ask, s.Status, row.status)
		}
		if diff := cmp.Diff(turns, iterations(t, c.poll(got.RunID, "").Events)); diff != "" {
			t.Errorf("%s: iterations (-reply +log)\n%s", row.ask, diff)
		}
	}
}

// A loop that the seam left suspended is a run like any other: it can be answered over the public endpoint.
func TestLoopThatTheSeamLeftCanBeResumed(t *testing.T) {
	c := serve(t, Options{})
	got := c.loop(`{"turns":3,"suspendAtTurn":2}`)
	c.answer(c.run(got.RunID))
	c.until(got.RunID, openwopv1.RunStatusCompleted)
	if got := iterations(t, c.poll(got.RunID, "").Events); !cmp.Equal(got, count(3)) {
		t.Errorf("the iterations are %v", got)
	}
}

func TestLoopSeamBelowVersion5HasNoIteration(t *testing.T) {
	c := serve(t, Options{Version: 4})
	got := c.loop(`{"turns":3,"suspendAtTurn":2,"resume":true}`)
	k, turns := kinds(t, got)
	if k != "w?." || turns != nil || got.ResumedIteration != nil {
		t.Errorf("decisions %s in turns %v, resumed %v", k, turns, got.ResumedIteration)
	}
}

func TestLoopSeamRefuses(t *testing.T) {
	c := serve(t, Options{})
	for _, ask := range []string{
		`{}`, `{"turns":0}`, `{"turns":-1}`, `{"turns":"3"}`, `{"turns":2.5}`, `{"turns":1001}`, `{"turns":1e18}`,
		`{"turns":2,"suspendAtTurn":3}`, `{"turns":2,"suspendAtTurn":0}`,
		`{"turns":2,"workspaceWriteAtTurn":3}`, `{"turns":2,"workspaceWriteAtTurn":0}`, `{"turns":201,"workspaceWriteAtTurn":1}`,
		`{"turns":2,"suspendAtTurn":2,"resume":true}`, `{"turns":2,"maxLoopIterations":0}`, `{"turns":2,"maxLoopIterations":-1}`,
		`{"turns":2,"more":1}`, `{"turns":1e300}`,
	} {
		c.do("POST", loopSeam, ask).wantError(http.StatusBadRequest, "validation_error")
	}
	for required, o := range map[string]Options{
		"workspace": {Without: []string{"workspace"}}, "multiAgent.executionModel": {Version: 4},
	} {
		envelope := serve(t, o).do("POST", loopSeam, `{"turns":3,"workspaceWriteAtTurn":1}`).wantError(http.StatusNotImplemented,
			"capability_not_provided")
		if envelope.Details["requiredCapability"] != required {
			t.Errorf("details are %v, want %s", envelope.Details, required)
		}
	}
}

func TestLoopSeamIsAbsentWhereItIsOff(t *testing.T) {
	for _, without := range []string{"agentloopSeam", "executionModel", "orchestrator", "dispatch"} {
		c := serve(t, Options{Without: []string{without}})
		c.do("POST", loopSeam, `{"turns":3}`).wantError(http.StatusNotFound, "not_found")
	}
}

func TestLoopSeamWithoutTheLoopLimit(t *testing.T) {
	c := serve(t, Options{MaxLoopIterations: 3, Without: []string{"loopLimit"}})
	got := c.loop(`{"turns":20}`)
	if k, _ := kinds(t, got); len(k) != 20 || got.Bound != nil {
		t.Errorf("decisions %s, bound %v", k, got.Bound)
	}
}

// With the fault the log shows it, and so does the seam, which only reads.
func TestLoopSeamShowsAFault(t *testing.T) {
	c := serve(t, committing(t, Options{}, "loop.iteration-resets-on-resume"))
	got := c.loop(`{"turns":4,"suspendAtTurn":2,"resume":true}`)
	_, turns := kinds(t, got)
	if fmt.Sprint(turns) != "[1 2 1 2]" {
		t.Errorf("the turns are %v", turns)
	}
	if diff := cmp.Diff(turns, iterations(t, c.poll(got.RunID, "").Events)); diff != "" {
		t.Errorf("iterations (-reply +log)\n%s", diff)
	}
}
