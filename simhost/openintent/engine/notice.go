package engine

import "github.com/openassay/assay/simhost/openintent/suspension"

// Notice is a reminder that goes out to a person.
type Notice struct {
	Intent  string
	To      string // "" where nobody in particular is named, as the next one
	Channel string
	Body    map[string]any
}

// notice has a reminder go out once the decision is on the log. It names what waits and nothing of what it is about: the
// question and the context may hold what must not leave the server (RFC-0026 section 11).
func (t *tx) notice(in *Intent, r suspension.Record, attempt int, step suspension.Step, c suspension.Course) {
	body := map[string]any{
		"type": "intent.suspension_notification", "intent_id": in.ID, "suspension_id": r.ID,
		"attempt": attempt, "max_attempts": c.Attempts, "channel_hint": step.ChannelHint, "next_attempt_at": nil, "expires_at": in.expires(),
	}
	if at := c.NextAttemptAt(attempt); at != nil {
		body["next_attempt_at"] = stamp(*at)
	}
	record, _ := in.State[recordKey].(map[string]any)
	t.notices = append(t.notices, Notice{Intent: in.ID, To: text(step.NotifyTo), Channel: text(step.ChannelHint),
		Body: t.rules.Reminders.Notice(body, record)})
}
