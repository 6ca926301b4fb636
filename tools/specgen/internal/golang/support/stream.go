package support

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// StreamEvent is one event of an event stream.
type StreamEvent[T any] struct {
	ID    string // "" if the event has none
	Type  string // "" is a message
	Retry time.Duration
	Data  T
}

// EventWriter writes an event stream. Each event is on its way when Send returns.
type EventWriter[T any] struct {
	w     http.ResponseWriter
	flush *http.ResponseController
}

// Send writes an event. Its data is written as JSON, a string as it is.
func (e *EventWriter[T]) Send(event StreamEvent[T]) error {
	if strings.ContainsAny(event.ID+event.Type, "\r\n\x00") {
		return errors.New("send event: an id or a type has one line")
	}
	var b strings.Builder
	if event.ID != "" {
		b.WriteString("id: " + event.ID + "\n")
	}
	if event.Type != "" {
		b.WriteString("event: " + event.Type + "\n")
	}
	if event.Retry > 0 {
		b.WriteString("retry: " + strconv.FormatInt(event.Retry.Milliseconds(), 10) + "\n")
	}
	var text string
	if s, plain := any(event.Data).(string); plain {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	} else {
		raw, err := json.Marshal(event.Data)
		if err != nil {
			return fmt.Errorf("send event: %w", err)
		}
		text = string(raw)
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("data: " + line + "\n")
	}
	return e.write(b.String() + "\n")
}

// Comment writes a line that readers pass over, to keep a quiet connection alive.
func (e *EventWriter[T]) Comment(text string) error {
	return e.write(": " + strings.NewReplacer("\r", " ", "\n", " ").Replace(text) + "\n\n")
}

func (e *EventWriter[T]) write(s string) error {
	if _, err := io.WriteString(e.w, s); err != nil {
		return err
	}
	return e.flush.Flush()
}
