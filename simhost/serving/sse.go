package serving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/openassay/assay/simhost/clock"
)

// The manner of all event streams.
const (
	// KeepAlive is the quiet after which a stream says that it is still there.
	KeepAlive = 15 * time.Second
	// WritePatience is how long a client may take to read before it is given up.
	WritePatience = 20 * time.Second
)

// EventStream writes Server-Sent Events. Frames collect in memory and go out together with Send, so that a burst of events
// costs one write and one flush.
type EventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
	encoder *json.Encoder
}

// OpenEventStream begins the reply. Its first bytes are a comment: they make proxies and clients see the stream open although
// nothing may have happened yet.
func OpenEventStream(w http.ResponseWriter) *EventStream {
	s := &EventStream{w: w, control: http.NewResponseController(w)}
	s.encoder = json.NewEncoder(&s.buf)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("X-Accel-Buffering", "no") // asks a reverse proxy in between not to hold events back
	w.WriteHeader(http.StatusOK)
	s.Comment("open")
	return s
}

// Comment adds a line that clients pass over.
func (s *EventStream) Comment(text string) {
	m := sse.Message{}
	m.AppendComment(text)
	s.write(&m)
}

// Retry says how long a client waits before it comes back.
func (s *EventStream) Retry(after time.Duration) { s.write(&sse.Message{Retry: after}) }

// Frame adds an event of a type with data as JSON. The id is what a client that comes back names; "" leaves it as it was.
func (s *EventStream) Frame(id, event string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode frame %s (%s): %w", id, event, err)
	}
	m := sse.Message{Type: sse.Type(line(event))}
	if id != "" {
		m.ID = sse.ID(line(id))
	}
	m.AppendData(string(raw))
	s.write(&m)
	return nil
}

// Text adds an event of a type with data as one line of text.
func (s *EventStream) Text(event, data string) {
	m := sse.Message{Type: sse.Type(line(event))}
	m.AppendData(line(data))
	s.write(&m)
}

func (s *EventStream) write(m *sse.Message) { _, _ = m.WriteTo(&s.buf) } // a buffer takes everything

var breaks = strings.NewReplacer("\n", " ", "\r", " ")

// line keeps what a caller chose from being more than one line.
func line(text string) string { return breaks.Replace(text) }

// Send puts on the wire what has collected. A client that does not read is given up after WritePatience.
func (s *EventStream) Send() error {
	if s.buf.Len() == 0 {
		return nil
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(WritePatience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("bound the write: %w", err)
	}
	if _, err := s.buf.WriteTo(s.w); err != nil {
		return fmt.Errorf("write the stream: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("flush the stream: %w", err)
	}
	return nil
}

// Heart wakes a stream now and then, so that proxies and clients do not take a quiet one for dead.
type Heart struct {
	Due chan struct{} // receives when it is time to Beat

	stream *EventStream
	clock  clock.Clock
	every  time.Duration
	timer  clock.Timer
}

// Heart returns one that is due after a while by a clock, and after each beat again.
func (s *EventStream) Heart(c clock.Clock, every time.Duration) *Heart {
	h := &Heart{Due: make(chan struct{}, 1), stream: s, clock: c, every: every}
	h.wind()
	return h
}

func (h *Heart) wind() {
	h.timer = h.clock.AfterFunc(h.every, func() { h.Due <- struct{}{} }) // there is room: nobody winds it again before the beat
}

// Beat sends a comment.
func (h *Heart) Beat() error {
	h.wind()
	h.stream.Comment("keepalive")
	return h.stream.Send()
}

// Stop ends it.
func (h *Heart) Stop() { h.timer.Stop() }
