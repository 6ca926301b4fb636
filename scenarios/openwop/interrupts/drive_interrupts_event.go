package interrupts

import (
	"context"
	"maps"

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
	End     host.RunLog `json:"end"`
}

// eventAwaited sends events that do not match, and one that does.
var eventAwaited = &scenarios.Drive[EventObservation]{
	ID:    "openwop/event-awaited",
	Title: "has a run wait for an event with a random correlation, sends events that do not match, runs a sentinel, and sends the event",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{use token}, else {answer node}, four times", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *EventObservation) {
		h := host.Host{Conn: c}
		way := eventWay(h)
		w := wait(ctx, h, way)
		if o.Gate = w.Gate; !w.isWaiting() {
			return
		}
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
			wrong.spoil(e)
			o.Wrong = append(o.Wrong, w.withLog(ctx, w.answerAsEvent(ctx, wrong.what, marker, e)))
		}
		w.settle(ctx, &o.Barrier, &o.Later)
		marker := h.Marker()
		o.Right = w.answerAsEvent(ctx, "the event", marker, way.accepting(marker))
		o.End = w.finishAfter(ctx, o.Right)
	},
}

// eventWay returns a run that waits for an event with members of our choice, else with upstream's.
func eventWay(h host.Host) gateWay {
	correlation := map[string]any{"orderId": h.Marker(), "status": h.Marker()}
	way := gateOf(h, gateWay{fixture: fixture.Event, node: "wait", inputs: map[string]any{"eventType": "assay." + h.Marker(),
		"correlation": correlation}},
		gateWay{fixture: fixture.UpstreamEvent, node: "wait-for-external"})
	if !way.ours {
		correlation = map[string]any{"orderId": "fixture-order-1", "status": "completed"}
	}
	way.accepts = func(marker string) map[string]any {
		event := maps.Clone(correlation)
		event["note"] = marker
		return event
	}
	return way
}
