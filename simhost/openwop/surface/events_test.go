package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

const askUserAnswer = `{"resumeValue":{"answers":{"q1":"yes"}}}`

// suspended starts a loop that waits for an answer in its second turn, and returns it as it waits.
func (c *client) suspended() openwopv1.RunSnapshot {
	c.t.Helper()
	return c.until(c.create("assay-loop-ask-user", nil), openwopv1.RunStatusWaitingInput)
}

func (c *client) answer(waiting openwopv1.RunSnapshot) {
	c.t.Helper()
	c.do("POST", "/v1/runs/"+waiting.RunID+"/interrupts/"+*waiting.CurrentNodeID, askUserAnswer).want(http.StatusOK)
}

func (c *client) list(id string, headers ...header) openwopv1.EventList {
	c.t.Helper()
	headers = append(headers, header{"Accept", "application/json"})
	return decoded[openwopv1.EventList](c.do("GET", "/v1/runs/"+id+"/events", nil, headers...).want(http.StatusOK))
}

func carried(t *testing.T, frames []frame) (events []openwopv1.RunEvent) {
	t.Helper()
	for _, f := range frames {
		events = append(events, f.events(t)...)
	}
	return events
}

// The three ways to read a log agree to the last byte of every event, and each of them at every cursor.
func TestStreamPollAndListAgree(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("assay-loop", nil)
	c.until(id, openwopv1.RunStatusCompleted)
	whole := c.poll(id, "")
	if !whole.IsComplete || len(whole.Events) < 10 {
		t.Fatalf("the poll gives %d events, complete: %v", len(whole.Events), whole.IsComplete)
	}
	for i, e := range whole.Events {
		if e.Sequence != int64(i) {
			t.Fatalf("event %d has sequence %d", i, e.Sequence)
		}
	}
	for after := int64(-1); after < int64(len(whole.Events)+2); after++ {
		want := whole.Events[min(int(after+1), len(whole.Events)):]
		var cursor []header
		query := ""
		if after >= 0 {
			cursor = []header{{"Last-Event-ID", itoa(after)}}
			query = "lastSequence=" + itoa(after)
		}
		for name, got := range map[string][]openwopv1.RunEvent{
			"poll":   c.poll(id, query).Events,
			"since":  c.poll(id, "since="+itoa(after)).Events,
			"list":   c.list(id, cursor...).Events,
			"stream": carried(t, c.stream(id, "streamMode=debug", cursor...).rest()),
			"batch":  carried(t, c.stream(id, "streamMode=debug&bufferMs=10", cursor...).rest()),
		} {
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s after %d (-want +got)\n%s", name, after, diff)
			}
		}
	}
	if page := c.poll(id, "lastSequence=3&since=-1"); page.Events[0].Sequence != 4 {
		t.Errorf("lastSequence does not win over since: the page begins at %d", page.Events[0].Sequence)
	}
	if list := c.list(id); list.IsComplete == nil || !*list.IsComplete {
		t.Errorf("the list of a finished run is complete: %v", list.IsComplete)
	}
}

func TestFramesCarryIDAndType(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("assay-loop", nil)
	frames := c.stream(id, "streamMode=debug").rest()
	for i, f := range frames {
		e := f.events(t)[0]
		if f.id != itoa(int64(i)) || f.id != itoa(e.Sequence) || f.event != string(e.Type) {
			t.Errorf("frame %d has id %s and event %s, and carries %d %s", i, f.id, f.event, e.Sequence, e.Type)
		}
	}
	if last := frames[len(frames)-1]; last.event != "run.completed" {
		t.Errorf("the stream ends with %s", last.event)
	}
}

func TestModeUpdatesIsTheDefaultAndLeavesOut(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("assay-loop", nil)
	all := carried(t, c.stream(id, "streamMode=debug").rest())
	want := slices.DeleteFunc(slices.Clone(all), func(e openwopv1.RunEvent) bool { return bookkeeping(string(e.Type)) })
	if len(want) == len(all) {
		t.Fatal("the log holds nothing that mode updates leaves out, so this test shows nothing")
	}
	for _, query := range []string{"", "streamMode=updates", "streamMode=updates,messages"} {
		if diff := cmp.Diff(want, carried(t, c.stream(id, query).rest())); diff != "" {
			t.Errorf("%q (-want +got)\n%s", query, diff)
		}
	}
	if frames := c.stream(id, "streamMode=messages").rest(); len(frames) != 0 {
		t.Errorf("mode messages carries %v", frames)
	}
}

func TestModeValuesSendsSnapshots(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	s := c.stream(waiting.RunID, "streamMode=values")
	first, _ := s.next()
	c.answer(waiting)
	frames := append([]frame{first}, s.rest()...)
	schema := must(schemas.Component("RunSnapshot"))
	var statuses []openwopv1.RunStatus
	for _, f := range frames {
		if f.event != frameSnapshot {
			t.Fatalf("a frame is called %s", f.event)
		}
		for _, p := range schema.Validate([]byte(f.data)) {
			t.Errorf("snapshot %s: %s", f.id, p)
		}
		var snapshot openwopv1.RunSnapshot
		if err := json.Unmarshal([]byte(f.data), &snapshot); err != nil {
			t.Fatal(err)
		}
		statuses = append(statuses, snapshot.Status)
	}
	if statuses[0] != openwopv1.RunStatusWaitingInput || statuses[len(statuses)-1] != openwopv1.RunStatusCompleted {
		t.Errorf("the statuses are %v, want waiting-input first and completed last", statuses)
	}
	// A stream that resumes where nothing happened since begins with a snapshot all the same.
	end := frames[len(frames)-1].id
	if again := c.stream(waiting.RunID, "streamMode=values", header{"Last-Event-ID", end}).rest(); len(again) != 1 ||
		again[0].event != frameSnapshot {
		t.Errorf("resuming at the end gives %v", again)
	}
}

func TestUnsupportedModes(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("conformance-noop", nil)
	for _, mode := range []string{"all", "values,updates", "updates,", ""} {
		envelope := c.do("GET", "/v1/runs/"+id+"/events?streamMode="+mode, nil).wantError(http.StatusBadRequest, "unsupported_stream_mode")
		if fmt.Sprint(envelope.Details["supported"]) != "[values updates messages debug]" {
			t.Errorf("%q: details are %v", mode, envelope.Details)
		}
	}
}

func TestBatchesAreHeldAndForcedOut(t *testing.T) {
	wire := clock.NewManual(time.Unix(1_700_000_000, 0))
	c := serve(t, Options{Wire: wire})
	waiting := c.suspended()
	all := c.poll(waiting.RunID, "").Events

	// The suspension is urgent: what led to it comes at once, in one frame, although the clock stands still.
	s := c.stream(waiting.RunID, "streamMode=debug&bufferMs=60000") // clamped to 5 s
	f, _ := s.next()
	if f.event != frameBatch || f.id != itoa(all[len(all)-1].Sequence) {
		t.Errorf("the batch is called %s and has id %s, want the highest sequence, %d", f.event, f.id, all[len(all)-1].Sequence)
	}
	if diff := cmp.Diff(all, f.events(t)); diff != "" {
		t.Errorf("the batch (-want +got)\n%s", diff)
	}

	// The end of the run is urgent too.
	c.answer(waiting)
	events := carried(t, s.rest())
	if n := len(events); n == 0 || !isTerminal(event.Event{Type: event.Type(events[n-1].Type)}) {
		t.Errorf("the stream ends with %v", events)
	}
	all = c.poll(waiting.RunID, "").Events
	if got := int64(len(events)) + f.events(t)[0].Sequence + int64(len(f.events(t))); got != int64(len(all)) {
		t.Errorf("the two batches hold %d events, the log %d", got, len(all))
	}
}

func TestHeldEventsGoOutInTime(t *testing.T) {
	wire := clock.NewManual(time.Unix(1_700_000_000, 0))
	c := serve(t, Options{Wire: wire})
	id := c.create("conformance-delay", nil) // nothing urgent: it started, and waits
	all := c.poll(id, "").Events
	s := c.stream(id, "streamMode=debug&bufferMs=2000")
	frames := later(func() frame { f, _ := s.next(); return f })
	deadline := time.After(patience)
	for {
		wire.Advance(500 * time.Millisecond) // the stream may set its timer only after some of these
		select {
		case f := <-frames:
			if got := f.events(t); f.event != frameBatch || len(got) < len(all) {
				t.Errorf("the batch is called %s and holds %d events, want at least %d", f.event, len(got), len(all))
			}
			c.do("POST", "/v1/runs/"+id+"/cancel", nil).want(http.StatusOK)
			return
		case <-deadline:
			t.Fatal("the held events never came")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestQuietStreamsAreKeptAlive(t *testing.T) {
	wire := clock.NewManual(time.Unix(1_700_000_000, 0))
	c := serve(t, Options{Wire: wire, KeepAlive: 7 * time.Second})
	waiting := c.suspended()
	last := c.poll(waiting.RunID, "").Events
	s := c.stream(waiting.RunID, "", header{"Last-Event-ID", itoa(last[len(last)-1].Sequence)})
	deadline := time.After(patience)
	comments := later(func() frame { f, _ := s.next(); return f })
	for seen := 0; seen < 2; {
		wire.Advance(7 * time.Second)
		select {
		case f := <-comments:
			if f.comment != "keepalive" {
				t.Fatalf("the quiet stream sends %+v", f)
			}
			if seen++; seen < 2 {
				comments = later(func() frame { f, _ := s.next(); return f })
			}
		case <-deadline:
			t.Fatal("the stream stays silent")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestStreamFollowsALiveRun(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	known := c.poll(waiting.RunID, "").Events
	s := c.stream(waiting.RunID, "streamMode=debug")
	for _, want := range known {
		if f, _ := s.next(); f.id != itoa(want.Sequence) {
			t.Fatalf("the stream sends frame %s, want %d", f.id, want.Sequence)
		}
	}
	c.answer(waiting)
	got := slices.Concat(known, carried(t, s.rest()))
	if diff := cmp.Diff(c.poll(waiting.RunID, "").Events, got); diff != "" {
		t.Errorf("the stream and the log (-log +stream)\n%s", diff)
	}
}

func TestManyStreamsOfOneRunAgree(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	const n = 8
	got := make([][]openwopv1.RunEvent, n)
	var all sync.WaitGroup
	for i := range n {
		s := c.stream(waiting.RunID, "streamMode=debug")
		all.Go(func() { got[i] = carried(t, s.rest()) })
	}
	c.answer(waiting)
	all.Wait()
	want := c.poll(waiting.RunID, "").Events
	for i := range n {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("stream %d (-want +got)\n%s", i, diff)
		}
	}
}

func TestHeadOfAStreamHasNoBody(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	got := c.do("HEAD", "/v1/runs/"+waiting.RunID+"/events", nil).want(http.StatusOK)
	if got.header.Get("Content-Type") != "text/event-stream" || len(got.body) != 0 {
		t.Errorf("HEAD answers %v %q", got.header, got.body)
	}
}

func TestLongPollWakesUp(t *testing.T) {
	c := serve(t, Options{Wire: clock.NewManual(time.Unix(1_700_000_000, 0))}) // so only an event can wake it
	waiting := c.suspended()
	known := c.poll(waiting.RunID, "").Events
	query := "timeout=60&lastSequence=" + itoa(known[len(known)-1].Sequence)
	pages := later(func() openwopv1.EventPage { return c.poll(waiting.RunID, query) })
	c.underWay(1)
	select {
	case page := <-pages:
		t.Fatalf("the poll came back with %d events before anything happened", len(page.Events))
	default:
	}
	c.answer(waiting)
	page := <-pages
	if len(page.Events) == 0 || page.Events[0].Sequence != known[len(known)-1].Sequence+1 {
		t.Errorf("the poll woke up with %v", page.Events)
	}
}

func TestLongPollGivesUp(t *testing.T) {
	wire := clock.NewManual(time.Unix(1_700_000_000, 0))
	c := serve(t, Options{Wire: wire})
	waiting := c.suspended()
	known := c.poll(waiting.RunID, "").Events
	pages := later(func() openwopv1.EventPage {
		return c.poll(waiting.RunID, "timeout=2&lastSequence="+itoa(known[len(known)-1].Sequence))
	})
	deadline := time.After(patience)
	for {
		wire.Advance(time.Second)
		select {
		case page := <-pages:
			if len(page.Events) != 0 || page.IsComplete {
				t.Errorf("the poll gave up with %+v", page)
			}
			return
		case <-deadline:
			t.Fatal("the poll waits on beyond its timeout")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestPollOfAFinishedRunDoesNotWait(t *testing.T) {
	c := serve(t, Options{Wire: clock.NewManual(time.Unix(1_700_000_000, 0))})
	id := c.create("conformance-noop", nil)
	c.until(id, openwopv1.RunStatusCompleted)
	for _, query := range []string{"lastSequence=1000&timeout=60", "lastSequence=" + itoa(int64(len(c.poll(id, "").Events)-1))} {
		if page := c.poll(id, query); !page.IsComplete || len(page.Events) != 0 {
			t.Errorf("%s: %+v", query, page)
		}
	}
}

func TestPollPagesALongLog(t *testing.T) {
	c := serve(t, Options{MaxLoopIterations: 400, MaxNodeExecutions: 10_000})
	plan := make([]any, 200)
	for i := range plan {
		plan[i] = map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"conformance-noop"}}
	}
	id := c.create("assay-loop", map[string]any{"inputs": map[string]any{"plan": plan}})
	c.until(id, openwopv1.RunStatusCompleted)
	var pages int
	var events []openwopv1.RunEvent
	for query := ""; ; query = "lastSequence=" + itoa(events[len(events)-1].Sequence) {
		page := c.poll(id, query)
		events = append(events, page.Events...)
		pages++
		if page.IsComplete {
			break
		}
		if len(page.Events) != maxPage {
			t.Fatalf("page %d holds %d events and is not the last", pages, len(page.Events))
		}
	}
	if want := c.list(id).Events; pages < 2 || len(events) != len(want) {
		t.Errorf("%d pages hold %d events, the log %d", pages, len(events), len(want))
	}
}

func TestStreamEndsWhenTheClientLeaves(t *testing.T) {
	c := serve(t, Options{})
	waiting := c.suspended()
	ctx, leave := context.WithCancel(t.Context())
	response := c.open(ctx, "GET", "/v1/runs/"+waiting.RunID+"/events", nil)
	leave()
	response.Body.Close()
	// goleak and Close would both find a stream that stays behind.
	c.stop()
	if strings.Contains(response.Status, "500") {
		t.Errorf("the stream began with %s", response.Status)
	}
}
