package interrupts

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// EventObservation is a run that waited for an external event.
type EventObservation struct {
	Gate
	Wrong   []Response  `json:"wrong"` // events that do not match
	Barrier wire.Wait   `json:"barrier"`
	Later   host.RunLog `json:"later"`
	Right   Response    `json:"right"`
	Tokened bool        `json:"tokened,omitempty"` // events were sent by token
	End     host.RunLog `json:"end"`
}

// eventAwaited sends events that do not match, and one that does.
var eventAwaited = &scenarios.Drive[EventObservation]{
	ID:    "openwop/event-awaited",
	Title: "has a run wait for an event with a random correlation, sends events that do not match, runs a sentinel, and sends the event",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{use token}, else {answer node}, four times", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *EventObservation) {
		h := host.Host{Conn: c}
		sendEvents(ctx, h, o, eventWay(h), false)
		if !o.otherwise() {
			return
		}
		var again EventObservation
		way := eventWay(h)
		sendEvents(ctx, h, &again, way.nested(), true)
		if host.Succeeded(again.Right.Status) {
			*o = again
		}
	},
}

// sendEvents has a run wait for an event, and sends events that do not match, and one that does. atNode: to the node alone.
func sendEvents(ctx context.Context, h host.Host, o *EventObservation, way gateWay, atNode bool) {
	w := wait(ctx, h, way)
	if o.Gate = w.Gate; !w.isWaiting() {
		return
	}
	if atNode {
		w.token = ""
	}
	o.Tokened = w.token != ""
	for _, wrong := range []struct {
		what  string
		spoil func(map[string]any)
	}{
		{"an event of another order", func(e map[string]any) { e["orderId"] = h.Marker() }},
		{"an event without its status", func(e map[string]any) { delete(e, "status") }},
		{"an event that says nothing", func(e map[string]any) { delete(e, "status"); delete(e, "orderId") }},
	} {
		marker := h.Marker()
		e := way.accepting(marker)
		wrong.spoil(correlated(e))
		o.Wrong = append(o.Wrong, w.withLog(ctx, w.answerAsEvent(ctx, wrong.what, marker, e)))
	}
	w.settle(ctx, &o.Barrier, &o.Later)
	marker := h.Marker()
	o.Right = w.answerAsEvent(ctx, "the event", marker, way.accepting(marker))
	o.End = w.finishAfter(ctx, o.Right)
}

// otherwise reports whether the host may take the event in another way. The text says that an event matches the correlation, and
// not where in it the members of that stand; and a host may have no route for tokens. One that takes what does not match is judged
// by that.
func (o EventObservation) otherwise() bool {
	if slices.ContainsFunc(o.Wrong, func(r Response) bool { return host.Succeeded(r.Status) }) {
		return false
	}
	switch status := o.Right.HTTPStatus(); {
	case o.Tokened && host.NotThere(status):
		return true
	default:
		return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	}
}

// correlation is the member of an event below which its correlation may stand.
const correlation = "correlation"

// nested returns the way with events that hold their correlation below a member, too.
func (g gateWay) nested() gateWay {
	flat := g.accepts
	g.accepts = func(marker string) map[string]any {
		event := flat(marker)
		below := maps.Clone(event)
		delete(below, "note")
		event[correlation] = below
		return event
	}
	return g
}

// correlated returns the part of an event that is to match: the event itself, or what stands below a member, which alone is spoiled
// then, since a host may look at nothing else.
func correlated(event map[string]any) map[string]any {
	if below, nested := event[correlation].(map[string]any); nested {
		delete(event, "orderId")
		delete(event, "status")
		return below
	}
	return event
}

// eventWay returns a run that waits for an event with members of our choice, else with upstream's.
func eventWay(h host.Host) gateWay {
	match := map[string]any{"orderId": h.Marker(), "status": h.Marker()}
	way := gateOf(h, gateWay{fixture: fixture.Event, node: "wait", inputs: map[string]any{"eventType": "order." + h.Marker(),
		correlation: match}},
		gateWay{fixture: fixture.UpstreamEvent, node: "wait-for-external"})
	if !way.ours {
		match = map[string]any{"orderId": "fixture-order-1", "status": "completed"}
	}
	way.accepts = func(marker string) map[string]any {
		event := maps.Clone(match)
		event["note"] = marker
		return event
	}
	return way
}
