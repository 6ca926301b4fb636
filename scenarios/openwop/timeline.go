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

// drawTimeline reads the loops out of the pages of event logs in a transcript: a turn for each decision.
func drawTimeline(t *wire.Transcript, d *dialect.Dialect) []timeline.Loop {
	l := logs{dialect: d, suspended: map[string]time.Time{}, events: map[string]bool{}}
	for _, word := range d.Words(drawnEvents...) {
		l.drawn = append(l.drawn, []byte(word))
	}
	pages := map[string]bool{} // that were read before
	for n := 1; n <= t.Len(); n++ {
		e := t.Entry(n)
		if e.Response != nil && !pages[e.Response.Body] && strings.Contains(e.Response.Body, d.Word(dialect.Decided)) {
			pages[e.Response.Body] = true
			l.page(e.Response.Body)
		}
	}
	return l.Drawn()
}

// logs are the event logs that one drive read.
type logs struct {
	timeline.Loops
	dialect   *dialect.Dialect
	drawn     [][]byte             // the types of drawnEvents, as they stand in a log
	suspended map[string]time.Time // run -> since when
	events    map[string]bool      // that were read before
}

// drawnEvents are what a picture is made of. Most events are others.
var drawnEvents = []dialect.Event{
	dialect.Decided, dialect.NodeDispatched, dialect.NodeSuspended, dialect.NodeResumed, dialect.NodeFailed,
	dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled,
}

// logged is an event of a run's log, as far as the picture needs it. All of it is as the target sent it.
type logged struct {
	EventID   string          `json:"eventId"`
	RunID     string          `json:"runId"`
	Type      string          `json:"type"`
	Timestamp json.RawMessage `json:"timestamp"`
	Payload   json.RawMessage `json:"payload"`
}

// at returns when the target says that it happened, the zero time where it says no such thing.
func (e logged) at() time.Time {
	var t time.Time
	_ = json.Unmarshal(e.Timestamp, &t) // the zero time stands for anything that is no time
	return t
}

// members returns those of a JSON object; none of anything else.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m) // nothing stands for anything that is no object
	return m
}

// page reads a page of an event log. One that was read before adds nothing; a body of another shape is passed over.
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
