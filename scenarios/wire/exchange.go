package wire

import (
	"net/http"
	"strconv"
)

// Reply returns the body of the reply in the n-th entry, counted from 1; absent if it is not JSON.
func (t *Transcript) Reply(n int) Value {
	v, err := t.value(Ref{Exchange: n})
	if err != nil {
		return Value{ref: Ref{Exchange: n}}
	}
	return v
}

// Status returns the HTTP status of the reply in the n-th entry; absent if there is none.
func (t *Transcript) Status(n int) Value {
	v, err := t.value(Ref{Exchange: n, Part: "status"})
	if err != nil {
		return Value{ref: Ref{Exchange: n, Part: "status"}}
	}
	return v
}

// Frame is one event of a recorded stream.
type Frame struct{ ID, Type, Data Value }

// Frames returns the events of the stream in the n-th entry.
func (t *Transcript) Frames(n int) (frames []Frame) {
	for k := 1; ; k++ {
		if _, there := t.event(n, k); !there {
			return frames
		}
		var parts [3]Value
		for i, part := range []string{"id", "type", "event"} {
			parts[i], _ = t.value(Ref{Exchange: n, Part: part + ":" + strconv.Itoa(k)})
		}
		frames = append(frames, Frame{parts[0], parts[1], parts[2]})
	}
}

// Recorded returns the reply in the n-th entry of the transcript, counted from 1, as it was recorded: without secrets, and without
// headers that are not kept. It is empty where there is none.
func (c *Client) Recorded(n int) *Reply {
	r := &Reply{Header: http.Header{}, exchange: n, longest: c.network.limits.PathBytes, transcript: c.transcript}
	if e := c.transcript.Entry(n); e != nil && e.Response != nil {
		r.Status, r.Body = e.Response.Status, []byte(e.Response.Body)
		for name, value := range e.Response.Header {
			r.Header.Set(name, value)
		}
	}
	return r
}

// Turn returns the turn in the n-th entry, counted from 1, and what it read, which may be only the start of that; nil if the entry is no
// turn.
func (t *Transcript) Turn(n int) (turn *Ended, input string) {
	e := t.Entry(n)
	if e == nil || e.Process == nil || e.Error != "" {
		return nil, ""
	}
	return &Ended{Output: []byte(e.Process.Output), exchange: n, transcript: t}, e.Process.Input
}
