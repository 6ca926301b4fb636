package host

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Paces finds out how far an intent and its log are behind a change that the server has accepted.
func Paces(ctx context.Context, c *scenarios.Conn) {
	i := Open(ctx, c).NewIntent(ctx, "", Draft, nil)
	before := len(i.logAt(ctx, "log, before a change", i.log()).Events)
	if !i.Set(ctx, Active, "change it, to see how far reads are behind").Ok() {
		return
	}
	changed := i.Now()
	what := fmt.Sprintf("the log holds more than %d events", before)
	for _, shown := range []wire.Wait{
		i.Becomes(ctx, "the intent shows the change", Active),
		i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
			l := i.logAt(ctx, what, i.log())
			return l.Read, len(l.Events) > before
		}),
	} {
		if shown.Reached && shown.Answers > 1 { // else it was there at once
			i.Pace.SawBehind(i.Now().Sub(changed))
		}
	}
}
