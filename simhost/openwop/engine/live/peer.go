package live

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// traceOf is the id of the trace that a run belongs to: that of who asked for it, or one of its own.
func traceOf(s *state.State) string {
	if s.Created.Trace != "" {
		return s.Created.Trace
	}
	sum := sha256.Sum256([]byte("trace\x00" + s.RunID))
	return hex.EncodeToString(sum[:16])
}

// traceParent is the W3C trace context of a call that is made for a child.
func traceParent(trace, child string) string {
	sum := sha256.Sum256([]byte("span\x00" + child))
	return "00-" + trace + "-" + hex.EncodeToString(sum[:8]) + "-01"
}

// underWayAbroad tells whether a child is under way on another host at this place of a log. It cannot be that of a branch too.
func underWayAbroad(records []state.Record, through int64) (away bool) {
	for _, r := range records {
		for _, f := range r.Facts {
			switch {
			case f.Child == nil || f.At > through:
			case f.Child.Phase == state.ChildAnnounced:
				away = f.Child.Remote != nil
			case f.Child.Phase.Over():
				away = false
			}
		}
	}
	return away
}
