package host

import (
	"context"
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
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

// Unsupported reports whether the host says that it does not fork so, as hosts say that fork from the first event only.
// Published scenarios pass over such forks (OWP-R108).
func (f Forked) Unsupported() bool {
	status, _ := f.Log.Created.Int()
	return status == http.StatusNotImplemented
}

// Refused reports whether the host refused the fork as it may (OWP-R108): from the place behind the last event of its
// source, where there is nothing, or for want of what a run at that place would have to know.
func (f Forked) Refused(source RunLog) bool {
	status, _ := f.Log.Created.Int()
	return f.FromSeq > Sequence(source.Last()) && status == http.StatusBadRequest || forgets(status)
}

// forgets reports whether a fork is refused for want of the events or the state of its source.
func forgets(status int64) bool {
	return status == http.StatusUnprocessableEntity || status == http.StatusConflict || status == http.StatusGone
}

// MadeFork is like Made, and blocks the judge if the host refused the fork as it may (OWP-R108).
func (l RunLog) MadeFork(j *scenarios.Judge, id scenarios.RequirementID, what string) {
	if status, _ := l.Created.Int(); status == http.StatusNotImplemented || forgets(status) {
		j.Block("setup failed: the host refused "+what+": HTTP "+l.Created.JSON(), forkEnded)
	}
	l.Made(j, id, what)
}

const forkEnded = "fork runs that have ended, or claim no replay"

// ForkFrom forks a run, waits for the fork's end and reads its log.
func (h Host) ForkFrom(ctx context.Context, source *Run, body dialect.ForkRunRequest) Forked {
	f := Forked{FromSeq: *body.FromSeq}
	reply := h.Send(ctx, wire.Call{Operation: dialect.ForkRun.Of(source.ID), Label: string(body.Mode), Body: body})
	f.Reply = reply.Value("")
	f.Log = h.Adopt(reply).Finish(ctx, "log of the "+string(body.Mode))
	return f
}

// GivenFork blocks the judge unless the log is that of a fork that the host made, ended and shows. A host may refuse a
// fork, for want of the log of its source for one.
func (l RunLog) GivenFork(j *scenarios.Judge) {
	switch {
	case !Succeeded(l.Created):
		j.Block("setup failed: the host refused the fork: HTTP "+l.Created.JSON(), forkEnded)
	case l.RunID == "":
		j.Violates(openwop.OWPRPL1, l.ID, "setup failed: the reply that makes a fork names no run: runId is "+l.ID.JSON())
	}
	j.Reach(l.Ended, "have forks end by themselves, or give them longer with --patience")
	l.Readable(j)
}
