package scenarios

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// A clean-up gives a slow target time, and a hostile one not for ever.
func TestCleanupIsBoundedByWhatThereIsToUndo(t *testing.T) {
	type undo = func(context.Context, *wire.Client) error
	takes := func(each ...time.Duration) (out []undo) {
		for _, d := range each {
			out = append(out, func(ctx context.Context, _ *wire.Client) error { return wire.Pause(ctx, d) })
		}
		return out
	}
	refuses := []undo{func(context.Context, *wire.Client) error { return errors.New("no") }}
	usual := Options{}.withDefaults()
	hurried := Options{Patience: 150 * time.Millisecond, Timeout: 4 * time.Second}.withDefaults()
	patient := Options{Patience: time.Minute}.withDefaults()
	for name, test := range map[string]struct {
		o         Options
		undo      []undo
		leftovers int
		most      time.Duration
	}{
		"nothing":           {usual, nil, 0, 0},
		"a slow target":     {usual, slices.Repeat(takes(200*time.Millisecond), 300), 0, time.Minute},
		"a slower one":      {patient, slices.Repeat(takes(1400*time.Millisecond), 100), 0, 3 * time.Minute},
		"one that refuses":  {usual, slices.Repeat(refuses, 300), 300, 0},
		"a silent one":      {usual, slices.Repeat(takes(time.Hour), 300), 300, 10 * time.Second},
		"silent, in haste":  {hurried, slices.Repeat(takes(time.Hour), 300), 300, 2 * time.Second},
		"silent at times":   {usual, takes(time.Millisecond, time.Hour, time.Millisecond), 1, 6 * time.Second},
		"as slow as it may": {usual, slices.Repeat(takes(4500*time.Millisecond), 100), 93, 35 * time.Second},
		"slow, in haste":    {hurried, slices.Repeat(takes(900*time.Millisecond), 100), 96, 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := wire.NewNetwork(wire.Target{URL: "http://target.example"}, wire.Options{Limits: wire.DefaultLimits()})
			if err != nil {
				t.Fatal(err)
			}
			client := n.Client("clean-up")
			defer client.Close()
			synctest.Test(t, func(t *testing.T) {
				var c cleanup
				for _, undo := range test.undo {
					c.add("a drive", "a thing", undo)
				}
				began := time.Now() // a fake clock
				leftovers := c.run(t.Context(), client, test.o)
				if took := time.Since(began); took > test.most {
					t.Errorf("it took %s, at most %s was to be", took, test.most)
				}
				if len(leftovers) != test.leftovers {
					t.Errorf("%d leftovers, want %d", len(leftovers), test.leftovers)
				}
			})
		})
	}
}

// What the target cannot do yet is tried again while there is time, and what it refuses is not.
func TestCleanupIsTriedAgain(t *testing.T) {
	n, err := wire.NewNetwork(wire.Target{URL: "http://target.example"}, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	client := n.Client("clean-up")
	defer client.Close()
	for name, test := range map[string]struct {
		statuses []int // of the replies, one try after another; the last one again and again
		tries    int   // 0: many
		left     string
	}{
		"done":          {[]int{200}, 1, ""},
		"gone":          {[]int{404}, 1, ""},
		"busy":          {[]int{503, 429, 204}, 3, ""},
		"busy for good": {[]int{503}, 0, "a thing: HTTP 503: not yet"},
		"refused":       {[]int{403}, 1, "a thing: HTTP 403"},
		"not there":     {[]int{501}, 1, "a thing: HTTP 501"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var c cleanup
				tries := 0
				c.add("a drive", "a thing", func(context.Context, *wire.Client) error {
					tries++
					return Undone(&wire.Reply{Status: test.statuses[min(tries, len(test.statuses))-1]})
				})
				left := c.run(t.Context(), client, Options{}.withDefaults())
				if got := strings.Join(left, ", "); got != test.left {
					t.Errorf("left over: %q, want %q", got, test.left)
				}
				if tries != test.tries && (test.tries > 0 || tries < 5) {
					t.Errorf("tried %d times", tries)
				}
			})
		})
	}
}

// A busy target is left alone for as long as it asks, and then asked again, while there is time.
func TestCleanupObeysABusyTarget(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		after  string
		left   string // what the leftover says, "" for none
	}{
		"429 for a second":   {http.StatusTooManyRequests, "1", ""},
		"503 for a second":   {http.StatusServiceUnavailable, "1", ""},
		"503 without a word": {http.StatusServiceUnavailable, "", ""},
		"429 for half a day": {http.StatusTooManyRequests, "43200", "HTTP 429 and asks for 12h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 || c.left != "" {
					if c.after != "" {
						w.Header().Set("Retry-After", c.after)
					}
					w.WriteHeader(c.status)
				}
			}))
			defer server.Close()
			n, err := wire.NewNetwork(wire.Target{URL: server.URL}, wire.Options{Limits: wire.DefaultLimits()})
			if err != nil {
				t.Fatal(err)
			}
			client := n.Client("clean-up")
			defer client.Close()
			var all cleanup
			all.add("a drive", "a thing", func(ctx context.Context, c *wire.Client) error {
				reply, err := c.Do(ctx, wire.Call{Method: http.MethodDelete, Path: "/thing"})
				if err != nil {
					return err
				}
				return Undone(reply)
			})
			left := all.run(t.Context(), client, Options{Patience: time.Millisecond}.withDefaults())
			if len(left) > 0 != (c.left != "") || !strings.Contains(strings.Join(left, ""), c.left) {
				t.Errorf("left over %q, want %q", left, c.left)
			}
		})
	}
}
