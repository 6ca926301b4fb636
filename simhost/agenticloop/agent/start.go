package agent

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// The sizes of what a start may bring.
const (
	MaxGoalBytes    = 32 << 10
	maxContextBytes = 2 << 10 // that a run keeps of the start's context; a longer one is for the first turn, and for context.md
)

// start begins a run.
func (t *turn) start(ctx context.Context) error {
	e := t.request.event
	goal, ok := t.rules.Start.Goal(e.payload["goal"])
	if !ok {
		return refuse("event.payload.goal is not a text with words in it: say what is to be reached")
	}
	if len(goal) > MaxGoalBytes {
		return refuse("event.payload.goal is longer than %d KiB: put what is long into a file", MaxGoalBytes>>10)
	}
	var given object
	f := fields{object: e.payload, within: "event.payload."}
	f.members("context", &given)
	var asked int64
	if f.err == nil {
		f = fields{object: given, within: "event.payload.context."}
		asked = t.request.config.maxSteps
		f.count("max_steps", 1, &asked)
	}
	if f.err != nil {
		return f.err
	}
	seen := rules.Delivered{DedupeKey: e.dedupeKey, EventID: e.id, JobID: t.request.jobID, Given: textOf(e.payload["run_id"]),
		Goal: goal, At: t.at}
	t.id = t.rules.Start.RunID(seen)
	if seen.Given != "" && seen.Given != t.id {
		return refuse("event.payload.run_id is not the agent's: leave it out, a run gets its id when it starts")
	}
	if r, known, err := t.load(t.id); err != nil {
		return err
	} else if known && t.rules.Start.Again(seen) {
		return t.again(r, "the start of run %s is known", t.id)
	}
	t.openFiles()
	r := &run{Run: agenticloopv2.Run{
		Status: agenticloopv2.RunStatusRunning, Goal: goal, CreatedAt: t.at, MaxSteps: t.rules.Start.MaxSteps(t.request.config.maxSteps, asked),
		MaxReframes: t.request.config.maxReframes, WorkspaceRef: "job:" + t.request.jobID,
	}}
	if whole, err := json.Marshal(given); err == nil && len(given) > 0 && len(whole) <= maxContextBytes {
		r.Context = whole
	}
	t.opened = opening(goal, given)
	return t.decide(ctx, r, given)
}

// again is for an event whose run has gone past it. Where the operator wants that, what is pending is asked for again, as it was.
func (t *turn) again(r *run, format string, args ...any) error {
	t.ignore(agenticloopv2.LogLevelInfo, format, args...)
	if !t.request.config.reemit || r.Status != agenticloopv2.RunStatusRunning || r.Asked == nil {
		return nil
	}
	if reason := t.forbidden(r.PendingTool, rules.Moment{}); reason != "" {
		t.warn("the pending request of run %s is not made again: %s", t.id, reason)
		return nil
	}
	t.openFiles()
	payload, err := t.payload(r, r.PendingSince)
	if err != nil {
		return err
	}
	if digest(payload) != r.Asked.Digest {
		t.warn("the pending request of run %s can no longer be made as it was, and is not made again", t.id)
		return nil
	}
	t.summary = "asked again for what is pending"
	return t.emit(requestType+r.PendingTool, t.key(r), payload)
}
