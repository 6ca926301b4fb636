package surface

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

func (c *client) diff(a, b string) openwopv1.RunDiffResponse {
	c.t.Helper()
	return decoded[openwopv1.RunDiffResponse](c.do("GET", "/v1/runs/"+a+":diff?against="+b, nil).want(http.StatusOK))
}

func TestDiffOfRuns(t *testing.T) {
	mine, theirs := twoTenants(t, Options{})
	run := func(workflow string, more map[string]any) string {
		id := mine.create(workflow, more)
		mine.until(id, openwopv1.RunStatusCompleted)
		return id
	}
	a, b := run("assay-random", nil), run("assay-random", nil)
	if same := mine.diff(a, a); same.DivergedAtSeq != nil || len(same.EventDiffs)+len(same.StateDiff) > 0 || same.Truncated != nil {
		t.Errorf("a run differs from itself: %+v", same)
	}
	d := mine.diff(a, b)
	if d.A != a || d.B != b || d.DivergedAtSeq == nil || *d.DivergedAtSeq != 2 {
		t.Fatalf("two runs that draw differ at %v", d.DivergedAtSeq)
	}
	logs := map[string][]openwopv1.RunEvent{a: mine.poll(a, "").Events, b: mine.poll(b, "").Events}
	var places []int64
	for _, e := range d.EventDiffs {
		places = append(places, e.Seq)
		if e.Op != openwopv1.RunEventDiffOpChanged || cmp.Diff(must(asObject(logs[a][e.Seq])), e.AEvent) != "" ||
			cmp.Diff(must(asObject(logs[b][e.Seq])), e.BEvent) != "" {
			t.Errorf("at %d: %+v", e.Seq, e)
		}
	}
	if diff := cmp.Diff([]int64{2, 4, 6, 8, 9}, places); diff != "" {
		t.Errorf("places (-want +got)\n%s", diff)
	}
	fork := decoded[openwopv1.ForkRunResponse](mine.do("POST", "/v1/runs/"+a+":fork", `{"mode":"replay"}`).want(http.StatusCreated)).RunID
	mine.until(fork, openwopv1.RunStatusCompleted)
	if d := mine.diff(a, fork); d.DivergedAtSeq != nil {
		t.Errorf("a replay differs from its source: %+v", d)
	}
	loop := run("conformance-multi-agent-handoff", nil)
	if d := mine.diff(loop, run("conformance-multi-agent-handoff", nil)); d.DivergedAtSeq == nil { // they have different children
		t.Error("two loops have the same child")
	}
	noop := run("conformance-noop", nil)
	if d := mine.diff(noop, loop); d.EventDiffs[len(d.EventDiffs)-1].Op != openwopv1.RunEventDiffOpAdded || d.StateDiff["variables"] == nil {
		t.Errorf("a short log against a long one: %+v", d)
	}
	if d := mine.diff(loop, noop); d.EventDiffs[len(d.EventDiffs)-1].Op != openwopv1.RunEventDiffOpRemoved {
		t.Errorf("a long log against a short one: %+v", d)
	}
	waiting := mine.ask().RunID
	if d := mine.diff(waiting, noop); d.Truncated == nil || !*d.Truncated || d.StateDiff["status"] == nil {
		t.Errorf("a run that waits: %+v", d)
	}
	foreign := theirs.create("conformance-noop", nil)
	mine.do("GET", "/v1/runs/"+a+":diff?against="+foreign, nil).wantError(http.StatusNotFound, "not_found")
	mine.do("GET", "/v1/runs/"+a+":diff?against=never", nil).wantError(http.StatusNotFound, "not_found")
	mine.do("GET", "/v1/runs/"+a+":diff", nil).wantError(http.StatusBadRequest, "validation_error")
}

// A comparison that has too much to tell says so, and tells of the first place at least.
func TestDiffIsBounded(t *testing.T) {
	runOf := func(id string, n int, payload string) comparedRun {
		r := comparedRun{id: id, ended: true}
		for i := range n {
			r.events = append(r.events, openwopv1.RunEvent{RunID: id, Sequence: int64(i), Type: "run.started", Payload: json.RawMessage(payload)})
		}
		return r
	}
	many := must(comparison{runOf("a", 2*maxDiffs, `{"a":1}`), runOf("b", 3, `{}`), rules.Honest().Control.Compares}.diff())
	large := must(comparison{runOf("a", 3, `{"a":"`+strings.Repeat("x", maxDiffBytes)+`"}`), runOf("b", 3, `{}`),
		rules.Honest().Control.Compares}.diff())
	for want, d := range map[int]openwopv1.RunDiffResponse{maxDiffs: many, 1: large} {
		if len(d.EventDiffs) != want || d.Truncated == nil || *d.DivergedAtSeq != 0 {
			t.Errorf("%d places, truncated %v", len(d.EventDiffs), d.Truncated)
		}
	}
}
