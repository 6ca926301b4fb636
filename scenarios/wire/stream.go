package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// StreamEvent is one server-sent event, as the WHATWG event-stream format defines it.
type StreamEvent struct {
	ID, Type, Data string
}

// Stream is an open event stream. It records raw chunks with their times.
type Stream struct {
	client  *Client
	ctx     context.Context
	body    io.ReadCloser
	cancel  context.CancelFunc
	entry   int
	start   time.Time
	events  chan StreamEvent
	done    chan struct{}
	failure error
	once    sync.Once
}

// Open sends a call that asks for an event stream. If the reply is not a stream, it returns a nil Stream and the reply. It
// obeys a refusal for load as [Client.Do] does.
func (c *Client) Open(ctx context.Context, call Call) (s *Stream, plain *Reply, err error) {
	if call, err = c.said(call); err != nil {
		return nil, nil, err
	}
	plain, err = c.patiently(ctx, call, func() (plain *Reply, err error) {
		s, plain, err = c.open(ctx, call)
		return plain, err
	})
	return s, plain, err
}

func (c *Client) open(ctx context.Context, call Call) (*Stream, *Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	request, sent, err := c.prepare(ctx, call, "text/event-stream")
	if err == nil {
		err = c.spend(call, sent.Body)
	}
	if err != nil {
		cancel()
		return nil, nil, err
	}
	start := c.network.now()
	late := time.AfterFunc(c.network.limits.Request, cancel) // for the headers only: the stream may last
	response, err := c.http.Do(request)
	if !late.Stop() && err == nil {
		response.Body.Close()
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		_, err = c.record(start, c.network.now().Sub(start), call, sent, nil, "", noAnswer(context.WithoutCancel(ctx), c.doing(call), err))
		return nil, nil, err
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") || response.StatusCode != http.StatusOK {
		defer cancel()
		defer time.AfterFunc(c.network.limits.Request, cancel).Stop()
		plain, err := c.receive(ctx, start, call, sent, response, c.network.limits.BodyBytes)
		return nil, plain, err
	}
	entry := Entry{
		Kind: "stream", At: start.UTC(), Label: call.Label, Request: &sent,
		Response: &Response{Status: response.StatusCode, Header: c.headers(response.Header)},
	}
	if err := c.held.keep(c.doing(call), entry.bytes()); err != nil {
		cancel()
		response.Body.Close()
		entry.strip(err.Error())
		c.transcript.add(entry)
		return nil, nil, err
	}
	s := &Stream{client: c, ctx: ctx, body: response.Body, cancel: cancel, entry: c.transcript.add(entry), start: start,
		events: make(chan StreamEvent), done: make(chan struct{})}
	go s.read()
	return s, nil, nil
}

// Events returns the channel of events, which is closed when the stream ends.
func (s *Stream) Events() <-chan StreamEvent { return s.events }

// Err returns why the stream ended, nil for an ordinary end. It is valid when Events is closed.
func (s *Stream) Err() error { return s.failure }

// Close ends the stream and waits for its reader.
func (s *Stream) Close() {
	s.once.Do(func() { s.cancel(); s.body.Close() })
	for range s.events { // unblock the reader
	}
	<-s.done
}

// Value mints the JSON of the n-th event's data, counted from 1.
func (s *Stream) Value(n int) Value { return s.mint("event:" + strconv.Itoa(n)) }

// ID mints the last id that the stream had set at the n-th event, "" if none.
func (s *Stream) ID(n int) Value { return s.mint("id:" + strconv.Itoa(n)) }

// Type mints the type of the n-th event, "" if it has none.
func (s *Stream) Type(n int) Value { return s.mint("type:" + strconv.Itoa(n)) }

// StatusValue mints the HTTP status.
func (s *Stream) StatusValue() Value { return s.mint("status") }

// HeaderValue mints a header, by its canonical name.
func (s *Stream) HeaderValue(name string) Value {
	return s.mint("header:" + http.CanonicalHeaderKey(name))
}

func (s *Stream) mint(part string) Value {
	v, err := s.client.transcript.value(Ref{Exchange: s.entry, Part: part})
	if err != nil {
		return Value{}
	}
	return v
}

func (s *Stream) read() {
	defer close(s.done)
	defer close(s.events)
	limits := s.client.network.limits
	var live, kept StreamParser
	var unfinished []byte // a line whose end is missing
	buffer := make([]byte, 32<<10)
	count := 0
	for {
		n, err := s.body.Read(buffer)
		// Record and parse whole lines, in which no secret or character is cut in two.
		unfinished = append(unfinished, buffer[:n]...)
		end := bytes.LastIndexAny(unfinished, "\r\n") + 1
		if err != nil {
			end = len(unfinished)
		}
		events, full := s.take(&live, &kept, unfinished[:end])
		if full != nil {
			s.failure = full
			return
		}
		unfinished = append([]byte(nil), unfinished[end:]...)
		if int64(live.Pending()+len(unfinished)) > limits.EventBytes {
			s.failure = overLimit(readingStream, "one event is larger than %d bytes", limits.EventBytes)
			return
		}
		for _, e := range events {
			if count++; count > limits.StreamEvents {
				s.failure = overLimit(readingStream, "more than %d events", limits.StreamEvents)
				return
			}
			if s.failure = s.vet(e, limits); s.failure != nil {
				return
			}
			select {
			case s.events <- e:
			case <-s.ctx.Done():
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
				s.failure = &failure{kind: ErrNoAnswer, doing: readingStream, cause: err}
			}
			return
		}
	}
}

func (s *Stream) vet(e StreamEvent, limits Limits) error {
	if int64(len(e.Data)) > limits.EventBytes {
		return overLimit(readingStream, "one event is larger than %d bytes", limits.EventBytes)
	}
	if !looksLikeJSON(nil, []byte(e.Data)) {
		return nil
	}
	weight, err := limits.vetted(readingStream, []byte(e.Data))
	if err != nil {
		return err
	}
	return s.client.held.decode(s.ctx, readingStream, weight)
}

const readingStream = "reading the event stream"

// take records a piece of the stream. It parses it twice: as received, for the drive, and as recorded, for judges.
func (s *Stream) take(live, kept *StreamParser, piece []byte) ([]StreamEvent, error) {
	if len(piece) == 0 {
		return nil, nil
	}
	clean := s.client.network.redactor.Clean(printable(string(piece)))
	if err := s.client.held.keep(readingStream, chunkBytes+written(clean)); err != nil {
		return nil, err
	}
	chunk := Chunk{Micros: s.client.network.now().Sub(s.start).Microseconds(), Text: clean}
	s.client.transcript.chunk(s.entry, chunk, kept.Feed(clean))
	return live.Feed(string(piece)), nil
}

func (t *Transcript) chunk(n int, c Chunk, events []StreamEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(n, events)
	t.Entries[n-1].Chunks = append(t.Entries[n-1].Chunks, c)
	t.Entries[n-1].Micros = c.Micros
}

// StreamParser parses an event stream that comes in pieces.
type StreamParser struct {
	rest    string
	event   StreamEvent
	data    []string
	size    int
	started bool
}

// Pending returns the number of bytes of an incomplete event.
func (p *StreamParser) Pending() int { return len(p.rest) + p.size }

// Feed parses the next piece and returns the events that it completes. Lines end with LF, CRLF or CR. Comments and
// events without data are skipped.
func (p *StreamParser) Feed(piece string) []StreamEvent {
	if !p.started && piece != "" {
		piece, p.started = strings.TrimPrefix(piece, "\uFEFF"), true
	}
	p.rest += piece
	var out []StreamEvent
	for {
		i := strings.IndexAny(p.rest, "\r\n")
		if i < 0 || p.rest[i] == '\r' && i == len(p.rest)-1 { // the LF of a CRLF may be in the next piece
			return out
		}
		line := p.rest[:i]
		if p.rest[i] == '\r' && p.rest[i+1] == '\n' {
			i++
		}
		p.rest = p.rest[i+1:]
		if e, complete := p.line(line); complete {
			out = append(out, e)
		}
	}
}

func (p *StreamParser) line(line string) (StreamEvent, bool) {
	if line == "" {
		e, complete := p.event, len(p.data) > 0
		e.Data = strings.Join(p.data, "\n")
		p.event, p.data, p.size = StreamEvent{ID: p.event.ID}, nil, 0
		return e, complete
	}
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "id":
		p.event.ID = value
	case "event":
		p.event.Type = value
	case "data":
		p.data = append(p.data, value)
		p.size += len(value)
	}
	return StreamEvent{}, false
}
