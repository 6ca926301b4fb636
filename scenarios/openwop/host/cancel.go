package host

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Lasting returns a request for a run that lasts until it is cancelled. Some end after a while, so the requests of the drive go
// first from here on.
func (h Host) Lasting() dialect.CreateRunRequest {
	h.GoFirst()
	wait := map[string]any{"delayMs": h.Between(20_000, 29_000)}
	ceiling, _ := h.Ceiling()
	switch way := h.AnyOf(fixture.Cancellable, fixture.Delay); {
	case way != "":
		return dialect.CreateRunRequest{WorkflowID: way, Inputs: wait}
	case h.Offers(fixture.LoopAskUser, fixture.Noop) && ceiling >= 2:
		return Scripted{fixture.LoopAskUser, Plan{AskUser("Shall this run be cancelled?"), Terminate("done")}, true}.Request(nil)
	}
	if own, ok := Played(h, RoleLong, RoleApproval); ok {
		return own
	}
	if own, ok := h.Find(Any, Lasts, Waits); ok {
		return own.Request()
	}
	scenarios.End(scenarios.Block("no run is on offer that lasts until it is cancelled", NameOwn(RoleLong, RoleApproval)))
	return dialect.CreateRunRequest{}
}

// LastingRun creates such a run and returns its workflow as way.
func (h Host) LastingRun(ctx context.Context) (r *Run, way string) {
	long := h.Lasting()
	r = h.Create(ctx, "create a run that lasts", long)
	return r, long.WorkflowID
}

func (r *Run) Stop(ctx context.Context, what string) Answered {
	reply := r.Send(ctx, wire.Call{Operation: dialect.CancelRun.Of(r.ID), Body: dialect.CancelRunRequest{}, Label: what})
	return AnsweredBy(what, reply)
}

// Seen returns the run's current snapshot.
func (r *Run) Seen(ctx context.Context, label string) wire.Value {
	reply := r.Snapshot(ctx, label)
	return reply.Value("")
}
