package suspension

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The types of answer that a record may ask for.
const (
	Choice  = "choice"
	Confirm = "confirm"
	Text    = "text"
	Form    = "form"
)

// How a suspension ends, in the record.
const (
	Responded = "responded"
	Expired   = "expired"
	Cancelled = "cancelled"
)

// Record is what a server has to know of a SuspensionRecord (RFC-0025 section 4). What it does not know stays in the state
// of the intent as it was sent.
type Record struct {
	ID             string          `json:"id"`
	Question       string          `json:"question"`
	ResponseType   string          `json:"response_type"` // "" is Choice
	Choices        []Option        `json:"choices"`
	ChannelHint    *string         `json:"channel_hint"`
	SuspendedAt    string          `json:"suspended_at"`
	TimeoutSeconds *float64        `json:"timeout_seconds"`
	ExpiresAt      string          `json:"expires_at"`
	FallbackPolicy string          `json:"fallback_policy"` // "" is FallbackFail
	FallbackValue  json.RawMessage `json:"fallback_value"`
	RetryPolicy    *Policy         `json:"retry_policy"`
	Resolution     string          `json:"resolution"` // "": it waits
	Confidence     *float64        `json:"confidence_at_suspension"`
}

// Option is one of the choices of a record.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description"`
}

// ReadRecord reads a record from what state._suspension holds. The error names the member to mend.
func ReadRecord(raw []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, wrongType("_suspension", err)
	}
	if r.ResponseType == "" {
		r.ResponseType = Choice
	}
	return r, r.check()
}

func (r *Record) check() error {
	switch {
	case r.ID == "":
		return errors.New("_suspension.id is missing: give the suspension an id that nobody can guess")
	case r.ResponseType != Choice && r.ResponseType != Confirm && r.ResponseType != Text && r.ResponseType != Form:
		return fmt.Errorf("_suspension.response_type is %q: give choice, confirm, text or form", r.ResponseType)
	case r.FallbackPolicy != "" && !IsFallback(r.FallbackPolicy):
		return fmt.Errorf("_suspension.fallback_policy is %q: %s", r.FallbackPolicy, fallbacks)
	case r.TimeoutSeconds != nil && *r.TimeoutSeconds <= 0:
		return fmt.Errorf("_suspension.timeout_seconds is %v: give more than 0, or leave it off where nothing expires", *r.TimeoutSeconds)
	}
	for _, t := range []struct{ member, value string }{{"suspended_at", r.SuspendedAt}, {"expires_at", r.ExpiresAt}} {
		if _, err := ReadTime(t.value); t.value != "" && err != nil {
			return fmt.Errorf("_suspension.%s: %w", t.member, err)
		}
	}
	if r.RetryPolicy == nil {
		return nil
	}
	if every := r.RetryPolicy.IntervalSeconds; every != nil && r.TimeoutSeconds != nil && float64(*every) > *r.TimeoutSeconds {
		return fmt.Errorf("_suspension.retry_policy.interval_seconds is %d: it may not be longer than timeout_seconds (%v)", *every,
			*r.TimeoutSeconds)
	}
	if err := r.RetryPolicy.check(); err != nil {
		return fmt.Errorf("_suspension.%w", err)
	}
	return nil
}

// ReadTime reads a timestamp with a zone, or without one, which is UTC.
func ReadTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UTC(), nil
	}
	t, err := time.Parse("2006-01-02T15:04:05.999999999", text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no timestamp: write 2026-03-24T10:00:00Z", text)
	}
	return t, nil
}

// Fits tells whether a value answers what a record asks (RFC-0025 sections 4 and 8). value is JSON, nil where none was sent.
// The options are what may be answered, empty where that is no list.
func (r *Record) Fits(value json.RawMessage) (ok bool, options []Option) {
	options = r.Options()
	if len(options) > 0 {
		_, ok = r.Chosen(value)
		return ok, options
	}
	switch r.ResponseType {
	case Text:
		var text string
		return json.Unmarshal(value, &text) == nil && strings.TrimSpace(text) != "" && !isNull(value), nil
	case Form:
		return bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")), nil
	default: // a choice without choices: the agent has to give at least one, so nobody can tell what it waits for
		return len(value) > 0 && !isNull(value), nil
	}
}

// Options are the choices of a record: those it lists, else yes and no where it asks for a confirmation.
func (r *Record) Options() []Option {
	switch {
	case len(r.Choices) > 0 && (r.ResponseType == Choice || r.ResponseType == Confirm):
		return r.Choices
	case r.ResponseType == Confirm:
		return []Option{{Value: "yes", Label: "Yes"}, {Value: "no", Label: "No"}}
	}
	return nil
}

// Chosen is the option whose value was answered. A number does not choose the text that looks like it.
func (r *Record) Chosen(value json.RawMessage) (Option, bool) {
	var text string
	if isNull(value) || json.Unmarshal(value, &text) != nil {
		return Option{}, false
	}
	for _, o := range r.Options() {
		if o.Value == text {
			return o, true
		}
	}
	return Option{}, false
}

func isNull(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// wrongType words what encoding/json found wrong for the one who wrote the JSON.
func wrongType(where string, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("%s is no JSON: %w", where, err)
	}
	if wrong.Field != "" {
		where += "." + wrong.Field
	}
	return fmt.Errorf("%s is a JSON %s: give one of the type that the protocol names (%s)", where, wrong.Value, wrong.Type)
}
