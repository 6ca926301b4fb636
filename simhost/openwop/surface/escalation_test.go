package surface

import (
	"net/http"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

// What discovery says is raised is what is raised, and an approval can be refused.
func TestEscalationByApproval(t *testing.T) {
	c := serve(t, Options{EscalationInterrupt: "approval"})
	id := c.create("conformance-multi-agent-confidence-escalation", nil)
	s := c.until(id, openwopv1.RunStatusWaitingApproval)
	if s.Interrupt == nil || *s.Interrupt.Kind != string(openwopv1.InterruptKindApproval) {
		t.Fatalf("the run waits for %+v", s.Interrupt)
	}
	c.do("POST", "/v1/runs/"+id+"/interrupts/"+*s.CurrentNodeID,
		`{"resumeValue":{"answers":{"q1":"go"}}}`).wantError(http.StatusBadRequest, "validation_error")
	c.do("POST", "/v1/runs/"+id+"/interrupts/"+*s.CurrentNodeID, `{"resumeValue":{"action":"reject"}}`).want(http.StatusOK)
	if s = c.until(id, openwopv1.RunStatusCompleted); len(s.ChildRuns) != 0 {
		t.Errorf("what was rejected was dispatched: %d child runs", len(s.ChildRuns))
	}
}
