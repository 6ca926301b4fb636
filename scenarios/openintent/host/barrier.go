package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Barrier separates an event from the look that finds no effect of it. An absence counts only if the target had time to
// act, and if the same effect is seen where it should be (the control).
type Barrier struct {
	Sentinel wire.Wait     `json:"sentinel"` // another intent was suspended, answered and active again
	Quiet    time.Duration `json:"quietNs"`
}

// Barrier suspends and answers another intent, then lets a quiet window pass. slowest is the slowest gap of the
// control, 0 if there is none.
func (s *Server) Barrier(ctx context.Context, slowest time.Duration) (b Barrier) {
	other, sus := s.Waiting(ctx, "sentinel")
	other.MustAnswer(ctx, sus.ID, "go on")
	b.Sentinel = other.Becomes(ctx, "the sentinel is active again", Active)
	b.Quiet = s.Quiet(ctx, max(slowest, b.Sentinel.Gap()))
	return b
}
