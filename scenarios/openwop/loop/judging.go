package loop

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Helpers for several judges: whether an observation can be judged, and which
// events of a log count.

// given blocks the judge unless the loop, as its set-up, ran to its end.
func (o LoopObservation) given(j *scenarios.Judge) {
	if o.Evidence == scenarios.Attested {
		host.SeamAnswered(j, o.SeamStatus, o.Way)
		return
	}
	o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
}

// tell notes that the turns were not drawn for this run.
func (o LoopObservation) tell(j *scenarios.Judge) {
	if !o.Chosen {
		j.Find("", host.FixedScript)
	}
}

// checkChildren follows each handoff to its child run: one per dispatching turn,
// no duplicates, never the parent, each served under its own id.
func (o LoopObservation) checkChildren(j *scenarios.Judge) {
	started := o.Log.Phase(dialect.ChainPhaseDispatchSucceeded)
	j.Check(openwop.OWP0037A3, started).To(check.Len(o.Turns-1), "handoffs that began")
	if o.Turns < 2 {
		return
	}
	j.Check(openwop.OWP0037A3, started.Each("/payload/childRunId")).To(check.Distinct(o.Log.RunID), "childRunId of the handoffs")
	ids := make([]any, len(o.Children))
	for i, c := range o.Children {
		ids[i] = c.ID
	}
	j.Check(openwop.OWP0037A3, o.snapshots().Each("/runId")).To(check.Equal(ids), "runId of the child runs, read under their ids")
	j.Check(openwop.OWP0037A3, o.snapshots().Each("/status")).To(check.Each(check.Equal("completed")), "status of the child runs")
	j.Check(openwop.OWP0037A3, o.Stranger).To(check.Status(4), "a run id that was never given out")
}

// turnsAndSettlements returns the turns and the ends of child runs, in order.
func turnsAndSettlements(l host.RunLog) wire.Found {
	return l.All().Where(func(e wire.Value) bool {
		switch dialect.EventOf(e) {
		case dialect.Decided:
			return true
		case dialect.HandedOver:
			return e.At("/payload/phase").String() == string(dialect.ChainPhaseChildCompleted)
		}
		return false
	}).Each("/type")
}

// alternating returns a turn, the end of its worker, and so on to the last turn.
func alternating(turns int) []dialect.Event {
	out := []dialect.Event{dialect.Decided}
	for range turns - 1 {
		out = append(out, dialect.HandedOver, dialect.Decided)
	}
	return out
}
