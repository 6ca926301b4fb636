package openintent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Order is in which order a client suspends an intent: there is no call that does both (C35).
type Order string

const (
	// RecordFirst writes state._suspension, then the status.
	RecordFirst Order = "record-first"
	// StatusFirst sets the status, then writes state._suspension.
	StatusFirst Order = "status-first"
)

// Orders are both. What asks for neither takes the first, so that a server that minds the order fails where the order is the
// question.
var Orders = []Order{RecordFirst, StatusFirst}

// record is a SuspensionRecord to be written: members by name.
type record map[string]any

// ask is a record that waits for one kind of answer, with an id of its own. Nothing in it expires.
func (s *server) question(responseType string, choices ...any) record {
	r := record{
		"id": s.token(), "question": "Assay asks: " + s.Name("go on"), "response_type": responseType, "context": map[string]any{},
		"fallback_policy": "fail",
	}
	if len(choices) > 0 {
		r["choices"] = choices
	}
	return r
}

// token is an id that nobody can guess.
func (s *server) token() string {
	a, b := s.Rand.Uint64(), s.Rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// with is the record with more members.
func (r record) with(more map[string]any) record {
	out := maps.Clone(r)
	maps.Copy(out, more)
	return out
}

// within is the record with a window of so many seconds, and nobody who is asked again.
func (r record) within(seconds int, fallback string, value any) record {
	out := r.with(map[string]any{"timeout_seconds": seconds, "fallback_policy": fallback})
	if value != nil {
		out["fallback_value"] = value
	}
	return out
}

// retried is the record with a policy (RFC-0026 4.1). timeout_seconds is the interval, so that the texts agree on the window
// (C17, C18).
func (r record) retried(attempts, interval int, policy map[string]any) record {
	p := map[string]any{"max_attempts": attempts, "interval_seconds": interval, "strategy": "fixed", "escalation_ladder": []any{}}
	maps.Copy(p, policy)
	return r.with(map[string]any{"timeout_seconds": interval, "retry_policy": p})
}

// window is how long the record says that it waits, 0 for ever.
func (r record) window() time.Duration {
	seconds, _ := r["timeout_seconds"].(int)
	if p, ok := r["retry_policy"].(map[string]any); ok {
		attempts, _ := p["max_attempts"].(int)
		interval, _ := p["interval_seconds"].(int)
		if attempts > 1 {
			seconds = attempts * interval
		}
	}
	return time.Duration(seconds) * time.Second
}

// Suspension is how an intent was suspended.
type Suspension struct {
	ID      string          `json:"id"`
	Order   Order           `json:"order"`
	Sent    json.RawMessage `json:"sent"`   // the record as it was written
	Record  Reply           `json:"record"` // to the write of the record
	Status  Reply           `json:"status"` // to the write of the status
	After   Reply           `json:"after"`  // the intent then
	Expires string          `json:"expires,omitempty"`
}

// suspend suspends the intent, the record first. A target that lets nobody do it has no suspensions.
func (i *intent) suspend(ctx context.Context, r record) Suspension {
	return i.suspendBy(ctx, r, RecordFirst)
}

// suspendBy suspends in one of the two orders.
func (i *intent) suspendBy(ctx context.Context, r record, order Order) (sus Suspension) {
	var first Reply
	if order == StatusFirst {
		first = i.set(ctx, suspended, "suspend: the status")
	}
	sus = i.record(ctx, r)
	sus.Order, sus.Status = order, first
	if !first.ok() {
		sus.Status = i.set(ctx, suspended, "suspend: the status")
	}
	sus.After = i.read(ctx, "the intent, suspended")
	switch {
	case !sus.Status.ok():
		scenarios.End(scenarios.NotThere(sus.Status.Status, "intents that can be "+suspended))
		return sus
	case sus.After.Body.Key("status").String() != suspended:
		i.setUp("have an intent "+suspended, sus.After)
		return sus
	}
	return sus
}

// record writes the record of a suspension into the state. suspended_at is in the server's time; expires_at is filled in where
// the record has a window and does not say it, and left off where the record has it as nil.
func (i *intent) record(ctx context.Context, r record) (sus Suspension) {
	r = r.with(nil)
	began := i.now()
	r["suspended_at"] = stamp(began)
	if said, given := r["expires_at"]; !given && r.window() > 0 {
		r["expires_at"] = stamp(began.Add(r.window()))
	} else if said == nil {
		delete(r, "expires_at")
	}
	sus.Sent = scenarios.Get(json.Marshal(r))
	sus.ID, _ = r["id"].(string)
	sus.Expires, _ = r["expires_at"].(string)
	i.sid = sus.ID
	sus.Record = i.patch(ctx, "_suspension", r, "suspend: the record")
	switch {
	case missingRoute(sus.Record):
		scenarios.End(scenarios.NotThere(sus.Record.Status, "a way to write the state of an intent (POST "+i.prefix+"/intents/{id}/state)"))
	case !sus.Record.ok():
		i.setUp("write a suspension record into the state of an intent", sus.Record)
	}
	return sus
}

// Began is when the suspension began, by the server's clock: the later of the two writes (C35). ok is false where the server
// does not say.
func (s Suspension) Began() (began time.Time, ok bool) {
	for _, r := range []Reply{s.Record, s.Status} {
		if t, said := timeOf(r.Body.Key("updated_at")); said && t.After(began) {
			began, ok = t, true
		}
	}
	return began, ok
}

// Stood is the record as the server has it.
func (s Suspension) Stood() wire.Value { return s.After.Body.At("/state/_suspension") }

// answer answers a suspension. Any status is an answer, but a target without the route has no suspensions.
func (i *intent) answer(ctx context.Context, label, sid string, value any) Reply {
	return i.respond(ctx, label, map[string]any{"suspension_id": sid, "value": value})
}

// respond sends any body to the route of answers.
func (i *intent) respond(ctx context.Context, label string, body any) Reply {
	return i.send(ctx, i.answering(label, body))
}

func (i *intent) answering(label string, body any) wire.Call {
	return i.call(label, http.MethodPost, at("/intents/%s/suspend/respond", i.ID), body)
}

// mustAnswer answers rightly, or stops the drive: what comes of an answer is the question, not whether it is taken.
func (i *intent) mustAnswer(ctx context.Context, sid string, value any) Reply {
	said := i.answer(ctx, "the answer", sid, value)
	switch {
	case missingRoute(said):
		noAnswers(i.server, said)
	case !said.ok():
		i.setUp("take a right answer", said)
	}
	return said
}

// noAnswers stops a drive that finds nowhere to answer a suspended intent.
func noAnswers(s *server, r Reply) {
	scenarios.End(scenarios.NotThere(r.Status, "a way to answer a suspended intent (POST "+s.prefix+"/intents/{id}/suspend/respond)"))
}

// waiting is an active intent that was suspended with a question for a text.
func (s *server) waiting(ctx context.Context, stem string) (*intent, Suspension) {
	i := s.mk(ctx, stem, active, nil)
	sus := i.suspend(ctx, s.question("text"))
	return i, sus
}
