package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Four ask for each type of response once.
var rounds = &scenarios.Dimension{Name: "suspensions of one intent", Least: 4, Most: [3]int{4, 8, 40}, Edges: []int{4, 10}}

var roundDimensions = append([]*scenarios.Dimension{rounds}, valued...)

// RoundsObservation is one intent that was suspended and answered again and again.
type RoundsObservation struct {
	Lease  host.Reply `json:"lease"` // on the intent
	Rounds []Round    `json:"rounds"`
	Log    host.Log   `json:"log"`
	Finish host.Reply `json:"finish"` // the reply to completing it
	Idle   host.Reply `json:"idle"`   // the reply to an answer then
	Rests  host.Reply `json:"rests"`  // the intent after that
	Wakes  host.Reply `json:"wakes"`  // the reply to suspending it then
	End    host.Reply `json:"end"`
}

// Round is a suspension from its beginning to what comes after its answer.
type Round struct {
	Response   string          `json:"response"`
	Suspension host.Suspension `json:"suspension"`
	Renewed    host.Reply      `json:"renewed"`  // the reply to renewing the lease while it waits
	Others     []Wrong         `json:"others"`   // answers that name another suspension
	Named      host.Reply      `json:"named"`    // the intent after these
	Values     []Wrong         `json:"values"`   // answers with a value that does not fit
	Fitted     host.Reply      `json:"fitted"`   // the intent after these
	Complete   host.Reply      `json:"complete"` // the reply to completing it while it waits, in the last round
	Waits      host.Reply      `json:"waits"`    // the intent after that
	Value      json.RawMessage `json:"value"`
	Answer     host.Reply      `json:"answer"`
	After      host.Reply      `json:"after"` // the intent
	Again      []host.Reply    `json:"again"` // to later answers: the same value, and another one
	Still      host.Reply      `json:"still"` // the intent after them
}

// Wrong is an answer that must be refused.
type Wrong struct {
	Reply host.Reply `json:"reply"`
	Other bool       `json:"other"` // it is of another form or type: a server may refuse it for that
}

var drawnRounds = &scenarios.Drive[RoundsObservation]{
	ID:    "openintent/drawn-rounds",
	Title: "suspends and answers one intent again and again, and before each right answer sends ones that resemble it",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/leases, and PATCH /intents/{id}/leases/{lease} in each round",
		"POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond, many times", "GET /intents/{id} and its events",
	},
	Dimensions: roundDimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *RoundsObservation) {
		s := host.Open(ctx, c)
		i := s.NewIntent(ctx, "rounds", host.Active, nil)
		seconds := leased
		if o.Lease = i.Lease(ctx, "a lease", host.Scope, leased); !o.Lease.Ok() && !host.MissingRoute(o.Lease) {
			_ = scenarios.Try(func() { o.Lease, seconds = i.AnyLease(ctx, "a lease") }) // the judge says what was refused
		}
		responses := taken(ctx, s)
		first := s.Rand.IntN(len(responses))
		var before []string
		all := within(s, rounds, 24)
		for n := range all {
			o.Rounds = append(o.Rounds, Round{Response: responses[(first+n)%len(responses)]})
			r := &o.Rounds[n]
			r.run(ctx, i, o.Lease, seconds, before, n == all-1)
			if before = append(before, r.Suspension.ID); !r.Answer.Ok() || r.After.Body.Key("status").String() != host.Active {
				break
			}
		}
		o.Log = i.Log(ctx, "the log")
		o.Finish = i.Set(ctx, host.Completed, "complete it after its last answer")
		o.Idle = i.Answer(ctx, "answer one that is completed", before[len(before)-1], "yes")
		o.Rests = i.Read(ctx, "the intent, completed")
		o.Wakes = i.Set(ctx, host.Suspended, "suspend one that is completed")
		o.End = i.Read(ctx, "the intent in the end")
	},
}

// leased is how long a lease lasts, in seconds.
const leased = 60

// run goes through a suspension. before are the ids of those before it. It ends where something was taken that must not be. last says
// whether to have the intent completed while it waits: on a server that does that nothing comes after it.
func (r *Round) run(ctx context.Context, i *host.Intent, lease host.Reply, seconds int, before []string, last bool) {
	record, value := question(i.Server, r.Response)
	order := []host.Order{host.RecordFirst, host.StatusFirst}[i.Rand.IntN(2)]
	r.Value = value
	r.Suspension = i.SuspendBy(ctx, asked(i.Server, record), order)
	if lease.Ok() {
		r.Renewed = i.Renew(ctx, "renew the lease while it waits", lease.Body.Key("id").String(), seconds)
	}
	right, id := decoded(value), r.Suspension.ID
	give := func(what, id string, value any, other bool) Wrong {
		return Wrong{i.Answer(ctx, "an answer with "+what, id, value), other}
	}
	for k, other := range before {
		if k == 0 || k >= len(before)-2 {
			r.Others = append(r.Others, give(fmt.Sprintf("the id of suspension %d", k+1), other, right, false))
		}
	}
	r.Others = append(r.Others, give("an id that ends otherwise", id[:len(id)-1]+next(id[len(id)-1:]), right, false),
		give("an id that begins otherwise", next(id[:1])+id[1:], right, false),
		give("an id that goes on", id+"-"+id[:4], right, false), give("the id of the intent", i.ID, right, true))
	if host.MissingRoute(r.Others[0].Reply) {
		host.NoAnswers(i.Server, r.Others[0].Reply)
	}
	if r.Named = i.Read(ctx, "the intent after answers to others"); !waits(r.Named) {
		return
	}
	for _, w := range misfits(r.Response, right) {
		r.Values = append(r.Values, give(w.why, id, w.value, w.other))
	}
	if r.Fitted = i.Read(ctx, "the intent after values that do not fit"); !waits(r.Fitted) {
		return
	}
	if r.Waits = r.Fitted; last {
		r.Complete = i.Set(ctx, host.Completed, "complete it while it waits")
		if r.Waits = i.Read(ctx, "the intent after that"); !waits(r.Waits) {
			return
		}
	}
	r.Answer = i.Answer(ctx, "the answer", id, right)
	r.After = i.Read(ctx, "the intent after the answer")
	if r.Answer.Ok() && waits(r.After) {
		i.Await(ctx, "the intent shows the answer", func(ctx context.Context) (wire.Value, bool) {
			r.After = i.Read(ctx, "the intent after the answer")
			return r.After.Body.Key("status"), !waits(r.After)
		})
	}
	r.Again = []host.Reply{
		i.Answer(ctx, "the same answer again", id, right),
		i.Answer(ctx, "another answer", id, another(r.Response, record, right)),
	}
	r.Still = i.Read(ctx, "the intent after later answers")
}

func waits(intent host.Reply) bool { return intent.Body.Key("status").String() == host.Suspended }

// next is another hexadecimal digit.
func next(digit string) string {
	const digits = "0123456789abcdef0"
	return digits[strings.Index(digits, digit)+1:][:1]
}

type misfit struct {
	why   string
	value any
	other bool
}

// misfits are values that resemble the right one and do not fit. A text and a form take much.
func misfits(response string, right any) []misfit {
	text, _ := right.(string)
	switch response {
	case asChoice:
		return []misfit{{"the beginning of a choice", text[:len(text)-1], false}, {"more than a choice", text + "x", false},
			{"a choice in capitals", strings.ToUpper(text), false}, {"a choice and a blank", text + " ", false}, {"an empty text", "", true},
			{"a list of a choice", []any{text}, true}, {"null", nil, true}, {"the number of a choice", 1, true}}
	case asConfirm:
		return []misfit{{"maybe", "maybe", false}, {"more than yes", "yes, no", false},
			{"it in capitals", strings.ToUpper(text), false}, {"it and a blank", text + " ", false}, {"true", true, true}, {"1", 1, true}}
	}
	return nil
}

// another is another answer that would fit.
func another(response string, record map[string]json.RawMessage, right any) any {
	switch response {
	case asChoice:
		list, _ := decoded(record["choices"]).([]any)
		one, _ := list[0].(map[string]any)
		return one["value"] // the right one is not the first
	case asConfirm:
		return map[any]string{"yes": "no", "no": "yes"}[right]
	case asForm:
		return map[string]any{"other": true}
	}
	return "another text"
}
