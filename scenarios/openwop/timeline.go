package openwop

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/timeline"
	"github.com/openassay/assay/scenarios/wire"
)

// drawTimeline reads the loops from the pages of event logs in a transcript: one turn for each decision.
func drawTimeline(t *wire.Transcript, d *dialect.Dialect) []timeline.Loop {
	l := logs{dialect: d, suspended: map[string]time.Time{}, events: map[string]bool{}}
	for _, word := range d.Words(drawnEvents...) {
		l.drawn = append(l.drawn, []byte(word))
	}
	pages := map[string]bool{} // already read
	for n := 1; n <= t.Len(); n++ {
		e := t.Entry(n)
		if e.Response != nil && !pages[e.Response.Body] && strings.Contains(e.Response.Body, d.Word(dialect.Decided)) {
			pages[e.Response.Body] = true
			l.page(e.Response.Body)
		}
	}
	return l.Drawn()
}

// logs holds the event logs that one drive read.
type logs struct {
	timeline.Loops
	dialect   *dialect.Dialect
	drawn     [][]byte             // the types of drawnEvents, as spelled in a log
	suspended map[string]time.Time // run -> suspension time
	events    map[string]bool      // already read
}

// drawnEvents are the events a picture shows. Most events are not drawn.
var drawnEvents = []dialect.Event{
	dialect.Decided, dialect.NodeDispatched, dialect.NodeSuspended, dialect.NodeResumed, dialect.NodeFailed,
	dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled,
}

// logged holds the members of a log event that the picture needs, as the target sent them.
type logged struct {
	EventID   string          `json:"eventId"`
	RunID     string          `json:"runId"`
	Type      string          `json:"type"`
	Timestamp json.RawMessage `json:"timestamp"`
	Payload   json.RawMessage `json:"payload"`
}

// at returns when the event happened according to the target, or the zero time if it gives no valid timestamp.
func (e logged) at() time.Time {
	var t time.Time
	_ = json.Unmarshal(e.Timestamp, &t) // an invalid timestamp stays the zero time
	return t
}

// members returns the members of a JSON object, nil for anything else.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m) // anything but an object stays nil
	return m
}

// page reads a page of an event log. It skips events already read and bodies of another shape.
func (l *logs) page(body string) {
	var page struct {
		Events []json.RawMessage `json:"events"`
	}
	if json.Unmarshal([]byte(body), &page) != nil {
		return
	}
	for _, raw := range page.Events {
		var e logged
		drawn := slices.ContainsFunc(l.drawn, func(kind []byte) bool { return bytes.Contains(raw, kind) })
		if !drawn || json.Unmarshal(raw, &e) != nil || e.EventID != "" && l.events[e.EventID] {
			continue
		}
		l.events[e.EventID] = true
		l.event(e)
	}
}

func (l *logs) event(e logged) {
	r := l.Of(e.RunID)
	payload := members(e.Payload)
	switch kind := l.dialect.Event(e.Type); kind {
	case dialect.Decided:
		r.Turn(payload["iteration"], timeline.Word(members(payload["decision"])["kind"]), false)
	case dialect.NodeDispatched:
		class := "child"
		status := timeline.Word(payload["childStatus"])
		if status == "failed" || status == "cancelled" {
			class = "trouble"
		}
		r.Child(class, timeline.Word(payload["childWorkflowId"]), status)
	case dialect.NodeSuspended:
		l.suspended[e.RunID] = e.at()
		r.Below("pause", "waits: "+timeline.Word(payload["kind"]))
	case dialect.NodeResumed:
		since := l.suspended[e.RunID]
		if took := e.at().Sub(since); took > 0 && !since.IsZero() {
			r.Below("pause", "resumed, "+took.Round(time.Millisecond).String())
		} else {
			r.Below("pause", "resumed")
		}
	case dialect.NodeFailed:
		r.Below("trouble", "node failed")
	case dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled:
		r.End = strings.TrimPrefix(string(kind), "run.")
	}
}
