package wire_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// refuses answers the first n requests with a status and these headers.
func refuses(n int, status int, headers ...string) (http.Handler, *atomic.Int64) {
	var asked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > int64(n) {
			return
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
	}), &asked
}

const (
	noon       = "Thu, 26 Nov 2026 12:00:00 GMT"
	behindNoon = "Thu, 26 Nov 2026 12:00:01 GMT"
)

func TestARefusalForLoadIsObeyed(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		headers []string
		least   time.Duration
	}{
		"429 with seconds":    {http.StatusTooManyRequests, []string{"Retry-After", "1"}, time.Second},
		"429 without a word":  {http.StatusTooManyRequests, nil, 250 * time.Millisecond},
		"503 with seconds":    {http.StatusServiceUnavailable, []string{"Retry-After", "1"}, time.Second},
		"429 until now":       {http.StatusTooManyRequests, []string{"Retry-After", noon, "Date", noon}, 0},
		"503 until the clock": {http.StatusServiceUnavailable, []string{"Retry-After", behindNoon, "Date", noon}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler, asked := refuses(1, c.status, c.headers...)
			client := client(t, handler, nil)
			r, err := get(t, client)
			if err != nil || r.Status != http.StatusOK || asked.Load() != 2 {
				t.Fatalf("%v, %v, %d requests", r, err, asked.Load())
			}
			if held := client.Waited(); held < c.least {
				t.Errorf("held back for %s, want %s", held, c.least)
			}
		})
	}
}

// What would take longer than there is time is not waited for, and said with the figure.
func TestARefusalThatLastsTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		after  string
		says   string
	}{
		"429 for an hour":     {http.StatusTooManyRequests, "3600", "HTTP 429 and asks for 1h0m0s"},
		"429 for ever":        {http.StatusTooManyRequests, "99999999999999999999", "HTTP 429 and asks for 8760h0m0s"},
		"503 without a word":  {http.StatusServiceUnavailable, "", "HTTP 503"},
		"503 for half an age": {http.StatusServiceUnavailable, "86400", "HTTP 503 and asks for 24h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if c.after != "" {
				headers = []string{"Retry-After", c.after}
			}
			handler, asked := refuses(1, c.status, headers...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := client(t, handler, nil).Do(ctx, wire.Call{Method: "GET", Path: "/"})
			if !errors.Is(err, wire.ErrBusy) || !strings.Contains(err.Error(), c.says) || asked.Load() != 1 {
				t.Fatalf("%v after %d requests, want %q", err, asked.Load(), c.says)
			}
		})
	}
}

// How the target held the drives back is known afterwards: how often, for how long, and down to what.
func TestLoadIsCounted(t *testing.T) {
	handler, _ := refuses(2, http.StatusTooManyRequests, "Retry-After", "1")
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	network, err := wire.NewNetwork(wire.Target{URL: server.URL}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	if got := network.Load(); got != (wire.Load{}) {
		t.Errorf("before anything was sent: %+v", got)
	}
	client := network.Client("d")
	defer client.Close()
	if _, err := get(t, client); err != nil {
		t.Fatal(err)
	}
	if got := network.Load(); got.Refused != 2 || got.Waited < 2*time.Second || got.Rate <= 0 || got.Rate >= 1 || got.AtOnce != 1 {
		t.Errorf("%+v", got)
	}
}

// No more requests than allowed are on their way at once, and waiting for that is not taken from the time of a drive.
func TestNoMoreAtOnceThanAllowed(t *testing.T) {
	const most, all = 2, 6
	var now, highest, asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			seen := highest.Load()
			if n <= seen || highest.CompareAndSwap(seen, n) {
				break
			}
		}
		asked.Add(1)
		time.Sleep(50 * time.Millisecond) // all that may come meanwhile do
	}))
	defer server.Close()
	network, err := wire.NewNetwork(wire.Target{URL: server.URL}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	network.AtMost(most)
	client := network.Client("d")
	defer client.Close()
	var calls sync.WaitGroup
	for range all {
		calls.Go(func() {
			if _, err := get(t, client); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if highest.Load() != most || asked.Load() != all {
		t.Errorf("%d at once of %d, want %d of %d", highest.Load(), asked.Load(), most, all)
	}
	if client.Waited() == 0 {
		t.Error("none was held back")
	}
}
