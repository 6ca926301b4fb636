package histories

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

var handovers = &explore.Kind[model.Phases, model.Handling, model.Handled]{
	Model: model.PhasesModel,
	Begin: func(r *rand.Rand, _ scenarios.Discovery) model.Phases {
		return model.Phases{Status: model.Active, Endless: r.IntN(2) == 0}
	},
	Make: func(ctx context.Context, c *scenarios.Conn, begin model.Phases) explore.Object[model.Handling, model.Handled] {
		return makePhases(ctx, c, begin)
	},
	Draw:   drawHandling,
	Shown:  func(out model.Handled) wire.Value { return out.Status },
	Single: true,
}

var drawnHandovers = &scenarios.Drive[explore.Observation[model.Phases, model.Handling, model.Handled]]{
	ID: "openintent/phases-in-turn",
	Title: "suspends, answers and completes an intent that another one takes its input from, in a drawn order, while agents take, renew " +
		"and give back leases on both",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST, PATCH and DELETE /intents/{id}/leases, with two keys", "POST /tasks/{id}/claim",
		"POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond", "the clock that the server advertises", "GET /intents/{id}",
	},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        handovers.Run,
}

func drawHandling(r *rand.Rand, p model.Phases) model.Handling {
	if !p.Seen {
		return model.Handling{Do: []model.Action{model.Look, model.LookNext}[r.IntN(2)]}
	}
	waits := p.Status == model.Suspended
	all := []weighed[model.Action]{
		{model.Look, 8}, {model.LookNext, 6}, {model.Records, 30}, {model.Halts, 40}, {model.Answer, 12}, {model.Puts, when(!waits, 4)},
		{model.Complete, 2 + when(p.Written, 2)}, {model.Claims, 20}, {model.Unclaims, 30}, {model.Claim, 20},
		{model.Renew, when(waits, 12) + 1}, {model.Strange, when(waits, 8) + 1}, {model.Wait, when(waits, 10) + 1},
	}
	return model.Handling{Do: choose(r, slices.DeleteFunc(all, func(a weighed[model.Action]) bool { return !p.Asks(a.thing) }))}
}

// handoverLease is how long a lease lasts, in seconds: longer than a history.
const handoverLease = 3600

// phases are two intents, of which the second takes its input from the first.
type phases struct {
	*host.Server
	following[model.Phases, model.Handling, model.Handled]
	up      asking
	down    *host.Intent
	claim   func(context.Context) host.Reply // on the second
	endless bool
	began   time.Time  // by the clock of the server
	claimed string     // the id of the lease on the second
	lease   wire.Value // on the first
	other   *scenarios.Conn
}

func makePhases(ctx context.Context, c *scenarios.Conn, begin model.Phases) *phases {
	s := host.Open(ctx, c)
	q := &phases{
		Server: s, endless: begin.Endless,
		following: following[model.Phases, model.Handling, model.Handled]{model.PhasesModel, []model.Phases{begin}},
	}
	q.other, _ = c.Voter(0)
	_, byTask := s.ClaimsByTask(ctx)
	q.up.Intent, q.down = s.Phases(ctx)
	q.up.Apart()
	q.began = q.up.ServerNow()
	q.claim = func(ctx context.Context) host.Reply { return q.down.Lease(ctx, "a claim", host.Scope, handoverLease) }
	if byTask {
		task := s.Task(ctx, q.down, nil)
		q.claim = func(ctx context.Context) host.Reply { return task.Claim(ctx, "a claim of a task") }
	}
	return q
}

// Do implements [explore.Object]. What the texts do not say what comes of is not asked.
func (q *phases) Do(ctx context.Context, _ int, in model.Handling) (out model.Handled) {
	switch in.Do {
	case model.Look:
		return q.look(ctx, in, q.up.Intent)
	case model.LookNext:
		return q.look(ctx, in, q.down)
	}
	if slices.ContainsFunc(q.states, func(p model.Phases) bool { return !p.Asks(in.Do) }) {
		return out
	}
	return q.does(in, func() model.Handled { return q.handle(ctx, in) })
}

// look reads an intent.
func (q *phases) look(ctx context.Context, in model.Handling, i *host.Intent) model.Handled {
	out, _ := q.settled(ctx, q.Conn, in, func(ctx context.Context) model.Handled {
		return handled(q.Get(ctx, string(in.Do), host.At("/intents/%s", i.ID)))
	})
	return out
}

func handled(r host.Reply) model.Handled { return model.Handled{Reply: replyOf(r)} }

func (q *phases) handle(ctx context.Context, in model.Handling) (out model.Handled) {
	switch in.Do {
	case model.Records, model.Halts, model.Answer, model.Complete:
		r := q.Question("text")
		if !q.endless {
			r = r.Within(1000*handoverLease, "fail", nil)
		}
		return handled(q.up.take(ctx, in.Do, r))
	case model.Puts:
		return handled(q.up.Patch(ctx, host.OutputKey, "approved", "write the output"))
	case model.Wait:
		if q.Seam() != "" {
			return handled(q.up.Lapse(ctx, 2*handoverLease*time.Second).Said)
		}
		return out
	case model.Claims:
		reply := q.claim(ctx)
		q.claimed = reply.Body.Key("id").String()
		out = handled(reply)
		resumes := host.ResumesAt(reply.Body)
		out.Says, out.Names = host.Contains(reply.Body, host.SuspendedCodes...), host.Contains(reply.Body, q.up.ID)
		out.Early = !matches(host.NotBefore(q.began), resumes)
		return out
	case model.Unclaims:
		if q.claimed != "" {
			return handled(q.Ask(ctx, "give a claim back", http.MethodDelete, host.At("/intents/%s/leases/%s", q.down.ID, q.claimed), nil))
		}
		return out
	}
	return q.leases(ctx, in)
}

// leases takes steps of leases on the first intent.
func (q *phases) leases(ctx context.Context, in model.Handling) (out model.Handled) {
	switch in.Do {
	case model.Claim:
		reply := q.up.Lease(ctx, "a lease", host.Scope, handoverLease)
		if reply.Ok() {
			q.lease = reply.Body
		}
		return handled(reply)
	case model.Renew:
		id := q.lease.Key("id").String()
		if id == "" {
			return out
		}
		out = handled(q.up.Renew(ctx, "renew a lease", id, handoverLease))
		before, had := host.TimeOf(q.lease.Key("expires_at"))
		now, has := host.TimeOf(out.Body.Key("expires_at"))
		out.Same, out.Shorter = out.Body.Key("id").String() == id, had && (!has || now.Before(before))
		if out.Code/100 == 2 {
			q.lease = out.Body
		}
	case model.Strange:
		if q.other == nil {
			return out
		}
		return handled(q.up.LeaseAs(ctx, q.other, "somebody else's lease", handoverLease))
	}
	return out
}
