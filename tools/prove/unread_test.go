package prove_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/prove/manners"
)

// Engines that read less of our workflows than these say, or have less of them. They are accused of nothing that follows from it.

// changing has a host get other bodies of the requests that a client POSTs to a path.
func changing(path func(string) bool, change func(body map[string]any) (refused int)) func(http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost && path(r.URL.Path) {
			raw, _ := io.ReadAll(r.Body)
			var body map[string]any
			if json.Unmarshal(raw, &body) == nil && body != nil {
				if status := change(body); status != 0 {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(status)
					io.WriteString(w, `{"error":"validation_error","message":"not this"}`)
					return
				}
				raw, _ = json.Marshal(body)
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
		}
		next.ServeHTTP(w, r)
	})
}

func toRuns(path string) bool { return path == "/v1/runs" }

// dropping leaves out inputs of runs: all, or those of these names.
func dropping(names ...string) func(http.Handler) http.Handler {
	return changing(toRuns, func(body map[string]any) int {
		if inputs, _ := body["inputs"].(map[string]any); len(names) > 0 {
			for _, name := range names {
				delete(inputs, name)
			}
			return 0
		}
		delete(body, "inputs")
		return 0
	})
}

// unlisting leaves fixtures out of the host's list, so that they are not there.
func unlisting(ids ...string) func(http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path != "/.well-known/openwop" {
			next.ServeHTTP(w, r)
			return
		}
		got := manners.Record(next, r)
		var doc map[string]any
		if json.Unmarshal(got.Body.Bytes(), &doc) == nil {
			listed, _ := doc["fixtures"].([]any)
			doc["fixtures"] = slices.DeleteFunc(listed, func(id any) bool { return slices.Contains(ids, id.(string)) })
		}
		raw, _ := json.Marshal(doc)
		manners.Reply(w, got, got.Code, raw)
	})
}

func TestEnginesThatReadLittle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wrap   func(http.Handler) http.Handler
		suites []string
		want   map[string]string // by scenario: the beginning of its verdict and reason
	}{
		"drops the inputs of every run": {dropping(), []string{"workspace-files", "workspace-snapshot", "run-control"}, map[string]string{
			"write-is-logged": "blocked: no loop that notes what its turns see is on offer: its engine does not read the port mockDispatchPlan",
			"resumed-goes-on": "passed",
		}},
		"drops what a turn writes": {dropping("writes"), []string{"workspace-files"}, map[string]string{
			"write-is-logged": "blocked: no loop that notes what its turns see is on offer: its engine does not read the port mockWrites",
		}},
		"drops what a run is to say": {dropping("said"), []string{"run-control"}, map[string]string{"resumed-goes-on": "passed"}},
		"has approvals by their config alone": {unlisting("assay-approval", "assay-questions", "assay-quorum"), []string{"interrupts"},
			map[string]string{
				"keys-differ": "passed", "edited": "passed", "asked": "passed", "artifact": "passed", "token-life": "passed",
				"answers-fit": "passed", "single-veto": "passed",
			}},
		"has only a loop that maps, and those of the second family": {unlisting("assay-loop"), []string{"handoff"},
			map[string]string{"unmapped-not-harvested": "passed"}},
		"drains without assay-steps": {unlisting("assay-steps"), []string{"run-control"}, map[string]string{"drained-stands-still": "passed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := scenarios.Options{Patience: 5 * time.Second, Select: scenarios.Selection{Suites: c.suites}}
			expects(t, certify(t, serve(t, surface.Options{}, c.wrap).URL, o), c.want)
		})
	}
}

// expects checks that no scenario failed, and what became of some.
func expects(t *testing.T, r *scenarios.Report, want map[string]string) {
	t.Helper()
	seen := 0
	for _, o := range r.Outcomes {
		is := string(o.Verdict) + ": " + o.Reason
		if begins, asked := want[o.Scenario.Name()]; asked {
			if seen++; !strings.HasPrefix(is, begins) {
				t.Errorf("%s is %s, want %s", o.Scenario.ID, is, begins)
			}
		} else if o.Verdict == scenarios.Failed {
			t.Errorf("%s is %s", o.Scenario.ID, is)
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d scenarios were asked", seen, len(want))
	}
}

// A host need not read schedules of ours: one of its own will do.
func TestGoalsOnTheHostsOwnSchedule(t *testing.T) {
	t.Parallel()
	wrap := changing(func(path string) bool { return strings.HasSuffix(path, "/goals") }, func(body map[string]any) int {
		goes, _ := body["continuation"].(map[string]any)
		switch {
		case goes["mode"] != "schedule":
		case goes["armRef"] != nil:
			return http.StatusUnprocessableEntity
		default:
			goes["armRef"] = "every:400ms"
		}
		return 0
	})
	o := scenarios.Options{Patience: 5 * time.Second, Select: scenarios.Selection{Scenarios: []string{
		"goal-completion/schedule-fires", "goal-completion/abandoned-disarms"}}}
	r := certify(t, serve(t, surface.Options{}, wrap).URL, o)
	expects(t, r, map[string]string{"schedule-fires": "passed", "abandoned-disarms": "passed"})
}

// A client is told what is wrong. A line that was cut once is another matter.
func TestHostsThatHangUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times int32
		want  string
	}{"each time": {1000, "failed: OWP-ERR-12"}, "once": {1, "passed"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int32
			left.Store(c.times)
			wrap := before(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				raw, _ := io.ReadAll(r.Body)
				if r.Method == http.MethodPost && string(raw) == "null" && left.Add(-1) >= 0 {
					panic(http.ErrAbortHandler)
				}
				r.Body = io.NopCloser(bytes.NewReader(raw))
				next.ServeHTTP(w, r)
			})
			o := scenarios.Options{Patience: 5 * time.Second, Select: scenarios.Selection{Scenarios: []string{"errors/bodies-refused"}}}
			expects(t, certify(t, serve(t, surface.Options{}, wrap).URL, o), map[string]string{"bodies-refused": c.want})
		})
	}
}
