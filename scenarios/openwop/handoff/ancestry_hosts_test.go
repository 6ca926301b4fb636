package handoff_test

import (
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// twoHosts is the replies of two hosts about a loop on h-1 whose only worker ran on h-2.
type twoHosts struct {
	steps   []map[string]any // of the handoff, whole events
	parent  map[string]any
	trace   any
	status  string // of both runs
	ended   bool   // both
	advert  string // of the second host
	noChild bool
}

const traceID, spanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

func honestHosts(end string) twoHosts {
	status := map[string]string{"child.completed": "completed", "child.cancelled": "cancelled"}[end]
	step := func(phase, cause, host string) map[string]any {
		p := map[string]any{"phase": phase, "workerId": "second/w", "parentRunId": "r", "childRunId": "k"}
		if host != "" {
			p["causationHostId"] = host
		}
		return map[string]any{"eventId": phase, "causationId": cause, "type": "core.workflowChain.event", "payload": p}
	}
	return twoHosts{
		steps:  []map[string]any{step("dispatch.began", "d", ""), step("dispatch.succeeded", "dispatch.began", ""), step(end, "k-end", "h-2")},
		parent: map[string]any{"runId": "r", "hostId": "h-1", "cause": "core.dispatch", "wellKnownUrl": "http://h-1.example/.well-known/openwop"},
		trace:  "00-" + traceID + "-1111111111111111-01", status: status, ended: true, advert: "h-2",
	}
}

func (h twoHosts) observation(t *testing.T) handoff.HostsObservation {
	t.Helper()
	log := func(id string, events ...any) host.RunLog {
		doc := wiretest.Value(t, map[string]any{"events": events, "id": id, "snapshot": map[string]any{"runId": id, "status": h.status}})
		return host.RunLog{RunID: id, Created: wiretest.Status(t, 201), ID: doc.Key("id"), Read: wiretest.Status(t, 200),
			Events: doc.Key("events").Items(),
			Ended:  wire.Wait{What: "the run has ended", Reached: h.ended, Patience: time.Second, Last: doc.Key("snapshot")}}
	}
	var steps []any
	for i, s := range h.steps {
		s["sequence"] = i
		steps = append(steps, s)
	}
	o := handoff.HostsObservation{
		First: "h-1", Second: hosttest.Told(t, "discovery", 200,
			map[string]any{"multiAgent": map[string]any{
				"executionModel": map[string]any{"crossHostCausation": map[string]any{"hostId": h.advert}}}}),
		Trace: traceID, Span: spanID, Root: log("r", steps...), Cancel: wiretest.Status(t, 200),
		Waited: wire.Wait{What: "a child", Reached: true, Patience: time.Second, Last: wiretest.Value(t, map[string]any{})},
	}
	if h.noChild {
		return o
	}
	o.Kids = []handoff.KinsRun{{
		Log: log("k", map[string]any{"eventId": "k-0", "type": "run.started", "sequence": 0,
			"payload": map[string]any{"metadata": map[string]any{"traceparent": h.trace}}},
			map[string]any{"eventId": "k-end", "type": "run." + h.status, "sequence": 1, "payload": map[string]any{}}),
		Of: ancestryOf(t, "k", 200, map[string]any{"runId": "k", "hostId": "h-2", "parent": h.parent}),
	}}
	return o
}

func TestJudgesOfTwoHosts(t *testing.T) {
	of := func(phase int, member string, value any) func(*twoHosts) {
		return func(h *twoHosts) { h.steps[phase]["payload"].(map[string]any)[member] = value }
	}
	parent := func(member string, value any) func(*twoHosts) { return func(h *twoHosts) { h.parent[member] = value } }
	for name, c := range map[string]struct {
		spoil func(*twoHosts)
		want  map[string]string // by scenario; others pass
	}{
		"honest": {func(*twoHosts) {}, nil},
		"names itself": {of(2, "causationHostId", "h-1"), map[string]string{"causes-name-other-host": openwop.OWPCAU10,
			"cancel-crosses-hosts": openwop.OWPCAU10}},
		"names the address": {of(2, "causationHostId", "http://h-2"),
			map[string]string{"causes-name-other-host": openwop.OWPCAU10, "cancel-crosses-hosts": openwop.OWPCAU10}},
		"names no host": {func(h *twoHosts) { delete(h.steps[2]["payload"].(map[string]any), "causationHostId") },
			map[string]string{"causes-name-other-host": openwop.OWPCAU10, "cancel-crosses-hosts": openwop.OWPCAU10}},
		"names it everywhere": {of(1, "causationHostId", "h-2"), map[string]string{"causes-name-other-host": openwop.OWPCAU10}},
		"an event of its own": {func(h *twoHosts) { h.steps[2]["causationId"] = "dispatch.succeeded" },
			map[string]string{"causes-name-other-host": openwop.OWPCAU10, "cancel-crosses-hosts": openwop.OWPCAU10}},
		"another event there": {func(h *twoHosts) { h.steps[2]["causationId"] = "k-0" },
			map[string]string{"causes-name-other-host": openwop.OWPCAU10, "cancel-crosses-hosts": openwop.OWPCAU10}},
		"never says how it ended": {func(h *twoHosts) { h.steps = h.steps[:2] },
			map[string]string{"causes-name-other-host": openwop.OWPCAU10, "cancel-crosses-hosts": openwop.OWPCAU10}},
		"another parent":       {parent("runId", "r-9"), map[string]string{"parent-on-other-host": openwop.OWPCAU12}},
		"the parent is there":  {parent("hostId", "h-2"), map[string]string{"parent-on-other-host": openwop.OWPCAU12}},
		"no address":           {parent("wellKnownUrl", nil), map[string]string{"parent-on-other-host": openwop.OWPCAU12}},
		"an address of a page": {parent("wellKnownUrl", "http://h-1.example/"), map[string]string{"parent-on-other-host": openwop.OWPCAU12}},
		"a cause of its own":   {parent("cause", "http"), map[string]string{"parent-on-other-host": openwop.OWPCAU12}},
		"nobody's child":       {func(h *twoHosts) { h.parent = nil }, map[string]string{"parent-on-other-host": openwop.OWPCAU12}},
		"a trace of its own": {func(h *twoHosts) { h.trace = "00-11111111111111111111111111111111-1111111111111111-01" },
			map[string]string{"trace-goes-along": openwop.OWPCAU11}},
		"the caller's own context": {func(h *twoHosts) { h.trace = "00-" + traceID + "-" + spanID + "-01" },
			map[string]string{"trace-goes-along": openwop.OWPCAU11}},
		"no trace": {func(h *twoHosts) { h.trace = nil }, map[string]string{"trace-goes-along": openwop.OWPCAU11}},
		"works on": {func(h *twoHosts) { h.status = "completed" }, map[string]string{"cancel-crosses-hosts": openwop.OWPDSP21}},
		"one host twice": {func(h *twoHosts) { h.advert = "h-1" },
			map[string]string{"causes-name-other-host": "blocked", "parent-on-other-host": "blocked", "trace-goes-along": "blocked",
				"cancel-crosses-hosts": "blocked"}},
		"ran it here": {func(h *twoHosts) { h.noChild = true },
			map[string]string{"causes-name-other-host": "blocked", "parent-on-other-host": "blocked", "trace-goes-along": "blocked",
				"cancel-crosses-hosts": "blocked"}},
	} {
		t.Run(name, func(t *testing.T) {
			for scenario, end := range map[string]string{"causes-name-other-host": "child.completed", "parent-on-other-host": "child.completed",
				"trace-goes-along": "child.completed", "cancel-crosses-hosts": "child.cancelled"} {
				h := honestHosts(end)
				c.spoil(&h)
				want := c.want[scenario]
				if want == "" {
					want = "passed"
				}
				hosttest.Expect(t, scenario, h.observation(t), want)
			}
		})
	}
}
