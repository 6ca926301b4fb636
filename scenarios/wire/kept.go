package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
)

// held counts what one drive holds of what was sent: the text that its
// transcript keeps for good, and the documents that it has decoded, which are
// let go when it is over. All drives together are bounded as well.
type held struct {
	network *Network
	kept    atomic.Int64
	live    atomic.Int64
}

// totals are what all drives of a certification hold.
type totals struct{ kept, live atomic.Int64 }

// keep counts n more bytes of the transcript.
func (h *held) keep(doing string, n int64) error {
	limits := h.network.limits
	if kept := h.kept.Add(n); kept > limits.DriveBytes {
		h.kept.Add(-n)
		return overLimit(doing, "this drive was sent more than %d bytes in all", limits.DriveBytes)
	}
	if kept := h.network.held.kept.Add(n); kept > limits.KeptBytes {
		h.kept.Add(-n)
		h.network.held.kept.Add(-n)
		return overLimit(doing, "all drives together were sent more than %d bytes: certify fewer suites at once", limits.KeptBytes)
	}
	return nil
}

// decode counts a document of so many bytes that the drive may look at until it is over, or until the look that ctx is of
// has passed.
func (h *held) decode(ctx context.Context, doing string, n int64) error {
	if h.network.held.live.Add(n) > h.network.limits.LiveBytes {
		h.network.held.live.Add(-n)
		return overLimit(doing, "the drives under way would hold more than %d bytes of decoded JSON: certify with fewer workers", h.network.limits.LiveBytes)
	}
	h.live.Add(n)
	if look, ok := ctx.Value(ofLook{}).(*atomic.Int64); ok {
		look.Add(n)
	}
	return nil
}

// ofLook is the key of what one look has decoded, in bytes.
type ofLook struct{}

// Look is ctx for a look whose replies nobody needs once passed was called: a drive that waits looks many times, and goes
// by the last. passed is called once.
func (c *Client) Look(ctx context.Context) (look context.Context, passed func()) {
	var n atomic.Int64
	return context.WithValue(ctx, ofLook{}, &n), func() {
		c.held.live.Add(-n.Load())
		c.network.held.live.Add(-n.Load())
	}
}

// release lets go of what was decoded.
func (h *held) release() { h.network.held.live.Add(-h.live.Swap(0)) }

// What an entry and a chunk take on disk beside their texts, roughly.
const (
	entryBytes = 300
	chunkBytes = 60
)

// bytes is about what an entry takes on disk.
func (e *Entry) bytes() int64 {
	n := entryBytes + written(e.Error) + written(e.Label)
	if r := e.Request; r != nil {
		n += written(r.Method) + written(r.URL) + written(r.Body) + headerBytes(r.Header)
	}
	if r := e.Response; r != nil {
		n += written(r.Body) + headerBytes(r.Header)
	}
	if p := e.Process; p != nil {
		n += written(p.Input) + written(p.Output) + written(p.Errors) + written(p.Ended) + written(p.Unread)
		for _, list := range [][]string{p.Command, p.Survivors, p.Litter} {
			for _, text := range list {
				n += written(text)
			}
		}
	}
	if f := e.Files; f != nil {
		n += written(f.Of) + written(f.Content)
	}
	return n
}

func headerBytes(h map[string]string) int64 {
	var n int64
	for k, v := range h {
		n += written(k) + written(v)
	}
	return n
}

// written is how many bytes text takes as a JSON string.
func written(text string) int64 {
	n := int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		case c < ' ':
			n += int64(len(`\u0000`) - 1)
		}
	}
	return n
}

// strip takes what the target chose out of an entry that is too large to be kept.
func (e *Entry) strip(why string) {
	e.Response, e.Error = nil, why
	if e.Request != nil {
		e.Request = &Request{Method: e.Request.Method, URL: clip(e.Request.URL)}
	}
	if p := e.Process; p != nil {
		e.Process = &Spawned{Command: []string{clip(p.Command[0])}, InputBytes: p.InputBytes, OutputBytes: p.OutputBytes, Exit: p.Exit, Unread: why}
	}
	e.Files = nil
}

// mostShown is how many bytes of a path stand in an error.
const mostShown = 300

// clip cuts what is said of a request: a host may have chosen an id that is a megabyte long.
func clip(text string) string {
	if len(text) <= mostShown {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", printable(text[:mostShown]), len(text))
}

// Check tells what is wrong with an entry that somebody else may have written: its kind says which parts it has.
func (e *Entry) Check() error {
	parts := map[string]bool{"request": e.Request != nil, "response": e.Response != nil, "chunks": len(e.Chunks) > 0, "process": e.Process != nil, "files": e.Files != nil}
	may, known := partsOf[e.Kind]
	if !known {
		return fmt.Errorf("the kind %s is unknown", clip(strconv.Quote(e.Kind)))
	}
	for _, name := range may {
		delete(parts, name)
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if parts[name] {
			return fmt.Errorf("an entry of kind %s has no %s", e.Kind, name)
		}
	}
	if e.Kind == "inbound" && e.Request == nil {
		return errors.New("an entry of kind inbound needs a request")
	}
	return nil
}

// partsOf are the parts that an entry of a kind may have. One that was too large to be kept has fewer.
var partsOf = map[string][]string{
	"http":    {"request", "response"},
	"stream":  {"request", "response", "chunks"},
	"process": {"process"},
	"files":   {"files"},
	"inbound": {"request"},
}
