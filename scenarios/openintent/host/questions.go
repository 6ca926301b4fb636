package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Order is the order of the two writes that suspend an intent (OIP-R35).
type Order string

const (
	// RecordFirst writes state._suspension, then the status.
	RecordFirst Order = "record-first"
	// StatusFirst sets the status, then writes state._suspension.
	StatusFirst Order = "status-first"
)

// Record is a SuspensionRecord to write: members by name.
type Record map[string]any

// Question returns a record that asks for one type of response. It has an id of its own and does not expire. Where the platform has a
// retry policy, which a record without one inherits (OIP-R128), the record has one of its own: one attempt, for a day.
func (s *Server) Question(responseType string, choices ...any) Record {
	r := Record{
		"id": s.Token(), "question": s.Name("go on") + "?", "response_type": responseType,
		"context": map[string]any{}, "fallback_policy": "fail",
	}
	if len(choices) > 0 {
		r["choices"] = choices
	}
	if policy, _ := s.DefaultPolicy().Actual().(map[string]any); len(policy) > 0 {
		r["retry_policy"] = once(day, "fail")
	}
	return r
}

const day = 24 * 60 * 60 // seconds

// once is a policy of one attempt, which says all that it could inherit.
func once(seconds int, fallback string) map[string]any {
	return map[string]any{
		"max_attempts": 1, "interval_seconds": seconds, "strategy": "fixed", "escalation_ladder": []any{}, "final_fallback_policy": fallback,
	}
}

// Bare returns the record without a retry policy.
func (r Record) Bare() Record {
	out := r.With(nil)
	delete(out, "retry_policy")
	return out
}

// Token returns a random id in the form of a UUID.
func (s *Server) Token() string {
	a, b := s.Rand.Uint64(), s.Rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// With returns the record with more members.
func (r Record) With(more map[string]any) Record {
	out := maps.Clone(r)
	maps.Copy(out, more)
	return out
}

// Within returns the record with a window of so many seconds and no reminders.
func (r Record) Within(seconds int, fallback string, value any) Record {
	out := r.With(map[string]any{"timeout_seconds": seconds, "fallback_policy": fallback})
	if _, own := r["retry_policy"]; own {
		out["retry_policy"] = once(seconds, fallback)
	}
	if value != nil {
		out["fallback_value"] = value
	}
	return out
}

// Retried returns the record with a retry policy (RFC-0026 4.1). timeout_seconds is the interval, so that the window is
// the same in all readings of the texts (OIP-R17, OIP-R18).
func (r Record) Retried(attempts, interval int, policy map[string]any) Record {
	p := map[string]any{
		"max_attempts": attempts, "interval_seconds": interval, "strategy": "fixed", "escalation_ladder": []any{},
	}
	maps.Copy(p, policy)
	return r.With(map[string]any{"timeout_seconds": interval, "retry_policy": p})
}

// window returns how long the record waits; 0 is for ever.
func (r Record) window() time.Duration {
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

// Sent is a record as a drive wrote it: an object.
type Sent struct {
	json.RawMessage
	members map[string]any // with numbers as they were written
}

// SentOf returns a record that was written so.
func SentOf(raw json.RawMessage) Sent {
	s := Sent{RawMessage: raw}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&s.members) // what is no object has no members
	return s
}

// UnmarshalJSON reads the record.
func (s *Sent) UnmarshalJSON(b []byte) error {
	*s = SentOf(bytes.Clone(b))
	return nil
}

// Suspension is the suspension of an intent, as it was written and answered.
type Suspension struct {
	ID      string `json:"id"`
	Order   Order  `json:"order"`
	Sent    Sent   `json:"sent"`   // the record as written
	Record  Reply  `json:"record"` // the reply to the write of the record
	Status  Reply  `json:"status"` // the reply to the write of the status
	After   Reply  `json:"after"`  // the intent afterwards
	Expires string `json:"expires,omitempty"`
}

// Suspend suspends the intent, writing the record first. A target that refuses has no suspensions.
func (i *Intent) Suspend(ctx context.Context, r Record) Suspension {
	return i.SuspendBy(ctx, r, RecordFirst)
}

// SuspendBy suspends the intent in one of the two orders.
func (i *Intent) SuspendBy(ctx context.Context, r Record, order Order) (sus Suspension) {
	return i.SuspendIn(ctx, r, order, false)
}

// SuspendSince is like SuspendBy, and beyond quick its record has a suspended_at, in the spelling of some client (see [Spelled]). A
// server may refuse a time without a zone. Then it takes suspended_at out of the record, and tries again if the record came first.
func (i *Intent) SuspendSince(ctx context.Context, r Record, order Order) (sus Suspension, refused error) {
	id, _ := r["id"].(string)
	spelled := id != "" && i.Depth > scenarios.Quick
	if spelled {
		r["suspended_at"] = Spelled(i.ServerNow(), id, order == RecordFirst)
	}
	suspend := func() { sus = i.SuspendBy(ctx, r, order) }
	if refused = scenarios.Try(suspend); !spelled || !IsBlocked(refused) {
		return sus, refused
	}
	delete(r, "suspended_at")
	if order == RecordFirst {
		refused = scenarios.Try(suspend)
	}
	return sus, refused
}

// SuspendIn is like SuspendBy. The record is written in the form that names no operation if merged is set.
func (i *Intent) SuspendIn(ctx context.Context, r Record, order Order, merged bool) (sus Suspension) {
	var first Reply
	if order == StatusFirst {
		first = i.Set(ctx, Suspended, "suspend: the status")
	}
	if merged {
		sus = i.RecordMerged(ctx, r)
	} else {
		sus = i.Record(ctx, r)
	}
	sus.Order, sus.Status = order, first
	if !first.Ok() {
		sus.Status = i.Set(ctx, Suspended, "suspend: the status")
	}
	if sus.After = i.Read(ctx, "the intent, suspended"); sus.Status.Ok() && !sus.shown() {
		i.Await(ctx, "the intent shows its suspension", func(ctx context.Context) (wire.Value, bool) {
			sus.After = i.shown(ctx, "the intent, suspended")
			return sus.After.Status, sus.shown()
		})
	}
	switch status := sus.After.Body.Key("status").String(); {
	case !sus.Status.Ok() && status != "" && status != Active: // something else holds it
		i.SetUp("suspend an intent that is "+status, sus.Status)
	case !sus.Status.Ok():
		scenarios.End(scenarios.NotThere(sus.Status.Status, "intents that can be "+Suspended))
	case status != Suspended:
		i.SetUp("have an intent "+Suspended, sus.After)
	}
	return sus
}

// Record writes the record of a suspension into the state, with suspended_at in the server's time unless it has that. It fills in
// expires_at if the record has a window and no such member, and leaves it off if the member is nil.
func (i *Intent) Record(ctx context.Context, r Record) (sus Suspension) {
	return i.record(ctx, r, i.Patch)
}

// RecordMerged is like Record in the other form of a write, where the server takes that.
func (i *Intent) RecordMerged(ctx context.Context, r Record) (sus Suspension) {
	return i.record(ctx, r, func(ctx context.Context, key string, value any, label string) Reply {
		if merged := i.Merge(ctx, key, value, label); merged.Ok() {
			return merged
		}
		return i.Patch(ctx, key, value, label)
	})
}

func (i *Intent) record(
	ctx context.Context, r Record, write func(ctx context.Context, key string, value any, label string) Reply,
) (sus Suspension) {
	r = r.With(nil)
	began := i.ServerNow()
	if _, given := r["suspended_at"]; !given {
		r["suspended_at"] = Stamp(began)
	}
	if expires, given := r["expires_at"]; !given && r.window() > 0 {
		r["expires_at"] = Stamp(began.Add(r.window()))
	} else if expires == nil {
		delete(r, "expires_at")
	}
	sus.Sent = SentOf(scenarios.Get(json.Marshal(r)))
	sus.ID, _ = r["id"].(string)
	sus.Expires, _ = r["expires_at"].(string)
	i.sid = sus.ID
	sus.Record = write(ctx, "_suspension", r, "suspend: the record")
	switch {
	case MissingRoute(sus.Record):
		scenarios.End(scenarios.NotThere(sus.Record.Status,
			"a way to write the state of an intent (POST "+i.Prefix+"/intents/{id}/state)"))
	case !sus.Record.Ok():
		i.SetUp("write a suspension record into the state of an intent", sus.Record)
	}
	return sus
}

// Began returns when the suspension began by the server's clock: at the later of the two writes (OIP-R35). ok is false
// if the server does not say.
func (s Suspension) Began() (began time.Time, ok bool) {
	for _, r := range []Reply{s.Record, s.Status} {
		if t, known := TimeOf(r.Body.Key("updated_at")); known && t.After(began) {
			began, ok = t, true
		}
	}
	return began, ok
}

// shown reports whether the intent was read with its suspension: a read may be late.
func (s Suspension) shown() bool {
	return s.After.Body.Key("status").String() == Suspended && s.Shown().Key("id").String() == s.ID
}

// Shown returns the record as the server shows it.
func (s Suspension) Shown() wire.Value { return s.After.Body.At("/state/_suspension") }

// Answer answers a suspension. A refusal does not end the drive.
func (i *Intent) Answer(ctx context.Context, label, sid string, value any) Reply {
	return i.Respond(ctx, label, map[string]any{"suspension_id": sid, "value": value})
}

// Respond sends any body as an answer.
func (i *Intent) Respond(ctx context.Context, label string, body any) Reply {
	return i.Send(ctx, i.AnswerCall(label, body))
}

// AnswerCall returns the call that sends a body as an answer.
func (i *Intent) AnswerCall(label string, body any) wire.Call {
	return i.Call(label, http.MethodPost, At("/intents/%s/suspend/respond", i.ID), body)
}

// MustAnswer gives a valid answer, and ends the drive unless it is taken.
func (i *Intent) MustAnswer(ctx context.Context, sid string, value any) Reply {
	reply := i.Answer(ctx, "the answer", sid, value)
	switch {
	case MissingRoute(reply):
		NoAnswers(i.Server, reply)
	case !reply.Ok():
		i.SetUp("take a right answer", reply)
	}
	return reply
}

// NoAnswers ends a drive that found no route for answers.
func NoAnswers(s *Server, r Reply) {
	scenarios.End(scenarios.NotThere(r.Status,
		"a way to answer a suspended intent (POST "+s.Prefix+"/intents/{id}/suspend/respond)"))
}

// Waiting makes an intent and suspends it with a question for a text.
func (s *Server) Waiting(ctx context.Context, stem string) (*Intent, Suspension) {
	i := s.NewIntent(ctx, stem, Active, nil)
	sus := i.Suspend(ctx, s.Question("text"))
	return i, sus
}
