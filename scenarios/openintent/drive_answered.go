package openintent

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Choice is one of the answers to choose from, as we wrote it.
type Choice struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// AnsweredObservation is an intent that waited for a choice and was answered, twice more after that.
type AnsweredObservation struct {
	Suspension Suspension `json:"suspension"`
	Chosen     Choice     `json:"chosen"`
	Other      Choice     `json:"other"`
	Answer     Reply      `json:"answer"`
	After      Reply      `json:"after"` // the intent
	Log        Log        `json:"log"`
	Again      []Reply    `json:"again"`      // answers after the first: the same value, another one
	AfterAgain Reply      `json:"afterAgain"` // the intent
	LogAgain   Log        `json:"logAgain"`
	AnsweredBy string     `json:"answeredBy"`
	Usual      Reply      `json:"usual"` // an answer in the usual order, for a drive that has another
}

var answered = &scenarios.Drive[AnsweredObservation]{
	ID: "openintent/answered", Title: "suspends an intent with choices, answers, and answers again",
	Sends: []string{"POST /intents", "POST /intents/{id}/state", "POST /intents/{id}/status", "POST /intents/{id}/suspend/respond, 3 times", "GET /intents/{id}", "GET /intents/{id}/events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AnsweredObservation) {
		answeredBy(ctx, c, RecordFirst, o)
	},
}

var answeredStatusFirst = &scenarios.Drive[AnsweredObservation]{
	ID: "openintent/answered-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: answered.Sends,
	Run: func(ctx context.Context, c *scenarios.Conn, o *AnsweredObservation) {
		answeredBy(ctx, c, StatusFirst, o)
	},
}

// choices are three to choose from, in a random order; the last has no description.
func (s *server) choices() []Choice {
	out := make([]Choice, 3)
	for i := range out {
		out[i] = Choice{Value: s.Name("choice"), Label: s.Name("Label"), Description: s.Name("what it means")}
	}
	out[2].Description = ""
	return out
}

func asAny(choices []Choice) []any {
	out := make([]any, len(choices))
	for i, c := range choices {
		out[i] = c
	}
	return out
}

func answeredBy(ctx context.Context, c *scenarios.Conn, order Order, o *AnsweredObservation) {
	s := open(ctx, c)
	if order != RecordFirst {
		i, sus := s.waiting(ctx, "usual")
		o.Usual = i.answer(ctx, "an answer in the usual order", sus.ID, "go on")
	}
	i := s.mk(ctx, "answered", active, nil)
	options := s.choices()
	o.Chosen, o.Other = options[s.Rand.IntN(2)], options[2]
	o.AnsweredBy = s.Name("operator")
	r := s.question("choice", asAny(options)...).with(map[string]any{"context": map[string]any{"note": s.Name("context")}, "confidence_at_suspension": 0.25})
	o.Suspension = i.suspendBy(ctx, r, order)
	give := func(label, value string) Reply {
		return i.respond(ctx, label, map[string]any{"suspension_id": o.Suspension.ID, "value": value, "responded_by": o.AnsweredBy})
	}
	o.Answer = give("answer with a choice", o.Chosen.Value)
	if missingRoute(o.Answer) {
		noAnswers(s, o.Answer)
		return
	}
	o.look(ctx, i, &o.After, &o.Log, "after the answer")
	for _, more := range []struct{ label, value string }{{"answer again", o.Chosen.Value}, {"answer again, otherwise", o.Other.Value}} {
		again := give(more.label, more.value)
		o.Again = append(o.Again, again)
	}
	o.look(ctx, i, &o.AfterAgain, &o.LogAgain, "after the later answers")
}

func (o *AnsweredObservation) look(ctx context.Context, i *intent, intent *Reply, log *Log, when string) {
	*intent = i.read(ctx, "the intent "+when)
	*log = i.log(ctx, "the log "+when)
}

// RacedObservation is an intent that was answered by many at once.
type RacedObservation struct {
	Suspension Suspension `json:"suspension"`
	Values     []string   `json:"values"` // of the answers, in their order
	Replies    []Reply    `json:"replies"`
	After      Reply      `json:"after"`
	Log        Log        `json:"log"`
}

// racers is how many answer at once.
const racers = 8

var raced = &scenarios.Drive[RacedObservation]{
	ID: "openintent/raced", Title: "answers a suspended intent eight times at once, with two values",
	Sends: []string{"POST /intents", "POST /intents/{id}/suspend/respond, 8 at once", "GET /intents/{id}", "GET /intents/{id}/events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RacedObservation) {
		s := open(ctx, c)
		i, sus := s.waiting(ctx, "raced")
		o.Suspension = sus
		values := []string{s.Name("one"), s.Name("two")}
		o.Replies = make([]Reply, racers)
		calls := make([]func(context.Context), racers)
		for n := range calls {
			o.Values = append(o.Values, values[n%2])
			calls[n] = func(ctx context.Context) {
				o.Replies[n] = i.answer(ctx, "one of many answers", sus.ID, values[n%2])
			}
		}
		s.AtOnce(ctx, calls...)
		if missingRoute(o.Replies[0]) {
			noAnswers(s, o.Replies[0])
			return
		}
		o.After = i.read(ctx, "the intent after all answers")
		o.Log = i.log(ctx, "the log after all answers")
	},
}

// KeptObservation is a record with a policy as the server has it, and one without.
type KeptObservation struct {
	With    Suspension `json:"with"`
	Without Suspension `json:"without"`
	Taken   []Reply    `json:"taken"` // the right answers
	Log     Log        `json:"log"`   // of the first, while it waits
}

var kept = &scenarios.Drive[KeptObservation]{
	ID: "openintent/kept", Title: "suspends an intent with a retry policy, and one without",
	Sends: []string{"POST /intents, twice", "POST /intents/{id}/state", "POST /intents/{id}/status", "GET /intents/{id}", "POST /intents/{id}/suspend/respond"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *KeptObservation) {
		s := open(ctx, c)
		for _, k := range []struct {
			record record
			into   *Suspension
		}{
			{s.question("text").retried(3, 3600, map[string]any{"final_fallback_policy": "fail", "escalation_ladder": []any{map[string]any{"attempt": 2, "channel_hint": "email"}}}), &o.With},
			{s.question("text").within(3600, "fail", nil), &o.Without},
		} {
			i := s.mk(ctx, "kept", active, nil)
			*k.into = i.suspend(ctx, k.record)
			if k.into == &o.With {
				o.Log = i.log(ctx, "the log while it waits")
			}
			taken := i.answer(ctx, "the answer", k.into.ID, "yes")
			if missingRoute(taken) {
				noAnswers(s, taken)
				return
			}
			o.Taken = append(o.Taken, taken)
		}
	},
}

// VersionsObservation is what writes to one intent came to, by the version that they named.
type VersionsObservation struct {
	Title   string     `json:"title"`
	Made    Reply      `json:"made"`
	Read    Reply      `json:"read"`
	Without Reply      `json:"without"` // a write that names no version
	After   Reply      `json:"after"`   // the intent behind it
	Right   Reply      `json:"right"`   // one that names the version
	ETag    wire.Value `json:"eTag"`    // of its reply
	Stale   Reply      `json:"stale"`   // one that names the version before
	End     Reply      `json:"end"`     // the intent behind that
}

var versions = &scenarios.Drive[VersionsObservation]{
	ID: "openintent/versions", Title: "writes to an intent without a version, with the right one, and with an old one",
	Sends: []string{"POST /intents", "GET /intents/{id}", "POST /intents/{id}/state, 3 times"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VersionsObservation) {
		s := open(ctx, c)
		o.Title = s.Name("versions")
		id, made := s.make(ctx, "an intent", "/intents", "/intents", map[string]any{"title": o.Title, "status": draft})
		o.Made = made
		i := s.adopt(id, made)
		o.Read = i.read(ctx, "the intent as it was made")
		write := func(label, value, version string) (Reply, *wire.Reply) {
			call := s.call(label, http.MethodPost, at("/intents/%s/state", i.ID), map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/assay", "value": value}}})
			if version != "" {
				call.Header = map[string]string{"If-Match": version}
			}
			r := s.Do(ctx, call)
			return replied(label, r), r
		}
		named := wire.Compact(o.Read.Body.Key("version").Actual())
		o.Without, _ = write("a write that names no version", "unversioned", "")
		o.After = i.read(ctx, "the intent after that")
		now := wire.Compact(o.After.Body.Key("version").Actual())
		var live *wire.Reply
		o.Right, live = write("a write that names the version", "right", now)
		o.ETag = live.HeaderValue("ETag")
		o.Stale, _ = write("a write that names an old version", "stale", named)
		o.End = i.read(ctx, "the intent in the end")
	},
}
