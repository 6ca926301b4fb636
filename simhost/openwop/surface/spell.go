package surface

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// This file is where events of the engine become those of this version of the protocol. Their payloads have the members that
// the version declares, since the engine took its words from there; a version that has others changes them here.

// told is an event as this version tells it.
func told(e event.Event) openwopv1.RunEvent {
	return openwopv1.RunEvent{
		EventID: e.ID, RunID: e.RunID, NodeID: e.NodeID, Type: openwopv1.RunEventType(e.Type), Payload: e.Payload,
		Timestamp: e.Timestamp, Sequence: e.Sequence, CausationID: e.CausationID,
	}
}

// allTold is a log as this version tells it; never nil.
func allTold(events []event.Event) []openwopv1.RunEvent {
	all := make([]openwopv1.RunEvent, len(events))
	for i, e := range events {
		all[i] = told(e)
	}
	return all
}
