package openintent

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

func streamsSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "streams", Title: "streams that tell what the log tells", Protocol: Protocol,
		Scenarios: []scenarios.Scenario{streamAsLog, streamReminders},
	}
}

// StreamedObservation is an intent that was listened to while it was suspended and answered, or reminded of.
type StreamedObservation struct {
	Suspension Suspension `json:"suspension"`
	Before     Log        `json:"before"` // when the stream was opened
	Log        Log        `json:"log"`
	Stream     Stream     `json:"stream"`
	Lapse      Lapse      `json:"lapse"`
}

// SeenAs implements [scenarios.Seer].
func (o StreamedObservation) SeenAs() scenarios.Evidence { return o.Lapse.evidence() }

var streamed = &scenarios.Drive[StreamedObservation]{
	ID: "openintent/streamed", Title: "listens to an intent that is suspended and answered",
	Sends: []string{"POST /intents", "GET /subscribe/intents/{id} or /intents/{id}/subscribe", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}/events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StreamedObservation) {
		o.listen(ctx, c, func(s *server) record { return s.question("text") }, func(i *intent) {
			i.mustAnswer(ctx, o.Suspension.ID, "go on")
		})
	},
}

var streamedReminders = &scenarios.Drive[StreamedObservation]{
	ID: "openintent/streamed-reminders", Title: "listens to an intent that is suspended and of which nobody is reminded in vain",
	Sends: []string{"POST /intents", "GET /subscribe/intents/{id} or /intents/{id}/subscribe", "POST /intents/{id}/state and /status", "GET /intents/{id}/events"}, Waits: 3 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *StreamedObservation) {
		o.listen(ctx, c, func(s *server) record {
			return s.question("text").retried(3, 1, map[string]any{"final_fallback_policy": "fail", "escalation_ladder": []any{map[string]any{"attempt": 2, "channel_hint": "email"}}})
		}, func(i *intent) {
			o.Lapse = i.lapse(ctx, 3500*time.Millisecond)
			i.becomes(ctx, "it waits no more", abandoned)
		})
	},
}

// listen suspends an intent, has something happen to it, and compares later.
func (o *StreamedObservation) listen(ctx context.Context, c *scenarios.Conn, question func(*server) record, happen func(*intent)) {
	s := open(ctx, c)
	i := s.mk(ctx, "listened-to", active, nil)
	stream := s.subscribe(ctx, "intents", i.ID)
	defer stream.close()
	if stream.stream == nil {
		scenarios.End(scenarios.NotThere(stream.status, "a stream of an intent (GET "+s.prefix+"/subscribe/intents/{id} or /intents/{id}/subscribe)"))
	}
	o.Before = i.log(ctx, "the log when the stream was opened")
	o.Suspension = i.suspend(ctx, question(s))
	happen(i)
	o.Log = i.log(ctx, "the log")
	var pairs []any
	for t, n := range o.counts() {
		pairs = append(pairs, t, n)
	}
	o.Stream = stream.until(ctx, s.Patience, pairs...)
}

// counts is how many events of each type the log has that came after the stream was opened.
func (o StreamedObservation) counts() map[openintentv1.EventType]int {
	known := map[string]bool{}
	for _, e := range o.Before.Events {
		known[e.Key("id").String()] = true
	}
	out := map[openintentv1.EventType]int{}
	for _, e := range o.Log.Events {
		if t := e.Key("event_type").String(); t != "" && !known[e.Key("id").String()] {
			out[openintentv1.EventType(t)]++
		}
	}
	return out
}

// eachOnce checks that the stream has the events of some types, as often as the log has them. Only those that the log has
// count: a stream may tell more.
func (o StreamedObservation) eachOnce(j *scenarios.Judge, id scenarios.RequirementID, of func(openintentv1.EventType) bool) {
	counts := o.counts()
	types := make([]openintentv1.EventType, 0, len(counts))
	for t := range counts {
		if of(t) {
			types = append(types, t)
		}
	}
	slices.Sort(types)
	for _, t := range types {
		j.Check(id, o.Stream.OfType(t)).To(check.Len(counts[t]), "%s on the stream, as on the log", t)
	}
}

// has says whether the log has an event of a type.
func (o StreamedObservation) has(t openintentv1.EventType) bool {
	return len(o.Log.OfType(t).Values) > 0
}

// streamAsLog is S50 of an answer.
var streamAsLog = scenarios.Scenario{
	ID:     "openintent/streams/as-the-log",
	Title:  "the stream of an intent has what its log has while it is suspended and answered, each once",
	Proves: scenarios.IDs{openintentv1.OIP00061},
	Claim:  streams,
	Ask: scenarios.Ask(streamed, func(o StreamedObservation, j *scenarios.Judge) {
		o.Log.readable(j)
		if !o.has(eventResumed) {
			j.BlockOn(openintentv1.OIP0025A14, "set-up: the log has no intent.resumed")
		}
		o.eachOnce(j, openintentv1.OIP00061, func(openintentv1.EventType) bool { return true })
	}),
}

// streamReminders is S50 of reminders.
var streamReminders = scenarios.Scenario{
	ID:     "openintent/streams/reminders",
	Title:  "reminders and escalations reach the stream of an intent as other events do",
	Proves: scenarios.IDs{openintentv1.OIP0026L4},
	Claim:  with(streams, notifier),
	Ask: scenarios.Ask(streamedReminders, func(o StreamedObservation, j *scenarios.Judge) {
		o.Log.readable(j)
		if !o.has(eventRenotified) {
			if len(o.Stream.OfType(eventRenotified).Values) == 0 {
				j.NotThere(wire.Found{In: o.Log.Read.Ref()}, "reminders that a server sends by itself (intent.suspension_renotified)")
			}
			j.BlockOn(openintentv1.OIP0026E1, "set-up: the log has no reminder")
		}
		o.eachOnce(j, openintentv1.OIP0026L4, func(t openintentv1.EventType) bool { return t == eventRenotified || t == eventEscalated })
	}),
}
