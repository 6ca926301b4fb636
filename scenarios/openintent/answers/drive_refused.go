package answers

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// refuse suspends an intent and gives it wrong answers, then the right one.
func refuse(ctx context.Context, i *host.Intent, r host.Record, right any, wrong ...wire.Call) (o host.Refused) {
	o.Suspension = i.Suspend(ctx, r)
	giveAnswers(ctx, i, &o, o.Suspension.ID, right, wrong...)
	return o
}

// giveAnswers gives a suspended intent wrong answers, then the right one.
func giveAnswers(ctx context.Context, i *host.Intent, o *host.Refused, sid string, right any, wrong ...wire.Call) {
	for _, call := range wrong {
		reply := i.Do(ctx, call)
		o.Wrong = append(o.Wrong, host.Replied(call.Label, reply))
		stood := i.Read(ctx, "the intent after "+call.Label)
		o.Stood = append(o.Stood, stood)
	}
	o.Right = i.Answer(ctx, "the right answer", sid, right)
	if host.MissingRoute(o.Right) {
		host.NoAnswers(i.Server, o.Right)
	}
	if o.End = i.Read(ctx, "the intent after the right answer"); o.Right.Ok() && o.End.Body.Key("status").String() == host.Suspended {
		i.Becomes(ctx, "the intent shows that it goes on", host.Active) // a read may be late
		o.End = i.Read(ctx, "the intent after the right answer")
	}
}

// RefusalsObservation holds answers that a server has to refuse, each kind given to an intent of its own.
type RefusalsObservation struct {
	Keyless  host.Refused `json:"keyless"`  // without a key, and with an unknown one
	Nameless host.Refused `json:"nameless"` // naming no suspension
	Nowhere  []host.Reply `json:"nowhere"`  // to an unknown intent
	Idle     host.Reply   `json:"idle"`     // to an intent that is not suspended
	IdleEnd  host.Reply   `json:"idleEnd"`
	Another  host.Refused `json:"another"` // naming another suspension
	Choice   host.Refused `json:"choice"`  // none of the choices
	Choices  []string     `json:"choices"` // the valid values
	Next     host.Refused `json:"next"`    // none of the choices of a later suspension of that intent, which are others; there need be none
	Options  []string     `json:"options"` // the valid values of that one
	Confirm  host.Refused `json:"confirm"` // neither yes nor no
	Declined host.Refused `json:"declined"`
	Empty    host.Refused `json:"empty"`
	Broken   host.Refused `json:"broken"` // with a body that is no object
}

var refusals = &scenarios.Drive[RefusalsObservation]{
	ID: "openintent/refusals", Title: "answers suspended intents as nobody may, and then rightly",
	Sends: []string{
		"POST /intents, 9 times", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"POST /intents/{id}/suspend/respond, with and without key and id, with values of every kind", "GET /intents/{id}",
	},
	Dimensions: []*scenarios.Dimension{offered},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RefusalsObservation) {
		s := host.Open(ctx, c)
		options := choices(s)
		for _, ch := range options {
			o.Choices = append(o.Choices, ch.Value)
		}
		for _, k := range []struct {
			into   *host.Refused
			unfit  string // the sentence for whose sake the wrong answers do not fit the contract
			record host.Record
			right  any
			wrong  func(i *host.Intent, sid string) []wire.Call
		}{
			{&o.Keyless, openintent.OIP0025A1, s.Question("text"), s.Name("right"), keyless},
			{&o.Nameless, openintent.OIP0025A2, s.Question("text"), s.Name("right"), func(i *host.Intent, _ string) []wire.Call {
				return []wire.Call{
					i.AnswerCall("an empty body", struct{}{}),
					i.AnswerCall("an empty suspension_id", map[string]any{"suspension_id": "", "value": "x"}),
				}
			}},
			{&o.Another, "", s.Question("text"), s.Name("right"), func(i *host.Intent, _ string) []wire.Call {
				return []wire.Call{
					i.AnswerCall("the id of another suspension", map[string]any{"suspension_id": s.Token(), "value": "x"}),
				}
			}},
			{&o.Choice, "", s.Question("choice", asAny(options)...), options[1].Value, func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{
					i.AnswerCall("a value that is no choice", map[string]any{"suspension_id": sid, "value": s.Name("no-choice")}),
					i.AnswerCall("a label", map[string]any{"suspension_id": sid, "value": options[1].Label}),
				}
			}},
			{&o.Confirm, "", s.Question("confirm"), "yes", func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{i.AnswerCall("maybe", map[string]any{"suspension_id": sid, "value": "maybe"})}
			}},
			{&o.Declined, "", s.Question("confirm"), "no", func(*host.Intent, string) []wire.Call { return nil }},
			{&o.Empty, "", s.Question("text"), s.Name("right"), func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{i.AnswerCall("an empty text", map[string]any{"suspension_id": sid, "value": ""})}
			}},
			{&o.Broken, openintent.OIP0025A17, s.Question("text"), s.Name("right"), func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{
					i.AnswerCall("a body that is no JSON", []byte(`{"suspension_id":`)),
					i.AnswerCall("a list", []byte(`[]`)), i.AnswerCall("a text", []byte(`"`+sid+`"`)),
				}
			}},
		} {
			i := s.NewIntent(ctx, "refusing", host.Active, nil)
			sid, _ := k.record["id"].(string)
			*k.into = refuse(wire.Misfit(ctx, k.unfit), i, k.record, k.right, k.wrong(i, sid)...)
			if k.into == &o.Choice && c.Depth > scenarios.Quick && o.Choice.End.Body.Key("status").String() == host.Active {
				o.refuseNext(ctx, i)
			}
		}
		o.answerElsewhere(ctx, s)
	},
}

// refuseNext suspends the intent once more, with other choices, and answers with one of those before.
func (o *RefusalsObservation) refuseNext(ctx context.Context, i *host.Intent) {
	options := choices(i.Server)
	for _, ch := range options {
		o.Options = append(o.Options, ch.Value)
	}
	record := i.Question("choice", asAny(options)...)
	o.Next = refuse(ctx, i, record, options[0].Value,
		i.AnswerCall("a choice of the suspension before", map[string]any{"suspension_id": record["id"], "value": o.Choices[0]}))
}

// keyless returns an answer without a key, and one with an unknown key.
func keyless(i *host.Intent, sid string) []wire.Call {
	none := i.AnswerCall("an answer without a key", map[string]any{"suspension_id": sid, "value": "x"})
	none.Anonymous = true
	bad := i.AnswerCall("an answer with an unknown key", none.Body)
	bad.Anonymous, bad.Header = true, map[string]string{host.KeyHeader: i.Name("nobody")}
	return []wire.Call{none, bad}
}

// answerElsewhere answers an unknown intent, and one that is not suspended.
func (o *RefusalsObservation) answerElsewhere(ctx context.Context, s *host.Server) {
	nobody := s.Call("an answer to an intent that is not there", http.MethodPost,
		host.At("/intents/%s/suspend/respond", s.Token()), map[string]any{"suspension_id": s.Token(), "value": "x"})
	reply := s.Do(ctx, nobody)
	o.Nowhere = []host.Reply{host.Replied(nobody.Label, reply)}
	i := s.NewIntent(ctx, "idle", host.Active, nil)
	o.Idle = i.Answer(ctx, "an answer to an intent that is not suspended", s.Token(), "x")
	o.IdleEnd = i.Read(ctx, "the intent after that")
}

// StaleObservation holds answers that name an earlier suspension of their intent.
type StaleObservation struct {
	Behind host.Refused `json:"behind"` // given after the new record was written
	Window host.Refused `json:"window"` // given when the status was set and the record was still the old one
	First  []host.Reply `json:"first"`  // the replies to the answers of the first suspensions
}

var stale = &scenarios.Drive[StaleObservation]{
	ID: "openintent/stale", Title: "suspends answered intents again, and answers with the id of before",
	Sends: []string{
		"POST /intents, twice", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"POST /intents/{id}/suspend/respond", "GET /intents/{id}",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StaleObservation) {
		s := host.Open(ctx, c)
		for _, into := range []*host.Refused{&o.Behind, &o.Window} {
			i, first := s.Waiting(ctx, "again")
			taken := i.MustAnswer(ctx, first.ID, s.Name("first"))
			o.First = append(o.First, taken)
			old := i.AnswerCall("the id of the suspension before",
				map[string]any{"suspension_id": first.ID, "value": s.Name("old")})
			if into == &o.Behind {
				*into = refuse(ctx, i, s.Question("text"), s.Name("right"), old)
				continue
			}
			answerInWindow(ctx, i, into, s.Question("text"), old)
		}
	},
}

// answerInWindow sets the status, answers with the old id, and only then writes the new record.
func answerInWindow(ctx context.Context, i *host.Intent, o *host.Refused, r host.Record, old wire.Call) {
	i.Must(ctx, host.Suspended)
	i.Becomes(ctx, "the intent is shown as suspended", host.Suspended) // a read may be late
	reply := i.Do(ctx, old)
	o.Wrong = []host.Reply{host.Replied(old.Label, reply)}
	stood := i.Read(ctx, "the intent after "+old.Label)
	o.Stood = []host.Reply{stood}
	if stood.Body.Key("status").String() != host.Suspended { // it was resumed, so there is nothing left to answer
		return
	}
	o.Suspension = i.Record(ctx, r)
	giveAnswers(ctx, i, o, o.Suspension.ID, i.Name("right"))
}

// AllowedObservation is an intent whose governance names the agents that may write, and an answer by another one.
type AllowedObservation struct {
	Made    host.Reply   `json:"made"`
	Refused host.Refused `json:"refused"`
}

var allowed = &scenarios.Drive[AllowedObservation]{
	ID: "openintent/allowed", Title: "answers an intent with a key that its governance does not allow",
	Sends: []string{"POST /intents", "POST /intents/{id}/suspend/respond, with two keys", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AllowedObservation) {
		s := host.Open(ctx, c)
		other := host.Second(c)
		me := s.NewIntent(ctx, "ungoverned", host.Active, nil).Made.Body.Key("created_by").String()
		switch {
		case me == "":
			scenarios.End(scenarios.Block("the server does not say who made an intent, so no policy can name us",
				"show created_by with every intent"))
		case wire.HoldsSecret(me):
			scenarios.End(scenarios.Block("the server calls its callers by their credentials, which are sent in no body",
				"give callers names that are no credentials"))
		}
		i := s.NewIntent(ctx, "governed", host.Active,
			map[string]any{"governance_policy": map[string]any{"allowed_agents": []string{me}}})
		o.Made = i.Made
		sus := i.Suspend(ctx, s.Question("text"))
		o.Refused.Suspension = sus
		call := i.AnswerCall("an answer by somebody else", map[string]any{"suspension_id": sus.ID, "value": "x"})
		o.Refused.Wrong = []host.Reply{host.SendAs(ctx, other, call)}
		stood := i.Read(ctx, "the intent after that")
		o.Refused.Stood = []host.Reply{stood}
		giveAnswers(ctx, i, &o.Refused, sus.ID, s.Name("right"))
	},
}
