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

// Stream is what a stream sent, as judges see it. A frame has its type beside its data.
type Stream struct {
	Opened bool        `json:"opened"`
	Status wire.Value  `json:"status"` // of the last attempt to open it
	Types  wire.Values `json:"types"`
	Data   wire.Values `json:"data"`
}

// OfType are the data of the frames of a type.
func (s Stream) OfType(t openintentv1.EventType) wire.Found {
	found := wire.Found{In: s.Status.Ref()}
	for n, kind := range s.Types {
		if typeOf(kind, s.Data[n]) == t {
			found.Values = append(found.Values, s.Data[n])
		}
	}
	return found
}

// typeOf is the type of a frame, or of the event in it where the frame has none.
func typeOf(kind, data wire.Value) openintentv1.EventType {
	if t := kind.String(); t != "" && t != "message" {
		return openintentv1.EventType(t)
	}
	return openintentv1.EventType(data.Key("event_type").String())
}

// listening is an open stream. It is read all the time, so that nothing is lost.
type listening struct {
	Stream *wire.Stream
	Status wire.Value
	came   chan wire.StreamEvent
	types  []string
}

// Subscribe opens the stream of an intent or a portfolio at the path of servers or, where that is not there, of the guide
// (OIP-R32). Without either, nothing comes.
func (s *Server) Subscribe(ctx context.Context, kind, id string) *listening {
	l := &listening{}
	for _, path := range []string{At("/subscribe/"+kind+"/%s", id), At("/"+kind+"/%s/subscribe", id)} {
		stream, plain := s.Open(ctx, s.Call("the stream of the "+strings.TrimSuffix(kind, "s"), http.MethodGet, path, nil))
		if stream != nil {
			l.Stream, l.Status, l.came = stream, stream.StatusValue(), make(chan wire.StreamEvent, 10_000)
			go func() {
				defer close(l.came)
				for e := range stream.Events() {
					select {
					case l.came <- e:
					default: // there is a limit on the events of a stream: it has been reached
					}
				}
			}()
			return l
		}
		l.Status = plain.StatusValue()
	}
	return l
}

func (l *listening) Close() {
	if l.Stream != nil {
		l.Stream.Close()
	}
}

// Until waits for so many frames of types, given as pairs of type and number, for as long as the patience lasts, and closes
// the stream after a little more: what comes twice comes soon after.
func (l *listening) Until(ctx context.Context, patience time.Duration, pairs ...any) Stream {
	if l.Stream == nil {
		return Stream{Status: l.Status}
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !l.has(pairs) {
		select {
		case e, open := <-l.came:
			if !open {
				return l.seen()
			}
			l.types = append(l.types, e.Type+" "+e.Data)
			continue
		case <-deadline.C:
		case <-ctx.Done():
		}
		break
	}
	_ = wire.Pause(ctx, 250*time.Millisecond)
	return l.seen()
}

// has says whether the frames that are waited for have come.
func (l *listening) has(pairs []any) bool {
	for n := 0; n < len(pairs); n += 2 {
		t := fmt.Sprint(pairs[n])
		count := 0
		for _, line := range l.types {
			if strings.HasPrefix(line, t+" ") || strings.Contains(line, `"event_type":"`+t+`"`) || strings.Contains(line, `"event_type": "`+t+`"`) {
				count++
			}
		}
		if count < pairs[n+1].(int) {
			return false
		}
	}
	return true
}

// seen closes the stream and mints what came.
func (l *listening) seen() Stream {
	out := Stream{Opened: true, Status: l.Status}
	for drained := false; !drained; {
		select {
		case e, open := <-l.came:
			if drained = !open; open {
				l.types = append(l.types, e.Type+" "+e.Data)
			}
		default:
			drained = true
		}
	}
	for n := range l.types {
		out.Types, out.Data = append(out.Types, l.Stream.Type(n+1)), append(out.Data, l.Stream.Value(n+1))
	}
	l.Stream.Close()
	return out
}
