package engine

import (
	"fmt"
	"strconv"
)

// What happens to a suspension is told once, whoever tells it: this server, or the agent that waits for the person and runs
// a loop of its own (RFC-0026 section 8). Who comes second finds the event on the log.

// The types of events that either may tell.
const (
	intentSuspended = "intent.suspended"
	renotified      = "intent.suspension_renotified"
	escalated       = "intent.suspension_escalated"
	expired         = "intent.suspension_expired"
	resumed         = "intent.resumed"
)

// perAttempt tells the types that come once for each attempt; the others come once for each suspension.
var perAttempt = map[string]bool{intentSuspended: false, renotified: true, escalated: true, expired: false, resumed: false}

// told is the event of a suspension that is on the log already, nil where it is not. An intent may be suspended under an id
// that it was suspended under before: what was told of that does not count.
func (w *world) told(in *Intent, kind, suspensionID string, attempt any) *Event {
	each, known := perAttempt[kind]
	if !known || suspensionID == "" {
		return nil
	}
	log := w.events[in.ID]
	for i := len(log) - 1; i >= 0; i-- {
		ev := log[i]
		if ev.Payload["suspension_id"] != suspensionID {
			continue
		}
		switch {
		case ev.Type == kind && (!each || sameNumber(ev.Payload["attempt"], attempt)):
			return ev
		case kind != intentSuspended && ev.Type == intentSuspended,
			kind == intentSuspended && in.Status == Suspended && (ev.Type == resumed || ev.Type == expired):
			return nil // the suspension before
		}
	}
	return nil
}

// sameNumber compares attempts: those of this server are ints until they come back from the log, those of agents are JSON.
func sameNumber(a, b any) bool {
	x, errX := strconv.ParseFloat(fmt.Sprint(a), 64)
	y, errY := strconv.ParseFloat(fmt.Sprint(b), 64)
	return errX == nil && errY == nil && x == y
}
