package loop

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// doubtful returns a loop with a decision whose confidence is below the floor: a random one where the plan can be chosen, else that of
// a script.
func doubtful(h host.Host, floor float64) (way host.Suspending, confidence float64) {
	if s, ok := h.SuspendingScript(fixture.ScriptedDoubt); !h.PlansSuspension() && ok {
		if confidence = s.Confidence(s.At[0]); confidence < floor {
			return s, confidence
		}
	}
	confidence = math.Floor(1000*floor*h.Rand.Float64()) / 1000
	decision := dialect.NextWorkerDecision{Kind: dialect.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{fixture.Noop},
		Confidence: &confidence}
	return h.SuspendingLoop(1, func() any { return decision }), confidence
}

// listen opens the run's event stream and ignores the reply: a listener must not
// move the run.
func listen(ctx context.Context, r *host.Run) (hangUp func()) {
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	stream, _, err := r.Client.Open(short, wire.Call{Operation: dialect.StreamLog.Of(r.ID), Label: "listen to the suspended run"})
	switch {
	case (errors.Is(err, wire.ErrNoAnswer) || short.Err() != nil) && err != nil && ctx.Err() == nil, err == nil && stream == nil:
		return cancel
	case err != nil:
		cancel()
		scenarios.End(err)
	}
	return func() { stream.Close(); cancel() }
}
