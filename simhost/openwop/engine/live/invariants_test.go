package live

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

// expectLawful checks what holds for every log, whatever happened to the run.
func expectLawful(t testing.TB, s openwopv1.RunSnapshot, events []event.Event, version int) {
	t.Helper()
	if problems := unlawful(s, events, version); len(problems) > 0 {
		for _, p := range problems {
			t.Error(p)
		}
		for _, line := range story(events) {
			t.Log(line)
		}
	}
}

// lawyer reads a log event by event.
type lawyer struct {
	events   []event.Event
	at       map[string]int // eventId to index
	problems []string

	iterations int64
	started    map[string]int                   // node starts that have not ended
	chains     map[string]*event.HandoffPayload // eventId of a chain's latest step, to the step
	suspended  int
}

func unlawful(s openwopv1.RunSnapshot, events []event.Event, version int) []string {
	l := &lawyer{
		events: events, at: map[string]int{}, started: map[string]int{},
		chains: map[string]*event.HandoffPayload{},
	}
	l.document("RunSnapshot", s)
	for i, e := range events {
		l.envelope(s, i, e)
		l.document("RunEvent", e)
		l.check(openwopv1.Events[openwopv1.RunEventType(e.Type)].Component, e.Payload)
		payload, known, err := openwopv1.DecodePayload(openwopv1.RunEventType(e.Type), e.Payload)
		if err != nil || !known {
			l.bad(e, "payload: %v", err)
			continue
		}
		switch p := payload.(type) {
		case *event.DecidedPayload:
			l.decided(e, p, version)
		case *event.HandoffPayload:
			l.chain(e, p, version)
		case *event.NodeStartedPayload:
			if l.started[p.NodeID]++; l.started[p.NodeID] > 1 {
				l.bad(e, "started twice without an end")
			}
		case *event.NodeCompletedPayload:
			l.ended(e, p.NodeID)
		case *event.NodeFailedPayload:
			l.ended(e, p.NodeID)
		case *event.NodeCancelledPayload:
			l.ended(e, p.NodeID)
		case *event.RunPausedPayload:
			if i+1 < len(events) {
				l.pausedThen(events[i+1])
			}
		case *event.NodeSuspendedPayload:
			l.suspended++
		case *event.InterruptResolvedPayload:
			if l.suspended--; l.suspended != 0 {
				l.bad(e, "resolved without a suspension")
			}
		}
	}
	l.end(s)
	return l.problems
}

var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.New(openwopv1.Bundled()) })

// document holds a value to the schema of its name.
func (l *lawyer) document(component string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		l.problems = append(l.problems, err.Error())
		return
	}
	l.check(component, raw)
}

func (l *lawyer) check(component string, raw []byte) {
	set, err := contract()
	if err != nil {
		l.problems = append(l.problems, err.Error())
		return
	}
	schema, err := set.Component(component)
	if err != nil {
		l.problems = append(l.problems, err.Error())
		return
	}
	for _, p := range schema.Validate(raw) {
		l.problems = append(l.problems, fmt.Sprintf("%s %s: %s", component, raw, p))
	}
}

func (l *lawyer) bad(e event.Event, format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf("event %d %s: %s", e.Sequence, e.Type, fmt.Sprintf(format, args...)))
}

// pausedThen is what comes next on the log of a run that was paused: that it goes on, or what ends it.
func (l *lawyer) pausedThen(next event.Event) {
	switch next.Type {
	case event.RunResumed, event.RunCancelled, event.RunFailed,
		event.NodeCancelled,
		event.Breached, event.Handoff, event.NodeDispatched,
		event.VariableChanged, event.ReplayDiverged:
	default:
		l.bad(next, "a paused run takes a step")
	}
}

func isTerminal(t event.Type) bool {
	return t == event.RunCompleted || t == event.RunFailed || t == event.RunCancelled
}

func (l *lawyer) envelope(s openwopv1.RunSnapshot, i int, e event.Event) {
	if e.Sequence != int64(i) {
		l.bad(e, "stands at place %d", i)
	}
	if e.RunID != s.RunID {
		l.bad(e, "names run %s", e.RunID)
	}
	if _, twice := l.at[e.ID]; twice {
		l.bad(e, "id %s is there twice", e.ID)
	}
	if e.CausationID != "" {
		if _, ok := l.at[e.CausationID]; !ok {
			l.bad(e, "cause %s is no earlier event", e.CausationID)
		}
	}
	l.at[e.ID] = i
	if isTerminal(e.Type) && i != len(l.events)-1 {
		l.bad(e, "something follows the end of the run")
	}
	if (e.Type == event.RunStarted) != (i == 0) {
		l.bad(e, "a run starts once, first")
	}
	if e.Type == event.Breached && (i+1 >= len(l.events) || l.events[i+1].Type != event.RunFailed) {
		l.bad(e, "no run.failed follows")
	}
}

func (l *lawyer) decided(e event.Event, p *event.DecidedPayload, version int) {
	l.iterations++
	switch {
	case version < 5 && p.Iteration != nil:
		l.bad(e, "iteration at version %d", version)
	case version >= 5 && (p.Iteration == nil || *p.Iteration != l.iterations):
		l.bad(e, "iteration is %v, want %d", p.Iteration, l.iterations)
	}
}

func (l *lawyer) ended(e event.Event, node string) {
	if l.started[node]--; l.started[node] < 0 {
		l.bad(e, "ended without a start")
	}
}

// chain holds a handoff to table 5.2: every step is caused by the one before it.
func (l *lawyer) chain(e event.Event, p *event.HandoffPayload, version int) {
	if version < 1 {
		l.bad(e, "there is no execution model")
		return
	}
	if p.Phase == event.DispatchBegan {
		cause, ok := l.at[e.CausationID]
		if !ok || l.events[cause].Type != event.Decided {
			l.bad(e, "its cause is no decision")
		}
		if p.ChildRunID != "" {
			l.bad(e, "names a child before there is one")
		}
		l.chains[e.ID] = p
		return
	}
	before := l.chains[e.CausationID]
	if before == nil {
		l.bad(e, "its cause %s is not the step before", e.CausationID)
		return
	}
	want := map[event.Phase]event.Phase{
		event.DispatchSucceeded: event.DispatchBegan,
		event.DispatchFailed:    event.DispatchBegan,
		event.ChildCompleted:    event.DispatchSucceeded,
		event.ChildFailed:       event.DispatchSucceeded,
		event.ChildCancelled:    event.DispatchSucceeded,
		event.OutputHarvested:   event.ChildCompleted,
	}[p.Phase]
	if before.Phase != want {
		l.bad(e, "%s follows %s", p.Phase, before.Phase)
	}
	if before.WorkerID != p.WorkerID || before.ChildRunID != "" && before.ChildRunID != p.ChildRunID {
		l.bad(e, "worker and child are not those of the step before")
	}
	if (p.Phase == event.DispatchFailed) != (p.ChildRunID == "") {
		l.bad(e, "childRunId is %q", p.ChildRunID)
	}
	failed := p.Phase == event.DispatchFailed || p.Phase == event.ChildFailed
	if failed != (p.Error != nil) {
		l.bad(e, "error is %v", p.Error)
	}
	delete(l.chains, e.CausationID)
	l.chains[e.ID] = p
}

func (l *lawyer) end(s openwopv1.RunSnapshot) {
	if len(l.events) == 0 {
		l.problems = append(l.problems, "the log is empty")
		return
	}
	last := l.events[len(l.events)-1]
	if isTerminal(last.Type) != state.Ended(s.Status) {
		l.bad(last, "the snapshot says %s", s.Status)
	}
	if !state.Ended(s.Status) {
		return
	}
	if want := "run." + string(s.Status); string(last.Type) != want {
		l.bad(last, "the snapshot says %s", s.Status)
	}
	if (s.Error != nil) != (s.Status == openwopv1.RunStatusFailed) || s.CompletedAt.IsZero() {
		l.bad(last, "the snapshot's error is %v, it ended %v", s.Error, s.CompletedAt)
	}
	for _, p := range l.chains {
		if p.Phase == event.DispatchBegan || p.Phase == event.DispatchSucceeded {
			l.bad(last, "the handoff to %s stands at %s", p.WorkerID, p.Phase)
		}
	}
	for node, open := range l.started {
		if open != 0 && s.Error == nil {
			l.bad(last, "node %s did not end", node)
		}
	}
}
