package live

import (
	"fmt"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// claimed refuses a run that is to be the only one of its owner and scope where another is live. The run that a retry makes again
// is no other. The caller holds e.claims.
func claimed(e *Engine, c Create) error {
	owner := ""
	if c.Owner != nil {
		owner = c.Owner.Tenant
	}
	own := ""
	if c.ID != ([16]byte{}) {
		own = e.ID(c.ID)
	}
	for _, r := range e.lives() {
		r.mu.Lock()
		s := &r.state
		holds := r.id != own && !r.lost && !s.Ended() && s.Created.Scope == c.Scope && s.Lineage().Owner == owner
		r.mu.Unlock()
		if holds {
			return codes.Refuse(codes.RunActive, fmt.Sprintf("run %s of the scope %q is under way: wait until it has ended, or cancel it",
				r.id, c.Scope), "activeRunId", r.id, "activeHost", "cloud")
		}
	}
	return nil
}
