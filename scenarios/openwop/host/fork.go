package host

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

func (h Host) Fork(ctx context.Context, source *Run) *Run {
	reply := h.Send(ctx, wire.Call{Operation: dialect.ForkRun.Of(source.ID), Label: "replay",
		Body: dialect.ForkRunRequest{Mode: dialect.ForkModeReplay, FromSeq: new(int64(0))}})
	return h.Adopt(reply)
}

// Forked is a fork of a finished run.
type Forked struct {
	FromSeq int64      `json:"fromSeq"`
	Reply   wire.Value `json:"reply"`
	Log     RunLog     `json:"log"`
}

// Unsupported reports whether the host forks from the first event only, which is allowed.
func (f Forked) Unsupported() bool {
	status, _ := f.Log.Created.Int()
	return status == http.StatusNotImplemented && f.FromSeq > 0
}

// ForkFrom forks a run, waits for the fork's end and reads its log.
func (h Host) ForkFrom(ctx context.Context, source *Run, body dialect.ForkRunRequest) Forked {
	f := Forked{FromSeq: *body.FromSeq}
	reply := h.Send(ctx, wire.Call{Operation: dialect.ForkRun.Of(source.ID), Label: string(body.Mode), Body: body})
	f.Reply = reply.Value("")
	f.Log = h.Adopt(reply).Finish(ctx, "log of the "+string(body.Mode))
	return f
}
