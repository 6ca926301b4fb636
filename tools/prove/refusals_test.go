package prove_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/prove"
	"github.com/openassay/assay/tools/prove/manners"
)

// What no rule of the simulated host stands for: a host that makes up what it
// answers. The scenarios about it fail, and no other.
func TestHostsThatRefuseBadly(t *testing.T) {
	t.Parallel()
	for name, host := range map[string]struct {
		wrap   func(http.Handler) http.Handler
		failed map[string]string // by scenario: the requirement
	}{
		"only says that it cancels": {saysItCancels, map[string]string{"cancel-ends": "OWP-ERR-23"}},
		"finds every run":           {findsAll, map[string]string{"unknown-not-found": "OWP-ERR-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := scenarios.Options{Patience: 2 * time.Second, Select: scenarios.Selection{Suites: []string{"discovery", "errors"}}}
			r := certify(t, serve(t, surface.Options{}, host.wrap).URL, o)
			for _, o := range r.Outcomes {
				want, fails := host.failed[o.Scenario.Name()]
				if fails != (o.Verdict == scenarios.Failed) || !strings.HasPrefix(o.Reason, want) {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
			}
		})
	}
}

const ours = "Bearer " + prove.Key

var cancelCall = regexp.MustCompile(`^/v1/runs/[^/]+/cancel$`)

// before has a host do something else with some requests.
func before(handle func(w http.ResponseWriter, r *http.Request, next http.Handler)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, next) })
	}
}

// saysItCancels leaves a run that is under way as it is.
var saysItCancels = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if cancelCall.MatchString(r.URL.Path) && r.Header.Get("Authorization") == ours {
		look := with(r, strings.TrimSuffix(r.URL.Path, "/cancel"), nil)
		look.Method = http.MethodGet
		var run struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(manners.Record(next, look).Body.Bytes(), &run) == nil && slices.Contains([]string{"running", "pending"}, run.Status) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"runId":"it","status":"cancelled"}`)
			return
		}
	}
	next.ServeHTTP(w, r)
})

// findsAll has a completed run under every id.
var findsAll = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	got := manners.Record(next, r)
	if oneRun.MatchString(r.URL.Path) && r.Method == http.MethodGet && got.Code == http.StatusNotFound {
		manners.Reply(w, got, http.StatusOK, []byte(`{"runId":"it","workflowId":"w","status":"completed"}`))
		return
	}
	manners.Reply(w, got, got.Code, got.Body.Bytes())
})
