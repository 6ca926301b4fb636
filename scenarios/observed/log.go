package observed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"net/url"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// logged says where the events of a log stand, as somebody would read them from a path.
type logged struct {
	path   string
	file   int32
	events []span
	bytes  int64
}

type span struct {
	offset int64
	size   int32
}

// mostLog is the size in bytes of the largest log that is judged. All of it is decoded at once.
const mostLog = 32 << 20

// log adds the events of a file: one a line, or a list. They are what is left when nobody recorded who asked, and when.
func (x *index) log(name string) error {
	file, err := x.open(name)
	if file == nil {
		return err
	}
	defer func() { _ = file.Close() }()
	x.files++
	l := logReader{index: x, name: name, file: x.store.put(name), left: len(x.left), at: map[string]int{},
		seen: map[uint64]bool{}, recording: Recording{Origin: name, store: x.store, logs: map[*scenarios.Protocol][]logged{}}}
	content := bufio.NewReader(file)
	if isList(content) {
		err = l.list(content)
	} else {
		err = l.lines(content)
	}
	if err != nil {
		x.leave(name, err)
	}
	l.end()
	return nil
}

// isList reports whether the first byte that is no space begins a list.
func isList(content *bufio.Reader) bool {
	for n := 1; n <= content.Size(); n++ {
		start, err := content.Peek(n)
		if err != nil {
			return false
		}
		if last := start[n-1]; !bytes.ContainsRune([]byte(" \t\r\n"), rune(last)) {
			return last == '['
		}
	}
	return false
}

// logReader reads the events of one file.
type logReader struct {
	*index
	name      string
	file      int32
	recording Recording
	at        map[string]int // protocol and path -> place of the log
	left      int            // how many things were left out before
	seen      map[uint64]bool
}

func (l *logReader) lines(content *bufio.Reader) error {
	lines := bufio.NewScanner(content)
	lines.Buffer(nil, mostEntry)
	offset, next := int64(0), int64(0)
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(data, atEOF)
		offset, next = next, next+int64(n)
		return n, line, err
	})
	n := 0
	for lines.Scan() {
		if n++; len(bytes.TrimSpace(lines.Bytes())) > 0 && !l.event(offset, lines.Bytes()) {
			l.leave(l.name, fmt.Errorf("line %d is no JSON", n))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d has more than %d bytes: what follows is left out", n+1, mostEntry)
	}
	return lines.Err()
}

func (l *logReader) list(content io.Reader) error {
	limited := &bounded{from: content}
	d := json.NewDecoder(limited)
	if _, err := d.Token(); err != nil {
		return err
	}
	var raw json.RawMessage
	for d.More() {
		raw = raw[:0]
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("what stands behind byte %d cannot be read: %w", d.InputOffset(), err)
		}
		limited.n = 0
		l.event(d.InputOffset()-int64(len(raw)), raw)
	}
	return nil
}

// event adds an event that stands there, and reports whether it is JSON. One that was handed on twice is one event.
func (l *logReader) event(offset int64, event []byte) bool {
	paths := make([]string, len(l.groups))
	named := false // which says that it is JSON
	for i, g := range l.groups {
		if form := g.protocol.Logged; form != nil {
			paths[i] = form.Path(event)
			named = named || paths[i] != ""
		}
	}
	if !named && !json.Valid(event) {
		return false
	}
	sum := maphash.Bytes(seed, event)
	if l.seen[sum] {
		return true
	}
	l.seen[sum] = true
	l.recording.Events++
	for n, g := range l.groups {
		p, path := g.protocol, paths[n]
		if path == "" {
			continue
		}
		logs := l.recording.logs[p]
		i, known := l.at[p.ID+path]
		if !known {
			i, logs = len(logs), append(logs, logged{path: path, file: l.file})
			l.at[p.ID+path] = i
		}
		logs[i].events = append(logs[i].events, span{offset, int32(len(event))}) //nolint:gosec // it is bounded
		logs[i].bytes += int64(len(event)) + 1
		l.recording.logs[p] = logs
	}
	return true
}

// end adds what was read to the recordings. A log that is too large is left out.
func (l *logReader) end() {
	for p, logs := range l.recording.logs {
		kept := logs[:0]
		for _, one := range logs {
			if one.bytes > mostLog {
				l.leave(l.name, fmt.Errorf("%s has %d events of %d bytes, and %d are judged at most", one.path, len(one.events), one.bytes, mostLog))
				continue
			}
			kept = append(kept, one)
		}
		l.recording.logs[p] = kept
	}
	if l.recording.Events > 0 {
		l.recording.Left = l.index.left[l.left:len(l.index.left):len(l.index.left)]
		l.logs = append(l.logs, l.recording)
	}
}

// log returns a log as if somebody had read it whole, without its credentials.
func (h *storeReader) log(l logged, form *scenarios.EventLog) *wire.Entry {
	body := bytes.NewBufferString(form.Before)
	for i, e := range l.events {
		if i > 0 {
			body.WriteByte(',')
		}
		at := body.Len()
		body.Write(make([]byte, e.size))
		if err := h.read(l.file, e.offset, body.Bytes()[at:]); err != nil {
			return &wire.Entry{Error: fmt.Sprintf("%s: %v", h.names[l.file], err)}
		}
	}
	body.WriteString(form.After)
	limits := wire.DefaultLimits()
	limits.DiscoveryBytes = 2 * mostLog
	var hidden wire.Redactor
	e := hidden.Entry(wire.Overheard{
		Method: http.MethodGet, URL: &url.URL{Scheme: "log", Host: "file", Path: l.path}, Status: http.StatusOK,
		Told: http.Header{"Content-Type": {"application/json"}}, Got: body.Bytes(),
	}, limits)
	return &e
}
