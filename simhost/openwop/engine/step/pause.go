package step

import (
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// pausesAsRecorded tells whether the source was paused here, or went on: a fork does so as well, and does not stand still
// in between. What the source did right before, without an event, is taken over with it.
func (m *Move) pausesAsRecorded() bool {
	return m.recorded(event.RunPaused) || m.S.Paused != nil && m.recorded(event.RunResumed)
}

// wishes notes what was wished for, once.
func (m *Move) wishes() Wait {
	wish := m.Pause
	m.Pause = nil
	return m.learn(state.Fact{Pause: wish})
}

// pausesNow tells whether the run has come to where it is to stand still.
func (m *Move) pausesNow() bool {
	wish := m.S.Pausing
	return wish != nil && !m.replaying() && m.Rules.Control.Pauses(wish.Drain, working(m.S), m.S.Waiting())
}

// holds tells whether a run that stands still takes no step.
func (m *Move) holds() bool {
	return m.Unpause || m.replaying() || m.Rules.Control.Holds(rules.Standing{Waiting: m.S.Timed() != nil, Behind: m.S.Next - m.S.Paused.Next})
}

// working tells whether a node is under way that does not wait for an answer.
func working(s *state.State) bool {
	for _, n := range s.Nodes {
		if n.Status == state.NodeRunning {
			return true
		}
	}
	return false
}

func (m *Move) standStill() Wait {
	p := &event.RunPausedPayload{}
	if reason := m.S.Pausing.Reason; reason != "" {
		p.Reason = &reason
	}
	return m.emit(event.RunPaused, "", "", p)
}

// stands goes on with a run that stands still, if somebody has asked for it.
func (m *Move) stands() Wait {
	switch {
	case m.Unpause && !m.replaying():
		m.Unpause = false
		return m.emit(event.RunResumed, "", workflow.EventID(m.S.RunID, m.S.Next-1), &event.RunResumedPayload{})
	case m.replaying():
		return m.diverge()
	default:
		return waitsToGoOn
	}
}
