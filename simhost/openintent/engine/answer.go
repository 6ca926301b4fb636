package engine

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
	"github.com/openassay/assay/simhost/refusal"
)

// Response is what a person answers.
type Response struct {
	SuspensionID string
	Value        json.RawMessage // nil: none was sent
	By           string          // "": the caller
	Metadata     map[string]any
}

// Respond takes an answer to what an intent waits for. Of several, one wins.
func (e *Engine) Respond(ctx context.Context, by Caller, id string, r Response) (reply map[string]any, err error) {
	var early *rules.Verdict
	if pause := e.rules.Answers.Between(r.Metadata != nil); pause > 0 {
		v, err := e.verdict(ctx, id, r.SuspensionID)
		if err != nil {
			return nil, err
		}
		early = &v
		rested := make(chan struct{})
		e.o.Wire.AfterFunc(pause, func() { close(rested) })
		<-rested
	}
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		v := t.rules.Answers.Takes(standing(t.w, in, r.SuspensionID))
		if early != nil {
			v = *early
		}
		if err := t.judged(in, v); err != nil {
			return err
		}
		if !t.rules.Answers.May(in.allowed(by)) {
			return t.mayWrite(by, in)
		}
		reply, err = t.respond(in, by, r)
		return err
	})
	return reply, err
}

// verdict is what becomes of an answer as things stand, before anything is locked for it.
func (e *Engine) verdict(ctx context.Context, id, sent string) (v rules.Verdict, err error) {
	err = e.view(ctx, func(w *world) error {
		in := w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		v = e.rules.Answers.Takes(standing(w, in, sent))
		return nil
	})
	return v, err
}

func standing(w *world, in *Intent, sent string) rules.Standing {
	s := rules.Standing{Suspended: in.Status == Suspended, SentID: sent}
	if r, ok := in.record(); ok {
		s.Recorded, s.RecordID, s.Resolution = true, r.ID, r.Resolution
	}
	if in.Live != nil {
		s.Later, s.Attempt = in.Live.Later, in.Live.Attempt
	}
	s.Dated = in.Abandonment == "portfolio_deadline_exceeded"
	for _, ev := range w.events[in.ID] {
		if ev.Type == intentSuspended && ev.Payload["suspension_id"] == sent {
			s.Before = true
		}
	}
	return s
}

func (t *tx) judged(in *Intent, v rules.Verdict) error {
	switch v {
	case rules.NotSuspended:
		return refuse(CodeNotSuspended, "this intent is %s: it waits for no answer", in.Status)
	case rules.OtherSuspension:
		refused := refuse(CodeOtherSuspension,
			"the intent does not wait under this suspension_id: take the one of its latest intent.suspended")
		if r, ok := in.record(); ok && t.rules.Answers.Reveals() {
			refused.Details = map[string]any{"expected": r.ID}
		}
		return refused
	}
	return nil
}

func (t *tx) respond(in *Intent, by Caller, r Response) (map[string]any, error) {
	record, known := in.record()
	if known {
		if ok, options := t.rules.Answers.Fits(&record, r.Value); !ok {
			return nil, misfit(&record, options)
		}
	}
	var value any
	if r.Value != nil {
		var err error
		if value, err = Decode(r.Value); err != nil {
			return nil, unfit("value is no JSON: %v", err)
		}
	}
	if r.By == "" {
		r.By = by.Name
	}
	at := stamp(t.now(in.ID, ""))
	reply := map[string]any{
		"intent_id": in.ID, "suspension_id": r.SuspensionID, "resolution": suspension.Responded, "value": value, "responded_by": r.By,
		"responded_at": at,
	}
	if chosen, ok := record.Chosen(r.Value); ok && len(record.Choices) > 0 {
		reply["choice_label"], reply["choice_description"] = chosen.Label, chosen.Description
	}
	if r.Metadata != nil {
		reply["metadata"] = r.Metadata
	}
	var kept map[string]any
	if old, ok := in.State[recordKey].(map[string]any); ok {
		kept = t.rules.Answers.Keeps(old, rules.Answer{Value: value, By: r.By, At: at, Metadata: r.Metadata})
	}
	live, to := in.Live, t.rules.Answers.Resumes(record.ResponseType)
	t.emit(&Event{
		Type: resumed, Intent: in.ID, Actor: r.By,
		Payload: map[string]any{"intent_id": in.ID, "suspension_id": r.SuspensionID, "value": value, "responded_by": r.By, "responded_at": at},
		Change:  &Change{Record: kept},
	})
	t.move(in, move{to: to, by: r.By, reason: "responded"})
	if live != nil && (t.rules.Reminders.Sends(live.Attempt+1, false) || t.rules.Expiry.Overrules()) {
		t.emit(&Event{Type: "suspension_kept", Intent: in.ID, Actor: system, Hidden: true, Change: &Change{Live: live}})
	}
	return reply, nil
}

// misfit refuses a value that is no answer to what was asked.
func misfit(r *suspension.Record, options []suspension.Option) error {
	if len(options) == 0 {
		want := map[string]string{suspension.Text: "a text that is not empty", suspension.Form: "a JSON object"}[r.ResponseType]
		if want == "" {
			want = "a value"
		}
		return refuse(CodeResponse, "this suspension waits for %s: give %s as value", r.ResponseType, want)
	}
	return refusal.New(CodeChoice, "value is none of the choices: give the value of one of valid_choices", "valid_choices", options)
}
