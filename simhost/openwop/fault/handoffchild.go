package fault

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// handoffChildFaults are about the run that a worker is, and what becomes of the loop with it.
var handoffChildFaults = []Fault{
	{
		ID:     "handoff.child-is-no-run",
		Title:  "the log names a child that nobody can find",
		Looks:  "reading the childRunId of dispatch.succeeded is answered 404",
		Breaks: []string{openwop.OWPDSP12, openwop.OWP0037A3, openwop.OWPCAU1},
		Spots:  []int{13},
		Event: steps(func(p *chainStep) {
			id := []byte(p.ChildRunID)
			slices.Reverse(id)
			p.ChildRunID = string(id)
		}),
	},
	{
		ID:     "handoff.completed-child-of-itself",
		Title:  "a worker that completed is shown as its own parent",
		Looks:  "the parentRunId in the snapshot of a completed child is its runId",
		Breaks: []string{openwop.OWPDSP12},
		Reply:  showingChild(openwopv1.RunStatusCompleted, func(c *openwopv1.RunSnapshot) { c.ParentRunID = &c.RunID }),
	},
	{
		ID:     "handoff.failed-child-shown-completed",
		Title:  "a worker that failed is shown as one that completed",
		Looks:  "the snapshot of a child is completed, its log ends with run.failed",
		Breaks: []string{openwop.OWPDSP12, openwop.OWPEVT11},
		Reply:  showingChild(openwopv1.RunStatusFailed, func(c *openwopv1.RunSnapshot) { c.Status = openwopv1.RunStatusCompleted }),
	},
	{
		ID:     "handoff.cancelled-child-of-itself",
		Title:  "a worker that was cancelled is shown as its own parent",
		Looks:  "the parentRunId in the snapshot of a cancelled child is its runId",
		Breaks: []string{openwop.OWPDSP12},
		Reply:  showingChild(openwopv1.RunStatusCancelled, func(c *openwopv1.RunSnapshot) { c.ParentRunID = &c.RunID }),
	},
	{
		ID:     "handoff.completed-child-without-parent",
		Title:  "a worker forgets its parent when it completes",
		Looks:  "the snapshot of a completed child has no parentRunId",
		Breaks: []string{openwop.OWPDSP13},
		Reply:  showingChild(openwopv1.RunStatusCompleted, orphaned),
	},
	{
		ID:     "handoff.failed-child-without-parent",
		Title:  "a worker forgets its parent when it fails",
		Looks:  "the snapshot of a failed child has no parentRunId",
		Breaks: []string{openwop.OWPDSP13},
		Reply:  showingChild(openwopv1.RunStatusFailed, orphaned),
	},
	{
		ID:     "handoff.cancelled-child-without-parent",
		Title:  "a worker forgets its parent when it is cancelled",
		Looks:  "the snapshot of a cancelled child has no parentRunId",
		Breaks: []string{openwop.OWPDSP13},
		Reply:  showingChild(openwopv1.RunStatusCancelled, orphaned),
	},
	{
		ID:     "handoff.next-worker-beside-waiting-one",
		Title:  "a worker that waits for a person is taken to be done, and the next of its decision begins",
		Looks:  "two children of one decision are at work at the same time",
		Breaks: []string{openwop.OWPDSP14, openwop.OWP0037A5},
		Spots:  []int{19},
		Replace: func(s *rules.Set) {
			counts := s.Handoff.CountsAs
			s.Handoff.CountsAs = func(child openwopv1.RunStatus, more bool) openwopv1.RunStatus {
				if child == openwopv1.RunStatusWaitingInput && more {
					return openwopv1.RunStatusCompleted
				}
				return counts(child, more)
			}
		},
	},
	{
		ID:      "handoff.loop-fails-with-worker",
		Title:   "a worker that fails takes the loop with it",
		Looks:   "the parent is failed after child.failed",
		Breaks:  []string{openwop.OWPDSP15},
		Spots:   []int{22},
		Replace: failingAfter(event.ChildFailed),
	},
	{
		ID:      "handoff.loop-fails-with-cancelled-worker",
		Title:   "a worker that is cancelled takes the loop with it",
		Looks:   "the parent is failed after child.cancelled",
		Breaks:  []string{openwop.OWPDSP15},
		Replace: failingAfter(event.ChildCancelled),
	},
	{
		ID:     "handoff.cancelled-worker-ends-decision",
		Title:  "a worker that is cancelled ends its decision: the workers behind it are not dispatched",
		Looks:  "the turn that follows child.cancelled begins without dispatch.began for the next worker of the decision",
		Breaks: []string{openwop.OWP0037B3},
		Twin:   "there the cancellation of a worker has no cause, here the workers behind it are left out",
		Replace: func(s *rules.Set) {
			s.Handoff.TakesNext = func(last event.Phase) bool { return last != event.ChildCancelled }
		},
	},
	{
		ID:      "handoff.loop-fails-without-worker",
		Title:   "a worker that cannot be created takes the loop with it",
		Looks:   "the parent is failed after dispatch.failed",
		Breaks:  []string{openwop.OWPDSP15},
		Replace: failingAfter(event.DispatchFailed),
	},
}

// showingChild changes the snapshots of runs of this status that others dispatched.
func showingChild(status openwopv1.RunStatus, change func(*openwopv1.RunSnapshot)) mutate.ReplyFunc {
	return snapshots(func(run *openwopv1.RunSnapshot) {
		if run.ParentRunID != nil && run.Status == status {
			change(run)
		}
	})
}

func orphaned(c *openwopv1.RunSnapshot) { c.ParentRunID = nil }

// failingAfter has the loop fail after a handoff that this step ended.
func failingAfter(last event.Phase) func(*rules.Set) {
	return func(s *rules.Set) {
		goesOn := s.Handoff.GoesOn
		s.Handoff.GoesOn = func(phase event.Phase) bool { return phase != last && goesOn(phase) }
	}
}

// handoffStopFaults are about trees of runs that are cancelled.
var handoffStopFaults = []Fault{
	{
		ID:      "handoff.grandchild-goes-on",
		Title:   "who cancels a run cancels its children, and not what they have dispatched",
		Looks:   "the grandchild of a cancelled run is still at work",
		Breaks:  []string{openwop.OWPDSP21},
		Spots:   []int{28},
		Replace: sparing(func(d rules.Descendant) bool { return d.Depth > 1 && !d.Abroad }),
	},
	{
		ID:      "handoff.paused-goes-uncancelled",
		Title:   "who cancels a run cancels what is below it but for a run that is paused",
		Looks:   "a child or a grandchild that was paused when the run above it was cancelled stays paused",
		Breaks:  []string{openwop.OWPDSP21},
		Twin:    "there it is the depth that saves a run, here its status",
		Replace: sparing(func(d rules.Descendant) bool { return d.Paused }),
	},
	{
		ID:     "handoff.cancelled-without-reason",
		Title:  "a run that ended with its parent does not say so",
		Looks:  "run.cancelled of a child has neither a reason nor a parentRunId",
		Breaks: []string{openwop.OWPDSP22},
		Event: cancelled(func(p *event.RunCancelledPayload) {
			if p.ParentRunID != "" {
				p.Reason, p.ParentRunID = nil, ""
			}
		}),
	},
	{
		ID:     "handoff.cancelled-for-itself",
		Title:  "a run that is cancelled directly names itself as the parent that was",
		Looks:  "run.cancelled has a parentRunId, though no run above it was cancelled",
		Breaks: []string{openwop.OWPDSP28},
		Event: func(e *mutate.Event) {
			cancelled(func(p *event.RunCancelledPayload) {
				if p.ParentRunID == "" {
					p.ParentRunID = e.RunID
				}
			})(e)
		},
	},
	{
		ID:      "handoff.cancelled-loop-decides-on",
		Title:   "a loop that is cancelled while its worker is at work makes one more decision",
		Looks:   "a cancelled run has a second turn before run.cancelled",
		Breaks:  []string{openwop.OWPDSP23},
		Spots:   []int{9},
		Replace: func(s *rules.Set) { reread(s, decidedOnce) },
	},
}

// sparing has the descendants of a run that is stopped go on that are meant.
func sparing(meant func(rules.Descendant) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		stops := s.Handoff.Stops
		s.Handoff.Stops = func(d rules.Descendant) bool { return !meant(d) && stops(d) }
	}
}

// decidedOnce is the log of a loop with one more turn before it was cancelled, if its worker was at work then. The turn
// decides as the last one did.
func decidedOnce(log []event.Event) []event.Event {
	end := len(log) - 1
	if end < 0 || log[end].Type != event.RunCancelled {
		return log
	}
	last := func(is func(event.Event) bool) int {
		for i, e := range slices.Backward(log) {
			if is(e) {
				return i
			}
		}
		return -1
	}
	decided := last(func(e event.Event) bool { return e.Type == event.Decided })
	began := last(func(e event.Event) bool { return isOf(&e, event.NodeStarted, "supervisor") })
	worked := last(func(e event.Event) bool { return e.Type == event.Handoff })
	if began < 0 || decided < began || worked < decided {
		return log
	}
	turn := []event.Event{log[began], log[decided]}
	var p event.DecidedPayload
	if json.Unmarshal(log[decided].Payload, &p) == nil && p.Iteration != nil {
		*p.Iteration++
		if payload, err := json.Marshal(p); err == nil {
			turn[1].Payload = payload
		}
	}
	for i := range turn {
		turn[i].ID, turn[i].Timestamp = turn[i].ID+"-again", log[end].Timestamp
	}
	return renumbered(slices.Concat(log[:end], turn, log[end:]))
}
