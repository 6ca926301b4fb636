package variation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// The names of frames that hold something else than one event.
const (
	frameBatch    = "batch"
	frameSnapshot = "state.snapshot"
)

// frame is one frame of an event stream.
type frame struct {
	id, event string
	docs      []object // an event, a snapshot, or those of a batch
	batch     bool
}

// stream passes on the frames of an event stream. The host writes frames whole.
type stream struct {
	x *exchange
	w http.ResponseWriter
}

func (s *stream) write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for block := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n\n"), "\n\n") {
		for _, text := range s.vary(block) {
			if err := s.send(text); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

// vary has the set change a frame, which may become several, or none.
func (s *stream) vary(block string) []string {
	set := s.x.set
	var blocks []string
	if f, ok := parse(block); ok {
		for _, f := range s.varyFrame(f) {
			blocks = append(blocks, f.String())
		}
	} else if !set.quiet {
		blocks = []string{block + "\n\n"}
	}
	for i := range blocks {
		for _, change := range set.blocks {
			blocks[i] = change(blocks[i])
		}
	}
	return blocks
}

func (s *stream) varyFrame(f frame) []frame {
	set := s.x.set
	for _, doc := range f.docs {
		if _, isEvent := doc["eventId"]; isEvent {
			for _, change := range set.events {
				change(s.x, doc)
			}
			continue
		}
		for _, change := range set.snapshots {
			change(doc)
		}
	}
	all := []frame{f}
	for _, change := range set.frames {
		var changed []frame
		for _, f := range all {
			changed = append(changed, change(f)...)
		}
		all = changed
	}
	return all
}

// send writes a frame, in one piece or in several.
func (s *stream) send(block string) error {
	if s.x.set.pieces == nil {
		_, err := s.w.Write([]byte(block))
		return err
	}
	control := http.NewResponseController(s.w)
	for _, piece := range s.x.set.pieces(block) {
		if _, err := s.w.Write([]byte(piece)); err != nil {
			return err
		}
		if err := control.Flush(); err != nil {
			return fmt.Errorf("flush a piece of a frame: %w", err)
		}
	}
	return nil
}

// parse reads a frame; false for a comment.
func parse(block string) (f frame, ok bool) {
	for line := range strings.SplitSeq(block, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			f.id = value
		case "event":
			f.event = value
		case "data":
			d := json.NewDecoder(strings.NewReader(value))
			d.UseNumber()
			var doc any
			if d.Decode(&doc) != nil {
				return f, false
			}
			if one, is := doc.(object); is {
				f.docs = []object{one}
			} else {
				f.docs, f.batch = objects(doc), true
			}
			ok = true
		}
	}
	return f, ok
}

// String is the frame as it goes over the wire.
func (f frame) String() string {
	var data any = f.docs
	if !f.batch && len(f.docs) == 1 {
		data = f.docs[0]
	}
	return "id: " + f.id + "\nevent: " + f.event + "\ndata: " + string(encode(data)) + "\n\n"
}

// each cuts a batch into frames of so many documents at most.
func (f frame) cut(most int) []frame {
	if !f.batch {
		return []frame{f}
	}
	var all []frame
	for rest := f.docs; len(rest) > 0; {
		n := min(most, len(rest))
		part := frame{f.id, f.event, rest[:n], true}
		if last := part.docs[n-1]; last["sequence"] != nil {
			part.id = fmt.Sprint(last["sequence"])
		}
		all, rest = append(all, part), rest[n:]
	}
	return all
}

// add adds to a whole number as it was written; what is none stays.
func add(v any, n int64) any {
	if i, err := strconv.ParseInt(fmt.Sprint(v), 10, 64); err == nil {
		return json.Number(strconv.FormatInt(i+n, 10))
	}
	return v
}

// streams are the variations of event streams.
var streams = []Variation{
	{
		ID: "small-batches", Title: "with bufferMs, batches of two events at most",
		About: "how many events come in one frame",
		Vary: func(s *Set) {
			s.frames = append(s.frames, func(f frame) []frame { return f.cut(2) })
		},
	},
	{
		ID: "no-batches", Title: "with bufferMs, each event in a frame of its own all the same",
		About: "whether events are gathered", Slips: []string{"OWP-EVT-28"},
		Vary: func(s *Set) {
			s.frames = append(s.frames, func(f frame) []frame {
				all := f.cut(1)
				for i := range all {
					if f.batch {
						all[i].batch = false
						if all[i].event = frameSnapshot; all[i].docs[0]["type"] != nil {
							all[i].event = fmt.Sprint(all[i].docs[0]["type"])
						}
					}
				}
				return all
			})
		},
	},
	{
		ID: "poor-frames", Title: "frames leave out what else the log says of an event: when it was, and what caused it",
		About: "whether a frame says as much as a poll", Slips: []string{"OWP-EVT-27"},
		Vary: func(s *Set) {
			s.frames = append(s.frames, func(f frame) []frame {
				for _, doc := range f.docs {
					if _, isEvent := doc["eventId"]; isEvent {
						delete(doc, "timestamp")
						delete(doc, "causationId")
					}
				}
				return []frame{f}
			})
		},
	},
	{
		ID: "quiet-streams", Title: "a stream holds its events and nothing else: no byte comes before the first of them, and " +
			"none while a run stands still",
		About: "whether a quiet stream is kept alive; on most hosts it is not",
		Vary:  func(s *Set) { s.quiet = true },
	},
	{
		ID: "no-json-log", Title: "the log of a run is served as a stream also to who asks for JSON",
		About: "whether there is a log as one document",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if x.to(runStream) {
					x.r.Header.Set("Accept", "text/event-stream")
				}
			})
		},
	},
	{
		ID: "sse-comments", Title: "comments between frames and inside of them, a heartbeat before each, and a wish how long " +
			"to wait before a reconnection",
		About: "what a stream holds beside its events",
		Vary: func(s *Set) {
			s.blocks = append(s.blocks, func(block string) string {
				inside := strings.ReplaceAll(strings.TrimSuffix(block, "\n\n"), "\n", "\n: between two lines\n")
				return ": heartbeat\n\nretry: 3000\n" + inside + "\n\n:\n\n"
			})
		},
	},
	{
		ID: "split-frames", Title: "each frame in four writes, one of which ends in the middle of a line, and one between the " +
			"two line ends behind it",
		About: "how a frame is cut on its way",
		Vary: func(s *Set) {
			s.pieces = func(block string) []string {
				n := len(block)
				return []string{block[:2], block[2 : n/2], block[n/2 : n-1], block[n-1:]}
			}
		},
	},
}
