package trace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// Record returns the traces of the passed scenarios in a report folder.
func Record(dir string) ([]Trace, error) {
	doc, err := reports.Load(dir)
	if err != nil {
		return nil, err
	}
	r := recorder{dir: dir, contract: contractOf(protocolOf(doc.Target.Protocol)), drives: map[string]*wire.Transcript{}}
	var out []Trace
	for _, s := range doc.Scenarios {
		if s.Verdict != results.VerdictPassed {
			continue
		}
		t, err := r.trace(s)
		if err != nil {
			return nil, fmt.Errorf("trace %s: %w", s.ID, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// protocolOf returns the protocol with an id, or nil.
func protocolOf(id string) *scenarios.Protocol {
	if row := protocols.ByID(id); row != nil {
		return row.Protocol
	}
	return nil
}

type recorder struct {
	dir      string
	contract contract
	drives   map[string]*wire.Transcript
}

// discovery is the drive behind scenarios that only need the discovery document.
const discovery = "discovery"

func (r *recorder) trace(s results.ScenarioResult) (Trace, error) {
	t := Trace{Scenario: s.ID, Asks: []string{}, Reads: []Read{}}
	drive := discovery
	if len(s.Drives) > 0 {
		drive = s.Drives[0]
	}
	transcript, err := r.transcript(drive)
	if err != nil {
		return t, err
	}
	if drive != discovery {
		t.Asks = r.asked(transcript)
	}
	for _, c := range s.Checks {
		read := r.read(transcript.Entry(int(c.Exchange)), c)
		read.Requirement = c.Requirement
		if read.In != "" && !slices.Contains(t.Reads, read) {
			t.Reads = append(t.Reads, read)
		}
	}
	slices.SortFunc(t.Reads, func(a, b Read) int {
		return strings.Compare(a.Requirement+"\x00"+a.In+"\x00"+a.At, b.Requirement+"\x00"+b.In+"\x00"+b.At)
	})
	t.Example = example(transcript, s.Checks)
	return t, nil
}

func (r *recorder) transcript(drive string) (*wire.Transcript, error) {
	if t, ok := r.drives[drive]; ok {
		return t, nil
	}
	raw, err := os.ReadFile(filepath.Join(r.dir, reports.TranscriptsDir, scenarios.TranscriptName(drive)))
	if err != nil {
		return nil, err
	}
	t := &wire.Transcript{}
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, err
	}
	r.drives[drive] = t
	return t, nil
}

// asked returns the sorted operations that a drive called, without duplicates: their number and order depend on chance. So does
// which drive finds out for all what an engine understands, which its labels call a control.
func (r *recorder) asked(t *wire.Transcript) []string {
	out := []string{}
	for i := range t.Entries {
		e := &t.Entries[i]
		name := ""
		switch {
		case strings.HasPrefix(e.Label, "control"):
		case e.Process != nil:
			name = r.contract.turn
		case e.Request != nil && e.Kind != "inbound":
			name = r.contract.operation(e.Request.Method, e.Request.URL)
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// read returns the place that a check read. It is zero if the spec has no name for it.
func (r *recorder) read(e *wire.Entry, c results.Check) Read {
	if e == nil {
		return Read{}
	}
	in := ""
	switch {
	case e.Process != nil:
		in = r.contract.answer
	case e.Request != nil && e.Kind != "inbound":
		in = r.contract.operation(e.Request.Method, e.Request.URL)
	case e.Request == nil:
		return Read{}
	}
	if number, isEvent := strings.CutPrefix(c.Part, "event:"); isEvent {
		return r.streamed(e, number)
	}
	if c.Part != "" {
		return Read{In: in, At: Beside}
	}
	var body any
	if err := json.Unmarshal([]byte(document(e)), &body); err != nil {
		return Read{In: in, At: Beside}
	}
	if read, ok := r.inEvent(body, tokens(c.Pointer)); ok {
		return read
	}
	return Read{In: in, At: place(body, tokens(c.Pointer))}
}

// streamed returns an event of a stream. A check reads it as a whole.
func (r *recorder) streamed(e *wire.Entry, number string) Read {
	n, err := strconv.Atoi(number)
	if err != nil {
		return Read{}
	}
	var parser wire.StreamParser
	var events []wire.StreamEvent
	for _, c := range e.Chunks {
		events = append(events, parser.Feed(c.Text)...)
	}
	if n < 1 || n > len(events) {
		return Read{}
	}
	var data any
	if json.Unmarshal([]byte(events[n-1].Data), &data) == nil {
		if kind, ok := r.kind(data); ok {
			return Read{In: "event " + kind}
		}
	}
	return Read{In: r.contract.operation(e.Request.Method, e.Request.URL)}
}

// inEvent returns the innermost known event around a place in a body, if there is one.
func (r *recorder) inEvent(body any, path []string) (Read, bool) {
	at := body
	for i := 0; ; i++ {
		if kind, ok := r.kind(at); ok {
			read := Read{In: "event " + kind, At: Beside}
			if i == len(path) {
				read.At = ""
			} else if path[i] == "payload" {
				payload, _ := at.(map[string]any)
				read.At = place(payload["payload"], path[i+1:])
			}
			return read, true
		}
		if i == len(path) {
			return Read{}, false
		}
		at = step(at, path[i])
	}
}

// kind returns the type of an event, if v is a known one.
func (r *recorder) kind(v any) (string, bool) {
	o, ok := v.(map[string]any)
	if _, has := o["payload"]; !ok || !has {
		return "", false
	}
	for _, key := range []string{"type", "event_type"} {
		if kind, ok := o[key].(string); ok {
			if name, known := r.contract.event(kind); known {
				return name, true
			}
		}
	}
	return "", false
}

// place formats a pointer with items for list entries and additionalProperties for map entries keyed by ids.
func place(body any, path []string) string {
	var b strings.Builder
	for _, token := range path {
		_, isList := body.([]any)
		switch {
		case isList:
			b.WriteString("/items")
		case ids.MatchString(token) || drawn.MatchString(token): // a map keyed by ids, or by names that are drawn
			b.WriteString("/additionalProperties")
		default:
			b.WriteString("/" + token)
		}
		body = step(body, token)
	}
	return b.String()
}

func step(v any, token string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[token]
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// tokens splits a JSON pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	out := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range out {
		out[i] = jsonpointer.Unescape(out[i])
	}
	return out
}

// document returns the part of an entry that checks read.
func document(e *wire.Entry) string {
	switch {
	case e.Process != nil:
		return e.Process.Output
	case e.Files != nil:
		return e.Files.Content
	case e.Kind == "inbound":
		return e.Request.Body
	case e.Response != nil:
		return e.Response.Body
	}
	return ""
}
