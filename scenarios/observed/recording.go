package observed

import (
	"cmp"
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

	"github.com/openassay/assay/scenarios/wire"
)

// Recording is what passed between clients and one host, or what one plugin was handed and answered, in the order in which it was sent.
type Recording struct {
	Origin  string // scheme and address of the host, or the command of the plugin
	Program bool   // it is of a plugin
	Entries []wire.Entry
	Places  []string          // where each entry stands: recording-000001.json #3
	Events  []json.RawMessage // of logs, in the order in which they stand there
	Left    []string          // files and entries that could not be read, and why
}

// mostFile is the number of bytes of the largest file that is read.
const mostFile = 256 << 20

// Read reads what a folder holds: transcripts of assay record or of a certification, archives of HTTP (HAR), logs, and the requests and
// answers of a plugin. It returns a recording for each host or plugin, the one with most exchanges first, and then one for each log. An
// entry that nobody could have recorded is left out; a transcript that is cut off is read as far as it goes.
func Read(folder fs.FS) ([]Recording, error) {
	var all joined
	for _, source := range []struct {
		pattern string
		read    func(fs.FS, string) error
	}{{"*.json", all.file}, {"*.har", all.archive}, {"*request.json", all.job}, {"*/request.json", all.job},
		{"*.ndjson", all.log}, {"*.jsonl", all.log}, {"*.events.json", all.log}} {
		names, err := fs.Glob(folder, source.pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := source.read(folder, name); err != nil {
				return nil, err
			}
		}
	}
	if all.files == 0 {
		return nil, errors.New("it holds no transcript, no archive, no log and no request of a plugin with its answer")
	}
	return append(all.recordings(), all.logs...), nil
}

// content returns what a regular file holds; nil if it is none, or too large.
func (j *joined) content(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostFile {
		j.leave(name, fmt.Errorf("it is no file of %d bytes at most", mostFile))
		return nil, nil
	}
	return fs.ReadFile(folder, name)
}

// joined are entries from several files.
type joined struct {
	files   int
	entries []placed
	left    []string
	hidden  wire.Redactor // of the credentials in archives
	logs    []Recording
}

// placed is an entry, and where it stands.
type placed struct {
	wire.Entry
	at string
}

// place returns where the n-th entry of a file stands.
func place(name string, n int) string { return fmt.Sprintf("%s #%d", name, n) }

func (j *joined) leave(name string, why error) {
	j.left = append(j.left, fmt.Sprintf("%s: %v", name, why))
}

// recordings sorts the entries by time and by host. An entry that was recorded twice counts once.
func (j *joined) recordings() []Recording {
	slices.SortStableFunc(j.entries, func(a, b placed) int { return a.At.Compare(b.At) })
	var all []Recording
	at := map[string]int{} // origin -> its recording
	moment, seen := time.Time{}, map[[sha256.Size]byte]bool{}
	for _, e := range j.entries {
		origin := originOf(e.Entry)
		written, err := json.Marshal(e.Entry)
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
			i, all = len(all), append(all, Recording{Origin: origin, Program: e.Process != nil, Left: j.left})
			at[origin] = i
		}
		if e.Request != nil {
			e.Request = plain(e.Request)
		}
		all[i].Entries = append(all[i].Entries, e.Entry)
		all[i].Places = append(all[i].Places, e.at)
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

// originOf returns the host that an exchange was with, or the plugin of a turn, "" if it is neither.
func originOf(e wire.Entry) string {
	if e.Process != nil {
		return cmp.Or(strings.Join(e.Process.Command, " "), aPlugin)
	}
	if e.Request == nil || e.Kind == "inbound" {
		return ""
	}
	at, err := url.Parse(e.Request.URL)
	if err != nil || at.Host == "" {
		return ""
	}
	return at.Scheme + "://" + at.Host
}
