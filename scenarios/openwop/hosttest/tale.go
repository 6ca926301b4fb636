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

type Fields = map[string]any

// Tale is a run as a test tells it, with the causes of its events.
type Tale struct {
	id     string
	Shown  map[string]any // its snapshot
	Events []map[string]any
}

func NewTale(id, workflow, status string) *Tale {
	s := &Tale{id: id, Shown: map[string]any{"runId": id, "workflowId": workflow, "status": status}}
	s.Add("run.started", "", map[string]any{"workflowId": workflow})
	return s
}

// Add appends an event and returns its id.
func (s *Tale) Add(kind, cause string, payload map[string]any) string {
	id := fmt.Sprintf("%s-e%d", s.id, len(s.Events))
	e := map[string]any{"eventId": id, "runId": s.id, "type": kind, "payload": payload}
	if cause != "" {
		e["causationId"] = cause
	}
	s.Events = append(s.Events, e)
	return id
}

// Step appends a step of a handoff.
func (s *Tale) Step(phase, cause, worker, child string, more ...any) string {
	p := map[string]any{"phase": phase, "workerId": worker, "parentRunId": s.id}
	if child != "" {
		p["childRunId"] = child
	}
	for i := 0; i+1 < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return s.Add("core.workflowChain.event", cause, p)
}

func (s *Tale) Decide(workers ...string) string {
	decision := map[string]any{"kind": "terminate"}
	if len(workers) > 0 {
		decision = map[string]any{"kind": "next-worker", "nextWorkerIds": workers}
	}
	return s.Add("runOrchestrator.decided", "", map[string]any{"agentId": "the.agent", "decision": decision})
}

// Hand appends the whole handoff to a worker that completes.
func (s *Tale) Hand(decided, worker, child string, harvest ...string) {
	began := s.Step("dispatch.began", decided, worker, "")
	succeeded := s.Step("dispatch.succeeded", began, worker, child)
	s.Add("node.dispatched", decided, map[string]any{"childRunId": child, "childWorkflowId": worker, "childStatus": "running"})
	completed := s.Step("child.completed", succeeded, worker, child)
	if len(harvest) > 0 {
		s.Step("output.harvested", completed, worker, child, "harvestedKeys", harvest)
	}
}

func (s *Tale) Complete() *Tale {
	s.Add("run.completed", s.Decide(), map[string]any{})
	return s
}

// At returns the index of the k-th event (from 0) of this type or phase.
func (s *Tale) At(kind string, k int) int {
	for i, e := range s.Events {
		payload, _ := e["payload"].(map[string]any)
		if e["type"] == kind || payload["phase"] == kind {
			if k == 0 {
				return i
			}
			k--
		}
	}
	panic("no such event in the tale: " + kind)
}

// Payload returns a copy of the payload of the k-th event of this type or phase, to be changed in place.
func (s *Tale) Payload(kind string, k int) map[string]any {
	e := s.Events[s.At(kind, k)]
	p := maps.Clone(e["payload"].(map[string]any))
	e["payload"] = p
	return p
}

func (s *Tale) Cut(kind string, k int) {
	i := s.At(kind, k)
	s.Events = slices.Delete(s.Events, i, i+1)
}

// Move moves an event to another index.
func (s *Tale) Move(from, to int) {
	e := s.Events[from]
	s.Events = slices.Insert(slices.Delete(s.Events, from, from+1), to, e)
}

// Log mints the tale as if a host had served it.
func (s *Tale) Log(t *testing.T) host.RunLog {
	t.Helper()
	events := make([]any, len(s.Events))
	for i, e := range s.Events {
		e = maps.Clone(e)
		e["sequence"] = i
		events[i] = e
	}
	doc := wiretest.Value(t, map[string]any{"events": events, "snapshot": s.Shown})
	status := s.Shown["status"]
	return host.RunLog{RunID: s.id, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+s.id+`"`)),
		Read: wiretest.Status(t, 200), Events: doc.Key("events").Items(),
		Ended: wire.Wait{What: "the run has ended", Reached: status == "completed" || status == "failed" || status == "cancelled",
			Patience: time.Second, Last: doc.Key("snapshot")}}
}

// Child tells the run of a worker.
func Child(id, worker, parent, status string) *Tale {
	s := NewTale(id, worker, status)
	s.Shown["parentRunId"] = parent
	s.Add("run."+status, "", map[string]any{})
	return s
}

// Cast is a parent and its children before they are minted.
type Cast struct {
	Parent   *Tale
	Children []*Tale
}

func (c Cast) Minted(t *testing.T) (host.RunLog, []host.ChildRun) {
	var out []host.ChildRun
	for _, s := range c.Children {
		l := s.Log(t)
		l.Created = wiretest.Status(t, 200)
		out = append(out, host.ChildRun{ID: s.id, Log: l})
	}
	return c.Parent.Log(t), out
}

// CastOf tells a loop that hands over to these workers, one a turn, and their runs.
func CastOf(workers ...string) *Cast {
	c := &Cast{Parent: NewTale("p", "assay-loop", "completed")}
	for i, w := range workers {
		id := fmt.Sprint("c", i+1)
		c.Parent.Hand(c.Parent.Decide(w), w, id)
		c.Children = append(c.Children, Child(id, w, "p", "completed"))
	}
	c.Parent.Complete()
	c.Parent.Shown["runOrchestrator"] = map[string]any{"agentId": "the.agent"}
	return c
}
