package serving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
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
func (s *EventStream) Comment(text string) { s.buf.WriteString(": " + text + "\n\n") }

// Retry says how long a client waits before it comes back.
func (s *EventStream) Retry(after time.Duration) {
	s.buf.WriteString("retry: " + strconv.FormatInt(after.Milliseconds(), 10) + "\n\n")
}

// Frame adds an event of a type with data as JSON, which has no line breaks of its own. The id is what a client that comes
// back names; "" leaves it as it was.
func (s *EventStream) Frame(id, event string, data any) error {
	if id != "" {
		s.buf.WriteString("id: " + line(id) + "\n")
	}
	s.buf.WriteString("event: " + line(event) + "\ndata: ")
	if err := s.encoder.Encode(data); err != nil { // it ends the line
		return fmt.Errorf("encode frame %s (%s): %w", id, event, err)
	}
	s.buf.WriteByte('\n')
	return nil
}

// Text adds an event of a type with data as one line of text.
func (s *EventStream) Text(event, data string) {
	s.buf.WriteString("event: " + line(event) + "\ndata: " + line(data) + "\n\n")
}

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
