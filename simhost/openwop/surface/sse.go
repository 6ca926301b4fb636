package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// sseWriter writes Server-Sent Events. Frames collect in memory and go out together with send, so that a burst
// of events costs one write and one flush.
type sseWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
	encoder *json.Encoder
}

// openSSE begins the reply. The first bytes are a comment: they make proxies and clients see the stream open
// although nothing may have happened yet.
func openSSE(w http.ResponseWriter) *sseWriter {
	s := &sseWriter{w: w, control: http.NewResponseController(w)}
	s.encoder = json.NewEncoder(&s.buf)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // asks a reverse proxy in between not to hold events back
	w.WriteHeader(http.StatusOK)
	s.comment("open")
	return s
}

// comment adds a line that clients pass over.
func (s *sseWriter) comment(text string) {
	s.buf.WriteString(": " + text + "\n\n")
}

// frame adds one event. JSON has no line breaks of its own, so data is always one line.
func (s *sseWriter) frame(id int64, event string, data any) error {
	s.buf.WriteString("id: ")
	s.buf.Write(strconv.AppendInt(s.buf.AvailableBuffer(), id, 10))
	s.buf.WriteString("\nevent: " + event + "\ndata: ")
	if err := s.encoder.Encode(data); err != nil { // it ends the line
		return fmt.Errorf("encode frame %d (%s): %w", id, event, err)
	}
	s.buf.WriteByte('\n')
	return nil
}

// send puts on the wire what has collected. A client that does not read is given up after writePatience.
func (s *sseWriter) send() error {
	if s.buf.Len() == 0 {
		return nil
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(writePatience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
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
