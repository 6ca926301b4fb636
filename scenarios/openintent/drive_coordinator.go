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
	Run: func(ctx context.Context, c *scenarios.Conn) (o CoordinatorObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		if o.Escalate, err = s.coordinated(ctx, "escalate"); err != nil {
			return o, err
		}
		if o.Pause, err = s.coordinated(ctx, "block_dependents"); err != nil {
			return o, err
		}
		if o.Isolate, err = s.coordinated(ctx, "isolate"); err != nil {
			return o, err
		}
		plain, err := s.mk(ctx, "coordinated", active, nil)
		if err != nil {
			return o, err
		}
		if o.Default, err = s.coordinate(ctx, plain, nil); err != nil {
			return o, err
		}
		o.Bogus, err = s.coordinate(ctx, plain, map[string]any{"suspension_policy": s.Name("bogus")})
		return o, err
	},
}

// coordinated makes a family under a coordinator of a policy and suspends a phase of it.
func (s *server) coordinated(ctx context.Context, policy string) (o Coordinated, err error) {
	o.Policy = policy
	parent, err := s.mk(ctx, "coordinated", active, nil)
	if err != nil {
		return o, err
	}
	waits, err := parent.kid(ctx, "fetch")
	if err != nil {
		return o, err
	}
	wired, err := parent.kidWith(ctx, "wired", map[string]any{
		"_io_inputs":            map[string]any{"data": "fetch." + outputKey},
		"_io_dep_title_to_name": map[string]any{waits.Made.Body.Key("title").String(): "fetch"},
	})
	if err != nil {
		return o, err
	}
	other, err := parent.kid(ctx, "other")
	if err != nil {
		return o, err
	}
	if o.Lease, err = s.coordinate(ctx, parent, map[string]any{"suspension_policy": policy}); err != nil {
		return o, err
	}
	switch {
	case missingRoute(o.Lease):
		return o, scenarios.NotThere(o.Lease.Status, "a way to take the lease of a coordinator (POST "+s.prefix+"/coordinators)")
	case !o.Lease.ok():
		return o, s.setUp("take the lease of a coordinator with suspension_policy "+policy, o.Lease)
	}
	id := o.Lease.Body.Key("id").String()
	if o.Shown, err = s.get(ctx, "the lease", at("/coordinators/%s", id)); err != nil {
		return o, err
	}
	if o.Suspension, err = waits.suspend(ctx, s.question("text")); err != nil {
		return o, err
	}
	switch policy {
	case "escalate":
		o.Acted, err = s.Await(ctx, "a suspension is escalated", func(ctx context.Context) (wire.Value, bool, error) {
			return escalation(ctx, parent, waits, id)
		})
	case "block_dependents":
		o.Acted, err = s.Await(ctx, "the phase that is wired to the suspended one is paused", func(ctx context.Context) (wire.Value, bool, error) {
			now, err := wired.read(ctx, "the wired phase")
			status := now.Body.Key("status")
			return status, paused(status.String()), err
		})
	default:
		o.Barrier, err = s.barrier(ctx, 0)
	}
	if err != nil {
		return o, err
	}
	if o.Parent, err = parent.look(ctx, "after the suspension"); err != nil {
		return o, err
	}
	if o.Waits, err = waits.look(ctx, "after the suspension"); err != nil {
		return o, err
	}
	if o.Wired, err = wired.read(ctx, "the wired phase after the suspension"); err != nil {
		return o, err
	}
	if o.Other, err = other.read(ctx, "the other phase after the suspension"); err != nil {
		return o, err
	}
	o.Holder, err = s.get(ctx, "the lease after the suspension", at("/coordinators/%s", id))
	return o, err
}

// escalation is the event that a suspension was escalated, or a coordinator that is suspended itself.
func escalation(ctx context.Context, parent, waits *intent, coordinator string) (wire.Value, bool, error) {
	var last wire.Value
	for _, i := range []*intent{parent, waits} {
		log, err := i.log(ctx, "the log, for an escalation")
		if err != nil {
			return last, false, err
		}
		if found := log.OfType(eventEscalation); len(found.Values) > 0 {
			return found.Last(), true, nil
		}
		last = log.Read
	}
	holder, err := parent.get(ctx, "the lease, for a coordinator that waits itself", at("/coordinators/%s", coordinator))
	if status := holder.Body.Key("status"); isSuspended(status.String()) {
		return status, true, err
	}
	return last, false, err
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
