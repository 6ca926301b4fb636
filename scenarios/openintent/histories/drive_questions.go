package histories

import (
	"context"
	"math/rand/v2"
	"strconv"
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
	Begin: func(_ *rand.Rand, d scenarios.Discovery) model.Question {
		_, lifecycle := claims.Lifecycle.Look(d)
		return model.Question{Status: model.Suspended, Lifecycle: lifecycle}
	},
	Make: func(ctx context.Context, c *scenarios.Conn, _ model.Question) explore.Object[model.Asked, model.Replied] {
		s := host.Open(ctx, c)
		i := s.NewIntent(ctx, "intent", host.Active, nil)
		var choices []any
		for _, value := range model.Choices {
			choices = append(choices, map[string]any{"value": value, "label": value})
		}
		return &question{Intent: i, sus: i.Suspend(ctx, s.Question("choice", choices...)).ID, other: s.Token()}
	},
	Draw:    drawAsked,
	Beside:  scenarios.IDs{openintent.OIP0025A11, openintent.OIP0025A13},
	Shown:   func(out model.Replied) wire.Value { return out.Status },
	Clients: 4,
	Single:  true,
}

func drawAsked(r *rand.Rand, _ model.Question) model.Asked {
	do := []model.Action{
		model.Look, model.Look, model.Look, model.Note, model.Note, model.Answer, model.Answer, model.Complete, model.Abandon,
	}[r.IntN(9)]
	in := model.Asked{Do: do}
	switch do {
	case model.Note:
		in.Value, in.Old = "note-"+strconv.Itoa(r.IntN(1000)), r.IntN(4) == 0
	case model.Complete, model.Abandon:
		in.Old = r.IntN(3) == 0
	case model.Answer:
		in.Value, in.Old = append(model.Choices, "Yes-a", "maybe")[r.IntN(5)], r.IntN(6) == 0
	}
	return in
}

var askedAtOnce = &scenarios.Drive[explore.Observation[model.Question, model.Asked, model.Replied]]{
	ID:    "openintent/questions-at-once",
	Title: "has up to four clients at once read, write, answer, complete and abandon an intent that waits, in drawn orders",
	Sends: []string{
		"POST /intents", "GET /intents/{id}", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond",
	},
	Dimensions: explore.Dimensions,
	Run:        questions.Run,
}

// question is an intent that waits.
type question struct {
	*host.Intent
	sus, other string // the id of its suspension, and one that is of none
	mu         sync.Mutex
	saw        [2]int64 // the versions that were seen last
}

// Do implements [explore.Object].
func (q *question) Do(ctx context.Context, _ int, in model.Asked) model.Replied {
	switch in.Do {
	case model.Answer:
		id := q.sus
		if in.Old {
			id = q.other
		}
		return q.replied(q.Answer(ctx, "an answer", id, in.Value), 0)
	case model.Note:
		return q.change(ctx, in, q.PatchCall(host.Note, in.Value, "write a note"))
	case model.Complete:
		return q.change(ctx, in, q.SetCall(host.Completed, "complete it"))
	case model.Abandon:
		return q.change(ctx, in, q.SetCall(host.Abandoned, "abandon it"))
	}
	return q.replied(q.Get(ctx, "the intent", host.At("/intents/%s", q.ID)), 0)
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
	return model.Replied{Code: r.Code(), Status: r.Status, Body: r.Body, Named: named}
}
