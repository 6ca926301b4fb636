package interrupts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// gateRun is a made-up run with an interrupt.
type gateRun struct {
	id, status string
	events     []hosttest.Event
	shown      map[string]any // further members of the snapshot
	at         map[int]time.Duration
}

const gateNode = "gate"

var gateStart = time.Date(2026, 6, 1, 12, 0, 0, int(time.Millisecond), time.UTC)

func ofGate(kind string, payload map[string]any) hosttest.Event {
	if payload == nil {
		payload = map[string]any{}
	}
	payload["nodeId"] = gateNode
	return hosttest.Event{Kind: kind, Payload: payload}
}

// waitingRun returns a run that waits for an approval.
func waitingRun(id string) gateRun {
	return gateRun{id: id, status: "waiting-approval", shown: map[string]any{"currentNodeId": gateNode}, events: []hosttest.Event{
		{Kind: "run.started", Payload: map[string]any{"workflowId": "w"}}, ofGate("node.started", nil),
		ofGate("node.suspended", map[string]any{"interruptId": "i-1", "kind": "approval", "key": "k-1"}),
		ofGate("interrupt.requested", map[string]any{"kind": "approval", "key": "k-1"}),
	}}
}

func (r gateRun) then(status string, e ...hosttest.Event) gateRun {
	r.status, r.events, r.shown = status, append(slices.Clone(r.events), e...), maps.Clone(r.shown)
	return r
}

func (r gateRun) shows(member string, v any) gateRun {
	r.shown = maps.Clone(r.shown)
	r.shown[member] = v
	return r
}

// resolved returns the run completed after this answer.
func (r gateRun) resolved(answer map[string]any) gateRun {
	return r.then("completed",
		ofGate("interrupt.resolved", map[string]any{"interruptId": "i-1", "resumeValue": answer}), ofGate("node.resumed",
			map[string]any{"resumeValue": answer}),
		hosttest.Event{Kind: "run.resumed", Payload: map[string]any{}}, ofGate("node.completed",
			map[string]any{"outputs": map[string]any{"answer": answer}}),
		hosttest.Event{Kind: "run.completed", Payload: map[string]any{}}).shows("variables", map[string]any{"answer": answer,
		"artifact": map[string]any{"text": "draft"}})
}

// rejected returns the run failed by a rejection.
func (r gateRun) rejected() gateRun {
	answer := map[string]any{"action": "reject"}
	return r.then("failed", ofGate("interrupt.resolved", map[string]any{"interruptId": "i-1", "resumeValue": answer}),
		ofGate("node.failed", map[string]any{"error": map[string]any{"code": "interrupt_rejected"}}),
		hosttest.Event{Kind: "run.failed",
			Payload: map[string]any{"error": map[string]any{"code": "interrupt_rejected"}}}).shows("error",
		map[string]any{"code": "interrupt_rejected"})
}

func (r gateRun) cancelled() gateRun {
	return r.then("cancelled", hosttest.Event{Kind: "run.cancelled", Payload: map[string]any{"reason": "parent-cancelled"}})
}

func (r gateRun) without(kind string) gateRun {
	r.events = slices.DeleteFunc(slices.Clone(r.events), func(e hosttest.Event) bool { return e.Kind == kind })
	return r
}

func (r gateRun) log(t *testing.T) host.RunLog { return r.logIn(t, time.RFC3339Nano) }

// inSeconds returns the log with timestamps in whole seconds.
func (r gateRun) inSeconds(t *testing.T) host.RunLog { return r.logIn(t, time.RFC3339) }

func (r gateRun) logIn(t *testing.T, layout string) host.RunLog {
	t.Helper()
	var events []any
	for i, e := range r.events {
		events = append(events, map[string]any{"eventId": fmt.Sprintf("%s-%d-%s", r.id, i, e.Kind), "runId": r.id, "type": e.Kind,
			"sequence": i, "payload": e.Payload,
			"timestamp": gateStart.Add(r.at[i]).Format(layout)})
	}
	snapshot := map[string]any{"runId": r.id, "status": r.status}
	maps.Copy(snapshot, r.shown)
	doc := wiretest.Value(t, map[string]any{"events": events, "snapshot": snapshot})
	return host.RunLog{RunID: r.id, Created: wiretest.Status(t, 201), ID: wiretest.Value(t, json.RawMessage(`"`+r.id+`"`)),
		Read: wiretest.Status(t, 200), Events: doc.Key("events").Items(),
		Ended: wire.Wait{What: "the run", Reached: true, Patience: time.Second, Last: doc.Key("snapshot")}}
}

// gate returns the run at its suspension.
func (r gateRun) gate(t *testing.T) interrupts.Gate {
	l := r.log(t)
	l.Ended.Reached = r.status != "failed" && r.status != "completed"
	return interrupts.Gate{Way: "w", Ours: true, Node: gateNode, Suspended: l.Ended, Log: l}
}

// responded returns an answer, and the run after it.
func responded(t *testing.T, status int, marker string, after ...gateRun) interrupts.Response {
	a := interrupts.Response{Answered: hosttest.Told(t, "to answer "+marker, status, map[string]any{"runId": "r", "nodeId": gateNode,
		"status": "running"}), Marker: marker}
	for _, r := range after {
		a.After = r.log(t)
	}
	return a
}

func saying(action, comment string) map[string]any {
	return map[string]any{"action": action, "comment": comment}
}

func sentinelEnded(t *testing.T) wire.Wait {
	return wire.Wait{What: "the sentinel has ended", Reached: true, Last: wiretest.Value(t, map[string]any{"status": "completed"})}
}

// spoilt judges observations that differ from an honest one.
type spoilt[O any] struct {
	name, scenario string
	spoil          func(*O)
	want           string
}

func judgeAll[O any](t *testing.T, honest func(*testing.T) O, rows []spoilt[O]) {
	for _, c := range rows {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honest(t)
			if c.spoil != nil {
				c.spoil(&o)
			}
			hosttest.Expect(t, c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfAnApproval(t *testing.T) {
	wait := waitingRun("r")
	end := wait.resolved(saying("accept", "yes"))
	honest := func(t *testing.T) interrupts.ApprovalObservation {
		return interrupts.ApprovalObservation{Gate: wait.gate(t), Draft: "draft", Unoffered: []interrupts.Response{responded(t, 400,
			"u1", wait), responded(t, 422, "u2", wait)},
			Nowhere: responded(t, 404, "nw", wait), Barrier: sentinelEnded(t), Later: wait.log(t), Accepted: responded(t, 200, "yes"),
			End: end.log(t), Again: responded(t, 409, "again", end)}
	}
	type O = interrupts.ApprovalObservation
	upstream := func(o *O) { o.Ours = false }
	rows := []spoilt[O]{
		{"waits elsewhere", "waits", func(o *O) { o.Gate = wait.shows("currentNodeId", "after").gate(t) }, openwop.OWPINT7},
		{"waits for input", "waits", func(o *O) { o.Gate = wait.then("waiting-input").gate(t) }, "passed"},
		{"does not wait at all", "waits", func(o *O) { o.Gate = end.gate(t) }, openwop.OWPINT6},
		{"cannot run it", "waits", func(o *O) { o.Gate = wait.then("failed").gate(t) }, hosttest.BlockedOn("")},
		{"says nothing of it on the log", "waits",
			func(o *O) { o.Gate = wait.without("node.suspended").without("interrupt.requested").gate(t) }, openwop.OWPINT8},
		{"suspended twice", "waits", func(o *O) { o.Gate = wait.then("waiting-approval", ofGate("node.suspended", nil)).gate(t) },
			openwop.OWPINT8},
		{"only requested", "waits", func(o *O) { o.Gate = wait.without("node.suspended").gate(t) }, "passed"},

		{"resolved before it was suspended", "in-order", func(o *O) {
			r := end
			r.events = slices.Concat(end.events[4:5], end.events[:4], end.events[5:])
			o.End = r.log(t)
		}, openwop.OWPINT11},
		{"completed before it was resumed", "in-order", func(o *O) {
			o.End = end.without("node.resumed").then("completed", ofGate("node.resumed", nil)).log(t)
		}, openwop.OWPINT11},
		{"resolved twice", "in-order", func(o *O) {
			r := end
			r.events = slices.Concat(end.events[:5], end.events[4:])
			o.End = r.log(t)
		}, openwop.OWPINT11},
		{"neither requested nor resolved", "in-order",
			func(o *O) { o.End = end.without("interrupt.requested").without("interrupt.resolved").log(t) }, "passed"},
		{"run.resumed at the end", "in-order", func(o *O) {
			o.End = end.without("run.resumed").then("completed", hosttest.Event{Kind: "run.resumed", Payload: nil}).log(t)
		}, "passed"},

		{"stands still", "accepted", func(o *O) { o.End = wait.log(t); o.End.Ended.Reached = false }, openwop.OWPINT16},
		{"fails of it", "accepted", func(o *O) { o.End = wait.rejected().log(t) }, openwop.OWPINT16},
		{"refuses it", "accepted", func(o *O) { o.Accepted = responded(t, 409, "yes") }, openwop.OWPINT16},
		{"refuses it, when a wrong answer has moved it", "accepted", func(o *O) {
			o.Accepted, o.Later = responded(t, 409, "yes"), wait.resolved(saying("refine", "u2")).log(t)
		}, hosttest.BlockedOn("")},
		{"takes a wrong answer", "accepted", func(o *O) { o.Unoffered[1] = responded(t, 200, "u2", end) }, hosttest.BlockedOn(openwop.OWPINT20)},
		{"takes one to no node", "accepted", func(o *O) { o.Nowhere = responded(t, 200, "nw", end) }, hosttest.BlockedOn(openwop.OWPINT14)},
		{"falls over a wrong answer and moves", "accepted", func(o *O) { o.Nowhere = responded(t, 500, "nw", end) }, hosttest.BlockedOn("")},
		{"another draft", "artifact", func(o *O) { o.Draft = "another" }, openwop.OWPINT18},
		{"shows another draft beside it", "artifact", func(o *O) {
			o.End = end.then("completed", ofGate("node.completed",
				map[string]any{"outputs": map[string]any{"artifact": map[string]any{"text": "another"}}})).log(t)
		}, openwop.OWPINT18},
		{"loses the draft", "artifact", func(o *O) { o.End = end.shows("variables", map[string]any{"answer": "yes"}).log(t) }, openwop.OWPINT18},
		{"shows it in its outputs alone", "artifact", func(o *O) {
			o.End = end.then("completed", hosttest.Event{Kind: "run.completed",
				Payload: map[string]any{"output": map[string]any{"artifact": map[string]any{"text": "draft"}}}}).shows("variables", nil).log(t)
		}, "passed"},
		{"shows nothing that it made", "artifact",
			func(o *O) { o.End = end.without("node.completed").shows("variables", map[string]any{}).log(t) }, "blocked"},
		{"loses what was said", "artifact", func(o *O) { o.End = wait.resolved(saying("accept", "")).log(t) }, openwop.OWPINT18},
		{"upstream's", "artifact", func(o *O) { upstream(o); o.Draft = "" }, "blocked"},
		{"that of its config", "artifact", upstream, "passed"},
		{"that of its config, which it does not show", "artifact", func(o *O) {
			upstream(o)
			o.End = end.without("node.completed").shows("variables", map[string]any{"answer": "yes"}).log(t)
		}, "blocked"},

		{"takes one", "action-not-offered",
			func(o *O) { o.Unoffered[1] = responded(t, 200, "u2", wait.resolved(saying("refine", "u2"))) }, openwop.OWPINT20},
		{"refuses one and moves", "action-not-offered",
			func(o *O) { o.Unoffered[1] = responded(t, 422, "u2", wait.resolved(saying("refine", "u2"))) }, openwop.OWPINT13},
		{"refuses one and moves later", "action-not-offered", func(o *O) { o.Later = wait.resolved(saying("refine", "u2")).log(t) },
			openwop.OWPINT13},
		{"keeps what it refused", "action-not-offered", func(o *O) { o.End = wait.resolved(saying("accept", "yes u1")).log(t) },
			openwop.OWPINT13},
		{"falls over", "action-not-offered", func(o *O) { o.Unoffered[0] = responded(t, 500, "u1", wait) }, openwop.OWPINT20},
		{"takes nothing", "action-not-offered", func(o *O) { o.Accepted = responded(t, 400, "yes") }, hosttest.BlockedOn("")},

		{"takes it", "unknown-node", func(o *O) { o.Nowhere = responded(t, 200, "nw", wait) }, openwop.OWPINT14},
		{"refuses it and moves", "unknown-node", func(o *O) { o.Nowhere = responded(t, 404, "nw", end) }, openwop.OWPINT13},

		{"was moved before", "unknown-node",
			func(o *O) { o.Unoffered[1] = responded(t, 422, "u2", wait.resolved(saying("refine", "u2"))) }, hosttest.BlockedOn(openwop.OWPINT13)},
		{"moves for the other answer", "action-not-offered",
			func(o *O) { o.Nowhere, o.Later = responded(t, 404, "nw", end), end.log(t) }, hosttest.BlockedOn(openwop.OWPINT13)},

		{"takes it", "answered-twice", func(o *O) { o.Again = responded(t, 200, "again", end) }, openwop.OWPINT2},
		{"refuses it and changes", "answered-twice", func(o *O) { o.Again = responded(t, 409, "again", wait.rejected()) }, openwop.OWPINT2},
		{"refuses it and keeps it", "answered-twice", func(o *O) {
			o.Again = responded(t, 409, "again", end.shows("variables", map[string]any{"answer": "again"}))
		}, openwop.OWPINT2},
	}
	for _, scenario := range []string{"waits", "in-order", "named", "accepted", "artifact", "action-not-offered", "unknown-node",
		"answered-twice"} {
		rows = append(rows, spoilt[O]{"honest", scenario, nil, "passed"})
		if scenario != "waits" {
			rows = append(rows, spoilt[O]{"never waited", scenario, func(o *O) { o.Gate = end.gate(t) }, hosttest.BlockedOn(openwop.OWPINT6)})
		}
	}
	judgeAll(t, honest, rows)
	t.Run("another waiting status is told", func(t *testing.T) {
		o := honest(t)
		o.Gate = wait.then("waiting-external").gate(t)
		if !hosttest.HasNote(t, "waits", o, "waiting-external") {
			t.Errorf("notes: %v", hosttest.Notes(t, "waits", o))
		}
	})
	t.Run("what is not named is told", func(t *testing.T) {
		o := honest(t)
		o.End = end.without("interrupt.requested").without("interrupt.resolved").log(t)
		if got := hosttest.Findings(t, "named", o); !slices.Contains(got, openwop.OWPINT12) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfOneDecision(t *testing.T) {
	wait := waitingRun("r")
	type O = interrupts.DecidedObservation
	judgeAll(t, func(t *testing.T) O {
		return O{Gate: wait.gate(t), Decided: responded(t, 200, "no"), End: wait.rejected().log(t)}
	}, []spoilt[O]{
		{"honest", "rejected", nil, "passed"},
		{"completes", "rejected", func(o *O) { o.End = wait.resolved(saying("reject", "no")).log(t) }, "passed"},
		{"accepts it", "rejected", func(o *O) { o.End = wait.resolved(saying("accept", "no")).log(t) }, openwop.OWPINT17},
		{"says nothing", "rejected",
			func(o *O) { o.End = wait.then("completed", hosttest.Event{Kind: "run.completed", Payload: nil}).log(t) }, openwop.OWPINT17},
		{"says what could be answered, and nothing else", "rejected", func(o *O) {
			asked := wait.shows("variables", map[string]any{"actions": []any{"accept", "reject"}})
			asked.events = append(asked.events[:3:3], ofGate("interrupt.requested", map[string]any{"kind": "approval",
				"data": map[string]any{"actions": []any{"accept", "reject"}}}))
			o.Gate, o.End = asked.gate(t), asked.then("completed", hosttest.Event{Kind: "run.completed", Payload: nil}).log(t)
		}, openwop.OWPINT17},
		{"says it among its variables", "rejected", func(o *O) {
			asked := wait.shows("variables", map[string]any{"actions": []any{"accept", "reject"}})
			o.Gate, o.End = asked.gate(t), asked.then("completed", hosttest.Event{Kind: "run.completed", Payload: nil}).shows("variables",
				map[string]any{"actions": []any{"accept", "reject"}, "answer": "reject"}).log(t)
		}, "passed"},
		{"stands still", "rejected", func(o *O) { o.End.Ended.Reached = false }, openwop.OWPINT17},
		{"refuses it", "rejected", func(o *O) { o.Decided = responded(t, 422, "no") }, openwop.OWPINT17},
		{"never waited", "rejected", func(o *O) { o.Gate = wait.rejected().gate(t) }, "blocked"},
	})
	edited := wait.resolved(saying("edit-accept", "")).shows("variables", map[string]any{"artifact": map[string]any{"text": "edit"}})
	judgeAll(t, func(t *testing.T) O {
		return O{Gate: wait.gate(t), Draft: "draft", Decided: responded(t, 200, "edit"), End: edited.log(t)}
	}, []spoilt[O]{
		{"honest", "edited", nil, "passed"},
		{"goes on with the draft", "edited", func(o *O) { o.End = wait.resolved(saying("edit-accept", "edit")).log(t) }, openwop.OWPINT18},
		{"shows nothing that it made", "edited", func(o *O) { o.End = edited.without("node.completed").shows("variables", nil).log(t) },
			"blocked"},
		{"that of its config", "edited", func(o *O) { o.Ours = false }, "passed"},
		{"goes on with that of its config", "edited",
			func(o *O) { o.Ours, o.End = false, wait.resolved(saying("accept", "")).log(t) }, openwop.OWPINT18},
		{"shows neither its config's nor the edit", "edited", func(o *O) {
			o.Ours, o.End = false, edited.without("node.completed").shows("variables", map[string]any{"answer": "yes"}).log(t)
		}, "blocked"},
		{"refuses it", "edited", func(o *O) { o.Decided = responded(t, 422, "edit") }, openwop.OWPINT18},
		{"fails of it", "edited", func(o *O) { o.End = wait.rejected().log(t) }, openwop.OWPINT18},
	})
}

func TestJudgesOfAQuestionAboutAnApproval(t *testing.T) {
	wait := waitingRun("r")
	again := func(key string) gateRun {
		return wait.then("waiting-approval", ofGate("interrupt.resolved", map[string]any{"interruptId": "i-1"}),
			ofGate("node.suspended", map[string]any{"interruptId": "i-2", "kind": "approval", "key": key}))
	}
	type O = interrupts.AskedAboutObservation
	judgeAll(t, func(t *testing.T) O {
		between := again("k-2").log(t)
		return O{Gate: wait.gate(t), Asked: responded(t, 200, "why"), Again: between.Ended, Between: between, Accepted: responded(t,
			200, "yes"), End: again("k-2").resolved(saying("accept", "yes")).log(t)}
	}, []spoilt[O]{
		{"honest", "asked", nil, "passed"},
		{"waits for input", "asked", func(o *O) { o.Between = again("k-2").then("waiting-input").log(t) }, "passed"},
		{"leaves the old one open", "asked", func(o *O) { o.Between, o.Again.Reached = wait.log(t), false }, "passed"},
		{"goes on behind its back", "asked", func(o *O) { o.Between = again("k-2").then("running").log(t) }, openwop.OWPINT19},
		{"takes it for a yes", "asked", func(o *O) { o.Between = wait.resolved(saying("ask", "why")).log(t); o.Again.Reached = false },
			openwop.OWPINT19},
		{"goes on and waits", "asked",
			func(o *O) { o.Between = again("k-2").then("waiting-approval", ofGate("node.completed", nil)).log(t) }, openwop.OWPINT19},
		{"stands still afterwards", "asked", func(o *O) { o.End.Ended.Reached = false }, openwop.OWPINT19},
		{"waits, and the log is silent", "asked", func(o *O) {
			o.Gate, o.Again.Reached = wait.without("node.suspended").without("interrupt.requested").gate(t), false
		}, "blocked"},
		{"refuses what it offers", "asked", func(o *O) { o.Asked = responded(t, 422, "why") }, openwop.OWPINT19},

		{"honest", "keys-differ", nil, "passed"},
		{"one key for both", "keys-differ", func(o *O) { o.Between = again("k-1").log(t) }, openwop.OWPINT9},
		{"an empty key", "keys-differ", func(o *O) { o.Between = again("").log(t) }, openwop.OWPINT9},
		{"no second one", "keys-differ", func(o *O) { o.Again.Reached = false }, "blocked"},
		{"shows no keys", "keys-differ",
			func(o *O) { o.Between = wait.without("node.suspended").without("interrupt.requested").log(t) }, "blocked"},
	})
	type R = interrupts.GateReplayedObservation
	judgeAll(t, func(t *testing.T) R {
		end := wait.resolved(saying("accept", "yes"))
		copied := end
		copied.id = "fork"
		return R{Gate: wait.gate(t), Accepted: responded(t, 200, "yes"), End: end.log(t), Replayed: copied.log(t)}
	}, []spoilt[R]{
		{"honest", "keys-replayed", nil, "passed"},
		{"another key", "keys-replayed", func(o *R) {
			r := wait
			r.events = slices.Clone(r.events)
			r.events[2] = ofGate("node.suspended", map[string]any{"key": "k-9"})
			o.Replayed = r.resolved(saying("accept", "yes")).log(t)
		}, openwop.OWPINT10},
		{"the id of the run in the key", "keys-replayed", func(o *R) {
			keyed := func(id, key string) host.RunLog {
				r := wait
				r.id, r.events = id, slices.Clone(r.events)
				r.events[2] = ofGate("node.suspended", map[string]any{"key": key})
				return r.resolved(saying("accept", "yes")).log(t)
			}
			o.End, o.Replayed = keyed("run", "run:gate:1"), keyed("fork", "fork:gate:1")
		}, "passed"},
		{"another count behind the id of the run", "keys-replayed", func(o *R) {
			r := wait
			r.id, r.events = "fork", slices.Clone(r.events)
			r.events[2] = ofGate("node.suspended", map[string]any{"key": "fork:gate:2"})
			o.Replayed = r.resolved(saying("accept", "yes")).log(t)
		}, openwop.OWPINT10},
		{"raises none", "keys-replayed", func(o *R) { o.Replayed = hosttest.LoopOf(2).Log(t) }, "blocked"},
	})
}
