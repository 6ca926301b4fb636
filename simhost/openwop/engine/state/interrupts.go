package state

import (
	"encoding/json"
	"time"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Interrupt is a suspension of a run, and where it stands.
type Interrupt struct {
	ID          string
	NodeID      string
	Kind        event.Interrupt
	Key         string
	Data        json.RawMessage // what is asked, in the shape of the kind
	RequestedAt time.Time
	TimeoutMs   *int64          // how long it can be answered from then on; nil: for ever
	Due         time.Time       // when nobody can answer any more; zero: never
	Answer      json.RawMessage // that resolved it
	Resolved    bool
	Expired     bool // nobody resolved it in time
	Gone        bool // the run was stopped before anybody resolved it
}

// LastInterrupt is the interrupt that was raised last, nil where there was none.
func (s *State) LastInterrupt() *Interrupt {
	if len(s.Interrupts) == 0 {
		return nil
	}
	return &s.Interrupts[len(s.Interrupts)-1]
}
