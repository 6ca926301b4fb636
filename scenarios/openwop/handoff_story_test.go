package openwop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// tale is a run with the causes of its events, as a test tells it.
type tale struct {
	id     string
	shown  map[string]any // its snapshot
	events []map[string]any
}

func newTale(id, workflow, status string) *tale {
	s := &tale{id: id, shown: map[string]any{"runId": id, "workflowId": workflow, "status": status}}
	s.add("run.started", "", map[string]any{"workflowId": workflow})
	return s
}

// add appends an event and returns its id.
func (s *tale) add(kind, cause string, payload map[string]any) string {
	id := fmt.Sprintf("%s-e%d", s.id, len(s.events))
	e := map[string]any{"eventId": id, "runId": s.id, "type": kind, "payload": payload}
	if cause != "" {
		e["causationId"] = cause
	}
	s.events = append(s.events, e)
	return id
}

// step appends a step of a handoff.
func (s *tale) step(phase, cause, worker, child string, more ...any) string {
	p := map[string]any{"phase": phase, "workerId": worker, "parentRunId": s.id}
	if child != "" {
		p["childRunId"] = child
	}
	for i := 0; i+1 < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return s.add("core.workflowChain.event", cause, p)
}

func (s *tale) decide(workers ...string) string {
	decision := map[string]any{"kind": "terminate"}
	if len(workers) > 0 {
		decision = map[string]any{"kind": "next-worker", "nextWorkerIds": workers}
	}
	return s.add("runOrchestrator.decided", "", map[string]any{"agentId": "the.agent", "decision": decision})
}

// hand appends the whole handoff to a worker that completes.
func (s *tale) hand(decided, worker, child string, harvest ...string) {
	began := s.step("dispatch.began", decided, worker, "")
	succeeded := s.step("dispatch.succeeded", began, worker, child)
	s.add("node.dispatched", decided, map[string]any{"childRunId": child, "childWorkflowId": worker, "childStatus": "running"})
	completed := s.step("child.completed", succeeded, worker, child)
	if len(harvest) > 0 {
		s.step("output.harvested", completed, worker, child, "harvestedKeys", harvest)
	}
}

func (s *tale) complete() *tale {
	s.add("run.completed", s.decide(), map[string]any{})
	return s
}

// at finds the k-th event, from 0, of this type or phase.
func (s *tale) at(kind string, k int) int {
	for i, e := range s.events {
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

// payload is for a change of the payload of the k-th event of this type or phase.
func (s *tale) payload(kind string, k int) map[string]any {
	e := s.events[s.at(kind, k)]
	p := maps.Clone(e["payload"].(map[string]any))
	e["payload"] = p
	return p
}

func (s *tale) cut(kind string, k int) {
	i := s.at(kind, k)
	s.events = slices.Delete(s.events, i, i+1)
}

// move puts an event in front of another one.
func (s *tale) move(from, to int) {
	e := s.events[from]
	s.events = slices.Insert(slices.Delete(s.events, from, from+1), to, e)
}

// log mints the tale as if a host had served it.
func (s *tale) log(t *testing.T) openwop.RunLog {
	t.Helper()
	events := make([]any, len(s.events))
	for i, e := range s.events {
		e = maps.Clone(e)
		e["sequence"] = i
		events[i] = e
	}
	doc := wiretest.Value(t, map[string]any{"events": events, "snapshot": s.shown})
	status := s.shown["status"]
	return openwop.RunLog{RunID: s.id, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+s.id+`"`)), Read: wiretest.Status(t, 200), Events: doc.Key("events").Items(),
		Ended: wire.Wait{What: "the run has ended", Reached: status == "completed" || status == "failed" || status == "cancelled", Patience: time.Second, Last: doc.Key("snapshot")}}
}

// child is a run that a worker became.
func child(id, worker, parent, status string) *tale {
	s := newTale(id, worker, status)
	s.shown["parentRunId"] = parent
	s.add("run."+status, "", map[string]any{})
	return s
}

// cast are a parent and its children, before they are minted.
type cast struct {
	parent   *tale
	children []*tale
}

func (c cast) minted(t *testing.T) (openwop.RunLog, []openwop.ChildRun) {
	var out []openwop.ChildRun
	for _, s := range c.children {
		l := s.log(t)
		l.Created = wiretest.Status(t, 200)
		out = append(out, openwop.ChildRun{ID: s.id, Log: l})
	}
	return c.parent.log(t), out
}

// castOf are a loop that hands over to these workers, one a turn, and their runs.
func castOf(workers ...string) *cast {
	c := &cast{parent: newTale("p", "assay-loop", "completed")}
	for i, w := range workers {
		id := fmt.Sprint("c", i+1)
		c.parent.hand(c.parent.decide(w), w, id)
		c.children = append(c.children, child(id, w, "p", "completed"))
	}
	c.parent.complete()
	c.parent.shown["runOrchestrator"] = map[string]any{"agentId": "the.agent"}
	return c
}
