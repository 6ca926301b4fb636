package histories

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var chases = &explore.Kind[model.Chased, model.Chasing, model.Chaser]{
	Model: model.ChasedModel,
	Begin: func(r *rand.Rand, _ scenarios.Discovery) model.Chased {
		return model.Chased{Chase: drawChase(r), Status: model.Suspended, Record: model.Waiting}
	},
	Make: func(ctx context.Context, c *scenarios.Conn, begin model.Chased) explore.Object[model.Chasing, model.Chaser] {
		return makeChased(ctx, c, begin, begin.Chase)
	},
	Draw:   drawChasing,
	Beside: model.ChasedBeside,
	Shown:  func(out model.Chaser) wire.Value { return out.Status },
	Single: true,
}

var drawnChases = &scenarios.Drive[explore.Observation[model.Chased, model.Chasing, model.Chaser]]{
	ID: "openintent/chases-in-turn",
	Title: "suspends intents by drawn retry policies, lets time pass by half intervals, answers at some time or never, and reads " +
		"the intent and its log",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/state and /status", "the clock that the server advertises",
		"POST /intents/{id}/suspend/respond", "GET /intents/{id} and its events",
	},
	Dimensions: explore.Dimensions,
	Run:        chases.Run,
}

// drawChase draws what a record says. One of its fallbacks is said: what holds where none is, is the platform's.
func drawChase(r *rand.Rand) (ch model.Chase) {
	fallbacks := []string{model.Fails, model.Completes, model.Defaults, ""}
	ch.Channel, ch.Inner, ch.Outer = r.IntN(2) == 0, fallbacks[r.IntN(4)], fallbacks[r.IntN(4)]
	if ch.Inner == "" && ch.Outer == "" {
		ch.Outer = fallbacks[r.IntN(3)]
	}
	switch r.IntN(12) {
	case 0:
		return ch
	case 1, 2:
		ch.Attempts, ch.Plain, ch.Inner, ch.Outer = 1, true, "", fallbacks[r.IntN(3)]
		return ch
	case 3:
		ch.Attempts, ch.Silent = 1, true
		return ch
	case 4:
		ch.Attempts, ch.Unpaced = 3, true
		return ch
	}
	ch.Attempts = 1 + r.IntN(model.MostAttempts)
	if r.IntN(2) == 0 { // several are more
		ch.Attempts = 3
	}
	for n := 2; n < len(ch.Ladder); n++ {
		ch.Ladder[n] = []model.Rung{model.NoRung, model.NamesBoth, model.NamesBoth, model.NamesChannel, model.NamesRecipient}[r.IntN(5)]
	}
	return ch
}

func drawChasing(r *rand.Rand, q model.Chased) model.Chasing {
	waits := q.Record == model.Waiting
	do := choose(r, []weighed[model.Action]{
		{model.Look, 40}, {model.Pass, 30 + when(waits, 20)}, {model.Answer, when(!q.Chase.Unpaced, 8) + when(waits && q.Sent > 0, 10)},
	})
	if !q.Seen {
		do = model.Look
	}
	in := model.Chasing{Do: do}
	switch do {
	case model.Pass:
		in.Halves = []int{1, 1, 2, 3, 5}[r.IntN(5)]
	case model.Answer:
		all := answers["text"]
		in.Value = all[r.IntN(len(all))]
		if r.IntN(3) > 0 {
			in.Names = []string{model.NamesOther, model.NamesNear}[r.IntN(2)]
		}
	}
	return in
}

// chaseInterval is what lies between two attempts. A quarter of it is more than a server may be late, and than a history lasts.
const chaseInterval = time.Hour

// chased is an intent that waits, by a clock that is moved.
type chased struct {
	*host.Intent
	following[model.Chased, model.Chasing, model.Chaser]
	chase model.Chase
	sus   host.Suspension
	other string // an id that is of none
	vain  bool   // what fell due was waited for in vain
}

// makeChased makes an intent with a record that says this. A server may refuse one that names no interval: then it names one, and what
// holds of the other holds of it.
func makeChased(ctx context.Context, c *scenarios.Conn, begin model.Chased, says model.Chase) *chased {
	s := host.Open(ctx, c)
	if s.Seam() == "" {
		scenarios.End(scenarios.NotOffered("a clock that a drive can move; other scenarios wait for short intervals"))
	}
	q := &chased{
		Intent: s.NewIntent(ctx, "intent", host.Active, nil).Apart(), chase: begin.Chase, other: s.Token(),
		following: following[model.Chased, model.Chasing, model.Chaser]{model.ChasedModel, []model.Chased{begin}},
	}
	order := []host.Order{host.RecordFirst, host.StatusFirst}[s.Rand.IntN(2)]
	sus, refused := q.SuspendSince(ctx, chaseRecord(s, says), order)
	if says.Unpaced && host.IsBlocked(refused) {
		says.Unpaced = false
		return makeChased(ctx, c, begin, says)
	}
	scenarios.End(refused)
	q.sus = sus
	q.Lapse(ctx, chaseInterval/4)
	return q
}

// chaseRecord is a record that says this. Where the platform has a policy, which could be inherited, its own says all (OIP-R128).
func chaseRecord(s *host.Server, ch model.Chase) host.Record {
	const seconds = int(chaseInterval / time.Second)
	r := s.Question("text").With(map[string]any{"fallback_policy": ch.Outer, "fallback_value": model.FallbackValue, "expires_at": nil})
	if ch.Outer == "" {
		delete(r, "fallback_policy")
	}
	if ch.Channel {
		r["channel_hint"] = model.RecordChannel
	}
	_, platform := r["retry_policy"]
	switch {
	case ch.Attempts == 0 && platform:
		return r.Retried(1, 1000*seconds, map[string]any{"final_fallback_policy": "fail"}) // longer than any history
	case ch.Attempts == 0:
		return r
	case ch.Plain:
		return r.Within(seconds, ch.Outer, nil)
	}
	policy := map[string]any{"final_fallback_policy": ch.Inner}
	switch {
	case ch.Inner == "" && platform:
		policy["final_fallback_policy"] = ch.Outer
	case ch.Inner == "":
		delete(policy, "final_fallback_policy")
	}
	var ladder []any
	for n, rung := range ch.Ladder {
		if rung == model.NoRung {
			continue
		}
		step := map[string]any{"attempt": n, "channel_hint": model.StepChannel, "notify_to": model.StepRecipient}
		switch rung {
		case model.NamesChannel:
			step["notify_to"] = nil
		case model.NamesRecipient:
			step["channel_hint"] = nil
		}
		ladder = append(ladder, step)
	}
	if len(ladder) > 0 {
		policy["escalation_ladder"] = ladder
	}
	r = r.Retried(ch.Attempts, seconds, policy)
	said, _ := r["retry_policy"].(map[string]any)
	if ch.Silent && !platform {
		delete(said, "max_attempts")
	}
	if ch.Unpaced && !platform {
		delete(said, "interval_seconds")
	}
	return r
}

// Do implements [explore.Object].
func (q *chased) Do(ctx context.Context, _ int, in model.Chasing) model.Chaser {
	if in.Do == model.Look {
		out, _ := q.settle(ctx)
		return out
	}
	out := q.does(in, func() model.Chaser {
		if in.Do == model.Pass {
			q.note(ctx)
			return q.found(q.Lapse(ctx, time.Duration(in.Halves)*chaseInterval/2).Said)
		}
		id := q.sus.ID
		switch in.Names {
		case model.NamesOther:
			id = q.other
		case model.NamesNear:
			id = near(id)
		}
		return q.found(q.Respond(ctx, "an answer", map[string]any{"suspension_id": id, "value": in.Value}))
	})
	if in.Do == model.Pass && !q.vain { // no text says that what falls due has happened when the clock replies
		_, shown := q.settle(ctx)
		q.vain = !shown
	}
	return out
}

// note writes into the state in the middle of an attempt. The note is not about the suspension and must not move it. Whether an intent
// gets one depends on its id.
func (q *chased) note(ctx context.Context) {
	waits := slices.ContainsFunc(q.states, func(s model.Chased) bool { return s.Record == model.Waiting })
	if last := len(q.sus.ID) - 1; waits && q.sus.ID[last]%2 == 0 && q.Depth > scenarios.Quick {
		q.Patch(ctx, host.Note, q.ServerNow().Unix(), "write a note while it waits")
	}
}

func (q *chased) found(r host.Reply) model.Chaser {
	return model.Chaser{Reply: replyOf(r), Intent: q.ID, Suspension: q.sus.ID}
}

// settle reads the intent and its log.
func (q *chased) settle(ctx context.Context) (out model.Chaser, shown bool) {
	return q.settled(ctx, q.Conn, model.Chasing{Do: model.Look}, q.look)
}

func (q *chased) look(ctx context.Context) model.Chaser {
	const seconds = int(chaseInterval / time.Second)
	out := q.found(q.Get(ctx, "the intent", host.At("/intents/%s", q.ID)))
	record := out.Body.At("/state/_suspension")
	out.Odd, out.Ends = odd(q.sus, record), true
	if ends := record.Key("expires_at"); !host.IsNone(ends.Actual()) && q.chase.Attempts > 0 {
		out.Ends = matches(q.sus.Due(seconds, q.chase.Attempts), ends)
	}
	log := q.Log(ctx, "the log")
	out.Log, _ = log.Read.Int()
	out.Events, out.Behind = log.Events, q.behind(log, out.Body.Key("status").String())
	for _, e := range log.Events {
		if e.Key("event_type").String() == string(host.EventRenotified) {
			n := int(host.AttemptOf(e))
			out.Next = append(out.Next, matches(q.sus.NextAttempt(seconds, n, q.chase.Attempts), e.At("/payload/next_attempt_at")))
		}
	}
	return out
}

// behind reports whether the end of the window was told later than the change to a status that came of it. A server need not tell of
// such a change, and one that leaves the intent suspended makes none.
func (q *chased) behind(log host.Log, status string) bool {
	_, began := q.sus.Beginning()
	changes := log.OfType("status_changed").Where(func(e wire.Value) bool {
		at, has := host.TimeOf(e.Key("created_at"))
		return (e.At("/payload/status").String() == status || e.At("/payload/to").String() == status) && has && at.After(began)
	})
	ended := log.OfType(host.EventExpired)
	if status == host.Suspended || len(changes.Values) == 0 || len(ended.Values) == 0 {
		return false
	}
	end, told := host.TimeOf(ended.Last().Key("created_at"))
	change, _ := host.TimeOf(changes.Last().Key("created_at"))
	return told && change.Before(end)
}

func matches(m check.Matcher, v wire.Value) bool {
	ok, err := m.Match(v)
	return err == nil && ok
}
