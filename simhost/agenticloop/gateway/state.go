package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// State is the fold of a gateway's log: the queue, and a row of state for each plugin.
type State struct {
	Jobs     []Job                      // in the order in which they arrived
	Rows     map[string]json.RawMessage // by plugin; an object each
	Turns    int                        // attempts that began
	Dropped  []Dropped
	Unrouted []Unrouted

	places map[string]int // of jobs, by id
}

// Job finds a job by its id.
func (s *State) Job(id string) (Job, bool) {
	if i, known := s.places[id]; known {
		return s.Jobs[i], true
	}
	return Job{}, false
}

// Row is the state of a plugin, an empty object where there is none.
func (s *State) Row(plugin string) json.RawMessage {
	if row := s.Rows[plugin]; row != nil {
		return row
	}
	return json.RawMessage(`{}`)
}

// Clone is a copy that does not change with the state it is of.
func (s *State) Clone() State {
	return State{
		Jobs: slices.Clone(s.Jobs), Rows: maps.Clone(s.Rows), Turns: s.Turns,
		Dropped: slices.Clone(s.Dropped), Unrouted: slices.Clone(s.Unrouted), places: maps.Clone(s.places),
	}
}

// Fold takes one more record in. The error means that the record does not belong here, or was not written by this package;
// the state is then as it was.
func (s *State) Fold(r Record) error {
	row, err := s.check(r)
	if err == nil {
		s.fold(r, row)
	}
	return err
}

// check finds what keeps a record from being folded, and returns the row that it commits. No job appears in two parts of one.
func (s *State) check(r Record) (row json.RawMessage, err error) {
	if c := r.Claimed; c != nil {
		if err := s.must(c.Job, Queued); err != nil {
			return nil, fmt.Errorf("claim: %w", err)
		}
	}
	ids := map[string]bool{}
	for _, j := range r.Enqueued {
		if _, known := s.places[j.ID]; known || ids[j.ID] {
			return nil, fmt.Errorf("enqueue: job %s is there already", j.ID)
		}
		ids[j.ID] = true
	}
	if e := r.Ended; e != nil {
		if err := s.must(e.Job, Running); err != nil {
			return nil, fmt.Errorf("end: %w", err)
		}
		if e.Status == Running {
			return nil, fmt.Errorf("end: job %s cannot go on running", e.Job)
		}
	}
	for _, back := range r.Recovered {
		if err := s.must(back.Job, Running); err != nil {
			return nil, fmt.Errorf("recover: %w", err)
		}
		if back.Status != Queued && back.Status != Dead {
			return nil, fmt.Errorf("recover: job %s cannot become %s", back.Job, back.Status)
		}
	}
	if c := r.Committed; c != nil {
		if row, err = merged(s.Row(c.Plugin), c.Updates, c.Replaces); err != nil {
			return nil, fmt.Errorf("commit the row of %s: %w", c.Plugin, err)
		}
	}
	return row, nil
}

// must wants a job to stand there.
func (s *State) must(id string, status Status) error {
	switch j, known := s.Job(id); {
	case !known:
		return fmt.Errorf("there is no job %s", id)
	case j.Status != status:
		return fmt.Errorf("job %s is %s, not %s", id, j.Status, status)
	}
	return nil
}

func (s *State) fold(r Record, row json.RawMessage) {
	if c := r.Claimed; c != nil {
		j := s.job(c.Job)
		j.Status, j.StartedAt, j.NextRetryAt = Running, r.At, time.Time{}
		s.Turns++
	}
	if s.places == nil {
		s.places, s.Rows = map[string]int{}, map[string]json.RawMessage{}
	}
	if c := r.Committed; c != nil {
		s.Rows[c.Plugin] = row
	}
	for _, j := range r.Enqueued {
		j.Status, j.CreatedAt = Queued, r.At
		s.places[j.ID] = len(s.Jobs)
		s.Jobs = append(s.Jobs, j)
	}
	s.Dropped = append(s.Dropped, r.Dropped...)
	s.Unrouted = append(s.Unrouted, r.Unrouted...)
	if e := r.Ended; e != nil {
		s.job(e.Job).end(*e, r.At)
	}
	for _, back := range r.Recovered {
		s.job(back.Job).end(Ended{Status: back.Status, Error: "the gateway stopped while it ran"}, r.At)
	}
}

func (s *State) job(id string) *Job { return &s.Jobs[s.places[id]] }

// end ends an attempt.
func (j *Job) end(e Ended, at time.Time) {
	j.Status, j.Result, j.LastError, j.Logs = e.Status, e.Result, e.Error, e.Logs
	if e.Status == Queued {
		j.Attempt++
		j.NextRetryAt = e.RetryAt
		return
	}
	j.CompletedAt = at
}

// merged lays updates over a row, key by key of its top level.
func merged(row, updates json.RawMessage, replaces bool) (json.RawMessage, error) {
	if replaces {
		return updates, nil
	}
	return overlaid(row, updates)
}

// overlaid is an object with the keys of another one laid over it. Either may be empty.
func overlaid(below, above json.RawMessage) (json.RawMessage, error) {
	keys, err := object(below)
	if err != nil {
		return nil, err
	}
	over, err := object(above)
	if err != nil {
		return nil, err
	}
	maps.Copy(keys, over)
	return json.Marshal(keys)
}

// object takes an object apart. Nothing, and null, are an empty one.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	keys := map[string]json.RawMessage{}
	if len(raw) == 0 || string(raw) == "null" {
		return keys, nil
	}
	err := json.Unmarshal(raw, &keys)
	return keys, err
}
