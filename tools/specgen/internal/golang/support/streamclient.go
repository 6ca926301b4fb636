package support

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// StreamOptions says how an event stream is read.
type StreamOptions struct {
	LastEventID string // go on after this event
	MaxEvent    int    // the most bytes of one event. 0: 1 MiB
	// Reconnect is how often a stream that broke is asked for again, after its last event, without an event in between.
	Reconnect int
}

const (
	defaultMaxEvent = 1 << 20
	defaultRetry    = time.Second
)

// StreamError says that a stream cannot be read: the reply is not one, or broke.
type StreamError struct {
	Response *http.Response // nil if there is none; its body is closed
	Body     []byte         // the start of a reply that is no stream
	Err      error
}

func (e *StreamError) Error() string { return "read event stream: " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *StreamError) Unwrap() error { return e.Err }

// opener asks for a stream; edit changes the request before it is sent.
type opener func(edit RequestEditorFn) (*http.Response, error)

// streamEvents reads the events of a stream, which open asks for, until it ends, breaks more often than it may, or the
// reader stops.
func streamEvents[T any](ctx context.Context, o StreamOptions, open opener) iter.Seq2[StreamEvent[T], error] {
	return func(yield func(StreamEvent[T], error) bool) {
		s := stream[T]{options: o, last: o.LastEventID, retry: defaultRetry, yield: yield}
		if s.options.MaxEvent == 0 {
			s.options.MaxEvent = defaultMaxEvent
		}
		for failures := 0; ; {
			before := s.events
			err := s.connect(ctx, open)
			if s.stopped || err == nil {
				return
			}
			if s.events > before {
				failures = 0
			}
			broke := &StreamError{}
			if failures++; failures > o.Reconnect || errors.As(err, &broke) && broke.Response != nil || ctx.Err() != nil {
				yield(StreamEvent[T]{}, err)
				return
			}
			timer := time.NewTimer(s.retry)
			select {
			case <-ctx.Done():
				timer.Stop()
				yield(StreamEvent[T]{}, ctx.Err())
				return
			case <-timer.C:
			}
		}
	}
}

type stream[T any] struct {
	options StreamOptions
	last    string
	retry   time.Duration
	events  int
	stopped bool // the reader wants no more
	yield   func(StreamEvent[T], error) bool
}

// connect reads one connection. It returns nil when the server has ended the stream.
func (s *stream[T]) connect(ctx context.Context, open opener) (err error) {
	r, err := open(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", "text/event-stream")
		if s.last != "" {
			r.Header.Set("Last-Event-ID", s.last)
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }() // what was read counts
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	if r.StatusCode != http.StatusOK || media != "text/event-stream" {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<10))
		return &StreamError{r, body, fmt.Errorf("the server answered %s with %q", r.Status, media)}
	}
	return s.read(bufio.NewReader(r.Body))
}

// read parses a stream as the HTML standard has it.
func (s *stream[T]) read(in *bufio.Reader) error {
	var event StreamEvent[T]
	var data []byte
	some := false
	size := 0
	for first := true; ; first = false {
		line, err := s.line(in, &size)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil // an event that is not finished does not count
			}
			return &StreamError{Err: err}
		}
		if first {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(line) == 0 {
			if some {
				if err := s.emit(event, bytes.TrimSuffix(data, []byte("\n"))); err != nil || s.stopped {
					return err
				}
			}
			event, data, some, size = StreamEvent[T]{ID: ""}, nil, false, 0
			continue
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data, some = append(append(data, value...), '\n'), true
		case "event":
			event.Type = value
		case "id":
			if !strings.Contains(value, "\x00") {
				event.ID, s.last = value, value
			}
		case "retry":
			if ms, err := strconv.Atoi(value); err == nil && ms >= 0 && ms <= int(time.Hour/time.Millisecond) {
				s.retry = time.Duration(ms) * time.Millisecond
				event.Retry = s.retry
			}
		}
	}
}

// line reads a line without its end, which is LF, CR or both.
func (s *stream[T]) line(in *bufio.Reader, size *int) ([]byte, error) {
	var line []byte
	for {
		c, err := in.ReadByte()
		switch {
		case err != nil:
			return nil, err
		case c == '\n':
			return line, nil
		case c == '\r':
			if next, err := in.Peek(1); err == nil && next[0] == '\n' {
				_, _ = in.ReadByte() // it was seen
			}
			return line, nil
		}
		if *size++; *size > s.options.MaxEvent {
			return nil, fmt.Errorf("an event is larger than %d bytes: raise MaxEvent", s.options.MaxEvent)
		}
		line = append(line, c)
	}
}

func (s *stream[T]) emit(event StreamEvent[T], data []byte) error {
	s.events++
	var err error
	if text, plain := any(&event.Data).(*string); plain {
		*text = string(data)
	} else if bad := Decode(data, &event.Data); bad != nil {
		err = &StreamError{Err: bad}
	}
	if !s.yield(event, err) || err != nil {
		s.stopped = true
	}
	return nil
}
