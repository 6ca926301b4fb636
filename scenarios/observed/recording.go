package observed

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Recording is what passed between clients and one host, in the order in which it was sent.
type Recording struct {
	Origin  string // scheme and address of the host
	Entries []wire.Entry
	Left    []string // files and entries that could not be read, and why
}

// mostFile is the number of bytes of the largest file that is read.
const mostFile = 256 << 20

// Read reads all transcripts of a folder: those of assay record, or of a certification. It returns a recording for each host, the one
// with most exchanges first. An entry that nobody could have recorded is left out; a file that is cut off is read as far as it goes.
func Read(folder fs.FS) ([]Recording, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	var all joined
	for _, name := range names {
		if err := all.file(folder, name); err != nil {
			return nil, err
		}
	}
	if all.files == 0 {
		return nil, errors.New("it holds no transcript")
	}
	return all.recordings(), nil
}

// joined are entries from several files.
type joined struct {
	files   int
	entries []wire.Entry
	left    []string
}

func (j *joined) leave(name string, why error) {
	j.left = append(j.left, fmt.Sprintf("%s: %v", name, why))
}

// file adds the entries of a file. Other JSON may stand beside transcripts.
func (j *joined) file(folder fs.FS, name string) error {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > mostFile {
		j.leave(name, fmt.Errorf("it is no file of %d bytes at most", mostFile))
		return nil
	}
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(content))
	schema, err := j.members(d, name)
	switch {
	case schema != scenarios.TranscriptSchema:
		j.leave(name, fmt.Errorf("it is no %s", scenarios.TranscriptSchema))
	case err != nil:
		j.leave(name, fmt.Errorf("what stands behind byte %d cannot be read: %w", d.InputOffset(), err))
	}
	return nil
}

// members reads the members of a transcript, whose schema stands first.
func (j *joined) members(d *json.Decoder, name string) (schema string, err error) {
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
			j.files++
		case schema == "":
			return "", errNoSchema
		case member == "entries":
			if err := j.list(d, name); err != nil {
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
func (j *joined) list(d *json.Decoder, name string) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return orNoSchema(err)
	}
	for n := 1; d.More(); n++ {
		var e wire.Entry
		if err := d.Decode(&e); err != nil {
			var other *json.UnmarshalTypeError
			if !errors.As(err, &other) {
				return err
			}
			j.leave(name, fmt.Errorf("entry %d: %w", n, err))
			continue
		}
		if err := e.Check(); err != nil {
			j.leave(name, fmt.Errorf("entry %d: %w", n, err))
			continue
		}
		j.entries = append(j.entries, e)
	}
	_, err := d.Token()
	return err
}

// recordings sorts the entries by time and by host. An entry that was recorded twice counts once.
func (j *joined) recordings() []Recording {
	slices.SortStableFunc(j.entries, func(a, b wire.Entry) int { return a.At.Compare(b.At) })
	var all []Recording
	at := map[string]int{} // origin -> its recording
	moment, seen := time.Time{}, map[[sha256.Size]byte]bool{}
	for _, e := range j.entries {
		origin := originOf(e)
		written, err := json.Marshal(e)
		if origin == "" || err != nil {
			continue
		}
		if !e.At.Equal(moment) {
			moment = e.At
			clear(seen)
		}
		sum := sha256.Sum256(written)
		if seen[sum] {
			continue
		}
		seen[sum] = true
		i, known := at[origin]
		if !known {
			i, all = len(all), append(all, Recording{Origin: origin, Left: j.left})
			at[origin] = i
		}
		e.Request = plain(e.Request)
		all[i].Entries = append(all[i].Entries, e)
	}
	slices.SortStableFunc(all, func(a, b Recording) int { return len(b.Entries) - len(a.Entries) })
	return all
}

// passing are headers that differ from request to request, and say neither who asks nor for what.
var passing = []string{"Content-Length", "User-Agent", "Accept-Encoding", "Accept-Language", "Connection", "Traceparent", "Tracestate",
	"X-Request-Id", "X-Correlation-Id", "Date", "Origin", "Referer", "Cache-Control", "Pragma", "Priority"}

// plain returns a request without the headers of passing.
func plain(q *wire.Request) *wire.Request {
	copied := *q
	copied.Header = maps.Clone(q.Header)
	maps.DeleteFunc(copied.Header, func(name, _ string) bool {
		name = http.CanonicalHeaderKey(name)
		return slices.Contains(passing, name) || strings.HasPrefix(name, "Sec-")
	})
	return &copied
}

// originOf returns the host that an exchange was with, "" if it is no exchange with one.
func originOf(e wire.Entry) string {
	if e.Request == nil || e.Kind == "inbound" {
		return ""
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil || at.Host == "" {
		return ""
	}
	return at.Scheme + "://" + at.Host
}
