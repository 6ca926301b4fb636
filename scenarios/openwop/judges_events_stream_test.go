package openwop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// sseFrame writes one event of a stream.
func sseFrame(id, kind string, data any) string {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", id, kind, raw)
}

// framed are the events as a stream frames them; honest but for the members
// that its documents leave out.
func (e entries) framed(leftOut ...string) string {
	var b strings.Builder
	for _, doc := range e {
		told := maps.Clone(doc)
		for _, member := range leftOut {
			delete(told, member)
		}
		b.WriteString(sseFrame(fmt.Sprint(doc["sequence"]), doc["type"].(string), told))
	}
	return b.String()
}

// listening mints a stream that the host closed after this text.
func listening(t *testing.T, text string) openwop.Listening {
	t.Helper()
	transcript := &wire.Transcript{Drive: "hand-written", Entries: []wire.Entry{{Kind: "stream", Request: &wire.Request{Method: "GET"},
		Response: &wire.Response{Status: 200, Header: map[string]string{"Content-Type": "text/event-stream; charset=utf-8"}}, Chunks: []wire.Chunk{{Text: text}}}}}
	part := func(name string) wire.Value { return wiretest.At(t, transcript, wire.Ref{Exchange: 1, Part: name}) }
	o := openwop.Listening{Status: part("status"), Kind: part("header:Content-Type"), Closed: wire.Wait{What: "the host closes the stream", Reached: true, Patience: time.Second}}
	var parser wire.StreamParser
	for n := range parser.Feed(text) {
		o.Frames = append(o.Frames, openwop.StreamFrame{ID: part(fmt.Sprint("id:", n+1)), Type: part(fmt.Sprint("type:", n+1)), Data: part(fmt.Sprint("event:", n+1))})
	}
	return o
}

// noStream mints a reply that is no stream.
func noStream(t *testing.T, status int) openwop.Listening {
	return openwop.Listening{Status: wiretest.Status(t, status)}
}

func streamsObservation(t *testing.T, e entries) openwop.StreamsObservation {
	return openwop.StreamsObservation{
		Way: "conformance-noop", Log: e.log(t, "a"), Full: listening(t, e.framed()), After: int64(e[1]["sequence"].(int)), Resumed: listening(t, e[2:].framed()),
		AtEnd: listening(t, ": open\n\n"), Garbled: "x1", Unparsed: noStream(t, 400), HoldMs: 20, Batched: listening(t, sseFrame("3", "batch", e)), List: e.page(t, -1, isComplete),
	}
}

func TestJudgesOfStreams(t *testing.T) {
	honest := entriesOf("a")
	noted := honest.then("lease.lost")
	stays := func(l openwop.Listening) openwop.Listening { l.Closed.Reached = false; return l }
	full := func(text string) func(*openwop.StreamsObservation) {
		return func(o *openwop.StreamsObservation) { o.Full = listening(t, text) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.StreamsObservation)
		want           string
	}{
		{"honest", "stream-shows-all", func(*openwop.StreamsObservation) {}, "passed"},
		{"comments and pings", "stream-shows-all", full(": open\n\nevent: ping\ndata: {}\n\n" + honest.framed()), "passed"},
		{"poor frames", "stream-shows-all", full(honest.framed("sequence", "eventId", "payload")), "passed"},
		{"a note after the end", "stream-shows-all", func(o *openwop.StreamsObservation) {
			o.Log, o.Full = noted.log(t, "a"), listening(t, noted.framed())
		}, "passed"},
		{"no note after the end", "stream-shows-all", func(o *openwop.StreamsObservation) { o.Log = noted.log(t, "a") }, "passed"},
		{"another type of content", "stream-shows-all", func(o *openwop.StreamsObservation) {
			o.Full = openwop.Listening{Status: wiretest.Status(t, 200), Kind: wiretest.Value(t, json.RawMessage(`"application/json"`))}
		}, openwopv1.OWPEVT20},
		{"an error of the host", "stream-shows-all", func(o *openwop.StreamsObservation) { o.Full = noStream(t, 500) }, openwopv1.OWPEVT20},
		{"no streams", "stream-shows-all", func(o *openwop.StreamsObservation) { o.Full = noStream(t, 404) }, "blocked"},
		{"no such mode", "stream-shows-all", func(o *openwop.StreamsObservation) { o.Full = noStream(t, 400) }, "blocked"},
		{"nothing on the stream", "stream-shows-all", full(": open\n\n"), openwopv1.OWPEVT22},
		{"an event is lost", "stream-shows-all", full(honest[:1].framed() + honest[2:].framed()), openwopv1.OWPEVT22},
		{"an event comes twice", "stream-shows-all", full(honest[:2].framed() + honest[1:].framed()), openwopv1.OWPEVT22},
		{"out of order", "stream-shows-all", full(honest[1:2].framed() + honest[:1].framed() + honest[2:].framed()), openwopv1.OWPEVT22},
		{"goes on counting by itself", "stream-shows-all", full(strings.NewReplacer("id: 0", "id: 10", "id: 1", "id: 11", "id: 2", "id: 12", "id: 3", "id: 13").Replace(honest.framed())), openwopv1.OWPEVT22},
		{"an event that is not on the log", "stream-shows-all", full(honest[:1].framed() + sseFrame("9", "node.retried", honest.with(1, "sequence", 9)[1]) + honest[1:].framed()), openwopv1.OWPEVT22},
		{"no ids", "stream-shows-all", full(strings.NewReplacer("id: 0\n", "", "id: 1\n", "", "id: 2\n", "", "id: 3\n", "").Replace(honest.framed())), openwopv1.OWPEVT22},
		{"ids that are not the sequence", "stream-shows-all", full(honest[:3].framed() + sseFrame("3", "run.completed", honest.with(3, "sequence", 7)[3])), openwopv1.OWPEVT21},
		{"no types", "stream-shows-all", full(strings.ReplaceAll(honest.framed(), "event: ", ": ")), openwopv1.OWPEVT21},
		{"another type", "stream-shows-all", full(strings.Replace(honest.framed(), "event: node.started", "event: node.completed", 1)), openwopv1.OWPEVT21},
		{"no JSON", "stream-shows-all", full(strings.ReplaceAll(honest.framed(), "data: {", "data: =")), openwopv1.OWPEVT21},
		{"an empty log", "stream-shows-all", func(o *openwop.StreamsObservation) { o.Log = entries{}.log(t, "a") }, "blocked"},

		{"honest", "stream-closes", func(*openwop.StreamsObservation) {}, "passed"},
		{"stays open", "stream-closes", func(o *openwop.StreamsObservation) { o.Full = stays(o.Full) }, openwopv1.OWPEVT23},
		{"no streams", "stream-closes", func(o *openwop.StreamsObservation) { o.Full = noStream(t, 405) }, "blocked"},
		{"no stream", "stream-closes", func(o *openwop.StreamsObservation) { o.Full = noStream(t, 200) }, "blocked"},

		{"honest", "stream-resumes", func(*openwop.StreamsObservation) {}, "passed"},
		{"stays open", "stream-resumes", func(o *openwop.StreamsObservation) { o.Full = stays(o.Full) }, "blocked"},
		{"begins anew", "stream-resumes", func(o *openwop.StreamsObservation) { o.Resumed = o.Full }, openwopv1.OWPEVT24},
		{"with the last event again", "stream-resumes", func(o *openwop.StreamsObservation) { o.Resumed = listening(t, honest[1:].framed()) }, openwopv1.OWPEVT24},
		{"leaves one out", "stream-resumes", func(o *openwop.StreamsObservation) { o.Resumed = listening(t, honest[3:].framed()) }, openwopv1.OWPEVT24},
		{"nothing more", "stream-resumes", func(o *openwop.StreamsObservation) { o.Resumed = listening(t, "") }, openwopv1.OWPEVT24},
		{"refuses it", "stream-resumes", func(o *openwop.StreamsObservation) { o.Resumed = noStream(t, 400) }, openwopv1.OWPEVT24},
		{"begins anew at the end", "stream-resumes", func(o *openwop.StreamsObservation) { o.AtEnd = o.Full }, openwopv1.OWPEVT24},
		{"no content at the end", "stream-resumes", func(o *openwop.StreamsObservation) { o.AtEnd = noStream(t, 204) }, "passed"},
		{"begins anew behind nonsense", "stream-resumes", func(o *openwop.StreamsObservation) { o.Unparsed = o.Full }, "passed"},

		{"honest", "stream-batches", func(*openwop.StreamsObservation) {}, "passed"},
		{"frame by frame", "stream-batches", func(o *openwop.StreamsObservation) { o.Batched = o.Full }, "passed"},
		{"in two batches", "stream-batches", func(o *openwop.StreamsObservation) {
			o.Batched = listening(t, sseFrame("1", "batch", honest[:2])+sseFrame("3", "batch", honest[2:]))
		}, "passed"},
		{"the last batch is lost", "stream-batches", func(o *openwop.StreamsObservation) { o.Batched = listening(t, sseFrame("1", "batch", honest[:2])) }, openwopv1.OWPEVT28},
		{"batches that overlap", "stream-batches", func(o *openwop.StreamsObservation) {
			o.Batched = listening(t, sseFrame("1", "batch", honest[:2])+sseFrame("3", "batch", honest[1:]))
		}, openwopv1.OWPEVT28},
		{"the last batch waits", "stream-batches", func(o *openwop.StreamsObservation) { o.Batched = stays(o.Batched) }, openwopv1.OWPEVT28},
		{"refuses to gather", "stream-batches", func(o *openwop.StreamsObservation) { o.Batched = noStream(t, 400) }, "blocked"},

		{"honest", "forms-agree", func(*openwop.StreamsObservation) {}, "passed"},
		{"no JSON document", "forms-agree", func(o *openwop.StreamsObservation) {
			o.List = openwop.PollPage{Status: wiretest.Status(t, 406)}
		}, "passed"},
		{"another id on the stream", "forms-agree", full(honest.with(2, "eventId", "other").framed()), openwopv1.OWPEVT27},
		{"fewer on the stream", "forms-agree", full(honest[1:].framed()), openwopv1.OWPEVT27},
		{"another id in the document", "forms-agree", func(o *openwop.StreamsObservation) { o.List = honest.with(2, "eventId", "other").page(t, -1, nil) }, openwopv1.OWPEVT27},
		{"fewer in the document", "forms-agree", func(o *openwop.StreamsObservation) { o.List = honest[:3].page(t, -1, nil) }, openwopv1.OWPEVT27},
		{"an empty document", "forms-agree", func(o *openwop.StreamsObservation) { o.List = entries{}.page(t, -1, nil) }, openwopv1.OWPEVT27},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := streamsObservation(t, honest)
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfStreamsTell(t *testing.T) {
	honest := entriesOf("a")
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.StreamsObservation)
		want           string
	}{
		{"poor frames", "forms-agree", func(o *openwop.StreamsObservation) { o.Full = listening(t, honest.framed("payload")) },
			"OWP-EVT-27: a frame of the stream leaves payload out, of 4 of 4 events"},
		{"other payloads", "forms-agree", func(o *openwop.StreamsObservation) {
			o.List = honest.with(1, "payload", map[string]any{"x": 1}).page(t, -1, nil)
		}, "OWP-EVT-27: the JSON document says another payload than the poll, of 1 of 4 events"},
		{"batches without an id", "stream-batches", func(o *openwop.StreamsObservation) {
			o.Batched = listening(t, strings.TrimPrefix(sseFrame("3", "batch", honest), "id: 3\n"))
		}, "OWP-EVT-29: expected ids of the batches"},
		{"nothing gathered", "stream-batches", func(o *openwop.StreamsObservation) { o.Batched = o.Full }, "OWP-EVT-28: the host gathers no events"},
		{"an error for a strange id", "stream-resumes", func(o *openwop.StreamsObservation) { o.Unparsed = noStream(t, 500) }, "OWP-EVT-25: expected asked for the stream"},
		{"nothing for a strange id", "stream-resumes", func(o *openwop.StreamsObservation) { o.Unparsed = listening(t, "") }, "OWP-EVT-25: expected ids of the frames"},
		{"a stream with nothing to tell stays open", "stream-resumes", func(o *openwop.StreamsObservation) { o.AtEnd.Closed.Reached = false },
			"OWP-EVT-24: a stream behind the last event of a finished run stays open"},
		{"pings", "stream-shows-all", func(o *openwop.StreamsObservation) {
			o.Full = listening(t, "event: ping\ndata: {}\n\n"+honest.framed())
		}, `OWP-EVT-22: the stream carries frames that are no events of the run: ["ping"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := streamsObservation(t, honest)
			c.spoil(&o)
			tells(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfALiveRun(t *testing.T) {
	honest := entriesOf("a")
	before := honest[:2]
	observation := func() openwop.LiveObservation {
		o := openwop.LiveObservation{Way: "conformance-cancellable", Held: wire.Wait{Reached: true}, Before: before.log(t, "a"), Idle: entries{}.page(t, 1, map[string]any{"isComplete": false}),
			Idled: wire.Wait{What: "the poll is answered", Reached: true}, Heard: 2, Moved: wiretest.Status(t, 200), After: honest.log(t, "a"), Late: honest[2:].page(t, 1, isComplete),
			Listening: listening(t, honest.framed())}
		o.Before.Ended = wire.Wait{}
		return o
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*openwop.LiveObservation)
		want           string
	}{
		{"honest", "poll-while-live", func(*openwop.LiveObservation) {}, "passed"},
		{"the poll is not answered", "poll-while-live", func(o *openwop.LiveObservation) { o.Idled.Reached, o.Idle = false, openwop.PollPage{After: 1} }, openwopv1.OWPEVT18},
		{"always complete", "poll-while-live", func(o *openwop.LiveObservation) { o.Idle = entries{}.page(t, 1, isComplete) }, openwopv1.OWPEVT16},
		{"always terminal", "poll-while-live", func(o *openwop.LiveObservation) { o.Idle = entries{}.page(t, 1, map[string]any{"isTerminal": true}) }, openwopv1.OWPEVT16},
		{"what happened since is not there", "poll-while-live", func(o *openwop.LiveObservation) { o.Late = entries{}.page(t, 1, isComplete) }, openwopv1.OWPEVT19},
		{"the first that happened since is lost", "poll-while-live", func(o *openwop.LiveObservation) { o.Late = honest[3:].page(t, 1, isComplete) }, openwopv1.OWPEVT19},
		{"the whole log in place of what is new", "poll-while-live", func(o *openwop.LiveObservation) { o.Late = honest.page(t, 1, isComplete) }, "passed"},
		{"rewrites what was there", "poll-while-live", func(o *openwop.LiveObservation) { o.After = honest.with(1, "type", "node.skipped").log(t, "a") }, openwopv1.OWPEVT12},
		{"never stands still", "poll-while-live", func(o *openwop.LiveObservation) { o.Held.Reached = false }, "blocked"},
		{"refuses the answer", "poll-while-live", func(o *openwop.LiveObservation) { o.Moved = wiretest.Status(t, 409) }, "blocked"},
		{"does not go on", "poll-while-live", func(o *openwop.LiveObservation) { o.After.Ended.Reached = false }, "blocked"},
		{"an empty log", "poll-while-live", func(o *openwop.LiveObservation) { o.Before = entries{}.log(t, "a") }, "blocked"},

		{"honest", "stream-while-live", func(*openwop.LiveObservation) {}, "passed"},
		{"only what was there", "stream-while-live", func(o *openwop.LiveObservation) { o.Listening = listening(t, before.framed()) }, openwopv1.OWPEVT26},
		{"only what is new", "stream-while-live", func(o *openwop.LiveObservation) { o.Listening = listening(t, honest[2:].framed()) }, openwopv1.OWPEVT26},
		{"twice what was there", "stream-while-live", func(o *openwop.LiveObservation) { o.Listening = listening(t, before.framed()+honest.framed()) }, openwopv1.OWPEVT26},
		{"stays open", "stream-while-live", func(o *openwop.LiveObservation) { o.Listening.Closed.Reached = false }, openwopv1.OWPEVT23},
		{"no streams", "stream-while-live", func(o *openwop.LiveObservation) { o.Listening = noStream(t, 404) }, "blocked"},
		{"not opened in time", "stream-while-live", func(o *openwop.LiveObservation) { o.Listening = openwop.Listening{} }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := observation()
			c.spoil(&o)
			expect(t, c.scenario, o, c.want)
		})
	}
}
