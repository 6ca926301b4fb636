package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/simhost/openintent/suspension"
)

// Event is one thing that happened: what the protocol shows of it, and what it changes.
type Event struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Intent    string         `json:"intent,omitempty"`    // on whose log it is shown
	Portfolio string         `json:"portfolio,omitempty"` // on whose log it is shown
	Actor     string         `json:"actor,omitempty"`
	At        time.Time      `json:"at"`
	Payload   map[string]any `json:"payload,omitempty"`
	Hidden    bool           `json:"hidden,omitempty"` // it changes something, and has no word in the protocol or was told already
	Change    *Change        `json:"change,omitempty"`
}

// Change is what an event changes. Members that are empty change nothing.
type Change struct {
	Intent   *Intent        `json:"intent,omitempty"`  // made
	Patches  []Patch        `json:"patches,omitempty"` // of the state
	Move     *Move          `json:"move,omitempty"`
	Depend   string         `json:"depend,omitempty"`  // waits for this one, too
	Release  string         `json:"release,omitempty"` // waits for this one no more
	Live     *Live          `json:"live,omitempty"`    // a suspension that begins
	Record   map[string]any `json:"record,omitempty"`  // what state._suspension is from now on
	Quietly  bool           `json:"quietly,omitempty"` // the record changes without a new version
	Attempt  int            `json:"attempt,omitempty"` // that a reminder was sent for
	Overtime bool           `json:"overtime,omitempty"`

	Assign   *Assignment `json:"assign,omitempty"`
	Unassign string      `json:"unassign,omitempty"` // this agent

	Portfolio   *Portfolio               `json:"portfolio,omitempty"` // as it is from now on, as the next ones
	Join        *Membership              `json:"join,omitempty"`
	Leave       string                   `json:"leave,omitempty"`
	Passed      bool                     `json:"passed,omitempty"` // the deadline of the portfolio
	Task        *Task                    `json:"task,omitempty"`
	Plan        *Plan                    `json:"plan,omitempty"`
	Coordinator *Coordinator             `json:"coordinator,omitempty"`
	Lease       *Lease                   `json:"lease,omitempty"`
	Ahead       map[string]time.Duration `json:"ahead,omitempty"` // how far ahead of the clock intents and portfolios are
}

// Move is a new status.
type Move struct {
	To          string `json:"to"`
	Abandonment string `json:"abandonment,omitempty"` // why it was abandoned
	PausedBy    string `json:"paused_by,omitempty"`   // the intent whose suspension had a coordinator block it
}

// Patch is a write into the state of an intent.
type Patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Live is a suspension that waits.
type Live struct {
	ID      string            `json:"id"`
	Course  suspension.Course `json:"course"`
	Attempt int               `json:"attempt"`         // the last one that was notified
	Later   bool              `json:"later,omitempty"` // the record came after the status
}

func encodeEntry(events []*Event) ([]byte, error) {
	data, err := json.Marshal(events)
	if err != nil {
		return nil, fmt.Errorf("encode events: %w", err)
	}
	return data, nil
}

func decodeEntry(data []byte) (events []*Event, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&events); err != nil {
		return nil, fmt.Errorf("decode events: %w", err)
	}
	return events, nil
}

// Decode reads JSON with its numbers as they were written.
func Decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
