package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Fewer requests leave after a refusal, and gradually more again, up to what the operator allows.
func TestRequestsFollowWhatATargetTakes(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	th := &throttle{now: func() time.Time { return now }, most: 500}
	pass := func(n int) {
		for range n {
			th.flying++
			th.leave()
		}
	}
	rate := func() float64 { return th.rate(now) }
	if rate() != 500 {
		t.Fatalf("before a refusal %.1f requests a second, want what the operator allows", rate())
	}
	pass(100)
	now = now.Add(10 * time.Second)
	th.flying = 16
	th.refused(time.Second)
	now = th.closed
	first := rate()
	if first >= 500 || first < leastRate || th.window != 8 {
		t.Errorf("after a refusal %.1f requests a second, %.0f at once, want fewer, 8 at once", first, th.window)
	}
	pass(8)
	if th.window <= 8 || th.window > 10 {
		t.Errorf("after 8 replies %.2f at once, want about one more", th.window)
	}
	now = now.Add(5 * time.Second)
	if later := rate(); later <= first || later > first+5*raise {
		t.Errorf("5 s later %.1f requests a second, want more than %.1f, by at most %.0f", later, first, 5*raise)
	}
	before := rate()
	pass(1000)
	now = now.Add(time.Second)
	th.refused(0)
	if again := rate(); again >= before*lowered+raise+1 {
		t.Errorf("after another refusal %.1f requests a second, want no more than %.1f", again, before*lowered)
	}
	now = now.Add(time.Hour)
	if rate() != 500 {
		t.Errorf("an hour later %.1f requests a second, want what the operator allows", rate())
	}
}

// A stream that is refused for load is opened again when the target asked for that, within the time that there is.
func TestAStreamThatIsRefusedForLoadIsOpenedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		after  string
		says   string // "": it is opened
	}{
		"429":         {http.StatusTooManyRequests, "1", ""},
		"503":         {http.StatusServiceUnavailable, "1", ""},
		"for an hour": {http.StatusTooManyRequests, "3600", "HTTP 429 and asks for 1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 {
					w.Header().Set("Retry-After", c.after)
					w.WriteHeader(c.status)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "data: {\"n\":1}\n\n")
			}))
			defer server.Close()
			n, err := NewNetwork(Target{URL: server.URL}, Options{Limits: DefaultLimits()})
			if err != nil {
				t.Fatal(err)
			}
			client := n.Client("d")
			defer client.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			stream, plain, err := client.Open(ctx, Call{Method: http.MethodGet, Path: "/", Header: map[string]string{"Accept": "text/event-stream"}})
			if c.says != "" {
				if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), c.says) || asked.Load() != 1 {
					t.Fatalf("%v after %d requests, want %q", err, asked.Load(), c.says)
				}
				return
			}
			if err != nil || plain != nil {
				t.Fatalf("%v, %v", plain, err)
			}
			defer stream.Close()
			if asked.Load() != 2 || client.Waited() < time.Second {
				t.Errorf("%d requests, held back for %s", asked.Load(), client.Waited())
			}
		})
	}
}
