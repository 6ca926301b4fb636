package host

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios/wire"
)

// Stream is an event stream as judges see it. Types and Data have one element for each frame.
type Stream struct {
	Opened bool        `json:"opened"`
	Broke  int         `json:"broke,omitempty"` // how often it broke off and was opened again
	Status wire.Value  `json:"status"`          // of the last attempt to open it
	Types  wire.Values `json:"types"`
	Data   wire.Values `json:"data"`
}

// OfType returns the data of the frames of a type.
func (s Stream) OfType(t openintentv1.EventType) wire.Found {
	found := wire.Found{In: s.Status.Ref()}
	for n, kind := range s.Types {
		if typeOf(kind, s.Data[n]) == t {
			found.Values = append(found.Values, s.Data[n])
		}
	}
	return found
}

// typeOf returns the type of a frame, or of the event in it if the frame has none.
func typeOf(kind, data wire.Value) openintentv1.EventType {
	if t := kind.String(); t != "" && t != "message" {
		return openintentv1.EventType(t)
	}
	return openintentv1.EventType(data.Key("event_type").String())
}

// subscription is an open stream. A goroutine reads it all the time, so that nothing is lost, and opens it again when it
// breaks off.
type subscription struct {
	server *Server
	call   wire.Call
	Stream *wire.Stream // the first
	Status wire.Value
	frames chan frame
	stop   context.CancelFunc
	broke  int // valid when frames is closed
	seen   []frame
}

// frame is one frame, and where it stands.
type frame struct {
	wire.StreamEvent
	kind, data wire.Value
}

// Subscribe opens the stream of an intent or a portfolio, at the path that servers use or else at the one of the guide
// (OIP-R32). Stream is nil if neither is there.
func (s *Server) Subscribe(ctx context.Context, kind, id string) *subscription {
	l := &subscription{server: s, stop: func() {}}
	for _, path := range []string{At("/subscribe/"+kind+"/%s", id), At("/"+kind+"/%s/subscribe", id)} {
		l.call = s.Call("the stream of the "+strings.TrimSuffix(kind, "s"), http.MethodGet, path, nil)
		stream, plain := s.Open(ctx, l.call)
		if stream != nil {
			l.Stream, l.Status, l.frames = stream, stream.StatusValue(), make(chan frame, 10_000)
			ctx, l.stop = context.WithCancel(ctx)
			go l.listen(ctx)
			return l
		}
		l.Status = plain.StatusValue()
	}
	return l
}

// mostBreaks is how often a stream may break off in a row without having told anything.
const mostBreaks = 10

// listen reads the stream until it is closed by us. No text ends the stream of an intent, so one that ends is opened again,
// behind its last frame if that has an id.
func (l *subscription) listen(ctx context.Context) {
	defer close(l.frames)
	stream, call := l.Stream, l.call
	for empty := 0; empty <= mostBreaks; empty++ {
		n := 0
		closed := context.AfterFunc(ctx, stream.Close)
		for e := range stream.Events() {
			n++
			empty = 0
			select {
			case l.frames <- frame{e, stream.Type(n), stream.Value(n)}:
			default: // the limit on the events of a stream is reached
			}
			if e.ID != "" {
				call.Header = map[string]string{"Last-Event-ID": e.ID}
			}
		}
		if !closed() {
			return // it was closed by us
		}
		stream.Close()
		again, _, err := l.server.Client.Open(ctx, call)
		if err != nil || again == nil {
			return
		}
		l.broke++
		stream = again
	}
	stream.Close()
}

// Close closes the stream, if it is open.
func (l *subscription) Close() {
	l.stop()
	if l.Stream != nil {
		for range l.frames { // until its reader has ended
		}
	}
}

// Until waits, as long as patience lasts, until so many frames of some types have come, given as pairs of type and
// number. It closes the stream a little later, since a frame that is sent twice comes again soon.
func (l *subscription) Until(ctx context.Context, patience time.Duration, pairs ...any) Stream {
	if l.Stream == nil {
		return Stream{Status: l.Status}
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !l.has(pairs) {
		select {
		case e, open := <-l.frames:
			if !open {
				return l.finish()
			}
			l.seen = append(l.seen, e)
			continue
		case <-deadline.C:
		case <-ctx.Done():
		}
		break
	}
	_ = wire.Pause(ctx, 250*time.Millisecond)
	return l.finish()
}

// has reports whether the frames of these pairs have come.
func (l *subscription) has(pairs []any) bool {
	for n := 0; n < len(pairs); n += 2 {
		t := fmt.Sprint(pairs[n])
		count := 0
		for _, f := range l.seen {
			if string(typeOf(f.kind, f.data)) == t {
				count++
			}
		}
		if count < pairs[n+1].(int) {
			return false
		}
	}
	return true
}

// finish closes the stream and returns what it sent. A frame that was sent again after a break, with its id, counts once.
func (l *subscription) finish() Stream {
	l.stop()
	for f := range l.frames {
		l.seen = append(l.seen, f)
	}
	out := Stream{Opened: true, Broke: l.broke, Status: l.Status}
	sent := map[string]int{}
	for _, f := range l.seen {
		if stream := f.data.Ref().Exchange; l.broke > 0 && f.name() != "" {
			if first, again := sent[f.name()]; again && first != stream {
				continue
			}
			sent[f.name()] = stream
		}
		out.Types, out.Data = append(out.Types, f.kind), append(out.Data, f.data)
	}
	return out
}

// name returns the id of the event in a frame, or of the frame.
func (f frame) name() string {
	if id := f.data.Key("id").String(); id != "" {
		return id
	}
	return f.ID
}
