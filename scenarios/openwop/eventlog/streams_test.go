package eventlog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/eventlog"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
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

// framed returns the events as a stream frames them: honest, except for members
// left out of the documents.
func framed(e hosttest.Entries, leftOut ...string) string {
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
func listening(t *testing.T, text string) eventlog.Listening {
	t.Helper()
	transcript := &wire.Transcript{Drive: "hand-written", Entries: []wire.Entry{{Kind: "stream", Request: &wire.Request{Method: "GET"},
		Response: &wire.Response{Status: 200, Header: map[string]string{"Content-Type": "text/event-stream; charset=utf-8"}},
		Chunks:   []wire.Chunk{{Text: text}}}}}
	part := func(name string) wire.Value { return wiretest.At(t, transcript, wire.Ref{Exchange: 1, Part: name}) }
	o := eventlog.Listening{Status: part("status"), Kind: part("header:Content-Type"),
		Closed: wire.Wait{What: "the host closes the stream", Reached: true, Patience: time.Second}}
	var parser wire.StreamParser
	for n := range parser.Feed(text) {
		o.Frames = append(o.Frames, eventlog.StreamFrame{ID: part(fmt.Sprint("id:", n+1)), Type: part(fmt.Sprint("type:", n+1)),
			Data: part(fmt.Sprint("event:", n+1))})
	}
	return o
}

// noStream mints a reply that is not a stream.
func noStream(t *testing.T, status int) eventlog.Listening {
	return eventlog.Listening{Status: wiretest.Status(t, status)}
}

func streamsObservation(t *testing.T, e hosttest.Entries) eventlog.StreamsObservation {
	return eventlog.StreamsObservation{
		Way: "conformance-noop", Log: e.Log(t, "a"), Full: listening(t, framed(e)), After: int64(e[1]["sequence"].(int)),
		Resumed: listening(t, framed(e[2:])),
		AtEnd:   listening(t, ": open\n\n"), Garbled: "x1", Unparsed: noStream(t, 400), HoldMs: 20,
		Batched: listening(t, sseFrame("3", "batch", e)), List: page(e, t, -1, isComplete),
	}
}

func TestJudgesOfStreams(t *testing.T) {
	honest := entriesOf("a")
	noted := then(honest, "lease.lost")
	stays := func(l eventlog.Listening) eventlog.Listening { l.Closed.Reached = false; return l }
	full := func(text string) func(*eventlog.StreamsObservation) {
		return func(o *eventlog.StreamsObservation) { o.Full = listening(t, text) }
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*eventlog.StreamsObservation)
		want           string
	}{
		{"honest", "stream-shows-all", func(*eventlog.StreamsObservation) {}, "passed"},
		{"comments and pings", "stream-shows-all", full(": open\n\nevent: ping\ndata: {}\n\n" + framed(honest)), "passed"},
		{"poor frames", "stream-shows-all", full(framed(honest, "sequence", "eventId", "payload")), "passed"},
		{"a note after the end", "stream-shows-all", func(o *eventlog.StreamsObservation) {
			o.Log, o.Full = noted.Log(t, "a"), listening(t, framed(noted))
		}, "passed"},
		{"no note after the end", "stream-shows-all", func(o *eventlog.StreamsObservation) { o.Log = noted.Log(t, "a") }, "passed"},
		{"another type of content", "stream-shows-all", func(o *eventlog.StreamsObservation) {
			o.Full = eventlog.Listening{Status: wiretest.Status(t, 200), Kind: wiretest.Value(t, json.RawMessage(`"application/json"`))}
		}, openwop.OWPEVT20},
		{"an error of the host", "stream-shows-all", func(o *eventlog.StreamsObservation) { o.Full = noStream(t, 500) }, openwop.OWPEVT20},
		{"no streams", "stream-shows-all", func(o *eventlog.StreamsObservation) { o.Full = noStream(t, 404) }, "blocked"},
		{"no such mode", "stream-shows-all", func(o *eventlog.StreamsObservation) { o.Full = noStream(t, 400) }, "blocked"},
		{"nothing on the stream", "stream-shows-all", full(": open\n\n"), openwop.OWPEVT22},
		{"an event is lost", "stream-shows-all", full(framed(honest[:1]) + framed(honest[2:])), openwop.OWPEVT22},
		{"an event comes twice", "stream-shows-all", full(framed(honest[:2]) + framed(honest[1:])), openwop.OWPEVT22},
		{"out of order", "stream-shows-all", full(framed(honest[1:2]) + framed(honest[:1]) + framed(honest[2:])), openwop.OWPEVT22},
		{"goes on counting by itself", "stream-shows-all", full(strings.NewReplacer("id: 0", "id: 10", "id: 1", "id: 11", "id: 2",
			"id: 12", "id: 3", "id: 13").Replace(framed(honest))), openwop.OWPEVT22},
		{"an event that is not on the log", "stream-shows-all", full(framed(honest[:1]) + sseFrame("9", "node.retried",
			honest.With(1, "sequence", 9)[1]) + framed(honest[1:])), openwop.OWPEVT22},
		{"no ids", "stream-shows-all", full(strings.NewReplacer("id: 0\n", "", "id: 1\n", "", "id: 2\n", "", "id: 3\n",
			"").Replace(framed(honest))), openwop.OWPEVT22},
		{"ids that are not the sequence", "stream-shows-all", full(framed(honest[:3]) + sseFrame("3", "run.completed",
			honest.With(3, "sequence", 7)[3])), openwop.OWPEVT21},
		{"no types", "stream-shows-all", full(strings.ReplaceAll(framed(honest), "event: ", ": ")), openwop.OWPEVT21},
		{"another type", "stream-shows-all", full(strings.Replace(framed(honest), "event: node.started", "event: node.completed", 1)),
			openwop.OWPEVT21},
		{"no JSON", "stream-shows-all", full(strings.ReplaceAll(framed(honest), "data: {", "data: =")), openwop.OWPEVT21},
		{"an empty log", "stream-shows-all", func(o *eventlog.StreamsObservation) { o.Log = hosttest.Entries{}.Log(t, "a") }, "blocked"},

		{"honest", "stream-closes", func(*eventlog.StreamsObservation) {}, "passed"},
		{"stays open", "stream-closes", func(o *eventlog.StreamsObservation) { o.Full = stays(o.Full) }, openwop.OWPEVT23},
		{"no streams", "stream-closes", func(o *eventlog.StreamsObservation) { o.Full = noStream(t, 405) }, "blocked"},
		{"no stream", "stream-closes", func(o *eventlog.StreamsObservation) { o.Full = noStream(t, 200) }, "blocked"},

		{"honest", "stream-resumes", func(*eventlog.StreamsObservation) {}, "passed"},
		{"stays open", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Full = stays(o.Full) }, "blocked"},
		{"begins anew", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Resumed = o.Full }, openwop.OWPEVT24},
		{"with the last event again", "stream-resumes",
			func(o *eventlog.StreamsObservation) { o.Resumed = listening(t, framed(honest[1:])) }, openwop.OWPEVT24},
		{"leaves one out", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Resumed = listening(t, framed(honest[3:])) },
			openwop.OWPEVT24},
		{"nothing more", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Resumed = listening(t, "") }, openwop.OWPEVT24},
		{"refuses it", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Resumed = noStream(t, 400) }, openwop.OWPEVT24},
		{"begins anew at the end", "stream-resumes", func(o *eventlog.StreamsObservation) { o.AtEnd = o.Full }, openwop.OWPEVT24},
		{"no content at the end", "stream-resumes", func(o *eventlog.StreamsObservation) { o.AtEnd = noStream(t, 204) }, "passed"},
		{"begins anew behind nonsense", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Unparsed = o.Full }, "passed"},

		{"honest", "stream-batches", func(*eventlog.StreamsObservation) {}, "passed"},
		{"frame by frame", "stream-batches", func(o *eventlog.StreamsObservation) { o.Batched = o.Full }, "passed"},
		{"in two batches", "stream-batches", func(o *eventlog.StreamsObservation) {
			o.Batched = listening(t, sseFrame("1", "batch", honest[:2])+sseFrame("3", "batch", honest[2:]))
		}, "passed"},
		{"the last batch is lost", "stream-batches",
			func(o *eventlog.StreamsObservation) { o.Batched = listening(t, sseFrame("1", "batch", honest[:2])) }, openwop.OWPEVT28},
		{"batches that overlap", "stream-batches", func(o *eventlog.StreamsObservation) {
			o.Batched = listening(t, sseFrame("1", "batch", honest[:2])+sseFrame("3", "batch", honest[1:]))
		}, openwop.OWPEVT28},
		{"the last batch waits", "stream-batches", func(o *eventlog.StreamsObservation) { o.Batched = stays(o.Batched) }, openwop.OWPEVT28},
		{"refuses to gather", "stream-batches", func(o *eventlog.StreamsObservation) { o.Batched = noStream(t, 400) }, "blocked"},

		{"honest", "forms-agree", func(*eventlog.StreamsObservation) {}, "passed"},
		{"no JSON document", "forms-agree", func(o *eventlog.StreamsObservation) {
			o.List = eventlog.PollPage{Status: wiretest.Status(t, 406)}
		}, "passed"},
		{"another id on the stream", "forms-agree", full(framed(honest.With(2, "eventId", "other"))), openwop.OWPEVT27},
		{"fewer on the stream", "forms-agree", full(framed(honest[1:])), openwop.OWPEVT27},
		{"another id in the document", "forms-agree",
			func(o *eventlog.StreamsObservation) { o.List = page(honest.With(2, "eventId", "other"), t, -1, nil) }, openwop.OWPEVT27},
		{"fewer in the document", "forms-agree", func(o *eventlog.StreamsObservation) { o.List = page(honest[:3], t, -1, nil) },
			openwop.OWPEVT27},
		{"an empty document", "forms-agree", func(o *eventlog.StreamsObservation) { o.List = page(hosttest.Entries{}, t, -1, nil) },
			openwop.OWPEVT27},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := streamsObservation(t, honest)
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfStreamsTell(t *testing.T) {
	honest := entriesOf("a")
	for _, c := range []struct {
		name, scenario string
		spoil          func(*eventlog.StreamsObservation)
		want           string
	}{
		{"poor frames", "forms-agree", func(o *eventlog.StreamsObservation) { o.Full = listening(t, framed(honest, "payload")) },
			": a frame of the stream leaves payload out, of 4 of 4 events"},
		{"other payloads", "forms-agree", func(o *eventlog.StreamsObservation) {
			o.List = page(honest.With(1, "payload", map[string]any{"x": 1}), t, -1, nil)
		}, ": the JSON document says another payload than the poll, of 1 of 4 events"},
		{"batches without an id", "stream-batches", func(o *eventlog.StreamsObservation) {
			o.Batched = listening(t, strings.TrimPrefix(sseFrame("3", "batch", honest), "id: 3\n"))
		}, "OWP-EVT-29: expected ids of the batches"},
		{"nothing gathered", "stream-batches", func(o *eventlog.StreamsObservation) { o.Batched = o.Full },
			": the host gathers no events"},
		{"an error for a strange id", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Unparsed = noStream(t, 500) },
			"OWP-EVT-25: expected asked for the stream"},
		{"nothing for a strange id", "stream-resumes", func(o *eventlog.StreamsObservation) { o.Unparsed = listening(t, "") },
			"OWP-EVT-25: expected ids of the frames"},
		{"a stream with nothing to tell stays open", "stream-resumes", func(o *eventlog.StreamsObservation) { o.AtEnd.Closed.Reached = false },
			": a stream behind the last event of a finished run stays open"},
		{"pings", "stream-shows-all", func(o *eventlog.StreamsObservation) {
			o.Full = listening(t, "event: ping\ndata: {}\n\n"+framed(honest))
		}, `: the stream carries frames that are no events of the run: ["ping"]`},
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
	observation := func() eventlog.LiveObservation {
		o := eventlog.LiveObservation{Way: "conformance-cancellable", Held: wire.Wait{Reached: true}, Before: before.Log(t, "a"),
			Idle:  page(hosttest.Entries{}, t, 1, map[string]any{"isComplete": false}),
			Idled: wire.Wait{What: "the poll is answered", Reached: true}, Heard: 2, Moved: wiretest.Status(t, 200),
			After: honest.Log(t, "a"), Late: page(honest[2:], t, 1, isComplete),
			Listening: listening(t, framed(honest))}
		o.Before.Ended = wire.Wait{}
		return o
	}
	for _, c := range []struct {
		name, scenario string
		spoil          func(*eventlog.LiveObservation)
		want           string
	}{
		{"honest", "poll-while-live", func(*eventlog.LiveObservation) {}, "passed"},
		{"the poll is not answered", "poll-while-live",
			func(o *eventlog.LiveObservation) { o.Idled.Reached, o.Idle = false, eventlog.PollPage{After: 1} }, openwop.OWPEVT18},
		{"always complete", "poll-while-live",
			func(o *eventlog.LiveObservation) { o.Idle = page(hosttest.Entries{}, t, 1, isComplete) }, openwop.OWPEVT16},
		{"always terminal", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Idle = page(hosttest.Entries{}, t, 1, map[string]any{"isTerminal": true})
		}, openwop.OWPEVT16},
		{"what happened since is not there", "poll-while-live",
			func(o *eventlog.LiveObservation) { o.Late = page(hosttest.Entries{}, t, 1, isComplete) }, openwop.OWPEVT19},
		{"the first that happened since is lost", "poll-while-live",
			func(o *eventlog.LiveObservation) { o.Late = page(honest[3:], t, 1, isComplete) }, openwop.OWPEVT19},
		{"the whole log in place of what is new", "poll-while-live",
			func(o *eventlog.LiveObservation) { o.Late = page(honest, t, 1, isComplete) }, "passed"},
		{"rewrites what was there", "poll-while-live",
			func(o *eventlog.LiveObservation) { o.After = honest.With(1, "type", "node.skipped").Log(t, "a") }, openwop.OWPEVT12},
		{"never stands still", "poll-while-live", func(o *eventlog.LiveObservation) { o.Held.Reached = false }, "blocked"},
		{"refuses the answer", "poll-while-live", func(o *eventlog.LiveObservation) { o.Moved = wiretest.Status(t, 409) }, "blocked"},
		{"does not go on", "poll-while-live", func(o *eventlog.LiveObservation) { o.After.Ended.Reached = false }, "blocked"},
		{"a long log on several pages", "poll-while-live", func(o *eventlog.LiveObservation) { o.Long = honest.Log(t, "long") }, "passed"},
		{"a long log that is complete too early", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Long = honest.Log(t, "long")
			o.Long.Early = wiretest.Value(t, true)
		}, openwop.OWPEVT16},
		{"a loop of many workers", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Long, o.Crowd = hosttest.LoopOf(4).Log(t), 3
		}, "passed"},
		{"some of many workers", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Long, o.Crowd = hosttest.LoopOf(4).Log(t), 4
		}, openwop.OWP0037A2},
		{"many workers, and a bound of the host's before the last", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Long, o.Crowd = hosttest.Bounded(3).Log(t), 4
		}, "passed"},
		{"a poll that has the end", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Parting, o.Parted = page(honest[2:], t, 1, isComplete), honest.Log(t, "a")
		}, "passed"},
		{"a poll that has part of the end, and says so", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Parting, o.Parted = page(honest[2:3], t, 1, map[string]any{"isComplete": false}), honest.Log(t, "a")
		}, "passed"},
		{"a poll that is complete without the end", "poll-while-live", func(o *eventlog.LiveObservation) {
			o.Parting, o.Parted = page(hosttest.Entries{}, t, 1, isComplete), honest.Log(t, "a")
		}, openwop.OWPEVT16},
		{"an empty log", "poll-while-live", func(o *eventlog.LiveObservation) { o.Before = hosttest.Entries{}.Log(t, "a") }, "blocked"},

		{"honest", "stream-while-live", func(*eventlog.LiveObservation) {}, "passed"},
		{"only what was there", "stream-while-live", func(o *eventlog.LiveObservation) { o.Listening = listening(t, framed(before)) },
			openwop.OWPEVT26},
		{"only what is new", "stream-while-live", func(o *eventlog.LiveObservation) { o.Listening = listening(t, framed(honest[2:])) },
			openwop.OWPEVT26},
		{"twice what was there", "stream-while-live",
			func(o *eventlog.LiveObservation) { o.Listening = listening(t, framed(before)+framed(honest)) }, openwop.OWPEVT26},
		{"stays open", "stream-while-live", func(o *eventlog.LiveObservation) { o.Listening.Closed.Reached = false }, openwop.OWPEVT23},
		{"no streams", "stream-while-live", func(o *eventlog.LiveObservation) { o.Listening = noStream(t, 404) }, "blocked"},
		{"not opened in time", "stream-while-live", func(o *eventlog.LiveObservation) { o.Listening = eventlog.Listening{} }, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := observation()
			c.spoil(&o)
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}
