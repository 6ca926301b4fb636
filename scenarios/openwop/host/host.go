// Package host gives suites their view of an OpenWOP host: its operations, its replies, and checks that several
// themes share. A [Host] makes runs; a [Run] is read, answered and ended; a [RunLog] holds what was read.
package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Host is the target as one drive uses it. It offers the protocol's operations, nothing more.
type Host struct{ *scenarios.Conn }

// Send sends a call. It blocks the drive if the host denies access, since such a reply does not answer the
// question. A busy host is already an error, [wire.ErrBusy].
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

// Dialect returns the version of the protocol that the host speaks.
func (h Host) Dialect() *dialect.Dialect { return dialect.Of(h.Client) }

// PathOf returns the path of an operation on the host.
func (h Host) PathOf(op wire.Operation) string {
	return scenarios.Get(h.Dialect().Say(wire.Call{Operation: op})).Path
}

// Run is one run on the host. ID is empty if its creation was refused.
type Run struct {
	Host
	ID      string
	Created *wire.Reply
	Gone    func()

	over    atomic.Bool       // its snapshot has said so
	endless atomic.Bool       // and its log did not, as long as patience lasted
	known   map[string]RunLog // the logs of the run and its children, as far as they were read to see whether it gets on
}

// Create creates a run, with the drive's label as its metadata unless it has some, and registers it to be cancelled unless
// it ends by itself.
func (h Host) Create(ctx context.Context, label string, body dialect.CreateRunRequest) *Run {
	if body.Metadata == nil {
		body.Metadata = h.Labelled()
	}
	reply, err := scenarios.Attempt(func() *wire.Reply {
		return h.Send(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: body, Label: label, Secrets: InterruptTokens})
	})
	if err != nil {
		h.Lost(body.WorkflowID, err)
		return nil
	}
	return h.Adopt(reply)
}

// Labelled returns the metadata of a run that has no other: the drive's label.
func (h Host) Labelled() map[string]any { return map[string]any{"label": h.Label()} }

// Lost ends the drive with err. If the run may exist although its creation was not answered, Lost registers it.
func (h Host) Lost(workflow string, err error) {
	if errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		h.Leave("perhaps a run of "+workflow, func(context.Context, *wire.Client) error {
			return errors.New("its creation was not answered, so its id is not known")
		})
	}
	scenarios.End(err)
}

// Adopt returns the run that a reply names. The reply may be to a create, a fork or a seam.
func (h Host) Adopt(reply *wire.Reply) *Run {
	r := &Run{Host: h, Created: reply, Gone: func() {}}
	if id := reply.Text("/runId"); reply.Success() && id != "" {
		r.ID, r.Gone = id, h.LeaveRun(id)
	}
	return r
}

// RunAgain returns a run that an earlier part of the drive made, and registers it to be cancelled unless it ends by itself.
func RunAgain(h Host, l RunLog) *Run {
	return &Run{Host: h, ID: l.RunID, Created: h.Recorded(l.Created.Ref().Exchange), Gone: h.LeaveRun(l.RunID)}
}

// NameOf is how the clean-up calls a run.
func NameOf(run string) string { return "run " + run }

// LeaveRun registers a run to be cancelled unless it ends by itself.
func (h Host) LeaveRun(id string) (gone func()) {
	return h.Leave(NameOf(id), func(ctx context.Context, c *wire.Client) error {
		reply, err := c.Do(ctx, wire.Call{Operation: dialect.CancelRun.Of(id), Body: dialect.CancelRunRequest{}, Label: "clean up"})
		if err != nil {
			return err
		}
		return rests(ctx, c, reply, dialect.ReadRun.Of(id), "/status", IsTerminal)
	})
}

// rests returns why what was to be ended still goes on; nil if it does not. A refusal to end it may say that it has ended.
func rests(ctx context.Context, c *wire.Client, ended *wire.Reply, read wire.Operation, state string, over func(string) bool) error {
	refused := scenarios.Undone(ended)
	if refused == nil {
		return nil
	}
	now, err := c.Do(ctx, wire.Call{Operation: read, Label: "clean up"})
	if err != nil {
		return err
	}
	if is := now.Text(state); now.Success() && !over(is) {
		return fmt.Errorf("it is still %s: ending it answered %w", is, refused)
	}
	if now.Success() {
		return nil
	}
	if gone := scenarios.Undone(now); gone != nil {
		return fmt.Errorf("ending it answered %w", refused)
	}
	return nil
}

// InterruptTokens are the places where a suspended run's snapshot may hold the token that answers its interrupt. A
// host may return a snapshot from any operation that advances a run.
var InterruptTokens = []string{"/interrupt/interruptToken", "/interrupt/token"}

// Snapshot reads the run once, when it can be expected to show all that happened until now.
func (r *Run) Snapshot(ctx context.Context, label string) *wire.Reply {
	r.CatchUp(ctx)
	return r.look(ctx, label)
}

// look reads the run as it is shown at this moment.
func (r *Run) look(ctx context.Context, label string) *wire.Reply {
	reply := r.Send(ctx, wire.Call{Operation: dialect.ReadRun.Of(r.ID), Label: label, Secrets: InterruptTokens})
	if IsTerminal(reply.Text("/status")) {
		r.over.Store(true)
	}
	return reply
}

// AwaitEnd waits for a terminal status.
func (r *Run) AwaitEnd(ctx context.Context) wire.Wait {
	w := r.reaches(ctx, "the run has ended", IsTerminal)
	if w.Reached {
		r.Gone()
	}
	return w
}

// AwaitSuspended waits until the run is suspended with at least this many decisions in its log, or has ended. A
// host may show the waiting status for a while after an answer, so the status alone cannot identify a second
// suspension.
func (r *Run) AwaitSuspended(ctx context.Context, decisions int) wire.Wait {
	const what = "the run is suspended"
	w := r.AwaitWhile(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		var l RunLog
		if decisions > 0 {
			l = r.ReadLog(ctx, "log, until "+what)
		}
		reply := r.look(ctx, what)
		v := reply.Value("")
		status := v.Key("status").String()
		return v, IsTerminal(status) || IsWaiting(status) && len(l.Decided().Values) >= decisions
	}, r.length)
	if w.Reached && IsTerminal(w.Last.Key("status").String()) {
		w.Reached = false
		r.Gone()
	}
	return w
}

// reaches polls the snapshot until its status satisfies ok. The wait's Last is the whole snapshot.
func (r *Run) reaches(ctx context.Context, what string, ok func(status string) bool) wire.Wait {
	return r.AwaitWhile(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		reply := r.look(ctx, what)
		v := reply.Value("")
		return v, ok(v.Key("status").String())
	}, r.length)
}

// length returns the total length of the logs of the run and its children. It reads only new events, and no log that has ended. A child
// that is not served adds nothing.
func (r *Run) length(ctx context.Context) int {
	const what = "log, to see whether the run gets on"
	if r.known == nil {
		r.known = map[string]RunLog{r.ID: r.logOf()}
	}
	l := r.more(ctx, r.known[r.ID], what)
	r.known[r.ID] = l
	l.Ended.Last = r.look(ctx, what).Value("")
	for _, id := range ChildIDs(l) {
		its, known := r.known[id]
		if its.ended() {
			continue
		}
		child := &Run{Host: r.Host, ID: id, Created: r.Created}
		if !known {
			its = child.logOf()
		}
		_ = scenarios.Try(func() { r.known[id] = child.more(ctx, its, what) })
	}
	all := 0
	for _, its := range r.known {
		all += len(its.Events)
	}
	return all
}

func IsTerminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// Slip is a waiting status that no schema has. Published scenarios demand it of a host that asks for a clarification (OWP-R8).
const Slip = "waiting-clarification"

// waiting are the statuses of a suspended run.
var waiting = []any{"waiting-input", "waiting-approval", "waiting-external", Slip}

func IsWaiting(status string) bool { return slices.Contains(waiting, any(status)) }

// Waiting expects the status of a suspended run.
func Waiting() check.Matcher { return check.OneOf(waiting...) }

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

// Settle waits until the run has ended or is suspended, and reads its log.
func (r *Run) Settle(ctx context.Context, label string) RunLog {
	settled := r.reaches(ctx, "the run has ended or is suspended", func(status string) bool { return IsTerminal(status) || IsWaiting(status) })
	l := r.ReadLog(ctx, label)
	l.Ended = settled
	return l
}

// Stands reads the run's current log and snapshot without waiting.
func (r *Run) Stands(ctx context.Context, label string) RunLog {
	l := r.ReadLog(ctx, label)
	reply := r.look(ctx, label)
	l.Ended = wire.Wait{What: label, Reached: true, Answers: 1, Last: reply.Value("")}
	return l
}
