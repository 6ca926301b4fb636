package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

var (
	chases = []model.Chase{
		{Outer: model.Fails},
		{Attempts: 1, Plain: true, Outer: model.Completes},
		{Attempts: 1, Silent: true, Inner: model.Fails, Outer: model.Defaults},
		{Attempts: 3, Inner: model.Completes, Outer: model.Fails},
		{Attempts: 3, Unpaced: true, Inner: model.Fails},
		{Attempts: 4, Channel: true, Outer: model.Fails,
			Ladder: [model.MostAttempts + 2]model.Rung{2: model.NamesBoth, 3: model.NamesChannel, 4: model.NamesRecipient, 5: model.NamesBoth}},
	}
	chasings = []model.Chasing{
		{Do: model.Look}, {Do: model.Pass, Halves: 1}, {Do: model.Pass, Halves: 2}, {Do: model.Pass, Halves: 5},
		{Do: model.Answer, Value: "yes"}, {Do: model.Answer, Value: "yes", Names: model.NamesOther},
	}
)

func waits(ch model.Chase) model.Chased {
	return model.Chased{Chase: ch, Status: model.Suspended, Record: model.Waiting}
}

// Whatever is done, and whichever way is taken, up to twelve times, there is a rule, each rule is met, and what is due is sent.
func TestChasedRules(t *testing.T) {
	met, known := map[string]bool{}, map[model.Chased]bool{}
	var states []model.Chased
	for _, ch := range chases {
		states = append(states, waits(ch))
	}
	for range 12 {
		var next []model.Chased
		for _, q := range states {
			for _, in := range chasings {
				r := model.ChasedModel.RuleOf(q, in)
				if r == nil {
					t.Fatalf("there is no rule for %v in %v", in, q)
				}
				met[r.Name] = true
				for _, way := range r.Ways {
					q := way.To(q, history.Step[model.Chasing, model.Chaser]{In: in})
					due, over := q.Due()
					if q.Record == model.Waiting && !q.Chase.Unpaced && (over || q.Sent != due) || q.Sent > max(0, q.Chase.Attempts-1) {
						t.Fatalf("after %v: %v", in, q)
					}
					if !known[q] {
						known[q], next = true, append(next, q)
					}
				}
			}
		}
		states = next
	}
	for _, r := range model.ChasedModel.Rules {
		if !met[r.Name] {
			t.Errorf("no step meets the rule: %s", r.Name)
		}
	}
}

func TestChaseCourse(t *testing.T) {
	want := model.Course{
		Attempts: 4, Interval: 1, Fallback: model.Fails, Source: model.Record,
		Reminders: []model.Reminder{
			{Attempt: 2, Escalates: true, Channels: []string{model.StepChannel}, To: model.StepRecipient},
			{Attempt: 3, Escalates: true, Channels: []string{model.StepChannel}},
			{Attempt: 4, Escalates: true, Channels: []string{model.RecordChannel, ""}, To: model.StepRecipient},
		},
	}
	if diff := cmp.Diff(want, chases[5].Course()); diff != "" {
		t.Error(diff)
	}
	if c := chases[3].Course(); c.Source != model.Policy || !c.Continues() {
		t.Errorf("the fallback of the policy does not come first: %v", c)
	}
}

// One thing that is otherwise than it was is found, by its sentence.
func TestChasedShown(t *testing.T) {
	type object = map[string]any
	renotified := func(attempt int, more object) object {
		payload := object{"suspension_id": "s", "attempt": attempt, "max_attempts": 3, "channel_hint": nil, "notify_to": nil}
		for k, v := range more {
			payload[k] = v
		}
		return object{"event_type": "intent.suspension_renotified", "payload": payload}
	}
	escalated := func(to string) object {
		return object{"event_type": "intent.suspension_escalated", "payload": object{
			"suspension_id": "s", "attempt": 2, "escalated_to": to, "channel_hint": model.StepChannel,
		}}
	}
	first := renotified(2, object{"channel_hint": model.StepChannel, "notify_to": model.StepRecipient})
	during := waits(model.Chase{Attempts: 3, Inner: model.Fails, Ladder: [model.MostAttempts + 2]model.Rung{2: model.NamesBoth}})
	during.Halves, during.Sent = 2, 1
	ended := during
	ended.Record, ended.Status, ended.Sent = model.Expired, model.Abandoned, 2
	expired := object{"event_type": "intent.suspension_expired", "payload": object{"suspension_id": "s"}}
	for name, c := range map[string]struct {
		q          model.Chased
		status     string
		resolution any
		events     []any
		of         string // "" where it is as it must be
	}{
		"during an attempt":     {during, model.Suspended, nil, []any{first, escalated(model.StepRecipient)}, ""},
		"a reminder is missing": {during, model.Suspended, nil, []any{escalated(model.StepRecipient)}, "OIP-0026-N3"},
		"a reminder twice":      {during, model.Suspended, nil, []any{first, first, escalated(model.StepRecipient)}, "OIP-0026-E1"},
		"a reminder early":      {during, model.Suspended, nil, []any{first, escalated(model.StepRecipient), renotified(3, nil)}, "OIP-READ-5"},
		"as ever":               {during, model.Suspended, nil, []any{renotified(2, nil), escalated(model.StepRecipient)}, "OIP-0026-N5"},
		"to nobody":             {during, model.Suspended, nil, []any{first, escalated("")}, "OIP-0026-E4"},
		"silently":              {during, model.Suspended, nil, []any{first}, "OIP-0026-E2"},
		"it goes on":            {during, model.Active, nil, []any{first, escalated(model.StepRecipient)}, "OIP-0026-J1"},
		"an end too early":      {during, model.Suspended, nil, []any{first, escalated(model.StepRecipient), expired}, "OIP-0026-N6"},
		"the end": {ended, model.Abandoned, model.Expired,
			[]any{first, escalated(model.StepRecipient), renotified(3, nil), expired}, ""},
		"the end untold": {ended, model.Abandoned, model.Expired,
			[]any{first, escalated(model.StepRecipient), renotified(3, nil)}, "OIP-0026-E5"},
		"an end that goes on": {ended, model.Active, model.Expired,
			[]any{first, escalated(model.StepRecipient), renotified(3, nil), expired}, "OIP-0025-F1"},
		"an open record": {ended, model.Abandoned, nil,
			[]any{first, escalated(model.StepRecipient), renotified(3, nil), expired}, "OIP-0025-F3"},
	} {
		t.Run(name, func(t *testing.T) {
			body := wiretest.Value(t, object{"status": c.status, "state": object{"_suspension": object{"resolution": c.resolution}}})
			out := model.Chaser{
				Reply: model.Reply{Code: 200, Body: body}, Suspension: "s", Log: 200, Ends: true, Next: []bool{true, true, true},
			}
			out.Events = wiretest.Value(t, c.events).Items()
			look := history.Step[model.Chasing, model.Chaser]{In: model.Chasing{Do: model.Look}, Out: out}
			rule := model.ChasedModel.RuleOf(c.q, look.In)
			misses := rule.Ways[0].Shows(c.q, look)
			switch {
			case c.of == "" && len(misses) > 0:
				t.Errorf("%v", misses)
			case c.of != "" && (len(misses) == 0 || string(misses[0].Of) != c.of):
				t.Errorf("%v, want one of %s", misses, c.of)
			}
		})
	}
}
