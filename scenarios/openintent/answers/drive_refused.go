package answers

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// refuse gives wrong answers and then the right one.
func refuse(ctx context.Context, i *host.Intent, r host.Record, right any, wrong ...wire.Call) (o host.Refused) {
	o.Suspension = i.Suspend(ctx, r)
	refuseMore(ctx, i, &o, o.Suspension.ID, right, wrong...)
	return o
}

// refuseMore does so to an intent that is suspended already.
func refuseMore(ctx context.Context, i *host.Intent, o *host.Refused, sid string, right any, wrong ...wire.Call) {
	for _, call := range wrong {
		reply := i.Do(ctx, call)
		o.Wrong = append(o.Wrong, host.Replied(call.Label, reply))
		stood := i.Read(ctx, "the intent after "+call.Label)
		o.Stood = append(o.Stood, stood)
	}
	o.Right = i.Answer(ctx, "the right answer", sid, right)
	if host.MissingRoute(o.Right) {
		host.NoAnswers(i.Server, o.Right)
		return
	}
	o.End = i.Read(ctx, "the intent after the right answer")
}

// RefusalsObservation are the answers that a server has to refuse, one kind to an intent.
type RefusalsObservation struct {
	Keyless  host.Refused `json:"keyless"`  // without a key, and with one that nobody has
	Nameless host.Refused `json:"nameless"` // that name no suspension
	Nowhere  []host.Reply `json:"nowhere"`  // to an intent that is not there
	Idle     host.Reply   `json:"idle"`     // to an intent that is not suspended
	IdleEnd  host.Reply   `json:"idleEnd"`
	Another  host.Refused `json:"another"` // that name another suspension
	Choice   host.Refused `json:"choice"`  // none of the choices
	Choices  []string     `json:"choices"` // the values there were
	Confirm  host.Refused `json:"confirm"` // neither yes nor no
	Declined host.Refused `json:"declined"`
	Empty    host.Refused `json:"empty"`
	Broken   host.Refused `json:"broken"` // bodies that are no object
}

var refusals = &scenarios.Drive[RefusalsObservation]{
	ID: "openintent/refusals", Title: "answers suspended intents as nobody may, and then rightly",
	Sends: []string{"POST /intents, 9 times", "POST /intents/{id}/state", "POST /intents/{id}/status", "POST /intents/{id}/suspend/respond, with and without key and id, with values of every kind", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RefusalsObservation) {
		s := host.Open(ctx, c)
		options := choices(s)
		for _, ch := range options {
			o.Choices = append(o.Choices, ch.Value)
		}
		for _, k := range []struct {
			into   *host.Refused
			record host.Record
			right  any
			wrong  func(i *host.Intent, sid string) []wire.Call
		}{
			{&o.Keyless, s.Question("text"), s.Name("right"), keyless},
			{&o.Nameless, s.Question("text"), s.Name("right"), func(i *host.Intent, _ string) []wire.Call {
				return []wire.Call{i.Answering("an empty body", struct{}{}), i.Answering("an empty suspension_id", map[string]any{"suspension_id": "", "value": "x"})}
			}},
			{&o.Another, s.Question("text"), s.Name("right"), func(i *host.Intent, _ string) []wire.Call {
				return []wire.Call{i.Answering("the id of another suspension", map[string]any{"suspension_id": s.Token(), "value": "x"})}
			}},
			{&o.Choice, s.Question("choice", asAny(options)...), options[1].Value, func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{
					i.Answering("a value that is no choice", map[string]any{"suspension_id": sid, "value": s.Name("no-choice")}),
					i.Answering("a label", map[string]any{"suspension_id": sid, "value": options[1].Label}),
				}
			}},
			{&o.Confirm, s.Question("confirm"), "yes", func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{i.Answering("maybe", map[string]any{"suspension_id": sid, "value": "maybe"})}
			}},
			{&o.Declined, s.Question("confirm"), "no", func(*host.Intent, string) []wire.Call { return nil }},
			{&o.Empty, s.Question("text"), s.Name("right"), func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{i.Answering("an empty text", map[string]any{"suspension_id": sid, "value": ""})}
			}},
			{&o.Broken, s.Question("text"), s.Name("right"), func(i *host.Intent, sid string) []wire.Call {
				return []wire.Call{i.Answering("a body that is no JSON", []byte(`{"suspension_id":`)), i.Answering("a list", []byte(`[]`)), i.Answering("a text", []byte(`"`+sid+`"`))}
			}},
		} {
			i := s.NewIntent(ctx, "refusing", host.Active, nil)
			sid, _ := k.record["id"].(string)
			*k.into = refuse(ctx, i, k.record, k.right, k.wrong(i, sid)...)
		}
		o.elsewhere(ctx, s)
	},
}

// keyless are an answer without a key, and one with a key that nobody has.
func keyless(i *host.Intent, sid string) []wire.Call {
	none := i.Answering("an answer without a key", map[string]any{"suspension_id": sid, "value": "x"})
	none.Anonymous = true
	bad := i.Answering("an answer with an unknown key", none.Body)
	bad.Anonymous, bad.Header = true, map[string]string{host.KeyHeader: i.Name("nobody")}
	return []wire.Call{none, bad}
}

// elsewhere answers where nothing waits.
func (o *RefusalsObservation) elsewhere(ctx context.Context, s *host.Server) {
	nobody := s.Call("an answer to an intent that is not there", http.MethodPost, host.At("/intents/%s/suspend/respond", s.Token()), map[string]any{"suspension_id": s.Token(), "value": "x"})
	reply := s.Do(ctx, nobody)
	o.Nowhere = []host.Reply{host.Replied(nobody.Label, reply)}
	i := s.NewIntent(ctx, "idle", host.Active, nil)
	o.Idle = i.Answer(ctx, "an answer to an intent that is not suspended", s.Token(), "x")
	o.IdleEnd = i.Read(ctx, "the intent after that")
}

// StaleObservation is an intent that was suspended twice, and then answered with the first id.
type StaleObservation struct {
	Behind host.Refused `json:"behind"` // after the new record was written
	Window host.Refused `json:"window"` // while the status is set and the record is still the old one
	First  []host.Reply `json:"first"`  // the right answers to the first suspensions
}

var stale = &scenarios.Drive[StaleObservation]{
	ID: "openintent/stale", Title: "suspends answered intents again, and answers with the id of before",
	Sends: []string{"POST /intents, twice", "POST /intents/{id}/state", "POST /intents/{id}/status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StaleObservation) {
		s := host.Open(ctx, c)
		for _, into := range []*host.Refused{&o.Behind, &o.Window} {
			i, first := s.Waiting(ctx, "again")
			taken := i.MustAnswer(ctx, first.ID, s.Name("first"))
			o.First = append(o.First, taken)
			old := i.Answering("the id of the suspension before", map[string]any{"suspension_id": first.ID, "value": s.Name("old")})
			if into == &o.Behind {
				*into = refuse(ctx, i, s.Question("text"), s.Name("right"), old)
				continue
			}
			reopen(ctx, i, into, s.Question("text"), old)
		}
	},
}

// reopen sets the status, answers with the old id, and only then writes the new record.
func reopen(ctx context.Context, i *host.Intent, o *host.Refused, r host.Record, old wire.Call) {
	i.Must(ctx, host.Suspended)
	reply := i.Do(ctx, old)
	o.Wrong = []host.Reply{host.Replied(old.Label, reply)}
	stood := i.Read(ctx, "the intent after "+old.Label)
	o.Stood = []host.Reply{stood}
	if stood.Body.Key("status").String() != host.Suspended { // it was let go: there is nothing left to answer
		return
	}
	o.Suspension = i.Record(ctx, r)
	refuseMore(ctx, i, o, o.Suspension.ID, i.Name("right"))
}

// AllowedObservation is an intent that names who may write, and an answer by somebody else.
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
		i := s.NewIntent(ctx, "governed", host.Active, map[string]any{"governance_policy": map[string]any{"allowed_agents": []string{wire.OwnKey}}})
		o.Made = i.Made
		sus := i.Suspend(ctx, s.Question("text"))
		o.Refused.Suspension = sus
		call := i.Answering("an answer by somebody else", map[string]any{"suspension_id": sus.ID, "value": "x"})
		reply := other.Do(ctx, call)
		if reply.Status == http.StatusUnauthorized {
			scenarios.End(host.UnknownVoter())
			return
		}
		o.Refused.Wrong = []host.Reply{host.Replied(call.Label, reply)}
		stood := i.Read(ctx, "the intent after that")
		o.Refused.Stood = []host.Reply{stood}
		refuseMore(ctx, i, &o.Refused, sus.ID, s.Name("right"))
	},
}
