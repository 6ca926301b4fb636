package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Pause is a wish that a run stand still, or that it do not after all.
type Pause struct {
	Reason string `json:"reason,omitzero"`
	// Drain lets the node under way finish first; a node that waits for an answer does not count as under way.
	Drain bool `json:"drain,omitzero"`
	// Withdrawn takes back the wish before it, which the run had not come to yet.
	Withdrawn bool `json:"withdrawn,omitzero"`
}

// Paused is a run that stands still.
type Paused struct {
	before openwopv1.RunStatus // the status it had, and has again when it goes on
	Next   int64               // sequence of the next event then
}

// Timed is the node under way that waits for a time, nil where there is none.
func (s *State) Timed() *workflow.Node {
	for i, n := range s.Nodes {
		if n.Status == NodeRunning && !n.Due.IsZero() {
			return &s.Program.Nodes[i]
		}
	}
	return nil
}

func (s *State) learnPause(p Pause) {
	s.Pausing = &p
	if p.Withdrawn {
		s.Pausing = nil
		s.goesOn()
	}
}

func (s *State) pauses() {
	s.Pausing, s.Paused, s.Stood = nil, &Paused{before: s.Status, Next: s.Next}, true
	s.Status = openwopv1.RunStatusPaused
}

func (s *State) goesOn() {
	if s.Paused != nil {
		s.Status, s.Paused = s.Paused.before, nil
	}
}
