package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/eventlog"
)

// turn is one attempt of a job.
type turn struct {
	g      *Gateway
	job    Job
	number int // over the whole log, from 1
}

// run takes a turn from its claim to its end. The error means that the gateway cannot go on, or must not: the job is then
// still running, for the next gateway to find.
func (t *turn) run(ctx context.Context) error {
	if _, loaded := t.g.plugins[t.job.Plugin]; !loaded { // it was when the job was queued
		return t.fail(ctx, Answer{}, &failure{status: Failed, why: fmt.Sprintf("plugin %q is not loaded", t.job.Plugin), permanent: true})
	}
	row, err := t.row(ctx)
	if err != nil {
		return err
	}
	folder, err := t.g.workspaces.ensure(t.job)
	if err != nil {
		return t.fail(ctx, Answer{}, &failure{status: Failed, why: fmt.Sprintf("its workspace could not be opened: %v", err)})
	}
	request, err := t.request(row, folder)
	if err != nil {
		return t.fail(ctx, Answer{}, &failure{status: Failed, why: fmt.Sprintf("its request could not be written: %v", err), permanent: true})
	}
	if err := t.crash(BeforeSpawn, 0); err != nil {
		return err
	}
	answer, err := t.spawn(ctx, request)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if crashed := (*CrashError)(nil); errors.As(err, &crashed) {
		return err
	}
	if err := t.crash(AfterAnswer, 0); err != nil {
		return err
	}
	response, failed := t.g.o.read(answer, err)
	if failed != nil {
		return t.fail(ctx, answer, failed)
	}
	return t.keep(ctx, answer, response)
}

// row is the state of the job's plugin.
func (t *turn) row(ctx context.Context) (row json.RawMessage, err error) {
	err = t.g.states.View(ctx, logName, func(s *State) error {
		row = s.Row(t.job.Plugin)
		return nil
	})
	return row, err
}

// spawn runs the plugin.
func (t *turn) spawn(ctx context.Context, request []byte) (Answer, error) {
	own, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	return t.g.o.Runner.Run(own, Turn{
		Plugin: t.g.plugins[t.job.Plugin], Request: request, Timeout: t.timeout(),
		Started: func() {
			if err := t.crash(MidTurn, 0); err != nil {
				stop(err)
			}
		},
	})
}

func (t *turn) timeout() time.Duration {
	if own := t.g.o.Config.Settings[t.job.Plugin].Timeout; own > 0 {
		return own
	}
	return DefaultTimeout
}

// request is what the plugin reads: protocol v2, of the gateway's revision.
func (t *turn) request(row json.RawMessage, folder string) ([]byte, error) {
	event := t.job.Event
	var err error
	if event.Payload, err = t.g.o.filled(event.Payload, t.job.Context); err != nil {
		return nil, err
	}
	config := t.g.o.Config.Settings[t.job.Plugin].Config
	if config == nil {
		config = json.RawMessage(`{}`)
	}
	r := agenticloopv2.Request{
		Protocol: agenticloopv2.RequestProtocolN2, JobID: t.job.ID, Command: commandHandle,
		Config: config, State: row, Context: t.job.Context, Event: &event,
		DeadlineAt: t.g.o.Clock.Now().Add(t.timeout()).UTC(),
	}
	if t.g.o.Revision == agenticloopv2.ProtocolRevisionN202606 {
		r.Payload = t.job.Event.Payload
	} else {
		r.WorkspaceDir = folder
	}
	var out bytes.Buffer
	err = json.NewEncoder(&out).Encode(r)
	return out.Bytes(), err
}

// fail ends an attempt that came to nothing.
func (t *turn) fail(ctx context.Context, a Answer, f *failure) error {
	return t.g.append(ctx, func(s *State, r *Record) error {
		ended := Ended{
			Job: t.job.ID, Status: f.status, Error: f.why,
			ExitCode: a.ExitCode, Stderr: text(a.Stderr), Logs: left(a, f.logs),
		}
		if t.g.o.Retries && !f.permanent {
			ended.Status = Dead
			if t.job.Attempt < t.job.MaxAttempts {
				ended.Status, ended.RetryAt = Queued, r.At.Add(backoff(t.job.ID, t.job.Attempt))
			}
		}
		r.Ended = &ended
		if ended.Status == Queued {
			return nil
		}
		switch told, err := t.g.escalate(t.job, f.why, r.At); {
		case err != nil:
			ended.Error += fmt.Sprintf("; and nobody could be told: %v", err)
		case told != nil:
			s.enqueued([]Job{*told}, r.At, r)
		}
		return nil
	})
}

// left tells of processes that a plugin left behind.
func left(a Answer, logs []agenticloopv2.LogEntry) []agenticloopv2.LogEntry {
	if len(a.Left) == 0 {
		return logs
	}
	return append(slices.Clone(logs), agenticloopv2.LogEntry{
		Level: agenticloopv2.LogLevelWarn, Message: "it left processes behind, which were killed: " + strings.Join(a.Left, ", "),
	})
}

// text is what is kept of what a plugin wrote to stderr.
func text(stderr []byte) string { return strings.ToValidUTF8(string(stderr), "\uFFFD") }

// keep commits what a turn gave, and routes its events.
func (t *turn) keep(ctx context.Context, a Answer, response agenticloopv2.Response) error {
	deliveries, err := t.g.route(t.job, response.Events, t.g.o.Clock.Now().UTC())
	if err != nil {
		return t.fail(ctx, a, &failure{status: Failed, why: fmt.Sprintf("its events could not be routed: %v", err), permanent: true,
			logs: response.Logs})
	}
	ended := Ended{
		Job: t.job.ID, Status: Succeeded, Result: response.Result,
		ExitCode: a.ExitCode, Stderr: text(a.Stderr), Logs: left(a, response.Logs),
	}
	if t.g.o.Commit == Outbox {
		err = t.keepAtOnce(ctx, response, deliveries, ended)
	} else {
		err = t.keepInTurn(ctx, response, deliveries, ended)
	}
	if rowTooLarge := (*rowError)(nil); errors.As(err, &rowTooLarge) || errors.Is(err, eventlog.ErrTooLarge) {
		return t.fail(ctx, a, &failure{status: Failed, why: err.Error(), permanent: true, logs: response.Logs})
	}
	return err
}

// rowError is a row that would become too large.
type rowError struct {
	plugin string
	bytes  int
}

func (e *rowError) Error() string {
	return fmt.Sprintf("the state of %s would have %d bytes, more than %d: keep less in it", e.plugin, e.bytes, MaxState)
}

// commit puts the updates of a plugin's row into a record, if there are any.
func (t *turn) commit(s *State, r *Record, updates json.RawMessage) error {
	keys, err := object(updates)
	if err != nil || len(keys) == 0 {
		return err
	}
	c := Committed{Plugin: t.job.Plugin, Updates: updates, Replaces: t.g.o.Merge == Replace}
	row, err := merged(s.Row(c.Plugin), c.Updates, c.Replaces)
	if err == nil && len(row) > MaxState && !t.g.o.Unbounded {
		err = &rowError{c.Plugin, len(row)}
	}
	r.Committed = &c
	return err
}

// keepAtOnce appends everything as one record: a crash comes before it or after it.
func (t *turn) keepAtOnce(ctx context.Context, response agenticloopv2.Response, deliveries []delivery, ended Ended) error {
	err := t.g.append(ctx, func(s *State, r *Record) error {
		r.Ended = &ended
		for _, d := range deliveries {
			t.deliver(s, r, d)
		}
		return t.commit(s, r, response.StateUpdates)
	})
	if err != nil {
		return err
	}
	if err := t.crash(AfterState, 0); err != nil {
		return err
	}
	queued := 0
	for _, d := range deliveries {
		if d.job == nil {
			continue
		}
		queued++
		if err := t.follow(*d.job, queued); err != nil {
			return err
		}
	}
	return nil
}

// keepInTurn appends the row, then each job that follows, then the end: a crash may come in between.
func (t *turn) keepInTurn(ctx context.Context, response agenticloopv2.Response, deliveries []delivery, ended Ended) error {
	err := t.g.append(ctx, func(s *State, r *Record) error { return t.commit(s, r, response.StateUpdates) })
	if err != nil {
		return err
	}
	if err := t.crash(AfterState, 0); err != nil {
		return err
	}
	queued := 0
	for _, d := range deliveries {
		var dropped bool
		err := t.g.append(ctx, func(s *State, r *Record) error {
			t.deliver(s, r, d)
			dropped = len(r.Enqueued) == 0
			return nil
		})
		if err != nil {
			return err
		}
		if dropped {
			continue
		}
		queued++
		if err := t.follow(*d.job, queued); err != nil {
			return err
		}
	}
	return t.g.append(ctx, func(_ *State, r *Record) error {
		r.Ended = &ended
		return nil
	})
}

// deliver puts what becomes of an event into a record.
func (t *turn) deliver(s *State, r *Record, d delivery) {
	if d.job == nil {
		r.Unrouted = append(r.Unrouted, Unrouted{From: t.job.ID, Event: d.event})
		return
	}
	s.enqueued([]Job{*d.job}, r.At, r)
}

// follow is what comes after a job was queued: its workspace. It need not be whole by now, since the job's own turn makes
// it where it is not there.
func (t *turn) follow(child Job, queued int) error {
	if err := t.crash(AfterEnqueue, queued); err != nil {
		return err
	}
	_, _ = t.g.workspaces.clone(child) // its own turn tells why not
	return nil
}
