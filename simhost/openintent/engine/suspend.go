package engine

import (
	"encoding/json"
	"time"

	"github.com/openassay/assay/simhost/openintent/suspension"
)

// timeForm is how times are written: UTC, to the microsecond.
const timeForm = "2006-01-02T15:04:05.000000Z"

func stamp(t time.Time) string { return t.UTC().Format(timeForm) }

func stampOrNil(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

// checkRecord refuses a suspension record that cannot be carried out, and a reminder to somebody who is not on the
// allowlist. That there is none, or that it is over, is no mistake.
func (t *tx) checkRecord(v any) error {
	if v == nil {
		return nil
	}
	r, err := readRecord(v)
	if err != nil {
		return unfit("%v", err)
	}
	if err := t.longEnough(r); err != nil {
		return err
	}
	if r.Resolution != "" || r.RetryPolicy == nil || r.RetryPolicy.EscalationLadder == nil {
		return nil
	}
	for _, step := range *r.RetryPolicy.EscalationLadder {
		if to := text(step.NotifyTo); to != "" && !t.rules.Reminders.Takes(t.o.MayNotify(to)) {
			return refuse(CodeNotify,
				"escalation_ladder names %.80q in notify_to, who is not on suspension.notify_to_allowlist of the server config", to)
		}
	}
	return nil
}

// longEnough refuses a record with a shorter interval or window than is taken.
func (t *tx) longEnough(r suspension.Record) error {
	if r.Resolution != "" {
		return nil
	}
	if p := r.RetryPolicy; p != nil && p.IntervalSeconds != nil && time.Duration(*p.IntervalSeconds)*time.Second < t.o.LeastTime {
		return unfit("retry_policy.interval_seconds: must be at least %d", int64(t.o.LeastTime.Seconds()))
	}
	if s := r.TimeoutSeconds; s != nil && *s < t.o.LeastTime.Seconds() {
		return unfit("timeout_seconds: must be at least %d", int64(t.o.LeastTime.Seconds()))
	}
	return nil
}

func readRecord(v any) (suspension.Record, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return suspension.Record{}, err
	}
	return suspension.ReadRecord(raw)
}

// record is the suspension record of an intent, and whether it has one that can be read.
func (in *Intent) record() (suspension.Record, bool) {
	v := in.State[recordKey]
	if v == nil {
		return suspension.Record{}, false
	}
	r, err := readRecord(v)
	return r, err == nil
}

func suspensionID(in *Intent) string {
	if r, ok := in.record(); ok && r.Resolution == "" {
		return r.ID
	}
	return ""
}

// begin begins a suspension once both are there, whichever came first: the status, and a record that waits.
func (t *tx) begin(in *Intent, later bool) {
	r, ok := in.record()
	if !ok || in.Status != Suspended || r.Resolution != "" || in.Live != nil && in.Live.ID == r.ID {
		return
	}
	policy := suspension.Cascade(t.o.DefaultPolicy, nil, r.RetryPolicy)
	resolved := t.rules.Reminders.Resolve(policy, r.FallbackPolicy)
	now := t.now(in.ID, "")
	course := t.rules.Reminders.Course(r, resolved, suspension.StartOf(r, now))
	record := copied(in.State[recordKey].(map[string]any))
	if r.SuspendedAt == "" && t.rules.Lifecycle.Fills("suspended_at") {
		record["suspended_at"] = stamp(course.Start)
	}
	payload := map[string]any{
		"suspension_id": r.ID, "question": r.Question, "response_type": r.ResponseType, "channel_hint": r.ChannelHint,
		"timeout_seconds": record["timeout_seconds"], "expires_at": nil, "fallback_policy": course.Fallback, "retry_policy": policy,
	}
	if len(r.Choices) > 0 {
		payload["choices"] = r.Choices
	}
	if course.Expires != nil {
		ends := t.rules.Reminders.Window(course)
		payload["expires_at"] = stamp(ends)
		if said, err := suspension.ReadTime(r.ExpiresAt); (err != nil || said.Sub(ends).Abs() > 2*time.Second) &&
			t.rules.Lifecycle.Fills("expires_at") {
			record["expires_at"] = stamp(ends)
		}
	}
	agents := t.o.AgentsNotify || t.w.told(in, intentSuspended, r.ID, nil) != nil
	t.emit(&Event{
		Type: intentSuspended, Intent: in.ID, Actor: system, Payload: payload, Hidden: agents,
		Change: &Change{Live: &Live{ID: r.ID, Course: course, Attempt: 1, Later: later}, Record: record, Quietly: true},
	})
	if !agents {
		t.notice(in, r, 1, suspension.Step{ChannelHint: r.ChannelHint}, course)
	}
}

// resumed is what follows when a suspension is over, however it ended.
func (t *tx) resumed(in *Intent, live *Live, since time.Time) {
	id := ""
	if live != nil {
		id = live.ID
	}
	if in.Status != Abandoned {
		t.unmirror(in)
		t.tellPortfolios(in, "portfolio.member_resumed", id)
	}
	t.extendLeases(in, since)
	if in.Status == Active && t.offers(Graph) && t.w.upstreamSuspended(in, map[string]bool{}) && t.rules.Graph.Blocks(in.Status) {
		t.move(in, move{to: Blocked, by: system, reason: "upstream_suspended"})
	}
}

// settle writes into the record how the suspension ended. value, where it is not nil, is what counts as the answer.
func (t *tx) settle(in *Intent, by, resolution string, value any) {
	record, ok := in.State[recordKey].(map[string]any)
	if !ok {
		return
	}
	record = copied(record)
	if record["resolution"] != nil && !t.rules.Expiry.Overrules() {
		return
	}
	record["resolution"] = resolution
	if value != nil {
		record["response"] = value
	}
	t.emit(&Event{Type: "suspension_settled", Intent: in.ID, Actor: by, Hidden: true, Change: &Change{Record: record, Quietly: true}})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
