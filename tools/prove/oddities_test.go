package prove_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/prove/manners"
)

// What honest hosts differ in, beside the variations of the simulated host.
// Nobody is accused for any of it; that there is less to look at may block a
// scenario.
func TestHonestHostsThatDiffer(t *testing.T) {
	many(t)
	t.Parallel()
	for name, host := range map[string]struct {
		options surface.Options
		wrap    func(http.Handler) http.Handler
		want    map[string]scenarios.Verdict // of scenarios of the suite run-control
	}{
		"slow":                     {wrap: mannerly(manners.Manners{Soonest: 40 * time.Millisecond, Latest: 40 * time.Millisecond})},
		"stale snapshots":          {wrap: mannerly(manners.Manners{Snapshot: 150 * time.Millisecond})},
		"tells little of a run":    {wrap: edited(tellLittle)},
		"refuses in other words":   {wrap: edited(hideConflicts)},
		"goals on their own time":  {wrap: behind(t)},
		"closes goals to a ticker": {wrap: edited(closeToTicker)},
		"pauses at once alone": {wrap: pausing("immediate"), want: map[string]scenarios.Verdict{
			"drained-stands-still": scenarios.Inapplicable, "paused-stands-still": scenarios.Passed, "suspended-paused": scenarios.Passed}},
		"drains alone": {wrap: pausing("drain-current-node"), want: map[string]scenarios.Verdict{
			"paused-stands-still": scenarios.Inapplicable, "drained-stands-still": scenarios.Passed, "paused-is-refused": scenarios.Passed,
			"resumed-goes-on": scenarios.Passed, "paused-cancelled": scenarios.Passed, "suspended-paused": scenarios.Passed}},
		"pauses nothing suspended": {wrap: pauseNothingSuspended, want: map[string]scenarios.Verdict{
			"suspended-paused": scenarios.Inapplicable, "paused-cancelled": scenarios.Passed}},
		"a clock of full seconds": {options: surface.Options{Clock: fullSeconds{clock.Real()}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certify(t, serve(t, host.options, host.wrap).URL, scenarios.Options{})
			for _, o := range r.Outcomes {
				if slices.Contains([]scenarios.Verdict{scenarios.Failed, scenarios.Broken, scenarios.Inconclusive}, o.Verdict) {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
				if want, ok := host.want[strings.TrimPrefix(string(o.Scenario.ID), "openwop/run-control/")]; ok && o.Verdict != want {
					t.Errorf("%s is %s (%s), want %s", o.Scenario.ID, o.Verdict, o.Reason, want)
				}
			}
		})
	}
}

func mannerly(m manners.Manners) func(http.Handler) http.Handler {
	return m.Wrap(routesOf[suites.Protocol.ID])
}

var (
	oneRun    = regexp.MustCompile(`^/v1/runs/[^/:]+$`)
	goalMove  = regexp.MustCompile(`^(/v1/host/sample/goals/[^/]+)/(tick|abandon)$`)
	goalLog   = regexp.MustCompile(`^/v1/host/sample/goals/[^/]+/events$`)
	runLog    = regexp.MustCompile(`^/v1/runs/[^/]+/events/poll$`)
	runDiff   = regexp.MustCompile(`^(/v1/runs/[^/:]+):diff$`)
	runPause  = regexp.MustCompile(`^(/v1/runs/[^/:]+):pause$`)
	runFork   = regexp.MustCompile(`^(/v1/runs/[^/:]+):fork$`)
	runStream = regexp.MustCompile(`^/v1/runs/[^/]+/events$`)
)

// tellLittle shows neither the variables of a run nor what it waits for, and no event of an interrupt. That a run was resumed
// which somebody had paused is none.
func tellLittle(r *http.Request, code int, doc map[string]any) int {
	switch {
	case runLog.MatchString(r.URL.Path):
		paused := false
		leaveOut(doc, func(e object) bool {
			switch typeOf(e) {
			case openwopv1.RunEventTypeRunPaused:
				paused = true
			case openwopv1.RunEventTypeRunResumed:
				was := paused
				paused = false
				return !was
			case openwopv1.RunEventTypeInterruptRequested, openwopv1.RunEventTypeInterruptResolved, openwopv1.RunEventTypeNodeResumed,
				openwopv1.RunEventTypeVariableChanged:
				return true
			}
			return false
		})
	case oneRun.MatchString(r.URL.Path):
		for _, field := range []string{"variables", "interrupt", "workspace"} {
			delete(doc, field)
		}
	}
	return code
}

// hideConflicts leaves idempotency keys and workspace files alone, where 409 is the only word.
func hideConflicts(r *http.Request, code int, _ map[string]any) int {
	if code == http.StatusConflict && r.URL.Path != "/v1/runs" && !strings.HasPrefix(r.URL.Path, "/v1/host/workspace/") {
		return http.StatusNotFound
	}
	return code
}

// pausing lists one drain policy, and refuses a pause by another.
func pausing(policy string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		listed := edited(func(r *http.Request, code int, doc map[string]any) int {
			if r.URL.Path == "/.well-known/openwop" {
				doc["runs"] = map[string]any{"pauseResume": map[string]any{"supported": true, "drainPolicies": []string{policy}}}
			}
			return code
		})(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !runPause.MatchString(r.URL.Path) {
				listed.ServeHTTP(w, r)
				return
			}
			raw := bodyOf(r)
			asked := struct{ DrainPolicy string }{"drain-current-node"}
			if err := json.Unmarshal(raw, &asked); err == nil && asked.DrainPolicy != policy {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error":"validation_error","message":"no such drainPolicy here"}`))
				return
			}
			next.ServeHTTP(w, with(r, r.URL.Path, raw))
		})
	}
}

// pauseNothingSuspended refuses to pause a run that waits for somebody, and lets it wait on.
func pauseNothingSuspended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := runPause.FindStringSubmatch(r.URL.Path)
		if m == nil {
			next.ServeHTTP(w, r)
			return
		}
		look := with(r, m[1], nil)
		look.Method = http.MethodGet
		var run struct{ Status string }
		if err := json.Unmarshal(manners.Record(next, look).Body.Bytes(), &run); err == nil && strings.HasPrefix(run.Status, "waiting-") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusConflict)
			_, _ = fmt.Fprintf(w, `{"error":"run_state_conflict","message":"it waits","details":{"runStatus":%q}}`, run.Status)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// closeToTicker has goal.evaluated on the logs, and goal.closed in the reply to the tick alone.
func closeToTicker(r *http.Request, code int, doc map[string]any) int {
	if goalLog.MatchString(r.URL.Path) || runLog.MatchString(r.URL.Path) {
		leaveOut(doc, func(e object) bool { return typeOf(e) == openwopv1.RunEventTypeGoalClosed })
	}
	return code
}

// behind accepts what moves a goal that the client can see, and does it a while later, in order.
func behind(t *testing.T) func(http.Handler) http.Handler {
	var working sync.WaitGroup
	t.Cleanup(working.Wait)
	var mu sync.Mutex // of before
	before := make(chan struct{})
	close(before)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m := goalMove.FindStringSubmatch(r.URL.Path)
			if m == nil {
				next.ServeHTTP(w, r)
				return
			}
			later := with(r, r.URL.Path, bodyOf(r))
			look := with(r, m[1], nil)
			look.Method = http.MethodGet
			if manners.Record(next, look).Code != http.StatusOK {
				next.ServeHTTP(w, later)
				return
			}
			mu.Lock()
			mine, done := before, make(chan struct{})
			before = done
			mu.Unlock()
			working.Go(func() {
				defer close(done)
				<-mine
				time.Sleep(20 * time.Millisecond)
				manners.Record(next, later)
			})
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, "{}")
		})
	}
}

// fullSeconds is a clock that ticks once a second.
type fullSeconds struct{ clock.Clock }

func (c fullSeconds) Now() time.Time { return c.Clock.Now().Truncate(time.Second) }

// At calls when this clock, and not the one behind it, has come to a time.
func (c fullSeconds) At(at time.Time, call func()) clock.Timer {
	full := at.Truncate(time.Second)
	if full.Before(at) {
		full = full.Add(time.Second)
	}
	return c.Clock.At(full, call)
}

func bodyOf(r *http.Request) []byte {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return body
}

// with is the same request for another path, with another body, that outlives the first.
func with(r *http.Request, path string, body []byte) *http.Request {
	c := r.Clone(context.WithoutCancel(r.Context()))
	c.URL.Path, c.URL.RawPath = path, ""
	c.Body, c.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return c
}
