// Package host is an OpenWOP host as every suite sees it: its operations, what they answer, and what judges of several themes ask of
// that. A [Host] makes runs, a [Run] is read, answered and ended, a [RunLog] is what was read.
package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// host is the target as one drive uses it: the protocol's operations, nothing more.
type Host struct{ *scenarios.Conn }

// Offers says whether the host lists every one of these fixture workflows. The
// list is a claim, not a proof: a listed fixture may still fail.
func (h Host) Offers(fixtures ...string) bool {
	var listed []string
	for _, f := range claims.Family(h.Discovery, "fixtures").Items() {
		listed = append(listed, f.String())
	}
	for _, f := range fixtures {
		if !slices.Contains(listed, f) {
			return false
		}
	}
	return true
}

// Send sends a call and stops the drive where the host would not let us look:
// what it answers then says nothing about the question. A busy host is
// [wire.ErrBusy] already.
func (h Host) Send(ctx context.Context, call wire.Call) *wire.Reply {
	reply := h.Do(ctx, call)
	switch reply.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		scenarios.End(scenarios.Block(fmt.Sprintf("%s answered HTTP %d: the host does not accept the credential", call.Names(), reply.Status),
			"give a key that may create and read runs with --key, ASSAY_KEY or --key-file"))
		return nil
	}
	return reply
}

// Dialect is the version of the protocol that the host speaks.
func (h Host) Dialect() *dialect.Dialect { return dialect.Of(h.Client) }

// PathOf is where the host has an operation.
func (h Host) PathOf(op wire.Operation) string {
	return scenarios.Get(h.Dialect().Say(wire.Call{Operation: op})).Path
}

// run is one run on the host. Its creation may have been refused: then ID is "".
type Run struct {
	Host
	ID      string
	Created *wire.Reply
	Gone    func()
}

// Create asks for a run and notes that it has to be cancelled if it does not end by itself.
func (h Host) Create(ctx context.Context, label string, body dialect.CreateRunRequest) *Run {
	reply, err := scenarios.Attempt(func() *wire.Reply {
		return h.Send(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: body, Label: label, Secrets: InterruptTokens})
	})
	if err != nil {
		h.Lost(body.WorkflowID, err)
		return nil
	}
	return h.Adopt(reply)
}

// Lost notes that a run may be there whose creation was not answered, and returns why it was not.
func (h Host) Lost(workflow string, err error) {
	if errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		h.Leave("perhaps a run of "+workflow, func(context.Context, *wire.Client) error {
			return errors.New("its creation was not answered, so its id is not known")
		})
	}
	scenarios.End(err)
}

// Adopt takes a reply that may name a run: of create, of fork, of a seam.
func (h Host) Adopt(reply *wire.Reply) *Run {
	r := &Run{Host: h, Created: reply, Gone: func() {}}
	if id := reply.Text("/runId"); reply.Success() && id != "" {
		r.ID, r.Gone = id, h.LeaveRun(id)
	}
	return r
}

// LeaveRun notes that a run has to be cancelled if it does not end by itself.
func (h Host) LeaveRun(id string) (gone func()) {
	return h.Leave("run "+id, func(ctx context.Context, c *wire.Client) error {
		reply, err := c.Do(ctx, wire.Call{Operation: dialect.CancelRun.Of(id), Body: dialect.CancelRunRequest{}, Label: "clean up"})
		if err != nil {
			return err
		}
		switch reply.Status {
		case http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity: // there is nothing left to cancel
			return nil
		}
		if !reply.Success() {
			return fmt.Errorf("cancel answered HTTP %d", reply.Status)
		}
		return nil
	})
}

// interruptTokens are where the snapshot of a suspended run may hold the token
// that answers its interrupt. A host may reply with one wherever a run moves.
var InterruptTokens = []string{"/interrupt/interruptToken", "/interrupt/token"}

// Snapshot reads the run once.
func (r *Run) Snapshot(ctx context.Context, label string) *wire.Reply {
	return r.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(r.ID), Label: label, Secrets: InterruptTokens})
}

// AwaitEnd waits for a terminal status.
func (r *Run) AwaitEnd(ctx context.Context) wire.Wait {
	w := r.reaches(ctx, "the run has ended", IsTerminal)
	if w.Reached {
		r.Gone()
	}
	return w
}

// AwaitSuspended waits until the run waits for somebody, with at least so many
// decisions on its log, or has ended without doing so. A host may show the
// waiting status for a while after the answer, so for a second suspension the
// status alone says nothing.
func (r *Run) AwaitSuspended(ctx context.Context, decisions int) wire.Wait {
	const what = "the run is suspended"
	w := r.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		var l RunLog
		if decisions > 0 {
			l = r.ReadLog(ctx, "log, until "+what)
		}
		reply := r.Snapshot(ctx, what)
		v := reply.Value("")
		status := v.Key("status").String()
		return v, IsTerminal(status) || IsWaiting(status) && len(l.Decided().Values) >= decisions
	})
	if w.Reached && IsTerminal(w.Last.Key("status").String()) {
		w.Reached = false
		r.Gone()
	}
	return w
}

// reaches looks at the snapshot until its status satisfies. The wait's Last is the whole snapshot.
func (r *Run) reaches(ctx context.Context, what string, ok func(status string) bool) wire.Wait {
	return r.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := r.Snapshot(ctx, what)
		v := reply.Value("")
		return v, ok(v.Key("status").String())
	})
}

func IsTerminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func IsWaiting(status string) bool {
	return status == "waiting-input" || status == "waiting-approval" || status == "waiting-external"
}

// ReadLog reads the whole event log by polling, page after page. The first call
// has no cursor, since sequence 0 cannot be asked for with one; later calls
// send the cursor under its present and its former name, because hosts read
// one or the other. They ask for the last event again, and what comes twice
// counts once: a host that polls long would hold the reply of a suspended run
// that has nothing new to tell.
func (r *Run) ReadLog(ctx context.Context, label string) RunLog {
	l := RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}
	if r.ID == "" {
		return l
	}
	cursor := ""
	for page := 1; page <= maxPages; page++ {
		before := len(l.Events)
		r.page(ctx, &l, cursor, fmt.Sprintf("%s, page %d", label, page))
		if len(l.Events) == before {
			break
		}
		if last, ok := l.Last().Key("sequence").Int(); !ok {
			break
		} else if last > 0 {
			cursor = strconv.FormatInt(last-1, 10)
		}
	}
	if l.HasGap() { // a cursor that loses events is not the question here: read in full again
		r.page(ctx, &l, "", label+", again in full")
		return l
	}
	return l
}

// page adds one page of the log. A host that polls long holds a reply that has
// nothing to tell for a second.
func (r *Run) page(ctx context.Context, l *RunLog, cursor, label string) {
	poll := dialect.PollLog.Of(r.ID).With("timeout", "1")
	if cursor != "" {
		for _, name := range r.Dialect().Cursors {
			poll = poll.With(name, cursor)
		}
	}
	reply := r.Send(ctx, wire.Call{Operation: poll, Label: label})
	if cursor == "" || !reply.Success() {
		l.Read = reply.StatusValue()
	}
	l.Add(reply.Value("/events").Items())
}

// maxPages bounds the reading of a log that never ends.
const maxPages = 200

// Finish waits for the run's end and reads its log.
func (r *Run) Finish(ctx context.Context, label string) RunLog {
	if r.ID == "" {
		return r.ReadLog(ctx, label)
	}
	ended := r.AwaitEnd(ctx)
	l := r.ReadLog(ctx, label)
	l.Ended = ended
	return l
}

// Settle waits until the run has ended or is suspended and reads its log.
func (r *Run) Settle(ctx context.Context, label string) RunLog {
	settled := r.reaches(ctx, "the run has ended or is suspended", func(status string) bool { return IsTerminal(status) || IsWaiting(status) })
	l := r.ReadLog(ctx, label)
	l.Ended = settled
	return l
}

// Stands reads the run as it is, without waiting for anything.
func (r *Run) Stands(ctx context.Context, label string) RunLog {
	l := r.ReadLog(ctx, label)
	reply := r.Snapshot(ctx, label)
	l.Ended = wire.Wait{What: label, Reached: true, Answers: 1, Last: reply.Value("")}
	return l
}
