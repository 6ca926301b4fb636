// Package live reports a certification while it runs: one line of JSON for each event. Every line is an Event of
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

// Stream writes the events of one certification. Its methods are safe for concurrent use.
type Stream struct {
	now func() time.Time

	mu      sync.Mutex
	w       io.Writer
	err     error // error that stopped the stream
	begun   bool
	over    bool
	number  int64
	waiting [][]byte // scenarios that ended before Started
}

// New returns a stream that writes to w, a line at a time. now is the clock for event times.
func New(w io.Writer, now func() time.Time) *Stream { return &Stream{w: w, now: now} }

// Started reports the start of a certification. head holds the facts known before any judging: target, digests and
// seed. selected is the number of scenarios to report.
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

// Scenario reports the end of a scenario. Drives start before the target is identified, so earlier ends are held back
// until Started.
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

// Finished reports the result of the certification.
func (s *Stream) Finished(doc results.Results) {
	s.end(results.FinishedEvent{
		ExitCode: doc.ExitCode, Seconds: &doc.Seconds, Totals: &doc.Totals, Profiles: doc.Profiles,
	})
}

// NotStarted reports why nothing was driven. It has no effect after Finished.
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

// Err returns the error that stopped the stream, or nil. The stream writes nothing after it.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Stream) at() time.Time { return s.now().UTC() }

// encode returns an event as one line of compact JSON, with the target's text escaped.
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
