package coordinator

import (
	"cmp"
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Coordinated is an intent under a coordinator with a policy. It has three phases, one of which is suspended.
type Coordinated struct {
	Policy     string          `json:"policy"`
	Bygone     host.Reply      `json:"bygone,omitzero"` // the lease of another coordinator before it, which has run out
	Lease      host.Reply      `json:"lease"`           // the reply to the request for it
	Shown      host.Reply      `json:"shown"`           // the lease, read again
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
	Defaults []host.Reply `json:"defaults"` // the replies to requests that name no policy, of each type of coordinator
	Bogus    host.Reply   `json:"bogus"`    // the reply to a request that names an unknown one
	Escalate Coordinated  `json:"escalate"`
	Again    wire.Wait    `json:"again"` // for a second escalation of the same phase, where the first left an event
	Pause    Coordinated  `json:"pause"`
	Isolate  Coordinated  `json:"isolate"`
	Unnamed  Coordinated  `json:"unnamed"` // by a lease that names no policy
}

var coordinators = &scenarios.Drive[CoordinatorObservation]{
	ID: "openintent/coordinators",
	Title: "suspends a phase under a coordinator of each policy, and of none that is named; those that act come after one whose lease " +
		"has run out",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST /coordinators and /coordinators/{id}/heartbeat", "GET /coordinators/{id}",
		"POST /intents/{id}/state and /status", "GET /intents/{id} and its events", "the clock that the server advertises",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *CoordinatorObservation) {
		s := host.Open(ctx, c)
		kinds := s.Rand.Perm(len(host.CoordinatorTypes))
		o.Escalate = o.coordinated(ctx, s, "escalate", host.CoordinatorTypes[kinds[0]])
		o.Pause = o.coordinated(ctx, s, "block_dependents", host.CoordinatorTypes[kinds[1]])
		o.Isolate = o.coordinated(ctx, s, "isolate", host.CoordinatorTypes[kinds[2]])
		for _, kind := range host.CoordinatorTypes {
			plain := s.NewIntent(ctx, "coordinated", host.Active, nil)
			o.Defaults = append(o.Defaults, s.Coordinate(ctx, plain, map[string]any{"coordinator_type": kind}))
		}
		plain := s.NewIntent(ctx, "coordinated", host.Active, nil)
		o.Bogus = s.Coordinate(wire.Misfit(ctx, openintent.OIPREAD8), plain, map[string]any{host.SuspensionPolicy: s.Name("bogus")})
		o.Unnamed = o.coordinated(ctx, s, "", host.CoordinatorTypes[kinds[3]])
	},
}

// coordinated makes a family under a coordinator with a policy, or with none where named is "", and suspends a phase. What is escalated
// is answered and suspended once more.
func (all *CoordinatorObservation) coordinated(ctx context.Context, s *host.Server, named, kind string) (o Coordinated) {
	o.Policy = named
	parent, waits, wired, other := s.Family(ctx)
	asked := map[string]any{"coordinator_type": kind}
	if named != "" {
		asked[host.SuspensionPolicy] = named
	}
	if acts := named == "escalate" || named == "block_dependents"; acts && s.Depth > scenarios.Quick {
		o.Bygone = s.Bygone(ctx, parent)
	}
	o.Lease = s.Coordinate(ctx, parent, asked)
	if o.Bygone.Ok() && !inForce(o.Lease) { // a server may have one coordinator of an intent
		o.Bygone = host.Reply{}
		parent, waits, wired, other = s.Family(ctx)
		o.Lease = s.Coordinate(ctx, parent, asked)
	}
	switch {
	case host.MissingRoute(o.Lease):
		scenarios.End(scenarios.NotThere(o.Lease.Status,
			"a way to take the lease of a coordinator (POST "+s.Prefix+"/coordinators)"))
	case !o.Lease.Ok():
		s.SetUp("take the lease of a coordinator with suspension_policy "+cmp.Or(named, "of none"), o.Lease)
	}
	id := o.Lease.Body.Key("id").String()
	if s.Depth > scenarios.Quick { // a server need not have them
		s.Ask(ctx, "a heartbeat of the coordinator", http.MethodPost, host.At("/coordinators/%s/heartbeat", id), nil)
	}
	o.Shown = s.Get(ctx, "the lease", host.At("/coordinators/%s", id))
	o.Suspension = waits.Suspend(ctx, s.Question("text"))
	switch named {
	case "escalate":
		o.Acted = s.Await(ctx, "a suspension is escalated", func(ctx context.Context) (wire.Value, bool) {
			return escalation(ctx, parent, waits, id)
		})
		if first := host.Escalations(ctx, parent, waits); len(first) > 0 {
			waits.MustAnswer(ctx, o.Suspension.ID, "go on")
			o.Suspension = waits.Suspend(ctx, s.Question("text"))
			all.Again = s.Await(ctx, "the same phase is escalated again", func(ctx context.Context) (wire.Value, bool) {
				now := host.Escalations(ctx, parent, waits)
				return now[len(now)-1], len(now) > len(first)
			})
		}
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

// inForce reports whether a lease was granted and holds.
func inForce(lease host.Reply) bool {
	status := lease.Body.Key("status").String()
	return lease.Ok() && (status == "" || status == host.Active)
}

// escalation returns the event of an escalation, or the status of a coordinator that is suspended itself: in its lease, or in
// the intent that it coordinates (OIP-R104).
func escalation(ctx context.Context, parent, waits *host.Intent, coordinator string) (wire.Value, bool) {
	if found := host.Escalations(ctx, parent, waits); len(found) > 0 {
		return found[len(found)-1], true
	}
	holder := parent.Get(ctx, "the lease, for a coordinator that waits itself", host.At("/coordinators/%s", coordinator))
	own := parent.Read(ctx, "the intent of the coordinator, for a coordinator that waits itself")
	for _, status := range []wire.Value{holder.Body.Key("status"), own.Body.Key("status")} {
		if host.IsSuspended(status.String()) {
			return status, true
		}
	}
	return own.Body.Key("status"), false
}

// paused reports whether a phase neither goes on nor has ended.
func paused(status string) bool {
	switch status {
	case host.Active, host.Completed, host.Abandoned, host.Draft, "":
		return false
	}
	return true
}
