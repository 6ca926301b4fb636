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
	Status wire.Value  `json:"status"` // of the last attempt to open it
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

// subscription is an open stream. A goroutine reads it all the time, so that nothing is lost.
type subscription struct {
	Stream *wire.Stream
	Status wire.Value
	frames chan wire.StreamEvent
	lines  []string // of the frames that were read: the type and the data
}

// Subscribe opens the stream of an intent or a portfolio, at the path that servers use or else at the one of the guide
// (OIP-R32). Stream is nil if neither is there.
func (s *Server) Subscribe(ctx context.Context, kind, id string) *subscription {
	l := &subscription{}
	for _, path := range []string{At("/subscribe/"+kind+"/%s", id), At("/"+kind+"/%s/subscribe", id)} {
		stream, plain := s.Open(ctx, s.Call("the stream of the "+strings.TrimSuffix(kind, "s"), http.MethodGet, path, nil))
		if stream != nil {
			l.Stream, l.Status, l.frames = stream, stream.StatusValue(), make(chan wire.StreamEvent, 10_000)
			go func() {
				defer close(l.frames)
				for e := range stream.Events() {
					select {
					case l.frames <- e:
					default: // the limit on the events of a stream is reached
					}
				}
			}()
			return l
		}
		l.Status = plain.StatusValue()
	}
	return l
}

// Close closes the stream, if it is open.
func (l *subscription) Close() {
	if l.Stream != nil {
		l.Stream.Close()
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
			l.lines = append(l.lines, e.Type+" "+e.Data)
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
		for _, line := range l.lines {
			if strings.HasPrefix(line, t+" ") || strings.Contains(line, `"event_type":"`+t+`"`) ||
				strings.Contains(line, `"event_type": "`+t+`"`) {
				count++
			}
		}
		if count < pairs[n+1].(int) {
			return false
		}
	}
	return true
}

// finish closes the stream and returns what it sent.
func (l *subscription) finish() Stream {
	out := Stream{Opened: true, Status: l.Status}
	for drained := false; !drained; {
		select {
		case e, open := <-l.frames:
			if drained = !open; open {
				l.lines = append(l.lines, e.Type+" "+e.Data)
			}
		default:
			drained = true
		}
	}
	for n := range l.lines {
		out.Types, out.Data = append(out.Types, l.Stream.Type(n+1)), append(out.Data, l.Stream.Value(n+1))
	}
	l.Stream.Close()
	return out
}
