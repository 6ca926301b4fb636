package histories

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var coordinated = &explore.Kind[model.Watched, model.Watching, model.Watch]{
	Model: model.WatchedModel,
	Begin: func(r *rand.Rand, _ scenarios.Discovery) model.Watched {
		policies := []string{"", model.Isolates, model.Pauses, model.Escalates}
		return model.Watched{Policy: policies[r.IntN(len(policies))], Type: r.IntN(len(host.CoordinatorTypes)), Status: model.Active}
	},
	Make: func(ctx context.Context, c *scenarios.Conn, begin model.Watched) explore.Object[model.Watching, model.Watch] {
		return makeWatched(ctx, c, begin)
	},
	Draw:   drawWatching,
	Shown:  func(out model.Watch) wire.Value { return out.Status },
	Single: true,
}

var drawnCoordinated = &scenarios.Drive[explore.Observation[model.Watched, model.Watching, model.Watch]]{
	ID:    "openintent/coordinated-in-turn",
	Title: "suspends, answers and completes a phase under a coordinator of a drawn policy, and reads all that may come of it",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST /coordinators", "POST /intents/{id}/state and /status",
		"POST /intents/{id}/suspend/respond", "GET /intents/{id} and its events", "GET /coordinators/{id}",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        coordinated.Run,
}

func drawWatching(r *rand.Rand, w model.Watched) model.Watching {
	if !w.Seen {
		return model.Watching{Do: model.Look}
	}
	all := []weighed[model.Action]{
		{model.Look, 8}, {model.LookOther, 8}, {model.LookWired, 16}, {model.LookWatcher, 20}, {model.Records, 30}, {model.Halts, 40},
		{model.Answer, 14}, {model.Complete, 1},
	}
	return model.Watching{Do: choose(r, slices.DeleteFunc(all, func(a weighed[model.Action]) bool { return !w.Asks(a.thing) }))}
}

// watched is an intent under a coordinator.
type watched struct {
	following[model.Watched, model.Watching, model.Watch]
	asking
	parent, wired, other *host.Intent
	lease                string
}

func makeWatched(ctx context.Context, c *scenarios.Conn, begin model.Watched) *watched {
	s := host.Open(ctx, c)
	q := &watched{following: following[model.Watched, model.Watching, model.Watch]{model.WatchedModel, []model.Watched{begin}}}
	q.parent, q.Intent, q.wired, q.other = s.Family(ctx)
	asked := map[string]any{"coordinator_type": host.CoordinatorTypes[begin.Type]}
	if begin.Policy != "" {
		asked[host.SuspensionPolicy] = begin.Policy
	}
	lease := s.Coordinate(ctx, q.parent, asked)
	says := lease.Body.Key(host.SuspensionPolicy)
	switch {
	case host.MissingRoute(lease):
		scenarios.End(scenarios.NotThere(lease.Status, "a way to take the lease of a coordinator (POST "+s.Prefix+"/coordinators)"))
	case !lease.Ok():
		s.SetUp("take the lease of a coordinator", lease)
	case !says.Present():
		scenarios.End(scenarios.NotThere(says, "a suspension_policy of coordinator leases"))
	case begin.Policy == "" && says.String() != model.Isolates: // that it is isolate is a SHOULD of its own
		begin.Policy = model.Isolates
		return makeWatched(ctx, c, begin)
	}
	q.lease = lease.Body.Key("id").String()
	return q
}

// Do implements [explore.Object]. What the texts do not say what comes of is not asked.
func (q *watched) Do(ctx context.Context, _ int, in model.Watching) (out model.Watch) {
	switch in.Do {
	case model.Look:
		return q.look(ctx, in, q.Intent)
	case model.LookWired:
		return q.look(ctx, in, q.wired)
	case model.LookOther:
		return q.look(ctx, in, q.other)
	case model.LookWatcher:
		return q.look(ctx, in, q.parent)
	}
	if slices.ContainsFunc(q.states, func(w model.Watched) bool { return !w.Asks(in.Do) }) {
		return out
	}
	return q.does(in, func() model.Watch { return watch(q.take(ctx, in.Do, q.Question("text"))) })
}

func watch(r host.Reply) model.Watch { return model.Watch{Reply: replyOf(r)} }

// look reads an intent, and where an escalation may show if that is asked for.
func (q *watched) look(ctx context.Context, in model.Watching, i *host.Intent) model.Watch {
	out, _ := q.settled(ctx, q.Conn, in, func(ctx context.Context) model.Watch {
		out := watch(q.Get(ctx, string(in.Do), host.At("/intents/%s", i.ID)))
		if in.Do == model.LookWatcher {
			q.escalation(ctx, &out)
		}
		return out
	})
	return out
}

// escalation looks where one may show (OIP-R104).
func (q *watched) escalation(ctx context.Context, out *model.Watch) {
	for _, i := range []*host.Intent{q.parent, q.Intent} {
		log := i.Log(ctx, "the log, for an escalation")
		code, _ := log.Read.Int()
		out.Escalated += len(log.OfType(host.EventEscalation).Values)
		out.Blind = out.Blind || code/100 != 2
	}
	lease := q.Get(ctx, "the lease, for a coordinator that waits itself", host.At("/coordinators/%s", q.lease))
	for _, status := range []wire.Value{lease.Body.Key("status"), out.Body.Key("status")} {
		out.Self = out.Self || host.IsSuspended(status.String())
	}
}

// asking is an intent that is suspended and answered step by step.
type asking struct {
	*host.Intent
	sid string
}

// take takes a step. The id of a record is known before it is sent: its reply may be lost.
func (a *asking) take(ctx context.Context, do model.Action, r host.Record) (reply host.Reply) {
	switch do {
	case model.Records:
		a.sid, _ = r["id"].(string)
		return a.Record(ctx, r).Record
	case model.Halts:
		return a.Set(ctx, host.Suspended, "suspend it")
	case model.Answer:
		return a.Answer(ctx, "an answer", a.sid, "go on")
	case model.Complete:
		return a.Set(ctx, host.Completed, "complete it")
	}
	return reply
}
