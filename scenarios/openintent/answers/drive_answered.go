package answers

import (
	"context"
	"maps"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// Choice is one of the choices of a question.
type Choice struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// AnsweredObservation is an intent that was suspended with choices, and answered three times.
type AnsweredObservation struct {
	Suspension host.Suspension `json:"suspension"`
	Chosen     Choice          `json:"chosen"`
	Other      Choice          `json:"other"`
	Answer     host.Reply      `json:"answer"`
	After      host.Reply      `json:"after"` // the intent after the first answer
	Log        host.Log        `json:"log"`
	Again      []host.Reply    `json:"again"`      // replies to the later answers: the same value, another one
	AfterAgain host.Reply      `json:"afterAgain"` // the intent after them
	LogAgain   host.Log        `json:"logAgain"`
	AnsweredBy string          `json:"answeredBy"`
	Bare       host.Reply      `json:"bare"`  // the reply to an answer, of another intent, with a choice without description
	Usual      host.Reply      `json:"usual"` // the control of a drive in the other order: an answer in the usual one
}

var answered = &scenarios.Drive[AnsweredObservation]{
	ID: "openintent/answered", Title: "suspends an intent with choices, answers, and answers again",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/state", "POST /intents/{id}/status",
		"POST /intents/{id}/suspend/respond, 3 times", "GET /intents/{id}", "GET /intents/{id}/events",
	},
	Dimensions: []*scenarios.Dimension{offered},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AnsweredObservation) {
		o.drive(ctx, c, host.RecordFirst)
	},
}

var answeredStatusFirst = &scenarios.Drive[AnsweredObservation]{
	ID: "openintent/answered-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends:      answered.Sends,
	Dimensions: []*scenarios.Dimension{offered},
	Run: func(ctx context.Context, c *scenarios.Conn, o *AnsweredObservation) {
		o.drive(ctx, c, host.StatusFirst)
	},
}

// offered is how many choices a question has that is answered with one of them.
var offered = &scenarios.Dimension{Name: "choices on offer", Least: 3, Most: [3]int{3, 9, 20}, Edges: []int{3, 9}}

// choices returns some random choices; the last has no description.
func choices(s *host.Server) []Choice {
	out := make([]Choice, s.Draw(offered))
	for i := range out {
		out[i] = Choice{Value: s.Name("choice"), Label: s.Name("Label"), Description: s.Name("what it means")}
	}
	out[len(out)-1].Description = ""
	return out
}

func asAny(choices []Choice) []any {
	out := make([]any, len(choices))
	for i, c := range choices {
		out[i] = c
	}
	return out
}

// drive suspends an intent in one of the two orders, and answers it three times.
func (o *AnsweredObservation) drive(ctx context.Context, c *scenarios.Conn, order host.Order) {
	s := host.Open(ctx, c)
	if order != host.RecordFirst {
		i, sus := s.Waiting(ctx, "usual")
		o.Usual = i.Answer(ctx, "an answer in the usual order", sus.ID, "go on")
	}
	i := s.NewIntent(ctx, "answered", host.Active, nil)
	options := choices(s)
	last := len(options) - 1
	o.Chosen, o.Other = options[s.Rand.IntN(last)], options[last]
	o.AnsweredBy = s.Name("operator")
	r := s.Question("choice", asAny(options)...).With(map[string]any{
		"context": map[string]any{"note": s.Name("context")}, "confidence_at_suspension": 0.25,
	})
	o.Suspension = i.SuspendBy(ctx, r, order)
	give := func(label, value string) host.Reply {
		return i.Respond(ctx, label,
			map[string]any{"suspension_id": o.Suspension.ID, "value": value, "responded_by": o.AnsweredBy})
	}
	o.Answer = give("answer with a choice", o.Chosen.Value)
	if host.MissingRoute(o.Answer) {
		host.NoAnswers(s, o.Answer)
	}
	if o.Answer.Ok() {
		seen := i.Answered(ctx, "after the answer")
		o.After, o.Log = seen.Intent, seen.Log
	} else {
		o.look(ctx, i, &o.After, &o.Log, "after the answer")
	}
	if order == host.RecordFirst {
		other := s.NewIntent(ctx, "bare", host.Active, nil)
		sus := other.Suspend(ctx, s.Question("choice", asAny(options)...))
		o.Bare = other.Answer(ctx, "answer with a choice without description", sus.ID, o.Other.Value)
	}
	o.Again = append(o.Again, give("answer again", o.Chosen.Value))
	o.Again = append(o.Again, give("answer again, otherwise", o.Other.Value))
	o.look(ctx, i, &o.AfterAgain, &o.LogAgain, "after the later answers")
}

// look reads the intent and its log.
func (o *AnsweredObservation) look(
	ctx context.Context, i *host.Intent, intent *host.Reply, log *host.Log, when string,
) {
	*intent = i.Read(ctx, "the intent "+when)
	*log = i.Log(ctx, "the log "+when)
}

// RacedObservation is an intent that was answered several times at once.
type RacedObservation struct {
	Suspension host.Suspension `json:"suspension"`
	Values     []string        `json:"values"` // of the answers
	Replies    []host.Reply    `json:"replies"`
	After      host.Reply      `json:"after"`
	Log        host.Log        `json:"log"`
	// Noted is a second race, whose answers also name the responder and carry metadata.
	Noted *RacedObservation `json:"noted,omitempty"`
}

// racers is the number of answers at once.
const racers = 8

var raced = &scenarios.Drive[RacedObservation]{
	ID: "openintent/raced", Title: "answers suspended intents eight times at once, with two values, without and with metadata",
	Sends: []string{
		"POST /intents, twice", "POST /intents/{id}/suspend/respond, 8 at once", "GET /intents/{id}", "GET /intents/{id}/events",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *RacedObservation) {
		s := host.Open(ctx, c)
		o.race(ctx, s, nil)
		o.Noted = &RacedObservation{}
		o.Noted.race(ctx, s, map[string]any{"responded_by": s.Name("operator"), "metadata": map[string]any{"note": s.Name("note")}})
	},
}

// race has answers that say more meet.
func (o *RacedObservation) race(ctx context.Context, s *host.Server, more map[string]any) {
	i, sus := s.Waiting(ctx, "raced")
	o.Suspension = sus
	values := []string{s.Name("one"), s.Name("two")}
	o.Replies = make([]host.Reply, racers)
	calls := make([]func(context.Context), racers)
	for n := range calls {
		o.Values = append(o.Values, values[n%2])
		body := map[string]any{"suspension_id": sus.ID, "value": values[n%2]}
		maps.Copy(body, more)
		calls[n] = func(ctx context.Context) { o.Replies[n] = i.Respond(ctx, "one of many answers", body) }
	}
	s.AtOnce(ctx, calls...)
	if host.MissingRoute(o.Replies[0]) {
		host.NoAnswers(s, o.Replies[0])
	}
	seen := i.Answered(ctx, "after all answers")
	o.After, o.Log = seen.Intent, seen.Log
}

// KeptObservation is a record with a retry policy and one without, as the server keeps them.
type KeptObservation struct {
	With    host.Suspension `json:"with"`
	Without host.Suspension `json:"without"`
	Taken   []host.Reply    `json:"taken"` // the replies to their answers
	Log     host.Log        `json:"log"`   // of With, while it is suspended
}

var kept = &scenarios.Drive[KeptObservation]{
	ID: "openintent/kept", Title: "suspends an intent with a retry policy, and one without",
	Sends: []string{
		"POST /intents, twice", "POST /intents/{id}/state", "POST /intents/{id}/status", "GET /intents/{id}",
		"POST /intents/{id}/suspend/respond",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *KeptObservation) {
		s := host.Open(ctx, c)
		policy := map[string]any{
			"final_fallback_policy": "fail",
			"escalation_ladder":     []any{map[string]any{"attempt": 2, "channel_hint": "email"}},
		}
		for _, k := range []struct {
			record host.Record
			into   *host.Suspension
		}{
			{s.Question("text").Retried(3, 3600, policy), &o.With},
			{s.Question("text").Bare().Within(3600, "fail", nil), &o.Without},
		} {
			i := s.NewIntent(ctx, "kept", host.Active, nil)
			*k.into = i.Suspend(ctx, k.record)
			if k.into == &o.With {
				o.Log = i.Log(ctx, "the log while it waits")
			}
			taken := i.Answer(ctx, "the answer", k.into.ID, "yes")
			if host.MissingRoute(taken) {
				host.NoAnswers(s, taken)
			}
			o.Taken = append(o.Taken, taken)
		}
	},
}
