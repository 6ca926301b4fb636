package openintent

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Coordinated is an intent with two phases below it, of which one waits, under a coordinator with a policy.
type Coordinated struct {
	Policy     string     `json:"policy"`
	Lease      Reply      `json:"lease"` // to the request for it
	Shown      Reply      `json:"shown"` // the lease, read again
	Suspension Suspension `json:"suspension"`
	Acted      wire.Wait  `json:"acted"` // of what the policy is to bring about; under isolate there is nothing to wait for
	Barrier    Barrier    `json:"barrier"`
	Parent     Look       `json:"parent"`
	Waits      Look       `json:"waits"`  // the phase that waits
	Wired      Reply      `json:"wired"`  // the phase that takes its input from it, and does not depend on it otherwise
	Other      Reply      `json:"other"`  // one that takes nothing from it
	Holder     Reply      `json:"holder"` // the lease after the suspension
}

// CoordinatorObservation is the three policies, the lease that names none, and one that names what is no policy.
type CoordinatorObservation struct {
	Default  Reply       `json:"default"` // the lease that names no policy
	Bogus    Reply       `json:"bogus"`
	Escalate Coordinated `json:"escalate"`
	Pause    Coordinated `json:"pause"`
	Isolate  Coordinated `json:"isolate"`
}

var coordinators = &scenarios.Drive[CoordinatorObservation]{
	ID: "openintent/coordinators", Title: "suspends a phase under a coordinator of each policy",
	Sends: []string{"POST /intents and /intents/{id}/children", "POST /coordinators", "GET /coordinators/{id}", "POST /intents/{id}/state and /status", "GET /intents/{id} and its events"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CoordinatorObservation) {
		s := open(ctx, c)
		o.Escalate = s.coordinated(ctx, "escalate")
		o.Pause = s.coordinated(ctx, "block_dependents")
		o.Isolate = s.coordinated(ctx, "isolate")
		plain := s.mk(ctx, "coordinated", active, nil)
		o.Default = s.coordinate(ctx, plain, nil)
		o.Bogus = s.coordinate(ctx, plain, map[string]any{"suspension_policy": s.Name("bogus")})
	},
}

// coordinated makes a family under a coordinator of a policy and suspends a phase of it.
func (s *server) coordinated(ctx context.Context, policy string) (o Coordinated) {
	o.Policy = policy
	parent := s.mk(ctx, "coordinated", active, nil)
	waits := parent.kid(ctx, "fetch")
	wired := parent.kidWith(ctx, "wired", map[string]any{
		"_io_inputs":            map[string]any{"data": "fetch." + outputKey},
		"_io_dep_title_to_name": map[string]any{waits.Made.Body.Key("title").String(): "fetch"},
	})
	other := parent.kid(ctx, "other")
	o.Lease = s.coordinate(ctx, parent, map[string]any{"suspension_policy": policy})
	switch {
	case missingRoute(o.Lease):
		scenarios.End(scenarios.NotThere(o.Lease.Status, "a way to take the lease of a coordinator (POST "+s.prefix+"/coordinators)"))
		return o
	case !o.Lease.ok():
		s.setUp("take the lease of a coordinator with suspension_policy "+policy, o.Lease)
		return o
	}
	id := o.Lease.Body.Key("id").String()
	o.Shown = s.get(ctx, "the lease", at("/coordinators/%s", id))
	o.Suspension = waits.suspend(ctx, s.question("text"))
	switch policy {
	case "escalate":
		o.Acted = s.Await(ctx, "a suspension is escalated", func(ctx context.Context) (wire.Value, bool) {
			return escalation(ctx, parent, waits, id)
		})
	case "block_dependents":
		o.Acted = s.Await(ctx, "the phase that is wired to the suspended one is paused", func(ctx context.Context) (wire.Value, bool) {
			now := wired.read(ctx, "the wired phase")
			status := now.Body.Key("status")
			return status, paused(status.String())
		})
	default:
		o.Barrier = s.barrier(ctx, 0)
	}
	o.Parent = parent.look(ctx, "after the suspension")
	o.Waits = waits.look(ctx, "after the suspension")
	o.Wired = wired.read(ctx, "the wired phase after the suspension")
	o.Other = other.read(ctx, "the other phase after the suspension")
	o.Holder = s.get(ctx, "the lease after the suspension", at("/coordinators/%s", id))
	return o
}

// escalation is the event that a suspension was escalated, or a coordinator that is suspended itself.
func escalation(ctx context.Context, parent, waits *intent, coordinator string) (wire.Value, bool) {
	var last wire.Value
	for _, i := range []*intent{parent, waits} {
		log := i.log(ctx, "the log, for an escalation")
		if found := log.OfType(eventEscalation); len(found.Values) > 0 {
			return found.Last(), true
		}
		last = log.Read
	}
	holder := parent.get(ctx, "the lease, for a coordinator that waits itself", at("/coordinators/%s", coordinator))
	if status := holder.Body.Key("status"); isSuspended(status.String()) {
		return status, true
	}
	return last, false
}

// isSuspended takes the words that a coordinator may have for it.
func isSuspended(status string) bool { return status == suspended || status == "suspended" }

// paused says whether a phase neither goes on nor has ended.
func paused(status string) bool {
	switch status {
	case active, completed, abandoned, draft, "":
		return false
	}
	return true
}
