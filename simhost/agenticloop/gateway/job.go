package gateway

import (
	"encoding/json"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// Status is where a job stands.
type Status string

// A job waits, runs, and ends in one of four ways. Dead is what a job is that has no attempt left.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	TimedOut  Status = "timed_out"
	Dead      Status = "dead"
)

// Ended reports whether nothing more will come of a job.
func (s Status) Ended() bool { return s != Queued && s != Running }

// Who a job was submitted by.
const (
	ByCaller = "cli"
	ByRoute  = "route"
)

// Job is one turn of a plugin: queued, run, and perhaps run again.
type Job struct {
	ID          string              `json:"id"`
	Plugin      string              `json:"plugin"`
	Event       agenticloopv2.Event `json:"event"`
	Context     json.RawMessage     `json:"context,omitempty"` // what the events on the way here carried along
	Pipeline    string              `json:"pipeline,omitzero"` // none for a job from outside
	Step        int                 `json:"step,omitzero"`     // of the pipeline, from 0
	Parent      string              `json:"parent,omitzero"`   // the job whose event this one handles
	SubmittedBy string              `json:"submittedBy"`
	DedupeKey   string              `json:"dedupeKey,omitzero"` // only where the gateway dedupes
	Attempt     int                 `json:"attempt"`            // from 1
	MaxAttempts int                 `json:"maxAttempts"`

	// What follows is what the log says of the job later on.

	Status      Status                   `json:"status,omitzero"`
	CreatedAt   time.Time                `json:"createdAt,omitzero"`
	StartedAt   time.Time                `json:"startedAt,omitzero"` // of the last attempt
	CompletedAt time.Time                `json:"completedAt,omitzero"`
	NextRetryAt time.Time                `json:"nextRetryAt,omitzero"` // not before then
	LastError   string                   `json:"lastError,omitzero"`
	Result      string                   `json:"result,omitzero"`
	Logs        []agenticloopv2.LogEntry `json:"logs,omitempty"`
}

// ready reports whether a job may be claimed.
func (j *Job) ready(now time.Time) bool { return j.Status == Queued && !j.NextRetryAt.After(now) }
