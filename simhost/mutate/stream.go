package mutate

import (
	"bytes"
	"net/http"
	"strings"
)

// FrameFunc changes the data of a frame of an event stream (server-sent events). It may be called concurrently.
type FrameFunc func(r *http.Request, data []byte) []byte

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
		frame := f.pending[:end+2]
		if _, err := f.w.Write(f.changed(frame)); err != nil {
			return 0, err
		}
		f.pending = f.pending[end+2:]
	}
}

// changed returns the frame with other data. A frame without data, a comment for one, stays as it is.
func (f *frames) changed(frame []byte) []byte {
	const field = "data:"
	var data, others []string
	for line := range strings.Lines(strings.TrimRight(string(frame), "\n")) {
		line = strings.TrimRight(line, "\r\n")
		if value, ok := strings.CutPrefix(line, field); ok {
			data = append(data, strings.TrimPrefix(value, " "))
		} else {
			others = append(others, line)
		}
	}
	if len(data) == 0 {
		return frame
	}
	text := []byte(strings.Join(data, "\n"))
	before := text
	for _, change := range f.changes.Frames {
		text = change(f.request, text)
	}
	if f.changes.Changed != nil && !same(before, text) {
		f.changes.Changed()
	}
	var out strings.Builder
	for _, line := range others {
		out.WriteString(line + "\n")
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		out.WriteString(field + " " + line + "\n")
	}
	out.WriteString("\n")
	return []byte(out.String())
}
