package openwop

import (
	"cmp"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// RunLog is what a judge can read of one run: how it was made, how it ended
// and its event log in order of sequence.
type RunLog struct {
	RunID   string      `json:"runId"`
	Created wire.Value  `json:"created"` // HTTP status of the call that made it
	Ended   wire.Wait   `json:"ended"`   // Last is the snapshot
	Read    wire.Value  `json:"read"`    // HTTP status of the first page of the log
	Events  wire.Values `json:"events"`  // run event documents
}

// add merges a page; what is known already counts once. Two events with one
// sequence but different ids are two events: the judges will tell.
func (l *RunLog) add(page wire.Values) {
	type identity struct {
		id       string
		sequence int64
	}
	of := func(e wire.Value) identity { return identity{e.Key("eventId").String(), sequence(e)} }
	known := make(map[identity]bool, len(l.Events)+len(page))
	for _, e := range l.Events {
		known[of(e)] = true
	}
	for _, e := range page {
		if !known[of(e)] {
			known[of(e)] = true
			l.Events = append(l.Events, e)
		}
	}
	slices.SortStableFunc(l.Events, func(a, b wire.Value) int { return cmp.Compare(sequence(a), sequence(b)) })
}

func sequence(e wire.Value) int64 {
	n, _ := e.Key("sequence").Int()
	return n
}

// All are all events, and where they were read.
func (l RunLog) All() wire.Found {
	return wire.Found{Values: l.Events, In: wire.Ref{Exchange: l.Read.Ref().Exchange, Pointer: "/events"}}
}

// OfType are the events of these types.
func (l RunLog) OfType(types ...openwopv1.RunEventType) wire.Found {
	return l.All().Where(func(e wire.Value) bool {
		return slices.Contains(types, openwopv1.RunEventType(e.Key("type").String()))
	})
}

// Decided are the supervisor's turns.
func (l RunLog) Decided() wire.Found { return l.OfType(openwopv1.RunEventTypeRunOrchestratorDecided) }

// Iterations are the turns' counters, absent where a turn carries none.
func (l RunLog) Iterations() wire.Found { return l.Decided().Each("/payload/iteration") }

// Kinds are the kinds of the turns' decisions.
func (l RunLog) Kinds() wire.Found { return l.Decided().Each("/payload/decision/kind") }

// Breaches are the bounds the run crossed.
func (l RunLog) Breaches() wire.Found { return l.OfType(openwopv1.RunEventTypeCapBreached) }

// Terminals are the events that end a run.
func (l RunLog) Terminals() wire.Found {
	return l.OfType(openwopv1.RunEventTypeRunCompleted, openwopv1.RunEventTypeRunFailed, openwopv1.RunEventTypeRunCancelled)
}

// Last is the last event.
func (l RunLog) Last() wire.Value {
	if len(l.Events) == 0 {
		return wire.Value{}
	}
	return l.Events[len(l.Events)-1]
}

// Phase are the handoff events of one phase.
func (l RunLog) Phase(phase openwopv1.ChainPhase) wire.Found {
	return l.OfType(openwopv1.RunEventTypeCoreWorkflowChainEvent).Where(func(e wire.Value) bool {
		return e.At("/payload/phase").String() == string(phase)
	})
}

// Status is the final snapshot's status.
func (l RunLog) Status() wire.Value { return l.Ended.Last.Key("status") }

// ready stops a judge that needs this run for another question when the host
// did not make it or did not end it: the sentence it rests on is named.
func (l RunLog) ready(j *scenarios.Judge, made, ended scenarios.RequirementID) bool {
	if status, _ := l.Created.Int(); status < 200 || status > 299 || l.RunID == "" {
		return j.BlockOn(made, "set-up: the host did not make the run: it answered HTTP "+l.Created.JSON())
	}
	return j.Need(ended, l.Ended)
}
