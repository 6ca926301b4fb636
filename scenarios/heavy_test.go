package scenarios_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Heavy drives run beside each other where replies are long on their way: each waits here until all are under way.
func TestHeavyDrivesOnALongLine(t *testing.T) {
	at, err := url.Parse(toyHost(t, `{"counts":true,"loud":false}`))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(at)
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(60 * time.Millisecond)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(line.Close)
	const all = 3
	var running atomic.Int32
	together := make(chan struct{})
	heavy := func(id string) scenarios.Scenario {
		return one(id, counts, scenarios.Ask(&scenarios.Drive[counted]{ID: id, Excludes: scenarios.Heavy,
			Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
				if running.Add(1) == all {
					close(together)
				}
				select {
				case <-together:
					countDrive("").Run(ctx, c, o)
				case <-ctx.Done():
				}
			}}, is(3, "TOY-1")), "TOY-1")
	}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: line.URL}, scenarios.Options{}, suite(heavy("a"), heavy("b"), heavy("c")))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Finish(context.Background()).Outcomes {
		if o.Verdict != scenarios.Passed {
			t.Errorf("%s: %s, %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
}
