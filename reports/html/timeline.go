package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// loop is what a target's own log tells of one run that goes round: a turn for each decision.
type loop struct {
	Run   string
	Turns []turn
	Left  int    // turns that are not shown
	End   string // how the run ended, as far as the drive saw
}

// turn is one turn of a loop, and what came of it.
type turn struct {
	Number string // the iteration or step that the target gave it
	Kind   string // what was decided
	Odd    string // what the number does not follow, "" where it does
	Below  []happening
	Left   int // happenings that are not shown
}

// happening is something that came of a turn. Class is child, pause or trouble.
type happening struct{ Class, Text, Words string }

// Bounds of a picture.
const (
	mostLoops = 3 // of one drive
	mostTurns = 16
	mostBelow = 5
	mostSaid  = 40 // characters of one value
)

// loopsOf reads the loops out of a transcript: the decisions in the event logs of runs, or the steps of an agent's turns.
func loopsOf(t *wire.Transcript) []loop {
	found := loops{suspended: map[string]time.Time{}}
	events, pages := map[string]bool{}, map[string]bool{} // that were read before
	for n := 1; n <= t.Len(); n++ {
		e := t.Entry(n)
		switch {
		case e.Process != nil:
			found.process(e.Process)
		case e.Response != nil && !pages[e.Response.Body] && strings.Contains(e.Response.Body, decidedEvent):
			pages[e.Response.Body] = true
			found.log(e.Response.Body, events)
		}
	}
	return found.done()
}

const decidedEvent = "runOrchestrator.decided"

// loops are those of one drive, by the run, in the order of their first turn.
type loops struct {
	runs      []*loop
	suspended map[string]time.Time // run -> since when
}

func (l *loops) of(run string) *loop {
	for _, r := range l.runs {
		if r.Run == run {
			return r
		}
	}
	r := &loop{Run: run}
	l.runs = append(l.runs, r)
	return r
}

// done leaves what is shown.
func (l *loops) done() []loop {
	var out []loop
	for _, r := range l.runs {
		if len(r.Turns) == 0 || len(out) == mostLoops {
			continue
		}
		if r.Left = len(r.Turns) - mostTurns; r.Left > 0 {
			r.Turns = r.Turns[:mostTurns]
		}
		r.Left = max(r.Left, 0)
		out = append(out, *r)
	}
	return out
}

// turn adds a turn. Its number is compared with that of the turn before it; where retries keep a number, it may be the same.
func (r *loop) turn(number json.RawMessage, kind string, retries bool) {
	t := turn{Number: said(number), Kind: kind}
	if len(r.Turns) > 0 {
		var before, now int
		last := r.Turns[len(r.Turns)-1].Number
		_, err := fmt.Sscanf(last+" "+t.Number, "%d %d", &before, &now)
		if err == nil && now != before+1 && (!retries || now != before) {
			t.Odd = last
		}
	}
	r.Turns = append(r.Turns, t)
}

// child adds a run that the last turn began.
func (r *loop) child(class, workflow, status string) {
	sign := map[string]string{"completed": "✓ ", "failed": "✗ ", "cancelled": "✗ "}[status]
	r.happened(happening{class, sign + workflow, workflow + " " + status})
}

// below adds what came of the last turn.
func (r *loop) below(class, text string) { r.happened(happening{class, text, text}) }

func (r *loop) happened(h happening) {
	if len(r.Turns) == 0 {
		return
	}
	t := &r.Turns[len(r.Turns)-1]
	if len(t.Below) == mostBelow {
		t.Left++
		return
	}
	t.Below = append(t.Below, h)
}

// said is a JSON value as a word: a string without its quotes.
func said(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return clip(s, mostSaid)
	}
	return clip(string(raw), mostSaid)
}

// logged is an event of a run's log, as far as the picture needs it. All of it is as the target sent it.
type logged struct {
	EventID   string          `json:"eventId"`
	RunID     string          `json:"runId"`
	Type      string          `json:"type"`
	Timestamp json.RawMessage `json:"timestamp"`
	Payload   json.RawMessage `json:"payload"`
}

// drawnEvents are the types of the events that a picture is made of, as they stand in a log. Most events are of others.
var drawnEvents = [][]byte{
	[]byte(decidedEvent), []byte("node.dispatched"), []byte("node.suspended"), []byte("node.resumed"), []byte("node.failed"),
	[]byte("run.completed"), []byte("run.failed"), []byte("run.cancelled"),
}

// at is when the target says that it happened, the zero time where it says no such thing.
func (e logged) at() time.Time {
	var t time.Time
	_ = json.Unmarshal(e.Timestamp, &t) // the zero time stands for what is no time
	return t
}

// members are those of a JSON object; none of anything else.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m) // nothing stands for what is no object
	return m
}

// log reads a page of an event log. One that was read before adds nothing; what is no log of that shape is passed over.
func (l *loops) log(body string, seen map[string]bool) {
	var page struct {
		Events []json.RawMessage `json:"events"`
	}
	if json.Unmarshal([]byte(body), &page) != nil {
		return
	}
	for _, raw := range page.Events {
		var e logged
		if !slices.ContainsFunc(drawnEvents, func(kind []byte) bool { return bytes.Contains(raw, kind) }) || json.Unmarshal(raw, &e) != nil || e.EventID != "" && seen[e.EventID] {
			continue
		}
		seen[e.EventID] = true
		l.event(e)
	}
}

func (l *loops) event(e logged) {
	r := l.of(e.RunID)
	payload := members(e.Payload)
	switch e.Type {
	case decidedEvent:
		r.turn(payload["iteration"], said(members(payload["decision"])["kind"]), false)
	case "node.dispatched":
		class := "child"
		status := said(payload["childStatus"])
		if status == "failed" || status == "cancelled" {
			class = "trouble"
		}
		r.child(class, said(payload["childWorkflowId"]), status)
	case "node.suspended":
		l.suspended[e.RunID] = e.at()
		r.below("pause", "waits: "+said(payload["kind"]))
	case "node.resumed":
		since := l.suspended[e.RunID]
		if took := e.at().Sub(since); took > 0 && !since.IsZero() {
			r.below("pause", "resumed, "+took.Round(time.Millisecond).String())
		} else {
			r.below("pause", "resumed")
		}
	case "node.failed":
		r.below("trouble", "node failed")
	case "run.completed", "run.failed", "run.cancelled":
		r.End = strings.TrimPrefix(e.Type, "run.")
	}
}

// mostOfATurn is how long what an agent read or wrote may be to be taken into a picture, in bytes.
const mostOfATurn = 64 << 10

// process reads a turn of an agent of the resumable loop: the step that it asked for, or how it ended its run.
func (l *loops) process(p *wire.Spawned) {
	if len(p.Input)+len(p.Output) > mostOfATurn {
		return
	}
	type correlated struct {
		RunID string          `json:"run_id"`
		Step  json.RawMessage `json:"step"`
		Tool  json.RawMessage `json:"tool"`
	}
	var in struct {
		Event struct {
			Type    string     `json:"type"`
			Payload correlated `json:"payload"`
			Context correlated `json:"context"`
		} `json:"event"`
	}
	var out struct {
		Status string `json:"status"`
		Events []struct {
			Type    string     `json:"type"`
			Payload correlated `json:"payload"`
		} `json:"events"`
	}
	if json.Unmarshal([]byte(p.Input), &in) != nil || json.Unmarshal([]byte(p.Output), &out) != nil {
		return
	}
	for _, e := range out.Events {
		r := l.of(e.Payload.RunID)
		switch {
		case strings.HasPrefix(e.Type, "agentic.tool_request"):
			r.turn(e.Payload.Step, "asks "+said(e.Payload.Tool), true)
		case e.Type == "agentic.completed":
			r.End = "completed"
		case e.Type == "agentic.escalated":
			r.below("trouble", "escalated")
			r.End = "escalated"
		}
	}
	if in.Event.Payload.RunID != "" && len(out.Events) == 0 {
		r := l.of(in.Event.Payload.RunID)
		r.below("child", "result "+said(in.Event.Payload.Step)+": "+clip(out.Status, mostSaid))
	}
}
