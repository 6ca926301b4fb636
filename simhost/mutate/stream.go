package mutate

import (
	"bytes"
	"net/http"
	"strings"
)

// Frame is a frame of an event stream (server-sent events).
type Frame struct {
	ID    string // "" for none, as is the next
	Event string
	Data  []byte
}

// FrameFunc returns what goes out in place of a frame: the frame, others, or nothing. It may be called concurrently.
type FrameFunc func(r *http.Request, f Frame) []Frame

// InStream limits a change to the frames that an operation streams, as [On] does for replies.
func InStream(operation string, change func(Frame) []Frame) FrameFunc {
	return func(r *http.Request, f Frame) []Frame {
		if isOf(r, operation) {
			return change(f)
		}
		return []Frame{f}
	}
}

// frames changes the frames of a stream on their way out. A frame goes out when it is whole.
type frames struct {
	w       http.ResponseWriter
	request *http.Request
	changes Changes
	pending []byte
}

func (f *frames) write(b []byte) (int, error) {
	f.pending = append(f.pending, b...)
	for {
		end := bytes.Index(f.pending, []byte("\n\n"))
		if end < 0 {
			return len(b), nil
		}
		if _, err := f.w.Write(f.changed(f.pending[:end+2])); err != nil {
			return 0, err
		}
		f.pending = f.pending[end+2:]
	}
}

// changed returns what goes out in place of a frame. What has no data, a comment for one, stays as it is.
func (f *frames) changed(raw []byte) []byte {
	frame, ok := readFrame(string(raw))
	if !ok {
		return raw
	}
	out := []Frame{frame}
	for _, change := range f.changes.Frames {
		var next []Frame
		for _, one := range out {
			next = append(next, change(f.request, one)...)
		}
		out = next
	}
	if f.changes.Changed != nil && (len(out) != 1 || !frame.same(out[0])) {
		f.changes.Changed()
	}
	var b strings.Builder
	for _, one := range out {
		one.write(&b)
	}
	return []byte(b.String())
}

func readFrame(raw string) (f Frame, ok bool) {
	var data []string
	for line := range strings.Lines(raw) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			f.ID = value
		case "event":
			f.Event = value
		case "data":
			data, ok = append(data, value), true
		}
	}
	f.Data = []byte(strings.Join(data, "\n"))
	return f, ok
}

func (f Frame) write(b *strings.Builder) {
	if f.ID != "" {
		b.WriteString("id: " + f.ID + "\n")
	}
	if f.Event != "" {
		b.WriteString("event: " + f.Event + "\n")
	}
	for line := range strings.SplitSeq(string(f.Data), "\n") {
		b.WriteString("data: " + line + "\n")
	}
	b.WriteString("\n")
}
