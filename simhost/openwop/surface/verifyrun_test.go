package surface

import (
	"net/http"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

const verifySeam = "/v1/host/sample/agents/verify-run"

func TestVerifySeamReportsARun(t *testing.T) {
	for _, o := range []Options{{Version: 6}, {Version: 6, Without: []string{"verifierGating"}}} {
		c := serve(t, o)
		gates := len(o.Without) == 0
		for verdict, passes := range map[string]bool{"pass": true, "fail": false, "revise": false} {
			got := decoded[openwopv1.VerifyRunReply](c.do("POST", verifySeam, map[string]any{"simulateVerdict": verdict}).want(http.StatusOK))
			commits := passes || !gates
			outcome := map[bool]string{true: "committed", false: "withheld"}[commits]
			if got.Committed != commits || got.Outcome != outcome || string(got.Verdict) != verdict || got.Status != "completed" {
				t.Errorf("%s, gating %v: %+v", verdict, gates, got)
			}
			if len(got.Events) != 1 || got.Events[0].Type != "agent.verified" || string(got.Events[0].Verdict) != verdict {
				t.Errorf("%s: events %+v", verdict, got.Events)
			}
			shown := 0
			for _, e := range c.list(got.RunID).Events {
				if e.Type == openwopv1.RunEventTypeAgentVerified {
					shown++
				}
			}
			if shown != 1 {
				t.Errorf("%s: the run shows %d verdicts", verdict, shown)
			}
		}
		c.do("POST", verifySeam, `{"simulateVerdict":"maybe"}`).wantError(http.StatusBadRequest, "validation_error")
		c.do("POST", verifySeam, `{}`).wantError(http.StatusBadRequest, "validation_error")
	}
}

func TestVerifierThatIsNotClaimedIsNotThere(t *testing.T) {
	for name, o := range map[string]Options{
		"version 5":   {Version: 5},
		"no verifier": {Version: 6, Without: []string{"verifier"}},
		"no mapping":  {Version: 6, Without: []string{"dispatchMapping"}},
		"no seam":     {Version: 6, Without: []string{"verifySeam"}},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, o).do("POST", verifySeam, `{"simulateVerdict":"pass"}`).wantError(http.StatusNotFound, "not_found")
		})
	}
	for _, o := range []Options{{Version: 5}, {Version: 6, Without: []string{"verifier"}}} {
		c := serve(t, o)
		id := c.create("assay-loop-verified",
			map[string]any{"inputs": map[string]any{"verdicts": []any{map[string]any{"verdict": "fail"}, map[string]any{"verdict": "fail"}}}})
		c.until(id, "completed")
		for _, e := range c.list(id).Events {
			if e.Type == openwopv1.RunEventTypeAgentVerified {
				t.Errorf("version %d: %s", o.Version, e.Payload)
			}
		}
	}
}

// What was verified survives a crash of the process, and a replay has it again.
func TestVerdictsSurviveARestart(t *testing.T) {
	o := Options{Version: 6, DataDir: t.TempDir()}
	c := serve(t, o)
	id := c.create("assay-loop-verified", map[string]any{"inputs": map[string]any{
		"plan":     []any{map[string]any{"kind": "terminate"}},
		"verdicts": []any{map[string]any{"verdict": "fail", "criteria": []any{"grounded"}}},
	}})
	before := c.until(id, "failed")
	if before.Error == nil || before.Error.Code != "verification_failed" {
		t.Fatalf("failed with %+v", before.Error)
	}
	c.stop()
	c = serve(t, o)
	fork := decoded[openwopv1.ForkRunResponse](c.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).want(http.StatusCreated)).RunID
	if again := c.until(fork, "failed"); again.Error.Code != before.Error.Code {
		t.Errorf("the replay failed with %+v", again.Error)
	}
}
