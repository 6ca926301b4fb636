package observed

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// file adds the entries of a transcript. Other JSON may stand beside transcripts.
func (x *index) file(name string) error {
	if strings.HasSuffix(name, "request.json") || strings.HasSuffix(name, "response.json") || strings.HasSuffix(name, ".events.json") {
		return nil
	}
	file, err := x.open(name)
	if file == nil {
		return err
	}
	defer func() { _ = file.Close() }()
	content := &bounded{from: file}
	d := json.NewDecoder(content)
	schema, err := x.members(d, content, name)
	switch {
	case schema != scenarios.TranscriptSchema:
		x.leave(name, fmt.Errorf("it is no %s", scenarios.TranscriptSchema))
	case err != nil:
		x.leave(name, fmt.Errorf("what stands behind byte %d cannot be read: %w", d.InputOffset(), err))
	}
	return nil
}

// bounded reads no more than one entry may have, and as much again that is read ahead, until it is told that one is over.
type bounded struct {
	from io.Reader
	n    int
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.n > 2*mostEntry {
		return 0, fmt.Errorf("an entry has more than %d bytes", mostEntry)
	}
	n, err := b.from.Read(into)
	b.n += n
	return n, err
}

// members reads the members of a transcript, whose schema stands first.
func (x *index) members(d *json.Decoder, content *bounded, name string) (schema string, err error) {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", orNoSchema(err)
	}
	for d.More() {
		member, err := d.Token()
		if err != nil {
			return schema, err
		}
		switch {
		case member == "schema":
			if err := d.Decode(&schema); err != nil || schema != scenarios.TranscriptSchema {
				return "", orNoSchema(err)
			}
			x.files++
		case schema == "":
			return "", errNoSchema
		case member == "entries":
			if err := x.list(d, content, name); err != nil {
				return schema, err
			}
		default:
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return schema, err
			}
		}
	}
	return schema, nil
}

var errNoSchema = errors.New("it does not begin with its schema")

func orNoSchema(err error) error {
	if err != nil {
		return err
	}
	return errNoSchema
}

// list reads entries one by one.
func (x *index) list(d *json.Decoder, content *bounded, name string) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return orNoSchema(err)
	}
	file := x.store.put(name)
	var raw json.RawMessage
	for n := 1; d.More(); n++ {
		raw = raw[:0]
		if err := d.Decode(&raw); err != nil {
			return err
		}
		content.n = 0
		var e wire.Entry
		err := json.Unmarshal(raw, &e)
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			x.leave(name, fmt.Errorf("entry %d: %w", n, err))
			continue
		}
		size := len(raw)
		at := location{file: file, offset: d.InputOffset() - int64(size), sum: maphash.Bytes(seed, raw)}
		at.nth, at.size = int32(n), int32(size) //nolint:gosec // they are bounded
		x.add(plain(e), at)
	}
	_, err := d.Token()
	return err
}

// passing are headers that differ from request to request, and say neither who asks nor for what.
var passing = []string{"Content-Length", "User-Agent", "Accept-Encoding", "Accept-Language", "Connection", "Traceparent", "Tracestate",
	"X-Request-Id", "X-Correlation-Id", "Date", "Origin", "Referer", "Cache-Control", "Pragma", "Priority"}

// plain returns an entry whose request has none of the headers of passing.
func plain(e wire.Entry) *wire.Entry {
	if e.Request == nil {
		return &e
	}
	copied := *e.Request
	copied.Header = maps.Clone(copied.Header)
	maps.DeleteFunc(copied.Header, func(name, _ string) bool {
		name = http.CanonicalHeaderKey(name)
		return slices.Contains(passing, name) || strings.HasPrefix(name, "Sec-")
	})
	e.Request = &copied
	return &e
}
