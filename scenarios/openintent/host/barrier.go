package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// That something does not happen shows only where the same kind of thing happens when it should (a control, whose slowest gap
// is told), and only when the target has had its turn meanwhile.

// Barrier is what lies between an event and the look that finds nothing come of it.
type Barrier struct {
	Sentinel wire.Wait     `json:"sentinel"` // another intent was suspended, answered and seen active again
	Quiet    time.Duration `json:"quietNs"`
}

// Barrier has another intent suspended and answered, and lets a quiet window go by.
func (s *Server) Barrier(ctx context.Context, slowest time.Duration) (b Barrier) {
	other, sus := s.Waiting(ctx, "sentinel")
	other.MustAnswer(ctx, sus.ID, "go on")
	b.Sentinel = other.Becomes(ctx, "the sentinel is active again", Active)
	b.Quiet = s.Quiet(ctx, max(slowest, b.Sentinel.Gap()))
	return b
}
