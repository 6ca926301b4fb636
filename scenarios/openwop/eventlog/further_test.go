package eventlog_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
)

// Streams that only somebody finds wrong who asks for more than one thing at once.
func TestHostsThatStreamWronglyBeyondQuick(t *testing.T) {
	var open atomic.Int64
	for name, c := range map[string]struct {
		host     *teller
		scenario string
		want     string // "" for none
	}{
		"by the book": {host: &teller{batches: true}},
		"batches begin anew": {&teller{batches: true, stream: func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("bufferMs") != "" {
				r.Header.Del("Last-Event-ID")
			}
			return false
		}}, "stream-resumes", requirement.OWPEVT24},
		"messages without end": {&teller{stream: func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("streamMode") != "messages" {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		}}, "stream-closes", requirement.OWPEVT23},
		"a stream for one": {&teller{stream: func(_ http.ResponseWriter, r *http.Request) bool {
			if n := open.Add(1); n > 1 { // it was open when this one came
				r.Header.Set("Last-Event-ID", "1")
			}
			ctx := r.Context()
			go func() {
				<-ctx.Done()
				open.Add(-1)
			}()
			return false
		}}, "stream-while-live", requirement.OWPEVT26},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certifyEventLog(t, c.host.serve(t), 3*time.Second, nil, scenarios.Standard)
			for _, o := range r.Outcomes {
				switch accused := o.Failure != nil && o.Failure.Requirement == scenarios.RequirementID(c.want); {
				case c.want == "" && o.Failure != nil:
					t.Errorf("%s: %s", o.Scenario.ID, o.Reason)
				case c.want != "" && o.Scenario.Name() == c.scenario && !accused:
					t.Errorf("%s: %s (%s), want a violation of %s", c.scenario, o.Verdict, o.Reason, c.want)
				}
			}
		})
	}
}
