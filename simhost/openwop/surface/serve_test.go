package surface

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

func TestShutdownEndsStreamsAndPolls(t *testing.T) {
	c := serve(t, Options{Wire: clock.NewManual(time.Unix(1_700_000_000, 0))}) // no timer helps
	waiting := c.suspended()
	known := c.poll(waiting.RunID, "").Events
	cursor := itoa(known[len(known)-1].Sequence)
	plain := c.stream(waiting.RunID, "streamMode=debug")
	batched := c.stream(waiting.RunID, "bufferMs=5000", header{"Last-Event-ID", cursor})
	page := later(func() openwopv1.EventPage { return c.poll(waiting.RunID, "timeout=60&lastSequence="+cursor) })
	c.underWay(3)
	for _, want := range known {
		if f, _ := plain.next(); f.id != itoa(want.Sequence) {
			t.Fatalf("frame %s, want %d", f.id, want.Sequence)
		}
	}
	c.stop() // fails the test where requests are still open when the server's patience is over
	if rest := append(plain.rest(), batched.rest()...); len(rest) != 0 {
		t.Errorf("the streams end with %v", rest)
	}
	if page := <-page; page.IsComplete || len(page.Events) != 0 {
		t.Errorf("the poll ends with %+v", page)
	}
}

// A connection on which nothing is asked, as browsers open in advance, does not hold up the stop.
func TestShutdownDoesNotWaitForSilentConnections(t *testing.T) {
	c := serve(t, Options{})
	conn := must(net.Dial("tcp", strings.TrimPrefix(c.base, "http://")))
	defer conn.Close()
	c.do("GET", "/healthz", nil).want(http.StatusOK) // the server has accepted what was dialled before
	c.stop()                                         // fails the test where it is still open when the server's patience is over
}

func TestHeldEventsGoOutBeforeTheStreamCloses(t *testing.T) {
	c := serve(t, Options{Wire: clock.NewManual(time.Unix(1_700_000_000, 0))})
	id := c.create("conformance-delay", nil)
	all := c.poll(id, "").Events
	s := c.stream(id, "streamMode=debug&bufferMs=5000")
	c.stop()
	if got := carried(t, s.rest()); len(got) < len(all) {
		t.Errorf("the stream closed with %d events sent, want at least %d", len(got), len(all))
	}
}

func TestRestartGoesOn(t *testing.T) {
	o := Options{DataDir: t.TempDir()}
	c := serve(t, o)
	done := c.create("assay-loop", nil)
	c.until(done, openwopv1.RunStatusCompleted)
	waiting := c.suspended()
	before := map[string]openwopv1.EventPage{done: c.poll(done, ""), waiting.RunID: c.poll(waiting.RunID, "")}
	c.stop()
	c = serve(t, o)
	for id, page := range before {
		if diff := cmp.Diff(page.Events, c.poll(id, "").Events); diff != "" {
			t.Errorf("run %s (-before +after)\n%s", id, diff)
		}
	}
	again := c.run(waiting.RunID)
	if diff := cmp.Diff(waiting, again); diff != "" {
		t.Errorf("the suspended run (-before +after)\n%s", diff)
	}
	c.answer(again)
	c.until(waiting.RunID, openwopv1.RunStatusCompleted)
	if got := iterations(t, c.poll(waiting.RunID, "").Events); !cmp.Equal(got, count(4)) {
		t.Errorf("the iterations are %v", got)
	}
}

func TestTwoHostsOnOneFolder(t *testing.T) {
	o := Options{DataDir: t.TempDir()}
	serve(t, o)
	if h, err := New(t.Context(), o); err == nil {
		_ = h.Close(t.Context())
		t.Error("a second host opened the folder of the first")
	} else if !strings.Contains(err.Error(), "another process") {
		t.Errorf("the second host is refused with %v", err)
	}
}

func TestServeTellsWhenItCannot(t *testing.T) {
	c := serve(t, Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := c.host.Serve(t.Context(), listener); err == nil || !strings.Contains(err.Error(), listener.Addr().String()) {
		t.Errorf("serving on a closed listener ended with %v", err)
	}
}

func TestAFullLogIsToldAsSuch(t *testing.T) {
	c := serve(t, Options{LogMax: 64 << 10})
	body := map[string]any{"workflowId": "conformance-noop", "metadata": map[string]any{"m": strings.Repeat("x", 8<<10)}}
	for range 64 {
		got := c.do("POST", "/v1/runs", body)
		if got.status == http.StatusCreated {
			continue
		}
		envelope := got.wantError(http.StatusServiceUnavailable, "unavailable")
		if envelope.Details["correlationId"] == nil || !strings.Contains(envelope.Message, "--log-max") {
			t.Errorf("a full log is told as %s", got.body)
		}
		return
	}
	t.Error("the log never became full")
}

func TestSeedsRepeatIDs(t *testing.T) {
	ids := func(seed uint64) (list []string) {
		c := serve(t, Options{Seed: seed})
		for range 3 {
			list = append(list, c.create("conformance-noop", nil))
		}
		return list
	}
	a, b, other := ids(7), ids(7), ids(8)
	if !cmp.Equal(a, b) || cmp.Equal(a, other) {
		t.Errorf("seed 7 gives %v and %v, seed 8 %v", a, b, other)
	}
	if x, y := ids(0), ids(0); cmp.Equal(x, y) {
		t.Errorf("without a seed the ids repeat: %v", x)
	}
}

func TestASeedUsedAgainOnTheSameFilesMakesOtherIDs(t *testing.T) {
	o := Options{Seed: 7, DataDir: t.TempDir()}
	seen := map[string]bool{}
	for range 3 {
		c := serve(t, o)
		id := c.create("conformance-noop", nil)
		if seen[id] {
			t.Errorf("the id %s came twice", id)
		}
		seen[id] = true
		c.stop()
	}
}
