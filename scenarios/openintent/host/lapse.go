package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
)

// Lapse lets time pass for the portfolio and its members, through the seam.
func (f *Portfolio) Lapse(ctx context.Context, d time.Duration) Reply {
	reply := f.advance(ctx, "portfolio_id", f.ID, d)
	if !reply.Ok() || !reply.Body.Key("now").Present() {
		scenarios.End(scenarios.Block("the advertised clock at "+f.Seam()+" answered HTTP "+reply.Status.JSON()+" for a portfolio",
			"make it advance the time of a portfolio and its members and say now, remove it from /assay/clock, or certify with --real-time"))
	}
	return reply
}
