// Package streams asks whether the stream of an intent has the events of its log.
package streams

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite streams.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "streams", Title: "streams that tell what the log tells",
		Scenarios: []scenarios.Scenario{streamAsLog, streamReminders},
	}
}

// StreamedObservation is the stream of an intent that was suspended, then answered or reminded of.
type StreamedObservation struct {
	Suspension host.Suspension `json:"suspension"`
	Before     host.Log        `json:"before"` // the log when the stream was opened
	Log        host.Log        `json:"log"`
	Stream     host.Stream     `json:"stream"`
	Lapse      host.Lapse      `json:"lapse"`
}

// SeenAs implements [scenarios.Seer].
func (o StreamedObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

var streamed = &scenarios.Drive[StreamedObservation]{
	ID: "openintent/streamed", Title: "listens to an intent that is suspended and answered",
	Sends: []string{
		"POST /intents", "GET /subscribe/intents/{id} or /intents/{id}/subscribe", "POST /intents/{id}/state and /status",
		"POST /intents/{id}/suspend/respond", "GET /intents/{id}/events",
	},
	Timeout: listenWithin,
	Run: func(ctx context.Context, c *scenarios.Conn, o *StreamedObservation) {
		o.listenOn(ctx, c, func(int) (func(*host.Server) host.Record, func(*host.Intent)) {
			return func(s *host.Server) host.Record { return s.Question("text") }, func(i *host.Intent) {
				i.MustAnswer(ctx, o.Suspension.ID, "go on")
			}
		})
	},
}

var streamedReminders = &scenarios.Drive[StreamedObservation]{
	ID: "openintent/streamed-reminders", Title: "listens to an intent that is suspended and of which nobody is reminded in vain",
	Sends: []string{
		"POST /intents", "GET /subscribe/intents/{id} or /intents/{id}/subscribe", "POST /intents/{id}/state and /status",
		"GET /intents/{id}/events",
	},
	Waits: 3 * time.Second, Timeout: listenWithin,
	Run: func(ctx context.Context, c *scenarios.Conn, o *StreamedObservation) {
		o.listenOn(ctx, c, func(interval int) (func(*host.Server) host.Record, func(*host.Intent)) {
			return func(s *host.Server) host.Record {
					return s.Question("text").Retried(3, interval, map[string]any{
						"final_fallback_policy": "fail",
						"escalation_ladder":     []any{map[string]any{"attempt": 2, "channel_hint": "email"}},
					})
				}, func(i *host.Intent) {
					o.Lapse = i.Lapse(ctx, 3500*time.Millisecond*time.Duration(interval))
					i.Becomes(ctx, "it waits no more", host.Abandoned)
				}
		})
	},
}

const (
	listenWithin = 4 * time.Minute
	mostTries    = 10
	mostInterval = 16 // seconds
)

// listenOn listens until nothing was lost with a stream that broke off, and no suspension was over before it was seen, which shows
// nothing about the server. tell returns what is asked with this many seconds between two attempts, and what happens then.
func (o *StreamedObservation) listenOn(
	ctx context.Context, c *scenarios.Conn, tell func(interval int) (func(*host.Server) host.Record, func(*host.Intent)),
) {
	interval := 1
	for try := 1; ; try++ {
		*o = StreamedObservation{}
		began := c.Now()
		question, happen := tell(interval)
		err := scenarios.Try(func() { o.listen(ctx, c, question, happen) })
		late := host.IsBlocked(err) && interval < mostInterval && c.Now().Sub(began) > time.Duration(interval)*time.Second
		if try == mostTries || !late && (err != nil || !o.lost()) {
			scenarios.End(err)
			return
		}
		if late {
			interval *= 4
		}
	}
}

// lost reports whether the stream broke off and lacks, or repeats, what the log has.
func (o *StreamedObservation) lost() bool {
	for t, n := range o.counts() {
		if o.Stream.Broke > 0 && len(o.Stream.OfType(t).Values) != n {
			return true
		}
	}
	return false
}

// listen opens the stream of an intent, suspends it and has something happen to it.
func (o *StreamedObservation) listen(
	ctx context.Context, c *scenarios.Conn, question func(*host.Server) host.Record, happen func(*host.Intent),
) {
	s := host.Open(ctx, c)
	i := s.NewIntent(ctx, "listened-to", host.Active, nil)
	stream := s.Subscribe(ctx, "intents", i.ID)
	defer stream.Close()
	if stream.Stream == nil {
		scenarios.End(scenarios.NotThere(stream.Status,
			"a stream of an intent (GET "+s.Prefix+"/subscribe/intents/{id} or /intents/{id}/subscribe)"))
	}
	o.Before = i.Log(ctx, "the log when the stream was opened")
	o.Suspension = i.Suspend(ctx, question(s))
	happen(i)
	o.Log = i.Log(ctx, "the log")
	var pairs []any
	for t, n := range o.counts() {
		pairs = append(pairs, t, n)
	}
	o.Stream = stream.Until(ctx, s.Patience, pairs...)
}

// counts returns, for each type, the number of events on the log since the stream was opened.
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

// checkStream checks that the stream has each event of the log once, for the types that match. It may have more.
func (o StreamedObservation) checkStream(
	j *scenarios.Judge, id scenarios.RequirementID, of func(openintentv1.EventType) bool,
) {
	counts := o.counts()
	types := make([]openintentv1.EventType, 0, len(counts))
	for t := range counts {
		if of(t) {
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		j.Block("no event of the log is new since the stream was opened", "give every event an id of its own")
	}
	slices.Sort(types)
	for _, t := range types {
		if n := len(o.Stream.OfType(t).Values); o.Stream.Broke > 0 && n != counts[t] { // emitted while nobody listened, or sent again
			j.Block(fmt.Sprintf("the stream broke off %d times, and has %d of %d %s", o.Stream.Broke, n, counts[t], t),
				"let a stream last, or go on behind Last-Event-ID")
		}
	}
	for _, t := range types {
		j.Check(id, o.Stream.OfType(t)).To(check.Len(counts[t]), "%s on the stream, as on the log", t)
	}
}

// has reports whether the log has an event of a type.
func (o StreamedObservation) has(t openintentv1.EventType) bool {
	return len(o.Log.OfType(t).Values) > 0
}

// streamAsLog accepts a stream with more than the log (OIP-R121).
var streamAsLog = scenarios.Scenario{
	ID:     "openintent/streams/as-the-log",
	Title:  "the stream of an intent has what its log has while it is suspended and answered, each once",
	Proves: scenarios.IDs{openintent.OIP00061},
	Claim:  claims.Streams,
	Ask: scenarios.Ask(streamed, func(o StreamedObservation, j *scenarios.Judge) {
		o.Log.Readable(j)
		if !o.has(host.EventResumed) {
			const reason = "setup failed: the log has no intent.resumed"
			if len(o.Stream.OfType(host.EventResumed).Values) > 0 { // it was emitted, and not on the log when that was read
				j.Block(reason+", and the stream has one", "have the log list an event before the stream sends it")
			}
			j.Violates(openintent.OIP0025A14, o.Log.OfType(host.EventResumed), reason)
		}
		o.checkStream(j, openintent.OIP00061, func(openintentv1.EventType) bool { return true })
	}),
}

var streamReminders = scenarios.Scenario{
	ID:     "openintent/streams/reminders",
	Title:  "reminders and escalations reach the stream of an intent as other events do",
	Proves: scenarios.IDs{openintent.OIP0026L4},
	Claim:  claims.With(claims.Streams, claims.Notifier),
	Ask: scenarios.Ask(streamedReminders, func(o StreamedObservation, j *scenarios.Judge) {
		o.Log.Readable(j)
		if !o.has(host.EventRenotified) {
			if len(o.Stream.OfType(host.EventRenotified).Values) == 0 {
				j.NotThere(wire.Found{In: o.Log.Read.Ref()},
					"reminders that a server sends by itself (intent.suspension_renotified)")
			}
			j.Block("setup failed: the log has no reminder, and the stream has one", "have the log list an event before the stream sends it")
		}
		o.checkStream(j, openintent.OIP0026L4, func(t openintentv1.EventType) bool {
			return t == host.EventRenotified || t == host.EventEscalated
		})
	}),
}
