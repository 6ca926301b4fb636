package rules

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/openassay/assay/simhost/openintent/suspension"
)

// Answers is how an answer of a person is judged and kept (RFC-0025 sections 5 and 8).
type Answers struct {
	// Takes says what becomes of an answer, by what it names and what its intent waits for.
	Takes func(Standing) Verdict

	// May tells whether somebody may answer. allowed is whether the governance of the intent lets them.
	May func(allowed bool) bool

	// Fits tells whether a value answers what is asked, and what could be answered.
	Fits func(r *suspension.Record, value json.RawMessage) (ok bool, options []suspension.Option)

	// Keeps is the record with the answer in it. Nothing of record may be changed.
	Keeps func(record map[string]any, a Answer) map[string]any

	// Resumes is the status of an intent whose answer was taken, by the type of that.
	Resumes func(response string) string

	// Reveals tells whether the refusal of a wrong suspension_id tells the right one, which is a secret (RFC-0025 section 11).
	Reveals func() bool

	// Between is how long an answer rests, while others are let in, once it was judged and before it is written. 0 judges and
	// writes it in one decision.
	Between func(metadata bool) time.Duration
}

// Standing is an answer beside the intent that it is for.
type Standing struct {
	Suspended  bool
	Recorded   bool   // there is a record; what follows is empty otherwise
	RecordID   string // of the suspension that the record is about
	Resolution string // of the record; "": it waits
	SentID     string
	// Dated tells whether the deadline of a portfolio ended it.
	Dated bool
	// Attempt is the last one that was notified; 0 where nothing is under way.
	Attempt int
	// Later tells whether the record came after the status.
	Later bool
	// Before tells whether the intent was suspended under the sent id at any time.
	Before bool
}

// Verdict is what becomes of an answer.
type Verdict int

// The verdicts.
const (
	Take Verdict = iota
	NotSuspended
	OtherSuspension
)

// Answer is one that was taken.
type Answer struct {
	Value    any
	By       string
	At       string
	Metadata map[string]any
}

func honestAnswers() Answers {
	return Answers{
		Takes: Judge,
		May:   func(allowed bool) bool { return allowed },
		Fits: func(r *suspension.Record, value json.RawMessage) (bool, []suspension.Option) {
			return r.Fits(value)
		},
		Keeps:   Keep,
		Resumes: func(string) string { return "active" },
		Reveals: func() bool { return false },
		Between: func(bool) time.Duration { return 0 },
	}
}

// Judge takes the answer to what is waited for, once.
func Judge(s Standing) Verdict {
	switch {
	case !s.Suspended:
		return NotSuspended
	case !s.Recorded, s.RecordID != s.SentID, s.Resolution != "":
		return OtherSuspension
	}
	return Take
}

// Keep writes the answer into the record.
func Keep(record map[string]any, a Answer) map[string]any {
	out := maps.Clone(record)
	out["response"], out["resolution"] = a.Value, suspension.Responded
	out["responded_at"], out["responded_by"] = a.At, a.By
	if a.Metadata != nil {
		out["response_metadata"] = a.Metadata
	}
	return out
}
