package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// SuspensionPolicy is the member of a coordinator's lease that names its policy.
const SuspensionPolicy = "suspension_policy"

// CoordinatorTypes are the types of coordinators.
var CoordinatorTypes = []string{"llm", "human", "composite", "system"}

// Family is an intent with three phases, none of which depends on another: one that is to wait, one that takes its input from it, and
// one that takes nothing from it.
func (s *Server) Family(ctx context.Context) (parent, waits, wired, other *Intent) {
	parent = s.NewIntent(ctx, "coordinated", Active, nil)
	waits = parent.Child(ctx, "fetch")
	wired = parent.ChildWith(ctx, "wired", map[string]any{
		"_io_inputs":            map[string]any{"data": "fetch." + OutputKey},
		"_io_dep_title_to_name": map[string]any{waits.Made.Body.Key("title").String(): "fetch"},
	})
	return parent, waits, wired, parent.Child(ctx, "other")
}

// Bygone takes a short lease for a coordinator that isolates, and lets it run out. The reply is a refusal where a server grants no such
// lease. No text says what a coordinator does after its lease has run out.
func (s *Server) Bygone(ctx context.Context, of *Intent) Reply {
	lasts := 60 * time.Second
	if s.Seam() == "" { // this time is really waited
		lasts = 300 * time.Millisecond
	}
	lease := s.Coordinate(ctx, of, map[string]any{SuspensionPolicy: "isolate", "expires_at": Stamp(s.ServerNow().Add(lasts))})
	if lease.Ok() {
		of.Lapse(ctx, lasts+lasts/4)
	}
	return lease
}

// Escalations returns the events of escalations in the logs of the coordinated intent and the phase (OIP-R104).
func Escalations(ctx context.Context, parent, waits *Intent) (all []wire.Value) {
	for _, i := range []*Intent{parent, waits} {
		all = append(all, i.Log(ctx, "the log, for an escalation").OfType(EventEscalation).Values...)
	}
	return all
}

// IsSuspended reports whether a coordinator is suspended, by one of the words for it. RFC-0013 calls a lease paused whose
// coordinator is suspended for a time.
func IsSuspended(status string) bool {
	return status == Suspended || status == "suspended" || status == "paused"
}
