package surface

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestAncestry(t *testing.T) {
	c := serve(t, Options{HostID: "sim-1"})
	id := c.create("conformance-multi-agent-handoff", nil)
	c.until(id, openwopv1.RunStatusCompleted)
	fork := decoded[openwopv1.ForkRunResponse](c.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).want(http.StatusCreated)).RunID
	want := map[string]*openwopv1.RunParent{id: nil, fork: nil}
	for _, child := range c.children(id) {
		want[child] = &openwopv1.RunParent{RunID: id, HostID: "sim-1", Cause: "core.dispatch"}
	}
	for run, parent := range want {
		got := decoded[openwopv1.RunAncestryResponse](c.do("GET", "/v1/runs/"+run+"/ancestry", nil).want(http.StatusOK))
		if diff := cmp.Diff(openwopv1.RunAncestryResponse{RunID: run, HostID: "sim-1", Parent: parent}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	c.do("GET", "/v1/runs/run-none/ancestry", nil).wantError(http.StatusNotFound, "not_found")
}

// Where it is not advertised, it is not found, of whatever run.
func TestAncestryThatIsNotAdvertised(t *testing.T) {
	for name, o := range map[string]Options{"version 2": {Version: 2}, "left off": {Without: []string{"ancestry"}}} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, o)
			for _, id := range []string{c.create("conformance-noop", nil), "run-none"} {
				c.do("GET", "/v1/runs/"+id+"/ancestry", nil).wantError(http.StatusNotFound, "not_found")
			}
		})
	}
}
