package state

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// breached is why a run fails after a breach of this kind.
func breached(event openwopv1.RunEvent, p *openwopv1.CapBreachedPayload) *Failing {
	f := &Failing{Cause: event.EventID, NodeID: event.NodeID, Kind: p.Kind, Limit: int64(p.Limit)}
	switch p.Kind {
	case openwopv1.CapKindLoopIterations:
		f.Err = openwopv1.RunError{
			Code:    codes.LoopLimit,
			Message: fmt.Sprintf("turn %.0f is over the bound of %.0f", p.Observed, p.Limit),
			Details: map[string]any{"iteration": p.Observed},
		}
	case openwopv1.CapKindRunDuration:
		f.Err = openwopv1.RunError{
			Code:    codes.Timeout,
			Message: fmt.Sprintf("the run took %.0f ms, over the bound of %.0f ms", p.Observed, p.Limit),
			Details: map[string]any{"elapsedMs": p.Observed},
		}
	default:
		f.Err = openwopv1.RunError{
			Code:    codes.NodeLimit,
			Message: fmt.Sprintf("node execution %.0f is over the bound of %.0f", p.Observed, p.Limit),
		}
	}
	return f
}
