// Package hosttest gives tests what a host might have sent: runs as stories, answers, and small servers.
package hosttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// Entries are the event documents of a log, in order.
type Entries []map[string]any

// With returns a copy in which one member of the k-th event is changed, or removed if value is nil.
func (e Entries) With(k int, member string, value any) Entries {
	e = slices.Clone(e)
	e[k] = maps.Clone(e[k])
	if e[k][member] = value; value == nil {
		delete(e[k], member)
	}
	return e
}

// From returns a copy renumbered from n.
func (e Entries) From(n int) Entries {
	e = slices.Clone(e)
	for i := range e {
		e[i] = maps.Clone(e[i])
		e[i]["sequence"] = n + i
	}
	return e
}

// Log mints the log of a finished run, as read by polling.
func (e Entries) Log(t *testing.T, run string) host.RunLog {
	t.Helper()
	doc := wiretest.Value(t, map[string]any{"events": e, "snapshot": map[string]any{"runId": run, "status": "completed"}})
	return host.RunLog{RunID: run, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+run+`"`)),
		Read:   wiretest.Status(t, 200),
		Events: doc.Key("events").Items(), Ended: wire.Wait{What: "the run has ended", Reached: true, Patience: time.Second,
			Last: doc.Key("snapshot")}}
}

// Waiting cuts the story after its first question, which stays open.
func (s Story) Waiting() Story {
	i := slices.IndexFunc(s.Events, func(e Event) bool { return e.Kind == "interrupt.requested" })
	s.Events = slices.Clone(s.Events[:i+1])
	return s.WithStatus("waiting-input")
}

// Named returns the story under another run id.
func (s Story) Named(id string) Story { s.Id = id; return s }

// Story is a run as a test tells it: its events, in order.
type Story struct {
	Id     string
	Status string
	Events []Event
}

type Event struct {
	Kind    string
	Payload map[string]any
}

func Decided(iteration any, kind string) Event {
	p := map[string]any{"agentId": "a.supervisor", "decision": map[string]any{"kind": kind, "confidence": 0.9}}
	if iteration != nil {
		p["iteration"] = iteration
	}
	return Event{"runOrchestrator.decided", p}
}

func Chain(phase, child string) Event {
	return Event{"core.workflowChain.event", map[string]any{"phase": phase, "childRunId": child, "workerId": "w", "parentRunId": "r"}}
}

func Breach(limit, observed int) Event {
	return Event{"cap.breached", map[string]any{"kind": "loop-iterations", "limit": limit, "observed": observed}}
}

func Failed(code string) Event {
	return Event{"run.failed", map[string]any{"error": map[string]any{"code": code, "message": "m"}}}
}

// LoopOf is the honest story of a loop that ends by itself after n turns.
func LoopOf(n int) Story {
	s := Story{Id: "r", Status: "completed", Events: []Event{{"run.started", map[string]any{"workflowId": "w"}}}}
	for i := 1; i < n; i++ {
		child := fmt.Sprint("c", i)
		s.Events = append(s.Events, Decided(i, "next-worker"), Chain("dispatch.began", ""), Chain("dispatch.succeeded", child),
			Chain("child.completed", child))
	}
	s.Events = append(s.Events, Decided(n, "terminate"), Event{"run.completed", map[string]any{}})
	return s
}

// Bounded is the honest story of a loop that crossed its bound n.
func Bounded(n int) Story {
	s := LoopOf(n + 1)
	s.Events = append(s.Events[:len(s.Events)-2], Breach(n, n+1), Failed("loop_limit_exceeded"))
	s.Status = "failed"
	return s
}

// Change edits the payload of the k-th event (from 0) of a kind.
func (s Story) Change(kind string, k int, edit func(map[string]any)) Story {
	s.Events = slices.Clone(s.Events)
	for i, e := range s.Events {
		if e.Kind == kind {
			if k == 0 {
				p := maps.Clone(e.Payload)
				edit(p)
				s.Events[i].Payload = p
				return s
			}
			k--
		}
	}
	panic("no such event in the story: " + kind)
}

func (s Story) Drop(kind string) Story {
	s.Events = slices.DeleteFunc(slices.Clone(s.Events), func(e Event) bool { return e.Kind == kind })
	return s
}

func (s Story) Then(e ...Event) Story {
	s.Events = append(slices.Clone(s.Events), e...)
	return s
}

func (s Story) WithStatus(status string) Story { s.Status = status; return s }

// Log mints the story as if a host had served it.
func (s Story) Log(t *testing.T) host.RunLog {
	t.Helper()
	var events []any
	for i, e := range s.Events {
		events = append(events, map[string]any{"eventId": fmt.Sprintf("%s-%d", s.Id, i), "runId": s.Id, "type": e.Kind, "sequence": i,
			"payload": e.Payload})
	}
	doc := wiretest.Value(t, map[string]any{"events": events, "snapshot": map[string]any{"runId": s.Id, "status": s.Status}})
	return host.RunLog{RunID: s.Id, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+s.Id+`"`)),
		Read: wiretest.Status(t, 200), Events: doc.Key("events").Items(),
		Ended: wire.Wait{What: "the run has ended", Reached: s.Status == "completed" || s.Status == "failed", Patience: time.Second,
			Last: doc.Key("snapshot")}}
}
