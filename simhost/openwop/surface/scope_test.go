package surface

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

// dedup is the header that asks for the only live run of its scope.
var dedup = header{"X-Dedup", "enforce"}

func scoped(scope string) string {
	return fmt.Sprintf(`{"workflowId":"conformance-approval","scopeId":%q}`, scope)
}

// Who asks for it gets no second live run of its tenant and scope, also from the next process.
func TestOneLiveRunOfAScope(t *testing.T) {
	o := Options{DataDir: t.TempDir(), Tenants: map[string]string{"b": "key-of-b"}}
	c := serve(t, o)
	first := decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", scoped("s"), dedup, key("k")).want(http.StatusCreated)).RunID
	second := func() {
		t.Helper()
		refused := c.do("POST", "/v1/runs", scoped("s"), dedup).wantError(http.StatusConflict, "run_already_active")
		if refused.Details["activeRunId"] != first {
			t.Errorf("the run that is active is %v, want %s", refused.Details["activeRunId"], first)
		}
	}
	second()
	c.do("POST", "/v1/runs", scoped("s"), dedup, key("k")).want(http.StatusCreated) // its own retry
	c.do("POST", "/v1/runs", scoped("other"), dedup).want(http.StatusCreated)
	c.do("POST", "/v1/runs", scoped("other")).want(http.StatusCreated) // nobody asks to be alone
	theirs := *c
	theirs.key = "key-of-b"
	theirs.do("POST", "/v1/runs", scoped("s"), dedup).want(http.StatusCreated)
	c.stop()
	c = serve(t, o)
	second()
	c.until(first, openwopv1.RunStatusWaitingApproval)
	c.do("POST", "/v1/runs/"+first+":fork", `{"mode":"replay"}`).want(http.StatusCreated)
	c.do("POST", "/v1/runs/"+first+"/cancel", nil).want(http.StatusOK)
	c.until(first, openwopv1.RunStatusCancelled)
	first = decoded[openwopv1.CreateRunResponse](c.do("POST", "/v1/runs", scoped("s"), dedup).want(http.StatusCreated)).RunID
	second()
}

func TestOfManyRunsOfAScopeOneIsMade(t *testing.T) {
	c := serve(t, Options{})
	const n = 16
	replies := make([]reply, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { replies[i] = c.do("POST", "/v1/runs", scoped("race"), dedup) })
	}
	all.Wait()
	made := 0
	for _, r := range replies {
		if r.status == http.StatusCreated {
			made++
		} else {
			r.wantError(http.StatusConflict, "run_already_active")
		}
	}
	if made != 1 {
		t.Errorf("%d runs were made", made)
	}
}

// What is there in the protocol and not here is refused with 501 where its capability would be advertised, and discovery has none of
// them.
func TestWhatIsUnofferedIsNotProvided(t *testing.T) {
	c := serve(t, Options{})
	discovery := decoded[map[string]any](c.do("GET", "/.well-known/openwop", nil).want(http.StatusOK))
	for path, capability := range unoffered {
		if discovery[capability] != nil {
			t.Errorf("discovery has %s, which %s is refused for", capability, path)
		}
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			got := c.do(method, path, nil).wantError(http.StatusNotImplemented, "capability_not_provided")
			if got.Details["requiredCapability"] != capability {
				t.Errorf("%s %s requires %v, want %s", method, path, got.Details["requiredCapability"], capability)
			}
		}
		c.do("GET", path, nil, nobody).wantError(http.StatusUnauthorized, "unauthenticated")
	}
	c.do("GET", "/v1/content", nil).wantError(http.StatusNotFound, "not_found")
}
