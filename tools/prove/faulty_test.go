package prove_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
)

// A host that dies in the middle is not accused of anything: what was not seen
// to the end is inconclusive.
func TestAHostThatDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, after := range []int64{1, 4, 9, 17, 30} {
		t.Run(fmt.Sprintf("after %d requests", after), func(t *testing.T) {
			var requests atomic.Int64
			var server *protocols.Served
			ready := make(chan struct{})
			server = serve(t, surface.Options{}, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					<-ready
					if requests.Add(1) > after {
						if err := server.Refuse(); err != nil && !errors.Is(err, net.ErrClosed) {
							t.Error(err)
						}
						panic(http.ErrAbortHandler)
					}
					next.ServeHTTP(w, r)
				})
			})
			close(ready)
			r := certify(t, server.URL, scenarios.Options{Timeout: time.Minute})
			verdicts := byVerdict(r)
			if len(verdicts[scenarios.Inconclusive]) == 0 || len(verdicts[scenarios.Failed])+len(verdicts[scenarios.Broken]) > 0 {
				t.Errorf("verdicts: %v", verdicts)
			}
			if code := r.ExitCode(); code != scenarios.ExitUnproved {
				t.Errorf("exit code %d", code)
			}
			for _, o := range r.Outcomes { // it hears at once that nobody is there, and does not wait
				if strings.Contains(o.Reason, "deadline") {
					t.Errorf("%s: %s", o.Scenario.ID, o.Reason)
				}
			}
		})
	}
}

// A host that answers everything but never finishes a run has failed to, and
// the report says within which time.
func TestAHostThatNeverFinishes(t *testing.T) {
	t.Parallel()
	never := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorded := httptest.NewRecorder()
			next.ServeHTTP(recorded, r)
			body := recorded.Body.String()
			for _, status := range []string{"completed", "failed"} {
				body = strings.ReplaceAll(body, `"status":"`+status+`"`, `"status":"running"`)
			}
			header := w.Header()
			maps.Copy(header, recorded.Header())
			header.Del("Content-Length")
			w.WriteHeader(recorded.Code)
			io.WriteString(w, body)
		})
	}
	r := certify(t, serve(t, surface.Options{}, never).URL, scenarios.Options{Patience: 300 * time.Millisecond})
	late := regexp.MustCompile(`: expected in time, got not within \d+ms: the run has ended;`) // a slow machine is given longer
	for name, requirement := range map[string]string{"as-planned": "OWP-0037-A1", "bound-below": "OWP-0061-E3"} {
		if o := outcome(t, r, name); o.Verdict != scenarios.Failed || !strings.HasPrefix(o.Reason, requirement) || !late.MatchString(o.Reason) {
			t.Errorf("%s: %s (%s)", name, o.Verdict, o.Reason)
		}
	}
	if o := outcome(t, r, "one-per-turn"); o.Verdict != scenarios.Blocked || !strings.Contains(o.Unblock, "OWP-0037-A1") {
		t.Errorf("one-per-turn: %s (%s)", o.Verdict, o.Reason)
	}
	if code := r.ExitCode(); code != scenarios.ExitViolated {
		t.Errorf("exit code %d", code)
		for _, o := range r.Outcomes {
			if o.Verdict == scenarios.Broken {
				t.Error(o.Scenario.Name(), o.Reason)
			}
		}
	}
}
