package console

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// ear hears a stream.
type ear struct {
	t     *testing.T
	said  chan string // closed at the end of the stream
	leave func()
}

// listen opens a stream.
func (r *rig) listen() *ear {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/console/live", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	reply, err := r.http.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	if got := reply.Header.Get("Content-Type"); reply.StatusCode != http.StatusOK || got != "text/event-stream" {
		r.t.Fatalf("the stream: %d %s", reply.StatusCode, got)
	}
	e := &ear{t: r.t, said: make(chan string, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(e.said)
		defer reply.Body.Close()
		for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
			if topics, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				e.said <- topics
			}
		}
	}()
	e.leave = func() { cancel(); <-done }
	r.t.Cleanup(e.leave)
	return e
}

// next is the next message; "" at the end of the stream.
func (e *ear) next() string {
	e.t.Helper()
	select {
	case topics := <-e.said:
		return topics
	case <-time.After(patience):
		e.t.Fatal("nothing was heard")
		return ""
	}
}

// until hears messages until one names a topic.
func (e *ear) until(topic string) {
	e.t.Helper()
	for {
		topics := e.next()
		if topics == "" {
			e.t.Fatalf("the stream ended before %s", topic)
		}
		if slices.Contains(strings.Fields(topics), topic) {
			return
		}
	}
}

// A page hears of what it shows, whichever way that came about.
func TestAPageHearsOfChanges(t *testing.T) {
	r := open(t, surface.Options{Clock: clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC))})
	r.signIn("dev")
	e := r.listen()
	e.until("*")
	asks := r.create("dev", "assay-loop-ask-user", nil)
	e.until(topicOf(asks)) // also what its children do, under its own name
	r.until("/console/runs/"+asks, "waiting-input")
	r.goal()
	e.until(topicGoals)
	r.api(http.MethodPut, "/v1/host/workspace/files/notes.md", "dev", map[string]any{"content": "by hand"})
	e.until(topicFiles)
	if got := r.post("/console/clock", url.Values{"by": {"1h"}}); got.status != http.StatusSeeOther {
		t.Fatalf("advancing: %d", got.status)
	}
	e.until(topicAll)
	if got := r.post("/console/faults", url.Values{"fault": {"loop.iteration-resets-on-resume"}}); got.status != http.StatusSeeOther {
		t.Fatalf("switching: %d", got.status)
	}
	e.until(topicAll)
	r.post("/console/runs/"+asks+"/answer", url.Values{"node": {"supervisor"}, "text:q1": {"yes"}})
	e.until(topicOf(asks)) // the stream outlives the switch
}

// Streams end when the page goes, when its session ends, and at once when the server stops.
func TestStreamsEnd(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	gone, signedOut, last := r.listen(), r.listen(), r.listen()
	for _, e := range []*ear{gone, signedOut, last} {
		e.until("*")
	}
	gone.leave()
	r.post("/console/logout", url.Values{})
	r.create("dev", "conformance-noop", nil)
	for _, e := range []*ear{signedOut, last} {
		if got := e.next(); got != "" {
			t.Errorf("who has signed out hears %q", got)
		}
	}
	r.signIn("dev")
	last = r.listen()
	last.until("*")
	r.stop() // fails the test where the stream is still open when the server's patience is over
	if got := last.next(); got != "" {
		t.Errorf("heard %q", got)
	}
}
