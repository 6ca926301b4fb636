package histories

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var questions = &explore.Kind[model.Question, model.Asked, model.Replied]{
	Model: model.QuestionModel,
	Begin: func(r *rand.Rand, d scenarios.Discovery) model.Question {
		_, lifecycle := claims.Lifecycle.Look(d)
		q := model.Question{Status: model.Suspended, Lifecycle: lifecycle, Asks: []int{0, 0, 1, 2}[r.IntN(4)]}
		if model.Kinds[q.Asks] == "choice" {
			q.Offers = strings.Join(model.Choices, "\n")
		}
		return q
	},
	Make: func(ctx context.Context, c *scenarios.Conn, begin model.Question) explore.Object[model.Asked, model.Replied] {
		s := host.Open(ctx, c)
		i := s.NewIntent(ctx, "intent", host.Active, nil)
		return &question{Intent: i, sus: i.Suspend(ctx, ask(s, model.Kinds[begin.Asks])), other: s.Token()}
	},
	Draw: drawAsked,
	Beside: scenarios.IDs{
		openintent.OIP0025A8, openintent.OIP0025A11, openintent.OIP0025A12, openintent.OIP0025A13, openintent.OIP0025A15, openintent.OIPREAD1,
	},
	Shown:   func(out model.Replied) wire.Value { return out.Status },
	Clients: 4,
	Single:  true,
}

// ask is a question of a kind.
func ask(s *host.Server, kind string) host.Record {
	var choices []any
	if kind == "choice" {
		for _, value := range model.Choices {
			choices = append(choices, map[string]any{
				"value": value, "label": fmt.Sprintf(model.LabelOf, value), "description": fmt.Sprintf(model.MeaningOf, value),
				"style": "primary", "metadata": map[string]any{"rank": 0, "ok": false},
			})
		}
	}
	return s.Question(kind, choices...).With(map[string]any{
		"context":                  map[string]any{"off": false, "none": 0, "list": []any{nil, false, 0}, "share": 0.5, "text": "\"ö\"\n"},
		"confidence_at_suspension": 0.25,
	})
}

// answers are values for a question of each kind, and some that begin or sound alike.
var answers = map[string][]string{
	"choice":  {"yes-a", "no-b", "wait-c", "yes-a", "no-b", "Yes-a", "maybe", "yes-"},
	"confirm": {"yes", "no", "yes", "YES", "true", "y"},
	"text":    {"Zoë's \"note\" – 名前 \\n", "false", "0", "yes"},
}

func drawAsked(r *rand.Rand, q model.Question) model.Asked {
	do := []model.Action{
		model.Look, model.Look, model.Look, model.Note, model.Note, model.Answer, model.Answer, model.Complete, model.Abandon, model.Tell,
	}[r.IntN(10)]
	if !q.Seen {
		do = model.Look
	}
	in := model.Asked{Do: do}
	switch do {
	case model.Note:
		in.Value, in.Old = "note-"+strconv.Itoa(r.IntN(1000)), r.IntN(4) == 0
	case model.Complete, model.Abandon:
		in.Old = r.IntN(3) == 0
	case model.Answer:
		all := answers[model.Kinds[q.Asks]]
		in.Value, in.Noted = all[r.IntN(len(all))], r.IntN(2) == 0
		if fits := model.Kinds[q.Asks] == "text" || in.Value == all[0] || in.Value == all[1]; fits && r.IntN(5) == 0 {
			in.Names = []string{model.NamesOther, model.NamesNear}[r.IntN(2)]
		}
	}
	return in
}

var askedAtOnce = &scenarios.Drive[explore.Observation[model.Question, model.Asked, model.Replied]]{
	ID:    "openintent/questions-at-once",
	Title: "has up to four clients at once read, write, answer, complete and abandon an intent that waits, in drawn orders",
	Sends: []string{
		"POST /intents", "GET /intents/{id}", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        questions.Run,
}

// question is an intent that waits.
type question struct {
	*host.Intent
	sus   host.Suspension
	other string // an id that is of none
	mu    sync.Mutex
	saw   [2]int64 // the versions that were seen last
	taken bool     // an answer was
	// quiet is held for reading by each write, and by one that reads: no text says when a read tells what is under way.
	quiet sync.RWMutex
}

// Do implements [explore.Object].
func (q *question) Do(ctx context.Context, _ int, in model.Asked) model.Replied {
	if in.Do == model.Tell || in.Do == model.Look {
		q.quiet.Lock()
		defer q.quiet.Unlock()
		q.CatchUp(ctx)
		return q.settled(ctx, in.Do)
	}
	q.quiet.RLock()
	defer q.quiet.RUnlock()
	switch in.Do {
	case model.Answer:
		id := q.sus.ID
		switch in.Names {
		case model.NamesOther:
			id = q.other
		case model.NamesNear:
			id = near(id)
		}
		body := map[string]any{"suspension_id": id, "value": in.Value}
		if in.Noted {
			body["metadata"] = map[string]any{"from": "a reader"}
		}
		reply := q.Respond(ctx, "an answer", body)
		q.mu.Lock()
		q.taken = q.taken || reply.Ok()
		q.mu.Unlock()
		out := q.replied(reply, 0)
		out.Label, out.Meaning = fmt.Sprintf(model.LabelOf, in.Value), fmt.Sprintf(model.MeaningOf, in.Value)
		return out
	case model.Note:
		return q.change(ctx, in, q.PatchCall(host.Note, in.Value, "write a note"))
	case model.Complete:
		return q.change(ctx, in, q.SetCall(host.Completed, "complete it"))
	case model.Abandon:
		return q.change(ctx, in, q.SetCall(host.Abandoned, "abandon it"))
	}
	return model.Replied{}
}

// settled reads until what is shown is no older than what replies told, or that does not come: a server may be late.
func (q *question) settled(ctx context.Context, do model.Action) (out model.Replied) {
	read := q.look
	if do == model.Tell {
		read = q.tell
	}
	q.UntilShown(ctx, func(ctx context.Context) (shown bool) {
		out, shown = read(ctx)
		return shown
	})
	return out
}

// look reads the intent, and reports whether it is as late as the replies to writes.
func (q *question) look(ctx context.Context) (out model.Replied, there bool) {
	out = q.replied(q.Get(ctx, "the intent", host.At("/intents/%s", q.ID)), 0)
	version, has := out.Body.Key("version").Int()
	return out, (!has || version >= q.saw[0]) && !(q.taken && out.Body.Key("status").String() == host.Suspended)
}

// tell reads the log, and reports whether it tells of an answer that was taken.
func (q *question) tell(ctx context.Context) (out model.Replied, there bool) {
	log := q.Log(ctx, "the log")
	out = q.replied(host.Reply{Status: log.Read, Body: log.Read}, 0)
	out.List = log.Events
	return out, !q.taken || slices.ContainsFunc(log.Events, func(e wire.Value) bool { return host.Contains(e, "intent.resumed") })
}

// change sends a change that names the version that was seen last, or the one before.
func (q *question) change(ctx context.Context, in model.Asked, call wire.Call) model.Replied {
	q.mu.Lock()
	named := q.saw[0]
	if in.Old && q.saw[1] > 0 {
		named = q.saw[1]
	}
	q.mu.Unlock()
	if named == 0 { // nothing was seen yet
		named = 1
	}
	call.Header = map[string]string{"If-Match": strconv.FormatInt(named, 10)}
	return q.replied(q.Send(ctx, call), named)
}

func (q *question) replied(r host.Reply, named int64) model.Replied {
	if version, has := r.Body.Key("version").Int(); has {
		q.mu.Lock()
		if version > q.saw[0] {
			q.saw[0], q.saw[1] = version, q.saw[0]
		}
		q.mu.Unlock()
	}
	return repliedTo(q.ID, q.sus, r, named)
}

// repliedTo returns a reply about the suspension of an intent.
func repliedTo(intent string, sus host.Suspension, r host.Reply, named int64) model.Replied {
	out := model.Replied{Reply: replyOf(r), Named: named, Intent: intent, Suspension: sus.ID}
	out.Choices = host.Locate(host.ValidChoices, host.Named("body", r.Body)).Value
	if record := r.Body.At("/state/_suspension"); record.Present() {
		out.Odd = odd(sus, record)
	}
	return out
}

// near is an id that ends otherwise.
func near(id string) string {
	end := "0"
	if id[len(id)-1] == '0' {
		end = "1"
	}
	return id[:len(id)-1] + end
}
