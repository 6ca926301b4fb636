package gateway

import (
	"encoding/json"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// Record is one append to the log of a gateway: what happened at once. What it holds happened in the order of its fields.
type Record struct {
	At        time.Time   `json:"at"`
	Claimed   *Claimed    `json:"claimed,omitempty"`
	Committed *Committed  `json:"committed,omitempty"`
	Enqueued  []Job       `json:"enqueued,omitempty"`
	Dropped   []Dropped   `json:"dropped,omitempty"`
	Unrouted  []Unrouted  `json:"unrouted,omitempty"`
	Ended     *Ended      `json:"ended,omitempty"`
	Recovered []Recovered `json:"recovered,omitempty"`
}

// Claimed: an attempt of a job began.
type Claimed struct {
	Job string `json:"job"`
}

// Committed: the row of a plugin was written.
type Committed struct {
	Plugin   string          `json:"plugin"`
	Updates  json.RawMessage `json:"updates"`           // an object
	Replaces bool            `json:"replaces,omitzero"` // the whole row, not only the keys that are given
}

// Dropped: a job was not queued, since one of its dedupe key had succeeded.
type Dropped struct {
	From   string `json:"from"` // the job whose event it was; empty for an event from outside
	Type   string `json:"type"` // of the event
	Plugin string `json:"plugin"`
	Key    string `json:"key"`
	Done   string `json:"done"` // the job that had succeeded
}

// Unrouted: no pipeline is on the type of an event, and no step follows.
type Unrouted struct {
	From  string              `json:"from"`
	Event agenticloopv2.Event `json:"event"`
}

// Ended: an attempt came to its end, and with it the job, unless its status is Queued: then it is tried again.
type Ended struct {
	Job      string                   `json:"job"`
	Status   Status                   `json:"status"`
	Result   string                   `json:"result,omitzero"`
	Error    string                   `json:"error,omitzero"`
	ExitCode int                      `json:"exitCode,omitzero"`
	Stderr   string                   `json:"stderr,omitzero"`
	Logs     []agenticloopv2.LogEntry `json:"logs,omitempty"`
	RetryAt  time.Time                `json:"retryAt,omitzero"`
}

// Recovered: a job was found running by a gateway that had not started it. It is queued again, or dead.
type Recovered struct {
	Job    string `json:"job"`
	Status Status `json:"status"`
}
