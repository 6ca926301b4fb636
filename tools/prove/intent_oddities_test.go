package prove_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove/manners"
)

var (
	intentLeases = regexp.MustCompile(`/intents/[^/]+/leases$`)
	intentEvents = regexp.MustCompile(`/intents/[^/]+/events$`)
	intentOf     = regexp.MustCompile(`^(.*/intents/[^/]+)$`)
	taskClaim    = regexp.MustCompile(`/tasks/[^/]+/claim$`)
	leaseOf      = regexp.MustCompile(`^(.*)/coordinators/[^/]+$`)
)

// Servers that keep a sentence in another place than the simulated one: a claim is one of a task (OIP-R28), and a
// coordinator that escalates suspends itself (OIP-R104). Each is found there, and so is a server that does neither.
func TestIntentServersThatKeepItElsewhere(t *testing.T) {
	many(t)
	t.Parallel()
	for name, server := range map[string]struct {
		suite string
		wrap  func(http.Handler) http.Handler
		want  map[string]string // of scenarios, by their name: the verdict, or the requirement that is violated
	}{
		"claims of tasks": {"claims", claims(nil), map[string]string{
			"refused": "passed", "says-why": "passed", "resume-at": "passed", "granted": "passed"}},
		"tasks that anybody claims": {"claims", claims(granted), map[string]string{"refused": "OIP-0026-V1", "granted": "blocked"}},
		"tasks that nobody claims": {"claims", claims(refused), map[string]string{
			"refused": "blocked", "says-why": "blocked", "granted": "blocked"}},
		"a lease that waits": {"coordinator", escalating(leaseOf, "suspended"), map[string]string{
			"escalates": "passed", "isolates": "passed", "blocks-dependents": "passed"}},
		"an intent that waits": {"coordinator", escalating(intentOf, "suspended_awaiting_input"), map[string]string{
			"escalates": "passed", "isolates": "passed", "blocks-dependents": "passed"}},
		"versions that are shown late": {"graph", behindWrites, map[string]string{"blocked": "passed", "diamond": "passed",
			"unblocked": "passed", "parent-gate": "passed"}},
		"nothing that waits": {"coordinator", escalating(nil, ""), map[string]string{"escalates": "OIP-0026-P5", "isolates": "passed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certifiedBehind(t, server.suite, server.wrap)
			for scenario, want := range server.want {
				o := outcome(t, r, scenario)
				got := string(o.Verdict)
				if o.Failure != nil {
					got = string(o.Failure.Requirement)
				}
				if got != want {
					t.Errorf("%s is %s (%s), want %s", scenario, got, o.Reason, want)
				}
			}
		})
	}
}

// certifiedBehind certifies a suite of the simulated server behind a handler.
func certifiedBehind(t *testing.T, suite string, wrap func(http.Handler) http.Handler) *scenarios.Report {
	t.Helper()
	host := protocols.OpenIntent{Options: openintent.Options{}}
	target := lab.Target(host.Protocol())
	s, err := host.Serve(t.Context(), target, protocols.Place{}, wrap)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	target.URL = s.URL
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 3,
		Select: scenarios.Selection{Suites: []string{suite}}}, protocols.Of(host.Protocol()).Targets[0].Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// answer replies in place of a handler.
type answer func(w http.ResponseWriter)

func said(code int, body string) answer {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

var (
	granted = said(http.StatusOK, `{"id":"t-1","status":"claimed"}`)
	refused = said(http.StatusUnprocessableEntity, `{"detail":"agent_id is missing"}`)
)

// claims grants a lease whatever the inputs of the intent. A claim of a task is answered so, or looks at them.
func claims(task answer) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case task != nil && taskClaim.MatchString(r.URL.Path):
				task(w)
			case r.Method == http.MethodPost && intentLeases.MatchString(r.URL.Path):
				got := manners.Record(next, r)
				if bytes.Contains(got.Body.Bytes(), []byte("io_inputs")) {
					said(http.StatusOK, `{"id":"lease-1","scope":"all"}`)(w)
					return
				}
				manners.Reply(w, got, got.Code, got.Body.Bytes())
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

// behindWrites shows an intent twice as it was before a write on it.
func behindWrites(next http.Handler) http.Handler {
	type shown struct {
		was  *httptest.ResponseRecorder
		late int
	}
	var mu sync.Mutex
	intents := map[string]*shown{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimSuffix(strings.TrimSuffix(r.URL.Path, "/status"), "/state")
		if !intentOf.MatchString(path) {
			next.ServeHTTP(w, r)
			return
		}
		got := manners.Record(next, r)
		mu.Lock()
		defer mu.Unlock()
		s := intents[path]
		switch {
		case s == nil:
			intents[path] = &shown{was: got}
		case r.Method == http.MethodPost && got.Code == http.StatusOK:
			s.late = 2
		case r.Method == http.MethodGet && s.late > 0:
			s.late--
			got = s.was
		case r.Method == http.MethodGet:
			s.was = got
		}
		manners.Reply(w, got, got.Code, got.Body.Bytes())
	})
}

// escalating shows an escalation by the status of what is at the path, and by no event.
func escalating(at *regexp.Regexp, status string) func(http.Handler) http.Handler {
	const told = "coordinator.escalation_required"
	return func(next http.Handler) http.Handler {
		escalated := func(r *http.Request, prefix, intent string) bool {
			look := with(r, prefix+"/intents/"+intent+"/events", nil)
			look.URL.RawQuery = "limit=1000"
			return strings.Contains(manners.Record(next, look).Body.String(), told)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				next.ServeHTTP(w, r)
				return
			}
			got := manners.Record(next, r)
			body := got.Body.Bytes()
			var doc map[string]any
			var list []map[string]any
			switch {
			case intentEvents.MatchString(r.URL.Path) && json.Unmarshal(body, &list) == nil:
				body = encoded(slices.DeleteFunc(list, func(e map[string]any) bool { return e["event_type"] == told }))
			case at != nil && at.MatchString(r.URL.Path) && json.Unmarshal(body, &doc) == nil:
				prefix, _, _ := strings.Cut(r.URL.Path, "/coordinators/")
				prefix, _, _ = strings.Cut(prefix, "/intents/")
				intent, _ := doc["intent_id"].(string)
				if intent == "" {
					intent, _ = doc["id"].(string)
				}
				if (doc["suspension_policy"] == nil || doc["suspension_policy"] == "escalate") && escalated(r, prefix, intent) {
					doc["status"] = status
				}
				body = encoded(doc)
			}
			manners.Reply(w, got, got.Code, body)
		})
	}
}
