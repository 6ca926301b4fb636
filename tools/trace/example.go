package trace

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios/wire"
)

// Limits on a body and on a part of a reply in an example, in characters.
const (
	mostSent  = 400
	mostReply = 500
)

// example returns the exchange of the first check that read a body, or else of the first check with an exchange.
func example(t *wire.Transcript, checks []results.Check) *Example {
	for _, deep := range []bool{true, false} {
		for _, c := range checks {
			if deep && (c.Part != "" || c.Pointer == "") {
				continue
			}
			if e := t.Entry(int(c.Exchange)); e != nil {
				return steady(exampleOf(e, c))
			}
		}
	}
	return nil
}

func exampleOf(e *wire.Entry, c results.Check) Example {
	x := Example{Checked: c.Pointer, For: c.Requirement, Wants: c.Expected}
	if c.Part != "" {
		x.Checked = c.Part
	}
	switch {
	case e.Process != nil:
		x.Request, x.Sent = "one turn of the plugin", e.Process.Input
	case e.Files != nil:
		x.Request = "the files of the folder"
	case e.Request != nil:
		x.Request, x.Sent = e.Request.Method+" "+pathOf(e.Request.URL), e.Request.Body
		if e.Kind == "inbound" {
			x.Request = "received: " + x.Request
		}
	}
	if e.Response != nil {
		x.Status = e.Response.Status
	}
	x.At, x.Reply = around(e, c)
	return x
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.RequestURI()
}

// around returns the largest short enough part of a reply around the checked place, and its pointer.
func around(e *wire.Entry, c results.Check) (at, text string) {
	if number, isStream := strings.CutPrefix(c.Part, "event:"); isStream {
		n, _ := strconv.Atoi(number)
		var parser wire.StreamParser
		var events []wire.StreamEvent
		for _, chunk := range e.Chunks {
			events = append(events, parser.Feed(chunk.Text)...)
		}
		if n >= 1 && n <= len(events) {
			return "", events[n-1].Data
		}
	}
	body := document(e)
	var doc any
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		return "", strings.TrimSpace(body)
	}
	path := tokens(c.Pointer)
	pointer := ""
	for i := 0; ; i++ {
		text = compact(doc)
		if len(text) <= mostReply || i == len(path) {
			return pointer, text
		}
		pointer += "/" + jsonpointer.Escape(path[i])
		next := step(doc, path[i])
		if next == nil { // absent: its parent says more
			return strings.TrimSuffix(pointer, "/"+path[i]), text
		}
		doc = next
	}
}

func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

var (
	times   = lazyregexp.New(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	hosts   = lazyregexp.New(`127\.0\.0\.1:\d+`)
	digests = lazyregexp.New(`\b[0-9a-f]{40,64}\b`)
	// Ids from the hosts (run-siut6jccyy3qga8wgev367gdci, UUIDs), and names from scenarios
	// (done-hoetwwlalf-1jrh2i4-da98e2e0).
	ids = lazyregexp.New(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b` +
		`|\b[a-z0-9]{24,32}\b|\b[a-z0-9]{8,12}-[a-z0-9]{5,8}-[0-9a-f]{6,8}\b`)
)

// drawn are names that a drive draws: three words and a number (amble-tide-lotus-221904).
var drawn = lazyregexp.New(`\b[a-z]+-[a-z]+-[a-z]+-\d{6}\b`)

// steady replaces values that differ between runs by made-up ones, and clips long texts.
func steady(x Example) *Example {
	known := map[string]string{}
	for _, text := range []*string{&x.Request, &x.Sent, &x.Reply, &x.Wants} {
		*text = times.ReplaceAllString(*text, "2026-01-01T00:00:00Z")
		*text = hosts.ReplaceAllString(*text, "host.example")
		*text = digests.ReplaceAllString(*text, "0a1b2c")
		*text = ids.ReplaceAllStringFunc(*text, func(id string) string {
			if _, ok := known[id]; !ok {
				known[id] = fmt.Sprintf("%02d", len(known)+1)
			}
			return known[id]
		})
	}
	x.Sent, x.Reply, x.Wants = textsafe.Clip(x.Sent, mostSent), textsafe.Clip(x.Reply, mostReply), textsafe.Clip(x.Wants, mostSent)
	return &x
}
