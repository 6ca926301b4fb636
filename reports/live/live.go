// Package live tells a certification while it goes on: a line of JSON for each thing that happens. Every line is an Event of
// spec/assay/event.schema.json.
package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// schema is the format and version of every event.
const schema = "assay.events/1"

// Stream writes the events of one certification. Its methods may be called from several goroutines.
type Stream struct {
	now func() time.Time

	mu      sync.Mutex
	w       io.Writer
	err     error // the first that a line could not be written because of
	begun   bool
	over    bool
	number  int64
	waiting [][]byte // scenarios that ended before it was told that they began
}

// New writes to w, a line at a time. now is the clock that events are stamped with.
func New(w io.Writer, now func() time.Time) *Stream { return &Stream{w: w, now: now} }

// Started tells that a certification has begun. head is what is known of it before anything was judged: target, digests and
// seed. selected is how many scenarios will be told.
func (s *Stream) Started(head results.Results, selected int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	s.write(s.encode(results.StartedEvent{
		Schema: schema, Event: "started", At: s.at(), Assay: head.Assay, Target: head.Target, Seed: head.Seed, Scenarios: int64(selected),
	}))
	for _, line := range s.waiting {
		s.write(line)
	}
	s.waiting = nil
}

// Scenario tells how a scenario ended. Drives are under way before it is known who is certified: what ends so early is told
// after Started.
func (s *Stream) Scenario(o scenarios.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	e := results.ScenarioEvent{
		Schema: schema, Event: "scenario", At: s.at(), Number: s.number,
		ID: string(o.Scenario.ID), Suite: o.Suite, Title: o.Scenario.Title, Level: results.Level(o.Level),
		Requirements: []results.RequirementID{}, Verdict: results.Verdict(o.Verdict), Evidence: results.Evidence(o.Evidence.String()),
		Reason: o.Reason, Seconds: math.Round(o.Seconds*1e6) / 1e6,
	}
	for _, id := range o.Scenario.Proves {
		e.Requirements = append(e.Requirements, string(id))
	}
	if o.Failure != nil {
		e.Violated = string(o.Failure.Requirement)
	}
	line := s.encode(e)
	if !s.begun {
		s.waiting = append(s.waiting, line)
		return
	}
	s.write(line)
}

// Finished tells what it all came to.
func (s *Stream) Finished(doc results.Results) {
	s.end(results.FinishedEvent{
		ExitCode: doc.ExitCode, Seconds: &doc.Seconds, Totals: &doc.Totals, Profiles: doc.Profiles,
	})
}

// NotStarted tells why nothing was driven. After Finished it tells nothing.
func (s *Stream) NotStarted(exitCode int, reason string) {
	s.end(results.FinishedEvent{ExitCode: int64(exitCode), Reason: reason})
}

func (s *Stream) end(e results.FinishedEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	e.Schema, e.Event, e.At = schema, "finished", s.at()
	s.write(s.encode(e))
}

// Err is the first error of writing; nothing was written after it.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Stream) at() time.Time { return s.now().UTC() }

// encode is an event as one line: what JSON allows between tokens is not there, and what a target sent is escaped.
func (s *Stream) encode(event any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(event); err != nil {
		s.err = fmt.Errorf("encode an event: %w", err)
		return nil
	}
	return textsafe.JSON(b.Bytes())
}

func (s *Stream) write(line []byte) {
	if s.err != nil || line == nil {
		return
	}
	if _, err := s.w.Write(line); err != nil {
		s.err = err
	}
}
