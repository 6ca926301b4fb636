package openintent

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Refused is a suspended intent to which answers were given that have to be refused, and a right one after them: a target
// that refuses everything shows nothing.
type Refused struct {
	Suspension Suspension `json:"suspension"`
	Wrong      []Reply    `json:"wrong"`
	Stood      []Reply    `json:"stood"` // the intent after each
	Right      Reply      `json:"right"`
	End        Reply      `json:"end"` // the intent after the right one
}

// refuse gives wrong answers and then the right one.
func (i *intent) refuse(ctx context.Context, r record, right any, wrong ...wire.Call) (o Refused) {
	o.Suspension = i.suspend(ctx, r)
	i.refuseMore(ctx, &o, o.Suspension.ID, right, wrong...)
	return o
}

// refuseMore does so to an intent that is suspended already.
func (i *intent) refuseMore(ctx context.Context, o *Refused, sid string, right any, wrong ...wire.Call) {
	for _, call := range wrong {
		reply := i.Do(ctx, call)
		o.Wrong = append(o.Wrong, replied(call.Label, reply))
		stood := i.read(ctx, "the intent after "+call.Label)
		o.Stood = append(o.Stood, stood)
	}
	o.Right = i.answer(ctx, "the right answer", sid, right)
	if missingRoute(o.Right) {
		noAnswers(i.server, o.Right)
		return
	}
	o.End = i.read(ctx, "the intent after the right answer")
}

// RefusalsObservation are the answers that a server has to refuse, one kind to an intent.
type RefusalsObservation struct {
	Keyless  Refused  `json:"keyless"`  // without a key, and with one that nobody has
	Nameless Refused  `json:"nameless"` // that name no suspension
	Nowhere  []Reply  `json:"nowhere"`  // to an intent that is not there
	Idle     Reply    `json:"idle"`     // to an intent that is not suspended
	IdleEnd  Reply    `json:"idleEnd"`
	Another  Refused  `json:"another"` // that name another suspension
	Choice   Refused  `json:"choice"`  // none of the choices
	Choices  []string `json:"choices"` // the values there were
	Confirm  Refused  `json:"confirm"` // neither yes nor no
	Declined Refused  `json:"declined"`
	Empty    Refused  `json:"empty"`
	Broken   Refused  `json:"broken"` // bodies that are no object
}

var refusals = &scenarios.Drive[RefusalsObservation]{
	ID: "openintent/refusals", Title: "answers suspended intents as nobody may, and then rightly",
	Sends: []string{"POST /intents, 9 times", "POST /intents/{id}/state", "POST /intents/{id}/status", "POST /intents/{id}/suspend/respond, with and without key and id, with values of every kind", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RefusalsObservation) {
		s := open(ctx, c)
		options := s.choices()
		for _, ch := range options {
			o.Choices = append(o.Choices, ch.Value)
		}
		for _, k := range []struct {
			into   *Refused
			record record
			right  any
			wrong  func(i *intent, sid string) []wire.Call
		}{
			{&o.Keyless, s.question("text"), s.Name("right"), keyless},
			{&o.Nameless, s.question("text"), s.Name("right"), func(i *intent, _ string) []wire.Call {
				return []wire.Call{i.answering("an empty body", struct{}{}), i.answering("an empty suspension_id", map[string]any{"suspension_id": "", "value": "x"})}
			}},
			{&o.Another, s.question("text"), s.Name("right"), func(i *intent, _ string) []wire.Call {
				return []wire.Call{i.answering("the id of another suspension", map[string]any{"suspension_id": s.token(), "value": "x"})}
			}},
			{&o.Choice, s.question("choice", asAny(options)...), options[1].Value, func(i *intent, sid string) []wire.Call {
				return []wire.Call{
					i.answering("a value that is no choice", map[string]any{"suspension_id": sid, "value": s.Name("no-choice")}),
					i.answering("a label", map[string]any{"suspension_id": sid, "value": options[1].Label}),
				}
			}},
			{&o.Confirm, s.question("confirm"), "yes", func(i *intent, sid string) []wire.Call {
				return []wire.Call{i.answering("maybe", map[string]any{"suspension_id": sid, "value": "maybe"})}
			}},
			{&o.Declined, s.question("confirm"), "no", func(*intent, string) []wire.Call { return nil }},
			{&o.Empty, s.question("text"), s.Name("right"), func(i *intent, sid string) []wire.Call {
				return []wire.Call{i.answering("an empty text", map[string]any{"suspension_id": sid, "value": ""})}
			}},
			{&o.Broken, s.question("text"), s.Name("right"), func(i *intent, sid string) []wire.Call {
				return []wire.Call{i.answering("a body that is no JSON", []byte(`{"suspension_id":`)), i.answering("a list", []byte(`[]`)), i.answering("a text", []byte(`"`+sid+`"`))}
			}},
		} {
			i := s.mk(ctx, "refusing", active, nil)
			sid, _ := k.record["id"].(string)
			*k.into = i.refuse(ctx, k.record, k.right, k.wrong(i, sid)...)
		}
		o.elsewhere(ctx, s)
	},
}

// keyless are an answer without a key, and one with a key that nobody has.
func keyless(i *intent, sid string) []wire.Call {
	none := i.answering("an answer without a key", map[string]any{"suspension_id": sid, "value": "x"})
	none.Anonymous = true
	bad := i.answering("an answer with an unknown key", none.Body)
	bad.Anonymous, bad.Header = true, map[string]string{Protocol.KeyHeader: i.Name("nobody")}
	return []wire.Call{none, bad}
}

// elsewhere answers where nothing waits.
func (o *RefusalsObservation) elsewhere(ctx context.Context, s *server) {
	nobody := s.call("an answer to an intent that is not there", http.MethodPost, at("/intents/%s/suspend/respond", s.token()), map[string]any{"suspension_id": s.token(), "value": "x"})
	reply := s.Do(ctx, nobody)
	o.Nowhere = []Reply{replied(nobody.Label, reply)}
	i := s.mk(ctx, "idle", active, nil)
	o.Idle = i.answer(ctx, "an answer to an intent that is not suspended", s.token(), "x")
	o.IdleEnd = i.read(ctx, "the intent after that")
}

// StaleObservation is an intent that was suspended twice, and then answered with the first id.
type StaleObservation struct {
	Behind Refused `json:"behind"` // after the new record was written
	Window Refused `json:"window"` // while the status is set and the record is still the old one
	First  []Reply `json:"first"`  // the right answers to the first suspensions
}

var stale = &scenarios.Drive[StaleObservation]{
	ID: "openintent/stale", Title: "suspends answered intents again, and answers with the id of before",
	Sends: []string{"POST /intents, twice", "POST /intents/{id}/state", "POST /intents/{id}/status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StaleObservation) {
		s := open(ctx, c)
		for _, into := range []*Refused{&o.Behind, &o.Window} {
			i, first := s.waiting(ctx, "again")
			taken := i.mustAnswer(ctx, first.ID, s.Name("first"))
			o.First = append(o.First, taken)
			old := i.answering("the id of the suspension before", map[string]any{"suspension_id": first.ID, "value": s.Name("old")})
			if into == &o.Behind {
				*into = i.refuse(ctx, s.question("text"), s.Name("right"), old)
				continue
			}
			i.reopen(ctx, into, s.question("text"), old)
		}
	},
}

// reopen sets the status, answers with the old id, and only then writes the new record.
func (i *intent) reopen(ctx context.Context, o *Refused, r record, old wire.Call) {
	i.must(ctx, suspended)
	reply := i.Do(ctx, old)
	o.Wrong = []Reply{replied(old.Label, reply)}
	stood := i.read(ctx, "the intent after "+old.Label)
	o.Stood = []Reply{stood}
	if stood.Body.Key("status").String() != suspended { // it was let go: there is nothing left to answer
		return
	}
	o.Suspension = i.record(ctx, r)
	i.refuseMore(ctx, o, o.Suspension.ID, i.Name("right"))
}

// AllowedObservation is an intent that names who may write, and an answer by somebody else.
type AllowedObservation struct {
	Made    Reply   `json:"made"`
	Refused Refused `json:"refused"`
}

var allowed = &scenarios.Drive[AllowedObservation]{
	ID: "openintent/allowed", Title: "answers an intent with a key that its governance does not allow",
	Sends: []string{"POST /intents", "POST /intents/{id}/suspend/respond, with two keys", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AllowedObservation) {
		s := open(ctx, c)
		other := second(c)
		i := s.mk(ctx, "governed", active, map[string]any{"governance_policy": map[string]any{"allowed_agents": []string{wire.OwnKey}}})
		o.Made = i.Made
		sus := i.suspend(ctx, s.question("text"))
		o.Refused.Suspension = sus
		call := i.answering("an answer by somebody else", map[string]any{"suspension_id": sus.ID, "value": "x"})
		reply := other.Do(ctx, call)
		if reply.Status == http.StatusUnauthorized {
			scenarios.End(unknownVoter())
			return
		}
		o.Refused.Wrong = []Reply{replied(call.Label, reply)}
		stood := i.read(ctx, "the intent after that")
		o.Refused.Stood = []Reply{stood}
		i.refuseMore(ctx, &o.Refused, sus.ID, s.Name("right"))
	},
}

func unknownVoter() error {
	return scenarios.Block("the server does not accept the key of the second agent (HTTP 401)", "give a key that the server knows with --voter-key")
}

// second is another agent.
func second(c *scenarios.Conn) *scenarios.Conn {
	if other, ok := c.Voter(0); ok {
		return other
	}
	scenarios.End(scenarios.Block("a second agent is needed, and there is no key of one", "give a further key that the server knows with --voter-key"))
	return nil
}
