package openwop_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// wholeLife returns the honest log of a loop that hands over twice in one turn, asks a person, and terminates.
func wholeLife(run string) hosttest.Entries {
	step := func(phase, worker string, more map[string]any) hosttest.Event {
		p := map[string]any{"phase": phase, "workerId": worker, "parentRunId": run}
		maps.Copy(p, more)
		return hosttest.Event{Kind: "core.workflowChain.event", Payload: p}
	}
	decision := func(iteration int, d map[string]any) hosttest.Event {
		return hosttest.Event{Kind: "runOrchestrator.decided", Payload: map[string]any{"agentId": "an.agent", "iteration": iteration,
			"decision": d}}
	}
	child := map[string]any{"childRunId": "c1"}
	causes := map[int]int{2: 1, 3: 2, 4: 1, 5: 3, 6: 5, 7: 1, 8: 7}
	var log hosttest.Entries
	for i, e := range []hosttest.Event{
		{Kind: "run.started", Payload: map[string]any{"workflowId": "w"}},
		decision(1, map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"a", "b"}}),
		step("dispatch.began", "a", nil),
		step("dispatch.succeeded", "a", child),
		{Kind: "node.dispatched", Payload: map[string]any{"childRunId": "c1", "childWorkflowId": "a", "childStatus": "completed"}},
		step("child.completed", "a", child),
		step("output.harvested", "a", map[string]any{"childRunId": "c1", "harvestedKeys": []string{"k"}}),
		step("dispatch.began", "b", nil),
		step("dispatch.failed", "b", map[string]any{"error": map[string]any{"code": "not_found", "message": "no such workflow"}}),
		decision(2, map[string]any{"kind": "ask-user", "prompt": "Shall it go on?"}),
		{Kind: "node.suspended", Payload: map[string]any{"nodeId": "s", "interruptId": "i1", "kind": "clarification", "reason": "asks"}},
		{Kind: "interrupt.resolved", Payload: map[string]any{"nodeId": "s", "interruptId": "i1", "kind": "clarification", "resumeValue": "yes"}},
		decision(3, map[string]any{"kind": "terminate", "reason": "done"}),
		{Kind: "run.completed", Payload: map[string]any{}},
	} {
		log = append(log, map[string]any{"eventId": fmt.Sprint(run, "-", i), "runId": run, "type": e.Kind, "payload": e.Payload,
			"timestamp": fmt.Sprintf("2026-11-01T00:00:%02dZ", i), "sequence": i})
		if cause, ok := causes[i]; ok {
			log[i]["causationId"] = fmt.Sprint(run, "-", cause)
		}
	}
	return log
}

// paid returns a copy of the log with members of the k-th event's payload changed.
func paid(e hosttest.Entries, k int, change map[string]any) hosttest.Entries {
	p := maps.Clone(e[k]["payload"].(map[string]any))
	maps.Copy(p, change)
	return e.With(k, "payload", p)
}

// put inserts an event after the k-th and renumbers the log.
func put(e hosttest.Entries, k int, kind string, payload map[string]any) hosttest.Entries {
	late := map[string]any{"eventId": fmt.Sprint(e[k]["eventId"], "-late"), "runId": e[k]["runId"], "type": kind, "payload": payload,
		"timestamp": e[k]["timestamp"]}
	return slices.Insert(slices.Clone(e), k+1, late).From(0)
}

func TestInvariantsFindWhatBreaksThem(t *testing.T) {
	honest := wholeLife("r")
	breached := put(put(honest[:9], 8, "cap.breached", map[string]any{"kind": "loop-iterations", "limit": 1, "observed": 2}), 9,
		"run.failed", map[string]any{"error": map[string]any{"code": "loop_limit_exceeded", "message": "m"}})
	log := func(e hosttest.Entries) openwop.Standing { return openwop.Standing{Log: e.Log(t, "r"), Version: 5} }
	failed := func(e hosttest.Entries) openwop.Standing {
		s := log(e)
		s.Log = withStatus(t, e, "failed")
		return s
	}
	standing := func(e hosttest.Entries) openwop.Standing {
		s := log(e)
		s.Log = withStatus(t, e, "waiting-input")
		s.Log.Ended.Reached = false
		return s
	}
	older := func(s openwop.Standing) openwop.Standing { s.Version = 4; return s }
	kept := func(before, now hosttest.Entries) openwop.Standing {
		s := log(now)
		s.Before = before.Log(t, "r")
		return s
	}
	copied := func(fork hosttest.Entries, branch bool) openwop.Standing {
		return openwop.Standing{Log: fork.Log(t, "f"), Version: 5, Source: honest.Log(t, "r"), FromSeq: 9, Branch: branch}
	}
	unmapped := func(s openwop.Standing) openwop.Standing { s.Unmapped = true; return s }
	again := wholeLife("f")
	for _, c := range []struct {
		name, invariant string
		run             openwop.Standing
		want            scenarios.RequirementID // "" if nothing is wrong
	}{
		{"leaves out a number", "numbered", log(honest.With(13, "sequence", 14)), requirement.OWPEVT1},
		{"has one number twice", "numbered", log(honest.With(13, "sequence", 12)), requirement.OWPEVT1},
		{"no payload", "enveloped", log(honest.With(3, "payload", nil)), requirement.OWPEVT2},
		{"one id twice", "enveloped", log(honest.With(3, "eventId", "r-2")), requirement.OWPEVT3},
		{"goes back in time", "enveloped", log(honest.With(3, "timestamp", "2026-10-01T00:00:00Z")), requirement.OWPEVT5},
		{"another run's event", "own", log(honest.With(3, "runId", "q")), requirement.OWPEVT4},
		{"a cause that comes later", "caused", log(honest.With(3, "causationId", "r-5")), requirement.OWPEVT6},
		{"a phase in other words", "fitting", log(paid(honest, 3, map[string]any{"phase": "went-well"})), requirement.OWPEVT8},
		{"two ends", "ended-once", log(put(honest, 13, "run.completed", nil)), requirement.OWPEVT9},
		{"a step after the end", "ended-once", log(put(honest, 13, "node.started", nil)), requirement.OWPEVT10},
		{"another end than told", "ended-once", failed(honest), requirement.OWPEVT11},
		{"an end of a run that waits", "ended-once", standing(honest), requirement.OWPEVT9},
		{"nothing ended yet", "ended-once", standing(honest[:11]), ""},
		{"another payload than before", "kept", kept(honest[:9], paid(honest, 3, map[string]any{"childRunId": "c2"})), requirement.OWPEVT12},
		{"less than before", "kept", kept(honest, honest[:9]), requirement.OWPEVT12},
		{"as before, and more", "kept", kept(honest[:9], honest), ""},
		{"counts from 0", "counted", log(paid(honest, 1, map[string]any{"iteration": 0})), requirement.OWP0061B1},
		{"counts one twice", "counted", log(paid(honest, 9, map[string]any{"iteration": 1})), requirement.OWP0061B2},
		{"counts below version 5", "uncounted", older(log(honest)), requirement.OWP0061B3},
		{"a worker before its decision", "decided-first", log(put(honest, 0, "node.dispatched", nil)), requirement.OWPDSP1},
		{"a third worker", "decided-first", log(put(put(honest, 8, "node.dispatched", nil), 8, "node.dispatched", nil)), requirement.OWPDSP1},
		{"another agent", "one-agent", log(paid(honest, 9, map[string]any{"agentId": "another"})), requirement.OWPDSP2},
		{"a turn after terminate", "terminated", log(put(honest, 12, "runOrchestrator.decided", nil)), requirement.OWPDSP5},
		{"a worker after terminate", "terminated", log(put(honest, 12, "node.dispatched", nil)), requirement.OWPDSP5},
		{"terminate is held, and rejected", "terminated", log(put(put(honest, 12, "node.suspended", nil), 13, "runOrchestrator.decided",
			nil)), ""},
		{"a handoff without a cause", "chained", log(honest.With(2, "causationId", nil)), requirement.OWP0037B3},
		{"a handoff of another decision", "chained", log(honest.With(7, "causationId", "r-9")), requirement.OWP0037B3},
		{"a worker that nobody decided on", "chained", log(paid(honest, 2, map[string]any{"workerId": "c"})), requirement.OWP0037B3},
		{"the second worker first", "chained", log(paid(honest, 2, map[string]any{"workerId": "b"})), requirement.OWP0037B3},
		{"a step is left out", "chained", log(honest.With(5, "causationId", "r-2")), requirement.OWP0037B3},
		{"a step is followed twice", "chained", log(honest.With(6, "causationId", "r-3")), requirement.OWP0037B3},
		{"a harvest of one that failed", "chained", log(paid(honest, 5, map[string]any{"phase": "child.failed"})), requirement.OWP0037B3},
		{"another child in the end", "chained", log(paid(honest, 5, map[string]any{"childRunId": "c2"})), requirement.OWP0037B3},
		{"another worker in the end", "chained", log(paid(honest, 5, map[string]any{"workerId": "b"})), requirement.OWP0037B3},
		{"a harvest without a mapping", "unmapped", unmapped(log(honest)), requirement.OWP0037B1},
		{"no harvest without a mapping", "unmapped", unmapped(log(honest[:6])), ""},
		{"resolved twice", "resolved-once", log(put(honest, 11, "interrupt.resolved", map[string]any{"interruptId": "i1"})), requirement.OWPINT3},
		{"another one resolved", "resolved-once", log(put(honest, 11, "interrupt.resolved", map[string]any{"interruptId": "i2"})), ""},
		{"a breach that ends the run", "breached", failed(breached), ""},
		{"a breach that ends nothing", "breached", standing(breached[:10]), requirement.OWP0061E3},
		{"a node after the breach", "breached", failed(put(breached, 10, "node.started", nil)), requirement.OWP0061E3},
		{"two breaches", "breached", failed(put(breached, 9, "cap.breached", nil)), requirement.OWP0061E4},
		{"a replay with the events of its source", "copied", copied(again, false), ""},
		{"a replay with another child", "copied", copied(paid(again, 5, map[string]any{"childRunId": "c2"}), false), requirement.OWPRPL3},
		{"a branch with another child", "copied", copied(paid(again, 5, map[string]any{"childRunId": "c2"}), true), ""},
		{"a branch that decided otherwise", "copied",
			copied(paid(again, 1, map[string]any{"decision": map[string]any{"kind": "terminate"}}), true), requirement.OWPRPL10},
	} {
		t.Run(c.invariant+"/"+c.name, func(t *testing.T) {
			o := invariant(t, c.invariant).Judge(c.run)
			var got scenarios.RequirementID
			if v := o.Violations(); len(v) > 0 {
				got = scenarios.RequirementID(v[0].Requirement)
			}
			if got != c.want {
				t.Errorf("%q, want %q: %s", got, c.want, o.Reason)
			}
		})
	}
	for _, i := range openwop.Invariants() {
		if o := i.Judge(log(honest)); len(o.Violations()) > 0 {
			t.Errorf("%s of an honest run: %v", i.Name, o.Violations())
		}
	}
}

// withStatus mints the log of a run that shows this status instead of completed.
func withStatus(t *testing.T, e hosttest.Entries, status string) host.RunLog {
	t.Helper()
	l := e.Log(t, "r")
	l.Ended.Last = hosttest.Story{Id: "r", Status: status}.Log(t).Ended.Last
	return l
}

func invariant(t *testing.T, name string) openwop.Invariant {
	t.Helper()
	i := slices.IndexFunc(openwop.Invariants(), func(i openwop.Invariant) bool { return i.Name == name })
	if i < 0 {
		t.Fatalf("no invariant %s", name)
	}
	return openwop.Invariants()[i]
}
