package host_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// late serves runs that end at once, whose logs hold that end from one of the later polls on, or never.
type late struct {
	behind int // polls; -1: for ever

	mu    sync.Mutex
	polls []int // by run
}

func (l *late) routes() hosttest.Routes {
	return hosttest.Routes{
		"POST /v1/runs": func(*http.Request, map[string]any) (int, any) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.polls = append(l.polls, 0)
			return 201, map[string]any{"runId": fmt.Sprint("run-", len(l.polls)-1), "status": "running"}
		},
		"GET /v1/runs/{id}": func(r *http.Request, _ map[string]any) (int, any) {
			return 200, map[string]any{"runId": r.PathValue("id"), "workflowId": "conformance-noop", "status": "completed"}
		},
		"GET /v1/runs/{id}/events/poll": func(r *http.Request, _ map[string]any) (int, any) {
			l.mu.Lock()
			defer l.mu.Unlock()
			id, n := r.PathValue("id"), 0
			_, _ = fmt.Sscanf(strings.TrimPrefix(id, "run-"), "%d", &n)
			l.polls[n]++
			var events []map[string]any
			for i, kind := range []string{"run.started", "node.started", "node.completed", "run.completed"} {
				if kind == "run.completed" && (l.behind < 0 || l.polls[n] <= l.behind) {
					break
				}
				events = append(events, map[string]any{"eventId": fmt.Sprint(id, "-", i), "runId": id, "type": kind, "sequence": i,
					"payload": map[string]any{}, "nodeId": "noop",
					"timestamp": time.Date(2026, 11, 1, 0, 0, 0, i*int(time.Millisecond), time.UTC).Format(time.RFC3339Nano)})
			}
			return 200, map[string]any{"events": events, "isComplete": true}
		},
	}
}

// A log may be behind the snapshot that says that its run has ended. Its end is missing only when patience is over.
func TestALogIsReadUntilItHoldsTheEnd(t *testing.T) {
	for behind, want := range map[int]scenarios.Verdict{0: scenarios.Passed, 4: scenarios.Passed, -1: scenarios.Failed} {
		t.Run(fmt.Sprint(behind), func(t *testing.T) {
			t.Parallel()
			url := hosttest.Serve(t, hosttest.DiscoveryWith("conformance-noop"), (&late{behind: behind}).routes())
			c, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: hosttest.OurKey}, scenarios.Options{Seed: 1, Patience: time.Second,
				Select: scenarios.Selection{Scenarios: []string{"openwop/event-log/ends-once"}}}, openwop.Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			if o := c.Finish(context.Background()).Outcomes[0]; o.Verdict != want {
				t.Errorf("%s: %s, want %s", o.Verdict, o.Reason, want)
			}
		})
	}
}
