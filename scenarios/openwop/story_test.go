package openwop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// story is a run as a test tells it: what happened, in order.
type story struct {
	id     string
	status string
	events []event
}

type event struct {
	kind    string
	payload map[string]any
}

func decided(iteration any, kind string) event {
	p := map[string]any{"agentId": "a.supervisor", "decision": map[string]any{"kind": kind, "confidence": 0.9}}
	if iteration != nil {
		p["iteration"] = iteration
	}
	return event{"runOrchestrator.decided", p}
}

func chain(phase, child string) event {
	return event{"core.workflowChain.event", map[string]any{"phase": phase, "childRunId": child, "workerId": "w", "parentRunId": "r"}}
}

func breach(limit, observed int) event {
	return event{"cap.breached", map[string]any{"kind": "loop-iterations", "limit": limit, "observed": observed}}
}

func failed(code string) event {
	return event{"run.failed", map[string]any{"error": map[string]any{"code": code, "message": "m"}}}
}

// loop is the honest story of n turns that end by themselves.
func loop(n int) story {
	s := story{id: "r", status: "completed", events: []event{{"run.started", map[string]any{"workflowId": "w"}}}}
	for i := 1; i < n; i++ {
		child := fmt.Sprint("c", i)
		s.events = append(s.events, decided(i, "next-worker"), chain("dispatch.began", ""), chain("dispatch.succeeded", child), chain("child.completed", child))
	}
	s.events = append(s.events, decided(n, "terminate"), event{"run.completed", map[string]any{}})
	return s
}

// bounded is the honest story of a loop that crossed its bound n.
func bounded(n int) story {
	s := loop(n + 1)
	s.events = append(s.events[:len(s.events)-2], breach(n, n+1), failed("loop_limit_exceeded"))
	s.status = "failed"
	return s
}

// change edits the k-th event (from 0) of a kind.
func (s story) change(kind string, k int, edit func(map[string]any)) story {
	s.events = slices.Clone(s.events)
	for i, e := range s.events {
		if e.kind == kind {
			if k == 0 {
				p := maps.Clone(e.payload)
				edit(p)
				s.events[i].payload = p
				return s
			}
			k--
		}
	}
	panic("no such event in the story: " + kind)
}

func (s story) drop(kind string) story {
	s.events = slices.DeleteFunc(slices.Clone(s.events), func(e event) bool { return e.kind == kind })
	return s
}

func (s story) then(e ...event) story {
	s.events = append(slices.Clone(s.events), e...)
	return s
}

func (s story) withStatus(status string) story { s.status = status; return s }

// log mints the story as if a host had served it.
func (s story) log(t *testing.T) openwop.RunLog {
	t.Helper()
	var events []any
	for i, e := range s.events {
		events = append(events, map[string]any{"eventId": fmt.Sprintf("%s-%d", s.id, i), "runId": s.id, "type": e.kind, "sequence": i, "payload": e.payload})
	}
	doc := wiretest.Value(t, map[string]any{"events": events, "snapshot": map[string]any{"runId": s.id, "status": s.status}})
	return openwop.RunLog{RunID: s.id, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+s.id+`"`)), Read: wiretest.Status(t, 200), Events: doc.Key("events").Items(),
		Ended: wire.Wait{What: "the run has ended", Reached: s.status == "completed" || s.status == "failed", Patience: time.Second, Last: doc.Key("snapshot")}}
}

func scenario(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	for _, suite := range openwop.Suites() {
		for _, s := range suite.Scenarios {
			if s.Name() == name {
				return s
			}
		}
	}
	t.Fatalf("no scenario %s", name)
	return scenarios.Scenario{}
}

// expect judges and compares: want is "passed", "blocked", or the id of the
// requirement whose violation is reported first.
func expect(t *testing.T, name string, observation any, want string) {
	t.Helper()
	out := scenarios.Conclude(scenario(t, name), openwop.Protocol.Ledger, observation)
	got := string(out.Verdict)
	if out.Failure != nil {
		got = string(out.Failure.Requirement)
	}
	if got != want {
		t.Errorf("%s: %s (%s), want %s", name, got, out.Reason, want)
	}
}
