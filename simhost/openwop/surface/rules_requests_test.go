package surface

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/serving/contract"
)

// Every rule about requests is asked: another one in its place shows in how a request is answered.
func TestRequestsGoByTheRules(t *testing.T) {
	stranger := header{"Authorization", ""}
	const nowhere = "/v1/runs/0123"
	for _, c := range []struct {
		rule, method, path string // RUN stands for a run that has ended
		body               any
		headers            []header
		replace            func(*rules.Set)
		honest, changed    int
	}{
		{"Access.Admits", "GET", "/v1/runs/RUN", nil, []header{stranger},
			func(s *rules.Set) {
				s.Access.Admits = func(rules.Knock) rules.Admission { return rules.Admission{In: true} }
			}, 401, 200},
		{"Access.Admits by another code", "GET", "/v1/runs/RUN", nil, []header{stranger},
			func(s *rules.Set) { s.Access.Admits = turnedAway(codeForbidden) }, 401, 403},
		{"Access.Admits to what is there", "GET", "/v1/runs/RUN", nil, []header{stranger},
			func(s *rules.Set) { s.Access.Admits = turnedAwayIfNever(codeNotFound) }, 401, 401},
		{"Access.Admits to what never was", "GET", nowhere, nil, []header{stranger},
			func(s *rules.Set) { s.Access.Admits = turnedAwayIfNever(codeNotFound) }, 401, 404},
		{"Requests.Largest", "POST", "/v1/runs", noopOf(contract.MaxBody + 1), nil,
			func(s *rules.Set) { s.Requests.Largest = func(n int64) int64 { return 2 * n } }, 413, 201},
		{"Tenants.Visits of what never was", "GET", nowhere, nil, nil,
			func(s *rules.Set) { s.Tenants.Visits = forbiddenIfNever }, 404, 403},
	} {
		for _, faulty := range []bool{false, true} {
			h := serve(t, Options{})
			want := c.honest
			if faulty {
				c.replace(&h.host.rules)
				want = c.changed
			}
			run := h.create("conformance-noop", nil)
			h.until(run, openwopv1.RunStatusCompleted)
			if got := h.do(c.method, strings.ReplaceAll(c.path, "RUN", run), c.body, c.headers...); got.status != want {
				t.Errorf("%s, faulty %t: HTTP %d, want %d: %.200s", c.rule, faulty, got.status, want, got.body)
			}
		}
	}
}

func turnedAway(code string) func(rules.Knock) rules.Admission {
	return func(rules.Knock) rules.Admission { return rules.Admission{Code: code} }
}

// forbiddenIfNever tells of what is not there as if it were another's, and lets everybody in to what is.
func forbiddenIfNever(v rules.Visit) string {
	if v.Owner == "" {
		return codeForbidden
	}
	return ""
}

// turnedAwayIfNever hides nothing of what is not there.
func turnedAwayIfNever(code string) func(rules.Knock) rules.Admission {
	return func(k rules.Knock) rules.Admission {
		if k.Never() {
			return rules.Admission{Code: code}
		}
		return rules.Admission{Code: codeUnauthenticated}
	}
}

// noopOf is a request for a run that has so many bytes.
func noopOf(size int) string {
	const before, after = `{"workflowId":"conformance-noop","metadata":{"x":"`, `"}}`
	return before + strings.Repeat("x", size-len(before)-len(after)) + after
}

func TestKeysAndCancellationsGoByTheRules(t *testing.T) {
	h := serve(t, Options{})
	key := header{headerIdempotencyKey, "k"}
	const body = `{"workflowId":"conformance-noop"}`
	ask := func() (runID, again string) {
		r := h.do("POST", "/v1/runs", body, key).want(http.StatusCreated)
		return decoded[openwopv1.CreateRunResponse](r).RunID, r.header.Get(headerReplay)
	}
	first, _ := ask()
	if again, told := ask(); again != first || told != "true" {
		t.Fatalf("the repetition names %s, not %s, and is marked %q", again, first, told)
	}
	h.host.rules.Keys.Does = func(rules.Keyed) rules.Doing { return rules.Begin }
	if another, _ := ask(); another == first {
		t.Error("Does is not asked")
	}
}

// A request that is refused for want of a key is done first where the key is looked at last.
func TestTheKeyIsLookedAtFirst(t *testing.T) {
	for _, last := range []bool{false, true} {
		h := serve(t, Options{})
		h.host.rules.Access.Admits = func(rules.Knock) rules.Admission { return rules.Admission{Code: codeUnauthenticated, Late: last} }
		run := h.create("conformance-delay", map[string]any{"inputs": map[string]any{"delayMs": 29_000}})
		h.do("POST", "/v1/runs/"+run+"/cancel", "{}", header{"Authorization", ""}).want(http.StatusUnauthorized)
		got := decoded[openwopv1.RunSnapshot](h.do("GET", "/v1/runs/"+run, nil).want(http.StatusOK)).Status
		if (got == openwopv1.RunStatusCancelled) != last {
			t.Errorf("looked at last %t: the run is %s", last, got)
		}
	}
}

// What is said, and what is refused for want of it, are rules of their own.
func TestClaimsGoByTheRules(t *testing.T) {
	honest := serve(t, Options{Without: []string{"orchestrator"}})
	faulty := serve(t, committing(t, Options{Without: []string{"orchestrator"}}, "claim.supervisors-run-unclaimed",
		"claim.fixture-twice", "claim.never-kept", "claim.contract-guarded"))
	const body = `{"workflowId":"conformance-orchestrator-terminate"}`
	honest.do("POST", "/v1/runs", body).want(http.StatusBadRequest)
	faulty.do("POST", "/v1/runs", body).want(http.StatusCreated)
	// The contract, which other replies are held against, knows neither these lies nor this refusal.
	asked := func(c *client, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		c.host.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	if got := asked(faulty, "/v1/openapi.json").Code; got != http.StatusUnauthorized {
		t.Errorf("Admits is not asked: HTTP %d", got)
	}
	said, lies := asked(honest, "/.well-known/openwop"), asked(faulty, "/.well-known/openwop")
	fixtures := func(w *httptest.ResponseRecorder) int { return strings.Count(w.Body.String(), `"conformance-noop"`) }
	if fixtures(lies) != fixtures(said)+1 {
		t.Errorf("Document is not asked: %s", lies.Body)
	}
	if kept := lies.Header().Get("Cache-Control"); kept != "no-store" || said.Header().Get("Cache-Control") == kept {
		t.Errorf("Headers is not asked: %v", lies.Header())
	}
}
