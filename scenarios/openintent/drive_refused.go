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
func (i *intent) refuse(ctx context.Context, r record, right any, wrong ...wire.Call) (o Refused, err error) {
	if o.Suspension, err = i.suspend(ctx, r); err != nil {
		return o, err
	}
	err = i.refuseMore(ctx, &o, o.Suspension.ID, right, wrong...)
	return o, err
}

// refuseMore does so to an intent that is suspended already.
func (i *intent) refuseMore(ctx context.Context, o *Refused, sid string, right any, wrong ...wire.Call) error {
	for _, call := range wrong {
		reply, err := i.Do(ctx, call)
		if err != nil {
			return err
		}
		o.Wrong = append(o.Wrong, replied(call.Label, reply))
		stood, err := i.read(ctx, "the intent after "+call.Label)
		if err != nil {
			return err
		}
		o.Stood = append(o.Stood, stood)
	}
	var err error
	if o.Right, err = i.answer(ctx, "the right answer", sid, right); err != nil {
		return err
	}
	if missingRoute(o.Right) {
		return noAnswers(i.server, o.Right)
	}
	o.End, err = i.read(ctx, "the intent after the right answer")
	return err
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
	Run: func(ctx context.Context, c *scenarios.Conn) (o RefusalsObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
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
			i, err := s.mk(ctx, "refusing", active, nil)
			if err != nil {
				return o, err
			}
			sid, _ := k.record["id"].(string)
			if *k.into, err = i.refuse(ctx, k.record, k.right, k.wrong(i, sid)...); err != nil {
				return o, err
			}
		}
		err = o.elsewhere(ctx, s)
		return o, err
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
func (o *RefusalsObservation) elsewhere(ctx context.Context, s *server) error {
	nobody := s.call("an answer to an intent that is not there", http.MethodPost, at("/intents/%s/suspend/respond", s.token()), map[string]any{"suspension_id": s.token(), "value": "x"})
	reply, err := s.Do(ctx, nobody)
	if err != nil {
		return err
	}
	o.Nowhere = []Reply{replied(nobody.Label, reply)}
	i, err := s.mk(ctx, "idle", active, nil)
	if err != nil {
		return err
	}
	if o.Idle, err = i.answer(ctx, "an answer to an intent that is not suspended", s.token(), "x"); err != nil {
		return err
	}
	o.IdleEnd, err = i.read(ctx, "the intent after that")
	return err
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
	Run: func(ctx context.Context, c *scenarios.Conn) (o StaleObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		for _, into := range []*Refused{&o.Behind, &o.Window} {
			i, first, err := s.waiting(ctx, "again")
			if err != nil {
				return o, err
			}
			taken, err := i.mustAnswer(ctx, first.ID, s.Name("first"))
			if err != nil {
				return o, err
			}
			o.First = append(o.First, taken)
			old := i.answering("the id of the suspension before", map[string]any{"suspension_id": first.ID, "value": s.Name("old")})
			if into == &o.Behind {
				if *into, err = i.refuse(ctx, s.question("text"), s.Name("right"), old); err != nil {
					return o, err
				}
				continue
			}
			if err = i.reopen(ctx, into, s.question("text"), old); err != nil {
				return o, err
			}
		}
		return o, nil
	},
}

// reopen sets the status, answers with the old id, and only then writes the new record.
func (i *intent) reopen(ctx context.Context, o *Refused, r record, old wire.Call) (err error) {
	if err = i.must(ctx, suspended); err != nil {
		return err
	}
	reply, err := i.Do(ctx, old)
	if err != nil {
		return err
	}
	o.Wrong = []Reply{replied(old.Label, reply)}
	stood, err := i.read(ctx, "the intent after "+old.Label)
	if err != nil {
		return err
	}
	o.Stood = []Reply{stood}
	if stood.Body.Key("status").String() != suspended { // it was let go: there is nothing left to answer
		return nil
	}
	if o.Suspension, err = i.record(ctx, r); err != nil {
		return err
	}
	return i.refuseMore(ctx, o, o.Suspension.ID, i.Name("right"))
}

// AllowedObservation is an intent that names who may write, and an answer by somebody else.
type AllowedObservation struct {
	Made    Reply   `json:"made"`
	Refused Refused `json:"refused"`
}

var allowed = &scenarios.Drive[AllowedObservation]{
	ID: "openintent/allowed", Title: "answers an intent with a key that its governance does not allow",
	Sends: []string{"POST /intents", "POST /intents/{id}/suspend/respond, with two keys", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn) (o AllowedObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		other, err := second(c)
		if err != nil {
			return o, err
		}
		i, err := s.mk(ctx, "governed", active, map[string]any{"governance_policy": map[string]any{"allowed_agents": []string{wire.OwnKey}}})
		if err != nil {
			return o, err
		}
		o.Made = i.Made
		sus, err := i.suspend(ctx, s.question("text"))
		if err != nil {
			return o, err
		}
		o.Refused.Suspension = sus
		call := i.answering("an answer by somebody else", map[string]any{"suspension_id": sus.ID, "value": "x"})
		reply, err := other.Do(ctx, call)
		if err != nil {
			return o, err
		}
		if reply.Status == http.StatusUnauthorized {
			return o, unknownVoter()
		}
		o.Refused.Wrong = []Reply{replied(call.Label, reply)}
		stood, err := i.read(ctx, "the intent after that")
		if err != nil {
			return o, err
		}
		o.Refused.Stood = []Reply{stood}
		err = i.refuseMore(ctx, &o.Refused, sus.ID, s.Name("right"))
		return o, err
	},
}

func unknownVoter() error {
	return scenarios.Block("the server does not accept the key of the second agent (HTTP 401)", "give a key that the server knows with --voter-key")
}

// second is another agent.
func second(c *scenarios.Conn) (*scenarios.Conn, error) {
	if other, ok := c.Voter(0); ok {
		return other, nil
	}
	return nil, scenarios.Block("a second agent is needed, and there is no key of one", "give a further key that the server knows with --voter-key")
}
