package host

import (
	"context"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Lapse lets time pass for the portfolio and its members, through the seam.
func (f *Portfolio) Lapse(ctx context.Context, d time.Duration) Reply {
	reply := f.Send(ctx, wire.Call{
		Method: http.MethodPost, Path: f.Seam(), Route: Prefixes[0] + "/assay/clock/advance",
		Body: map[string]any{"portfolio_id": f.ID, "seconds": d.Seconds()}, Label: "let time go by",
	})
	if !reply.Ok() || !reply.Body.Key("now").Present() {
		scenarios.End(scenarios.Block("the advertised clock at "+f.Seam()+" answered HTTP "+reply.Status.JSON()+" for a portfolio",
			"make it advance the time of a portfolio and its members and say now, remove it from /assay/clock, or certify with --real-time"))
	}
	return reply
}
