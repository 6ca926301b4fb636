package model

import (
	"encoding/json"
	"slices"
)

// The fallbacks of a record and of its policy (RFC-0025 6).
const (
	Fails     = "fail"
	Completes = "complete_with_fallback"
	Defaults  = "use_default_and_continue"
)

// Course is what becomes of a suspension that nobody answers (RFC-0026 4).
type Course struct {
	Attempts  int // the first one counts
	Interval  int // seconds
	Reminders []Reminder
	Fallback  string
	Source    Source // of the fallback
}

// Reminder is what is sent at an attempt after the first.
type Reminder struct {
	Attempt   int
	Escalates bool     // the ladder has a step for it
	Channels  []string // that it may go out over; "" is none
	To        string   // "" is nobody
}

// Source says which of several fallbacks applies.
type Source string

// The sources. Alone: only one place names a fallback, or both name the same.
const (
	Alone  Source = "alone"
	Policy Source = "policy" // and the record names another one
	Record Source = "record" // its policy names none
)

// Continues reports whether the intent goes on in the end.
func (c Course) Continues() bool { return c.Fallback != Fails }

type record struct {
	Channel  string  `json:"channel_hint"`
	Timeout  int     `json:"timeout_seconds"`
	Fallback string  `json:"fallback_policy"`
	Policy   *policy `json:"retry_policy"`
}

type policy struct {
	Attempts *int   `json:"max_attempts"`
	Interval int    `json:"interval_seconds"`
	Ladder   []step `json:"escalation_ladder"`
	Fallback string `json:"final_fallback_policy"`
}

type step struct {
	Attempt int     `json:"attempt"`
	Channel *string `json:"channel_hint"`
	To      *string `json:"notify_to"`
}

// CourseOf returns the course of a record that says its timeout_seconds and, in a policy, interval_seconds: the same where there is one
// attempt, and not more where there are several. It takes nothing from a platform.
func CourseOf(written json.RawMessage) (c Course, err error) {
	var r record
	if err := json.Unmarshal(written, &r); err != nil {
		return c, err
	}
	c = Course{Attempts: 1, Interval: r.Timeout, Fallback: Fails, Source: Alone}
	if r.Fallback != "" {
		c.Fallback = r.Fallback
	}
	if r.Policy == nil {
		return c, nil
	}
	c.Interval = r.Policy.Interval
	if r.Policy.Attempts != nil {
		c.Attempts = *r.Policy.Attempts
	}
	switch inner := r.Policy.Fallback; {
	case inner == "" && r.Fallback != "":
		c.Source = Record
	case inner != "" && r.Fallback != "" && inner != r.Fallback:
		c.Source, c.Fallback = Policy, inner
	case inner != "":
		c.Fallback = inner
	}
	for n := 2; n <= c.Attempts; n++ {
		next := Reminder{Attempt: n, Channels: []string{r.Channel}}
		if at := slices.IndexFunc(r.Policy.Ladder, func(s step) bool { return s.Attempt == n }); at >= 0 {
			next.escalate(r.Policy.Ladder[at])
		}
		c.Reminders = append(c.Reminders, next)
	}
	return c, nil
}

// escalate applies a step. One that names no channel overrides none, or with none: the text says neither.
func (r *Reminder) escalate(s step) {
	r.Escalates = true
	switch {
	case s.Channel != nil && *s.Channel != "":
		r.Channels = []string{*s.Channel}
	case r.Channels[0] != "":
		r.Channels = append(r.Channels, "")
	}
	if s.To != nil {
		r.To = *s.To
	}
}
