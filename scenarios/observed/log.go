package observed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// log adds the events of a file: one a line, or a list. They are what is left when nobody recorded who asked, and when.
func (j *joined) log(folder fs.FS, name string) error {
	content, err := j.content(folder, name)
	if content == nil {
		return err
	}
	var events []json.RawMessage
	before := len(j.left)
	if json.Unmarshal(content, &events) != nil {
		n := 0
		for line := range bytes.Lines(content) {
			if n++; len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if !json.Valid(line) {
				j.leave(name, fmt.Errorf("line %d is no JSON", n))
				continue
			}
			events = append(events, bytes.TrimSpace(line))
		}
	}
	j.files++
	if len(events) > 0 {
		j.logs = append(j.logs, Recording{Origin: name, Events: events, Left: slices.Clone(j.left[before:])})
	}
	return nil
}

// replies returns the logs that the events of a recording are from, as if somebody had read each whole, without their credentials.
func (r Recording) replies(p *scenarios.Protocol) (entries []wire.Entry) {
	if p.Logged == nil || len(r.Events) == 0 {
		return nil
	}
	limits := wire.DefaultLimits()
	limits.DiscoveryBytes = mostFile
	var hidden wire.Redactor
	for _, l := range p.Logged(r.Events) {
		entries = append(entries, hidden.Entry(wire.Overheard{
			Method: http.MethodGet, URL: &url.URL{Scheme: "log", Host: "file", Path: l.Path}, Status: http.StatusOK,
			Told: http.Header{"Content-Type": {"application/json"}}, Got: l.Body,
		}, limits))
	}
	return entries
}
