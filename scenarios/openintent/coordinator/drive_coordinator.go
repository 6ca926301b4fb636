package coordinator

import (
	"cmp"
	"context"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Coordinated is an intent under a coordinator with a policy. It has three phases, one of which is suspended.
type Coordinated struct {
	Policy     string          `json:"policy"`
	Lease      host.Reply      `json:"lease"` // the reply to the request for it
	Shown      host.Reply      `json:"shown"` // the lease, read again
	Suspension host.Suspension `json:"suspension"`
	Acted      wire.Wait       `json:"acted"` // for the effect of the policy; isolate has none
	Barrier    host.Barrier    `json:"barrier"`
	Parent     host.Look       `json:"parent"`
	Waits      host.Look       `json:"waits"`  // the suspended phase
	Wired      host.Reply      `json:"wired"`  // the phase that takes its input from it, without depends_on
	Other      host.Reply      `json:"other"`  // the phase that takes nothing from it
	Holder     host.Reply      `json:"holder"` // the lease after the suspension
}

// CoordinatorObservation holds a lease for each of the three policies, one that names none, and one that names an
// unknown one.
type CoordinatorObservation struct {
	Default  host.Reply  `json:"default"` // the reply to a request that names no policy
	Bogus    host.Reply  `json:"bogus"`   // the reply to a request that names an unknown one
	Escalate Coordinated `json:"escalate"`
	Pause    Coordinated `json:"pause"`
	Isolate  Coordinated `json:"isolate"`
	Unnamed  Coordinated `json:"unnamed"` // by a lease that names no policy
}

var coordinators = &scenarios.Drive[CoordinatorObservation]{
	ID: "openintent/coordinators", Title: "suspends a phase under a coordinator of each policy, and of none that is named",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST /coordinators", "GET /coordinators/{id}",
		"POST /intents/{id}/state and /status", "GET /intents/{id} and its events",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CoordinatorObservation) {
		s := host.Open(ctx, c)
		o.Escalate = coordinated(ctx, s, "escalate")
		o.Pause = coordinated(ctx, s, "block_dependents")
		o.Isolate = coordinated(ctx, s, "isolate")
		plain := s.NewIntent(ctx, "coordinated", host.Active, nil)
		o.Default = s.Coordinate(ctx, plain, nil)
		o.Bogus = s.Coordinate(wire.Misfit(ctx, openintent.OIPREAD8), plain, map[string]any{policy: s.Name("bogus")})
		o.Unnamed = coordinated(ctx, s, "")
	},
}

// coordinated makes a family under a coordinator with a policy, or with none where named is "", and suspends a phase.
func coordinated(ctx context.Context, s *host.Server, named string) (o Coordinated) {
	o.Policy = named
	parent := s.NewIntent(ctx, "coordinated", host.Active, nil)
	waits := parent.Child(ctx, "fetch")
	wired := parent.ChildWith(ctx, "wired", map[string]any{
		"_io_inputs":            map[string]any{"data": "fetch." + host.OutputKey},
		"_io_dep_title_to_name": map[string]any{waits.Made.Body.Key("title").String(): "fetch"},
	})
	other := parent.Child(ctx, "other")
	asked := map[string]any{}
	if named != "" {
		asked[policy] = named
	}
	o.Lease = s.Coordinate(ctx, parent, asked)
	switch {
	case host.MissingRoute(o.Lease):
		scenarios.End(scenarios.NotThere(o.Lease.Status,
			"a way to take the lease of a coordinator (POST "+s.Prefix+"/coordinators)"))
	case !o.Lease.Ok():
		s.SetUp("take the lease of a coordinator with suspension_policy "+cmp.Or(named, "of none"), o.Lease)
	}
	id := o.Lease.Body.Key("id").String()
	o.Shown = s.Get(ctx, "the lease", host.At("/coordinators/%s", id))
	o.Suspension = waits.Suspend(ctx, s.Question("text"))
	switch named {
	case "escalate":
		o.Acted = s.Await(ctx, "a suspension is escalated", func(ctx context.Context) (wire.Value, bool) {
			return escalation(ctx, parent, waits, id)
		})
	case "block_dependents":
		o.Acted = s.Await(ctx, "the phase that is wired to the suspended one is paused", func(ctx context.Context) (wire.Value, bool) {
			status := wired.Read(ctx, "the wired phase").Body.Key("status")
			return status, paused(status.String())
		})
	default:
		o.Barrier = s.Barrier(ctx, 0)
	}
	o.Parent = parent.Look(ctx, "after the suspension")
	o.Waits = waits.Look(ctx, "after the suspension")
	o.Wired = wired.Read(ctx, "the wired phase after the suspension")
	o.Other = other.Read(ctx, "the other phase after the suspension")
	o.Holder = s.Get(ctx, "the lease after the suspension", host.At("/coordinators/%s", id))
	return o
}

// escalation returns the event of an escalation, or the status of a coordinator that is suspended itself: in its lease, or in
// the intent that it coordinates (OIP-R104).
func escalation(ctx context.Context, parent, waits *host.Intent, coordinator string) (wire.Value, bool) {
	var last wire.Value
	for _, i := range []*host.Intent{parent, waits} {
		log := i.Log(ctx, "the log, for an escalation")
		if found := log.OfType(host.EventEscalation); len(found.Values) > 0 {
			return found.Last(), true
		}
		last = log.Read
	}
	holder := parent.Get(ctx, "the lease, for a coordinator that waits itself", host.At("/coordinators/%s", coordinator))
	own := parent.Read(ctx, "the intent of the coordinator, for a coordinator that waits itself")
	for _, status := range []wire.Value{holder.Body.Key("status"), own.Body.Key("status")} {
		if isSuspended(status.String()) {
			return status, true
		}
	}
	return last, false
}

// isSuspended reports whether a coordinator is suspended, by one of the words for it. RFC-0013 calls a lease paused whose
// coordinator is suspended for a time.
func isSuspended(status string) bool {
	return status == host.Suspended || status == "suspended" || status == "paused"
}

// paused reports whether a phase neither goes on nor has ended.
func paused(status string) bool {
	switch status {
	case host.Active, host.Completed, host.Abandoned, host.Draft, "":
		return false
	}
	return true
}
