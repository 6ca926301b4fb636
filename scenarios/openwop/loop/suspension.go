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

// doubtful is a decision to dispatch with confidence below the floor.
func doubtful(h host.Host, floor float64) (decision any, confidence float64) {
	confidence = math.Floor(1000*floor*h.Rand.Float64()) / 1000
	return dialect.NextWorkerDecision{Kind: dialect.NextWorkerDecisionKindNextWorker, NextWorkerIds: []string{fixture.Noop},
		Confidence: &confidence}, confidence
}

// listen opens the run's event stream and ignores the reply: a listener must not
// move the run.
func listen(ctx context.Context, r *host.Run) (hangUp func()) {
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	stream, _, err := r.Client.Open(short, wire.Call{Operation: dialect.StreamLog.Of(r.ID), Label: "listen to the suspended run"})
	switch {
	case errors.Is(err, wire.ErrNoAnswer) && ctx.Err() == nil, err == nil && stream == nil:
		return cancel
	case err != nil:
		cancel()
		scenarios.End(err)
	}
	return func() { stream.Close(); cancel() }
}
