package fault

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// streamed has another log told over streams than there is.
func streamed(s *rules.Set, other func(rules.Listing) []event.Event) {
	lists := s.Log.Lists
	s.Log.Lists = func(r rules.Listing) []event.Event {
		if r.Form == rules.Stream {
			r.Events = other(r)
		}
		return lists(r)
	}
}

// streamFaults are about logs that are streamed.
var streamFaults = []Fault{
	{
		ID:      "stream.json-instead",
		Title:   "the log goes out as one JSON document, whatever the client asks for",
		Looks:   "who asks for text/event-stream gets application/json",
		Breaks:  []string{openwop.OWPEVT20},
		Request: mutate.Asked(readingEvents, func(r *mutate.Request) { r.Header.Set("Accept", "application/json") }),
	},
	{
		ID:     "stream.frames-of-one-kind",
		Title:  "every frame is of the kind message",
		Looks:  "the event line of a frame is not the type of the event in it",
		Breaks: []string{openwop.OWPEVT21},
		Frame: mutate.InStream(readingEvents, func(f mutate.Frame) []mutate.Frame {
			if f.Event != batch && f.Event != snapshot {
				f.Event = "message"
			}
			return []mutate.Frame{f}
		}),
	},
	{
		ID:     "stream.debug-hides",
		Title:  "a stream in mode debug leaves out node.started of the loop's nodes, as updates does",
		Looks:  "the stream of a finished run has fewer events than its log",
		Breaks: []string{openwop.OWPEVT22, openwop.OWPEVT27},
		Replace: func(s *rules.Set) {
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				listed := lists(r)
				if r.Form != rules.Stream || !r.Ended || r.Gathers || r.After >= 0 {
					return listed
				}
				return slices.DeleteFunc(slices.Clone(listed), func(e event.Event) bool {
					return isOf(&e, event.NodeStarted, "supervisor")
				})
			}
		},
	},
	{
		ID:      "stream.stays-open",
		Title:   "a stream of a run that had ended before stays open",
		Looks:   "all events of a finished run come, and the stream does not end",
		Breaks:  []string{openwop.OWPEVT23},
		Replace: func(s *rules.Set) { s.Log.Closes = func(live bool) bool { return live } },
	},
	{
		ID:      "stream.outlives-its-run",
		Title:   "a stream that was open when its run ended stays open",
		Looks:   "the event that ends the run comes, and the stream does not end",
		Breaks:  []string{openwop.OWPEVT23},
		Replace: func(s *rules.Set) { s.Log.Closes = func(live bool) bool { return !live } },
	},
	{
		ID:      "stream.resumes-from-the-start",
		Title:   "a stream begins with the first event, whatever Last-Event-ID says",
		Looks:   "events come again that the client has",
		Breaks:  []string{openwop.OWPEVT24},
		Request: resuming(func(h http.Header, _ int64) { h.Del(lastEventID) }),
	},
	{
		ID:      "stream.resumes-one-late",
		Title:   "a stream that goes on leaves out the event next to the last",
		Looks:   "the first frame behind 4 has the id 6",
		Breaks:  []string{openwop.OWPEVT24},
		Twin:    "there events come twice, here one is lost",
		Request: resuming(func(h http.Header, after int64) { h.Set(lastEventID, strconv.FormatInt(after+1, 10)) }),
	},
	{
		ID:     "stream.garbled-is-the-end",
		Title:  "a Last-Event-ID that is no sequence is taken for one behind the end",
		Looks:  "the stream is opened and shows nothing",
		Breaks: []string{openwop.OWPEVT25},
		Request: mutate.Asked(readingEvents, func(r *mutate.Request) {
			if _, ok := cursor(r.Header); !ok && r.Header.Values(lastEventID) != nil {
				r.Header.Set(lastEventID, strconv.FormatInt(math.MaxInt64, 10))
			}
		}),
	},
	{
		ID:     "stream.loses-the-answer",
		Title:  "a stream that is open loses the first event that happens while it is",
		Looks:  "there is a number missing among the frames behind a suspension",
		Breaks: []string{openwop.OWPEVT26, openwop.OWPEVT22},
		Replace: func(s *rules.Set) {
			streamed(s, func(r rules.Listing) []event.Event {
				if r.Live && len(r.Events) > 0 && r.Events[0].Type == event.InterruptResolved {
					return r.Events[1:]
				}
				return r.Events
			})
		},
	},
	{
		ID:     "stream.ids-of-its-own",
		Title:  "a stream gives events ids of its own",
		Looks:  "an event has one eventId in a poll and another one in a frame",
		Breaks: []string{openwop.OWPEVT27},
		Replace: func(s *rules.Set) {
			streamed(s, func(r rules.Listing) []event.Event {
				events := slices.Clone(r.Events)
				for i := range events {
					events[i].ID = "frame-" + events[i].ID
				}
				return events
			})
		},
	},
	{
		ID:     "stream.document-is-short",
		Title:  "the JSON document of a log is without its last event",
		Looks:  "the poll lists run.completed, the JSON document does not",
		Breaks: []string{openwop.OWPEVT27},
		Twin:   "the document is a form of its own, beside the stream",
		Replace: func(s *rules.Set) {
			lists := s.Log.Lists
			s.Log.Lists = func(r rules.Listing) []event.Event {
				listed := lists(r)
				if r.Form == rules.Document && len(listed) > 0 {
					return listed[:len(listed)-1]
				}
				return listed
			}
		},
	},
	{
		ID:     "stream.last-batch-is-short",
		Title:  "what is gathered goes out without its last event",
		Looks:  "the event that ends the run is in no batch",
		Breaks: []string{openwop.OWPEVT28},
		Frame: batches(func(events []event.Event) ([]event.Event, int64) {
			if len(events) > 1 {
				events = events[:len(events)-1]
			}
			return events, events[len(events)-1].Sequence
		}),
	},
	{
		ID:     "stream.batch-named-by-first",
		Title:  "the id of a batch is the sequence of the first event in it",
		Looks:  "the id of a frame of type batch is lower than the highest sequence in it",
		Breaks: []string{openwop.OWPEVT29},
		Frame:  batches(func(events []event.Event) ([]event.Event, int64) { return events, events[0].Sequence }),
	},
}

const (
	readingEvents = "GET /v1/runs/{runId}/events"
	lastEventID   = "Last-Event-ID"
)

// The kinds of frame that are about several events, or about none.
const (
	batch    = "batch"
	snapshot = "state.snapshot"
)

// batches changes what goes out in a frame that gathers events, and the id of the frame.
func batches(change func([]event.Event) (out []event.Event, id int64)) mutate.FrameFunc {
	return mutate.InStream(readingEvents, func(f mutate.Frame) []mutate.Frame {
		var events []event.Event
		if f.Event != batch || json.Unmarshal(f.Data, &events) != nil || len(events) == 0 || events[0].Type == "" {
			return []mutate.Frame{f}
		}
		out, id := change(events)
		raw, err := json.Marshal(out)
		if err != nil {
			return []mutate.Frame{f}
		}
		return []mutate.Frame{{ID: strconv.FormatInt(id, 10), Event: f.Event, Data: raw}}
	})
}

// resuming changes from where a stream is asked to go on, where that is a sequence.
func resuming(change func(h http.Header, after int64)) mutate.RequestFunc {
	return mutate.Asked(readingEvents, func(r *mutate.Request) {
		if after, ok := cursor(r.Header); ok {
			change(r.Header, after)
		}
	})
}

// cursor returns the sequence of the last event that a client says it has.
func cursor(h http.Header) (after int64, ok bool) {
	after, err := strconv.ParseInt(h.Get(lastEventID), 10, 64)
	return after, err == nil && after >= 0
}
