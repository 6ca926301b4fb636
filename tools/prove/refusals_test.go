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
	"github.com/openassay/assay/simhost/openwop"
	"github.com/openassay/assay/tools/prove"
)

// What a host does wrong when it refuses, repeats or cancels, and what it says
// of itself that is not so: the scenarios about it fail, and no other.
func TestHostsThatRefuseBadly(t *testing.T) {
	for name, host := range map[string]struct {
		wrap   func(http.Handler) http.Handler
		failed map[string]string // by scenario: the requirement
	}{
		"looks for the run before the key": {existenceFirst, map[string]string{"existence-hidden": "OWP-ERR-3"}},
		"takes any key":                    {anyKey, map[string]string{"strangers-refused": "OWP-ERR-2", "existence-hidden": "OWP-ERR-3"}},
		"obeys strangers behind a refusal": {obeysStrangers, map[string]string{"strangers-change-nothing": "OWP-ERR-25"}},
		"falls over null":                  {falls(func(body []byte) bool { return string(body) == "null" }), map[string]string{"bodies-refused": "OWP-ERR-12"}},
		"falls over a list of inputs":      {falls(func(body []byte) bool { return strings.Contains(string(body), `"inputs":[`) }), map[string]string{"members-answered": "OWP-ERR-14"}},
		"falls over a large body":          {falls(func(body []byte) bool { return len(body) > 1<<20 }), map[string]string{"oversized-refused": "OWP-ERR-17"}},
		"has no idea of keys":              {forgetsKeys, map[string]string{"keyed-once": "OWP-ERR-18", "keyed-at-once": "OWP-ERR-20"}},
		"answers any stream mode":          {anyMode, map[string]string{"stream-mode-refused": "OWP-ERR-16"}},
		"only says that it cancels":        {saysItCancels, map[string]string{"cancel-ends": "OWP-ERR-23"}},
		"finds every run":                  {findsAll, map[string]string{"unknown-not-found": "OWP-ERR-8"}},
		"refuses in words alone":           {wordsAlone, map[string]string{"strangers-refused": "OWP-ERR-4", "unknown-not-found": "OWP-ERR-4", "bodies-refused": "OWP-ERR-4", "keyed-once": "OWP-ERR-4", "oversized-refused": "OWP-ERR-4"}},
		"shows its contract to owners":     {contractForOwners, map[string]string{"served-to-anybody": "OWP-CAP-3"}},
		"runs supervisors on the quiet":    {hides("agents", "orchestrator", "multiAgent"), map[string]string{"supervisor-refused": "OWP-CAP-20"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := scenarios.Options{Patience: 2 * time.Second, Select: scenarios.Selection{Suites: []string{"discovery", "errors"}}}
			r := certify(t, serve(t, openwop.Options{}, host.wrap).URL, o)
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

func refusal(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, `{"error":"`+code+`","message":"no"}`)
}

// before has a host do something else with some requests.
func before(handle func(w http.ResponseWriter, r *http.Request, next http.Handler)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, next) })
	}
}

// asOurs is the request with the right key.
func asOurs(r *http.Request) *http.Request {
	c := with(r, r.URL.Path, bodyOf(r))
	c.Header.Set("Authorization", ours)
	return c
}

var existenceFirst = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Header.Get("Authorization") != ours && oneRun.MatchString(r.URL.Path) && record(next, asOurs(r)).Code == http.StatusNotFound {
		refusal(w, http.StatusNotFound, "not_found")
		return
	}
	next.ServeHTTP(w, r)
})

// anyKey shows a run to whoever has a key.
var anyKey = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Header.Get("Authorization") != "" && oneRun.MatchString(r.URL.Path) {
		r = asOurs(r)
	}
	next.ServeHTTP(w, r)
})

var obeysStrangers = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Header.Get("Authorization") != ours && cancelCall.MatchString(r.URL.Path) {
		r = asOurs(r)
		record(next, r)
		refusal(w, http.StatusUnauthorized, "unauthenticated")
		return
	}
	next.ServeHTTP(w, r)
})

// falls answers some bodies as hosts do that fall over them.
func falls(over func(body []byte) bool) func(http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body := bodyOf(r)
		if r.Method == http.MethodPost && over(body) {
			refusal(w, http.StatusInternalServerError, "internal_error")
			return
		}
		next.ServeHTTP(w, with(r, r.URL.Path, body))
	})
}

var forgetsKeys = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	r.Header.Del("Idempotency-Key")
	next.ServeHTTP(w, r)
})

var anyMode = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if runStream.MatchString(r.URL.Path) {
		r.URL.RawQuery = ""
	}
	next.ServeHTTP(w, r)
})

// saysItCancels leaves a run that is under way as it is.
var saysItCancels = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if cancelCall.MatchString(r.URL.Path) && r.Header.Get("Authorization") == ours {
		look := with(r, strings.TrimSuffix(r.URL.Path, "/cancel"), nil)
		look.Method = http.MethodGet
		var run struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(record(next, look).Body.Bytes(), &run) == nil && slices.Contains([]string{"running", "pending"}, run.Status) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"runId":"it","status":"cancelled"}`)
			return
		}
	}
	next.ServeHTTP(w, r)
})

// findsAll has a completed run under every id.
var findsAll = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	got := record(next, r)
	if oneRun.MatchString(r.URL.Path) && r.Method == http.MethodGet && got.Code == http.StatusNotFound {
		reply(w, got, http.StatusOK, []byte(`{"runId":"it","workflowId":"w","status":"completed"}`))
		return
	}
	reply(w, got, got.Code, got.Body.Bytes())
})

// wordsAlone refuses requests with a text; those of streams keep their list of modes.
var wordsAlone = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if runStream.MatchString(r.URL.Path) {
		next.ServeHTTP(w, r)
		return
	}
	got := record(next, r)
	if got.Code >= 400 {
		reply(w, got, got.Code, []byte("no"))
		return
	}
	reply(w, got, got.Code, got.Body.Bytes())
})

var contractForOwners = before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.URL.Path == "/v1/openapi.json" && r.Header.Get("Authorization") != ours {
		refusal(w, http.StatusUnauthorized, "unauthenticated")
		return
	}
	next.ServeHTTP(w, r)
})

// hides leaves families out of the discovery document.
func hides(families ...string) func(http.Handler) http.Handler {
	return edited(func(r *http.Request, code int, doc map[string]any) int {
		if r.URL.Path == "/.well-known/openwop" {
			for _, name := range families {
				delete(doc, name)
			}
		}
		return code
	})
}
