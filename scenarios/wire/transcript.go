package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Transcript is everything that a drive saw, as it is written to disk.
type Transcript struct {
	Drive   string  `json:"drive"`
	Entries []Entry `json:"entries"`
	Speech  Speech  `json:"-"` // of the target, nil where it has none

	mu sync.Mutex
	// The body decoded last. Values are usually minted from one reply after another, and all decoded bodies would take
	// too much memory.
	last    int
	decoded any
	events  map[int][]StreamEvent // stream entry -> its events, as recorded
	stored  *stored               // in place of Entries
}

// Entry is an exchange or a similar event. Kind says which parts are set.
type Entry struct {
	Kind     string    `json:"kind"` // http, stream, process, files, or inbound
	At       time.Time `json:"at"`
	Micros   int64     `json:"micros"` // from the first byte sent to the last byte read
	Label    string    `json:"label,omitempty"`
	Request  *Request  `json:"request,omitempty"`
	Response *Response `json:"response,omitempty"`
	Chunks   []Chunk   `json:"chunks,omitempty"`
	Process  *Spawned  `json:"process,omitempty"`
	Files    *Listing  `json:"files,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// Ended returns the time at which the last byte was read.
func (e Entry) Ended() time.Time { return e.At.Add(time.Duration(e.Micros) * time.Microsecond) }

// Request is a recorded request.
type Request struct {
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body,omitempty"`
	Misfit string            `json:"misfit,omitempty"` // for whose sake it does not fit the contract: see [Misfit]
}

// Response is a recorded response.
type Response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body,omitempty"`
}

// Chunk is a raw piece of a stream, with its time in microseconds after the request.
type Chunk struct {
	Micros int64  `json:"micros"`
	Text   string `json:"text"`
}

func (t *Transcript) add(e Entry) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Entries = append(t.Entries, e)
	return len(t.Entries) // exchanges are counted from 1
}

// Entry returns the n-th entry, counted from 1, or nil.
func (t *Transcript) Entry(n int) *Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entry(n)
}

// entry is Entry for a caller that holds the lock.
func (t *Transcript) entry(n int) *Entry {
	switch {
	case t.stored != nil:
		return t.stored.at(n)
	case n < 1 || n > len(t.Entries):
		return nil
	}
	return &t.Entries[n-1]
}

// Len returns the number of entries.
func (t *Transcript) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stored != nil {
		return t.stored.count
	}
	return len(t.Entries)
}

// ReplyTimes returns the shortest of the times that replies over HTTP took, and their median; 0 for none.
func (t *Transcript) ReplyTimes() (soonest, usual time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var took []int64
	for _, e := range t.Entries {
		if e.Kind == "http" && e.Response != nil {
			took = append(took, e.Micros)
		}
	}
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	return time.Duration(took[0]) * time.Microsecond, time.Duration(took[len(took)/2]) * time.Microsecond
}

// body decodes the reply of entry n.
func (t *Transcript) body(n int) (any, error) {
	text, ok := t.Entry(n).document()
	if !ok {
		return nil, fmt.Errorf("exchange %d has no reply", n)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == n {
		return t.decoded, nil
	}
	v, err := decode(t.heard(text))
	if err != nil {
		return nil, fmt.Errorf("exchange %d: reply is not JSON: %w", n, err)
	}
	t.last, t.decoded = n, v
	return v, nil
}

// remember sets the decoded body of entry n, if the recorded body is the text that doc was decoded from.
func (t *Transcript) remember(n int, text string, doc any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Entries[n-1].Response.Body == text {
		t.last, t.decoded = n, doc
	}
}

// document returns the document that values of the entry are minted from: a body, or what a process printed.
func (e *Entry) document() (text string, ok bool) {
	switch {
	case e == nil:
		return "", false
	case e.Process != nil:
		return e.Process.Output, e.Process.Unread == ""
	case e.Files != nil:
		return e.Files.Content, true
	case e.Kind == "inbound":
		return e.Request.Body, true
	case e.Response != nil:
		return e.Response.Body, true
	}
	return "", false
}

// retain keeps only the entries with these numbers, in this order, and returns the approximate size of the others.
func (t *Transcript) retain(numbers []int) (freed int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.Entries {
		freed += t.Entries[i].bytes()
	}
	kept := make([]Entry, len(numbers))
	for i, n := range numbers {
		kept[i] = t.Entries[n-1]
		freed -= kept[i].bytes()
	}
	t.Entries, t.events, t.last, t.decoded = kept, nil, 0, nil
	return freed
}

// Forget releases the body decoded last. It is decoded again when needed.
func (t *Transcript) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last, t.decoded = 0, nil
}

// event returns the k-th event, counted from 1, of stream entry n.
func (t *Transcript) event(n, k int) (StreamEvent, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.events[n] == nil { // a transcript from disk
		if t.stored != nil { // those of the stream before
			t.events = nil
		}
		var parser StreamParser
		for _, c := range t.entry(n).Chunks {
			t.keep(n, parser.Feed(c.Text))
		}
	}
	if k < 1 || k > len(t.events[n]) {
		return StreamEvent{}, false
	}
	return t.events[n][k-1], true
}

// keep adds events to a stream entry; the caller holds the lock.
func (t *Transcript) keep(n int, events []StreamEvent) {
	if t.events == nil {
		t.events = map[int][]StreamEvent{}
	}
	t.events[n] = append(t.events[n], events...)
}

// MarshalJSON encodes the transcript. It is safe while a drive still records.
func (t *Transcript) MarshalJSON() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return json.Marshal(struct {
		Drive   string  `json:"drive"`
		Entries []Entry `json:"entries"`
	}{t.Drive, t.Entries})
}

// Document returns the document of the n-th entry, counted from 1: a body, or what a process printed.
func (t *Transcript) Document(n int) (text string, ok bool) { return t.Entry(n).document() }

// Sent returns the texts of an entry that the drive sent.
func (e *Entry) Sent() []string {
	switch {
	case e.Process != nil:
		return []string{e.Process.Input}
	case e.Request != nil && e.Kind != "inbound":
		sent := []string{e.Request.URL, e.Request.Body}
		for _, value := range e.Request.Header {
			sent = append(sent, value)
		}
		return sent
	}
	return nil
}

// Received returns the texts of an entry that the target sent, but for headers.
func (e *Entry) Received() (out []string) {
	if text, ok := e.document(); ok {
		out = append(out, text)
	}
	for _, c := range e.Chunks {
		out = append(out, c.Text)
	}
	return out
}
