package goal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// board is the fold of the log: all goals of the tenant.
type board struct {
	byID  map[string]*state
	order []*state // as they were created
}

// state is where one goal stands.
type state struct {
	created
	rules     *rules.Goals
	id        string
	status    openwopv1.GoalState
	createdAt time.Time
	updatedAt time.Time
	paused    bool
	ahead     time.Duration // of the host's clock

	anchor time.Time // from here the schedule counts its intervals, and a commitment its delay
	beat   string    // the change of a heartbeat that fired a run last

	fired int     // runs so far, one under way included
	begun *script // of the tick under way
	stuck string  // the run that waits for a person, or has until it was given up

	iterations int64
	runs       []string // that were judged, got stuck, or were under way when the goal ended
	verdict    *openwopv1.GoalVerdict
	cost       float64               // US dollars, of all judged runs
	events     []openwopv1.GoalEvent // what is added stays as it is
}

func (b *board) find(id string) (*state, error) {
	if s := b.byID[id]; s != nil {
		return s, nil
	}
	return nil, notFound(id)
}

// fold takes in one record. It fails on one that this package did not write, and then changes nothing.
func (b *board) fold(entry eventlog.Entry, by *rules.Goals) error {
	var r record
	if err := json.Unmarshal(entry.Data, &r); err != nil {
		return fmt.Errorf("decode a change of a goal: %w", err)
	}
	s := b.byID[r.GoalID]
	if (s == nil) != (r.Created != nil) {
		return fmt.Errorf("goal %s: it is created twice, or changed before it is created", r.GoalID)
	}
	if s == nil {
		s = &state{id: r.GoalID, rules: by, events: []openwopv1.GoalEvent{}}
		if b.byID == nil {
			b.byID = map[string]*state{}
		}
		b.byID[s.id] = s
		b.order = append(b.order, s)
	}
	s.fold(r)
	return nil
}

func (s *state) fold(r record) {
	s.ahead += time.Duration(r.AheadMs) * time.Millisecond
	if r.Created != nil {
		s.created, s.createdAt, s.updatedAt, s.status = *r.Created, r.At, r.At, openwopv1.GoalStateActive
	}
	if r.Edited != nil {
		s.edit(*r.Edited)
		s.updatedAt = r.At
	}
	if r.Paused != nil { // which is not to be seen, so the goal is not updated by it
		s.paused = *r.Paused
	}
	if r.Created != nil || r.ReArmed || r.Paused != nil && !*r.Paused || r.Edited != nil && r.Edited.Continuation != nil {
		s.anchor = r.At
	}
	if !r.Slot.IsZero() {
		s.anchor = r.Slot
	}
	if r.Judged != nil && s.commits() {
		s.anchor = r.At
	}
	if r.Beat != "" {
		s.beat = r.Beat
	}
	if r.Fired != nil {
		s.begun = r.Fired
		s.fired++
	}
	if r.Dropped {
		s.begun = nil
	}
	if r.Ran != "" {
		s.runs = append(s.runs, r.Ran)
		s.updatedAt = r.At
	}
	if r.Stuck != "" {
		s.begun, s.stuck = nil, r.Stuck
		s.runs = append(s.runs, r.Stuck)
	}
	if r.ReArmed {
		s.status = openwopv1.GoalStateActive
	}
	if r.Judged != nil {
		s.judged(*r.Judged, r.At)
	}
	if r.Closed != "" {
		s.status = r.Closed
		s.tell(openwopv1.GoalEventTypeGoalClosed, r.At, map[string]any{"goalId": s.id, "finalState": string(r.Closed)})
	}
}

func (s *state) edit(e Edit) {
	if e.Objective != "" {
		s.Objective = e.Objective
	}
	if e.Completion != nil {
		s.Completion = *e.Completion
	}
	if e.Continuation != nil {
		s.Continuation = *e.Continuation
	}
}

func (s *state) judged(v verdict, at time.Time) {
	if v.RunID != s.stuck { // else it contributed when it got stuck
		s.runs = append(s.runs, v.RunID)
	}
	s.begun, s.stuck = nil, ""
	s.iterations++
	s.cost += v.CostUSD
	s.verdict = &openwopv1.GoalVerdict{Satisfied: &v.Satisfied, Confidence: v.Confidence, RunID: &v.RunID}
	payload := map[string]any{"goalId": s.id, "satisfied": v.Satisfied, "runId": v.RunID, "iterations": s.iterations}
	if v.Confidence != nil {
		payload["confidence"] = *v.Confidence
	}
	s.tell(openwopv1.GoalEventTypeGoalEvaluated, at, payload)
}

// tell adds an event. Payloads hold ids, numbers and words of the protocol, never text of the objective.
func (s *state) tell(t openwopv1.GoalEventType, at time.Time, payload map[string]any) {
	sequence := int64(len(s.events))
	s.events = append(s.events, openwopv1.GoalEvent{
		EventID:   s.id + "-" + strconv.FormatInt(sequence, 10),
		GoalID:    s.id,
		Sequence:  sequence,
		Type:      t,
		Timestamp: at,
		Payload:   payload,
	})
	s.updatedAt = at
}

// fires tells whether runs of the goal are fired, where it is not paused.
func (s *state) fires() bool {
	return s.rules.Fires(rules.Firing{State: s.status, Mode: s.Continuation.Mode, Runs: len(s.runs)})
}

// held tells whether a pause holds back a run that is fired in this mode.
func (s *state) held(by openwopv1.GoalContinuationMode) bool {
	return s.paused && !s.rules.Fires(rules.Firing{State: s.status, Paused: true, Mode: by, Runs: len(s.runs)})
}

// active tells whether the goal goes on, paused or not.
func (s *state) active() bool { return s.status == openwopv1.GoalStateActive }

// show is the goal as the protocol has it. It shares nothing with s that a fold changes.
func (s *state) show() openwopv1.Goal {
	return openwopv1.Goal{
		ID:        s.id,
		Objective: s.Objective,
		State:     s.status,
		Completion: openwopv1.GoalCompletion{
			Check: s.Completion.Check, VerifierRef: s.Completion.VerifierRef, LastVerdict: s.verdict,
		},
		Continuation: s.Continuation,
		Bounds:       s.Bounds,
		Progress:     &openwopv1.GoalProgress{Iterations: new(s.iterations), ContributingRunIds: slices.Clone(s.runs)},
		Owner:        openwopv1.RunOwner(s.Owner),
		CreatedAt:    s.createdAt,
		UpdatedAt:    s.updatedAt,
	}
}
