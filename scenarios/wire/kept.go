package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// held counts the bytes that a drive holds: the text in its transcript, which stays, and the documents that it has
// decoded, which are released when it is over. Drives together have limits too.
type held struct {
	network *Network
	kept    atomic.Int64
	live    atomic.Int64
	last    sync.Map // URL -> body of the last reply to a read
}

// same returns a body as it was when the same was last read, if it has not changed since, so that what a drive reads again and
// again while it waits is in memory once. again is how many bytes of it are there already.
func (h *held) same(r *Request, body string) (shared string, again int64) {
	if r.Method != http.MethodGet || body == "" {
		return body, 0
	}
	before, known := h.last.Swap(r.URL, body)
	if !known || before != body {
		return body, 0
	}
	h.last.Store(r.URL, before)
	return before.(string), written(body)
}

// totals counts the bytes that all drives hold.
type totals struct {
	kept, live atomic.Int64
	beyond     atomic.Pointer[held] // the one drive that may hold as much again when there is no room
}

// keep counts n more bytes of the transcript.
func (h *held) keep(doing string, n int64) error { return h.keepShared(doing, n, 0) }

// keepShared is keep for bytes of which some are in memory already.
func (h *held) keepShared(doing string, n, shared int64) error {
	limits := h.network.limits
	if kept := h.kept.Add(n); kept > limits.DriveBytes {
		h.kept.Add(-n)
		return overLimit(doing, "this drive was sent more than %d bytes in all", limits.DriveBytes)
	}
	if kept := h.network.held.kept.Add(n - shared); kept > limits.KeptBytes {
		h.kept.Add(-n)
		h.network.held.kept.Add(shared - n)
		return overLimit(doing, "all drives together were sent more than %d bytes: certify fewer suites at once",
			limits.KeptBytes)
	}
	return nil
}

// decode counts a document of n bytes, which is released when the drive is over, or when the look of ctx has passed. A drive that
// holds little has room, whatever the others hold. When there is none, one drive at a time may hold as much again, so that it ends.
func (h *held) decode(ctx context.Context, doing string, n int64) error {
	limits, all := h.network.limits, &h.network.held
	own := h.live.Add(n)
	if all.live.Add(n) > limits.LiveBytes && own > limits.OwnBytes &&
		(own > limits.LiveBytes || all.beyond.Load() != h && !all.beyond.CompareAndSwap(nil, h)) {
		h.live.Add(-n)
		all.live.Add(-n)
		return overLimit(doing, "the drives under way would hold more than %d bytes of decoded JSON: certify with fewer workers",
			limits.LiveBytes)
	}
	if look, ok := ctx.Value(lookKey{}).(*atomic.Int64); ok {
		look.Add(n)
	}
	return nil
}

// decodeInTurn is decode for what can wait until other drives are over. That time says nothing about the target.
func (c *Client) decodeInTurn(ctx context.Context, doing string, n int64) error {
	const pause = 20 * time.Millisecond
	for {
		err := c.held.decode(ctx, doing, n)
		if err == nil || c.held.live.Load()+n > c.network.limits.LiveBytes || Pause(ctx, pause) != nil {
			return err
		}
		c.waited.Add(int64(pause))
	}
}

// Crowded reports whether the drives under way hold so many documents that another one may find no room.
func (n *Network) Crowded() bool { return n.held.live.Load() > n.limits.LiveBytes/2 }

// Crowded is [Network.Crowded].
func (c *Client) Crowded() bool { return c.network.Crowded() }

// NearlyFull reports whether the drive, or all drives together, have received most of what may be kept. A drive that draws at random
// should stop then: one that finds no room is not judged at all.
func (c *Client) NearlyFull() bool {
	limits := c.network.limits
	return c.held.kept.Load() > limits.DriveBytes/4*3 || c.network.held.kept.Load() > limits.KeptBytes/4*3
}

// lookKey is the context key of the bytes that a look has decoded.
type lookKey struct{}

// Look returns a context for one of many looks of a drive that waits. Calling passed, once, releases the documents of
// that look.
func (c *Client) Look(ctx context.Context) (look context.Context, passed func()) {
	var n atomic.Int64
	return context.WithValue(ctx, lookKey{}, &n), func() {
		c.held.live.Add(-n.Load())
		c.network.held.live.Add(-n.Load())
	}
}

// release releases the decoded documents.
func (h *held) release() {
	h.network.held.live.Add(-h.live.Swap(0))
	h.network.held.beyond.CompareAndSwap(h, nil)
}

// The approximate sizes on disk of an entry and of a chunk, without their texts.
const (
	entryBytes = 300
	chunkBytes = 60
)

// bytes returns the approximate size of an entry on disk.
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

// written returns the length of text as a JSON string.
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

// strip removes what the target chose from an entry that is too large to be kept.
func (e *Entry) strip(why string) {
	e.Response, e.Error = nil, why
	if e.Request != nil {
		e.Request = &Request{Method: e.Request.Method, URL: clip(e.Request.URL)}
	}
	if p := e.Process; p != nil {
		e.Process = &Spawned{
			Command: []string{clip(p.Command[0])}, InputBytes: p.InputBytes, OutputBytes: p.OutputBytes, Exit: p.Exit, Unread: why,
		}
	}
	e.Files = nil
}

// mostShown is the number of bytes of a path in an error.
const mostShown = 300

// clip shortens a text for an error: a host may have chosen an id of a megabyte.
func clip(text string) string {
	if len(text) <= mostShown {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", printable(text[:mostShown]), len(text))
}

// Check returns an error if an entry has parts that its kind does not allow. Anybody may have written the entry.
func (e *Entry) Check() error {
	parts := map[string]bool{
		"request": e.Request != nil, "response": e.Response != nil, "chunks": len(e.Chunks) > 0,
		"process": e.Process != nil, "files": e.Files != nil,
	}
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

// partsOf holds the parts that an entry of a kind may have. A stripped entry has fewer.
var partsOf = map[string][]string{
	"http":    {"request", "response"},
	"stream":  {"request", "response", "chunks"},
	"process": {"process"},
	"files":   {"files"},
	"inbound": {"request"},
}
