package fault

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

const (
	approval      = event.Approval
	clarification = event.Clarification
	externalEvent = event.ExternalEvent
)

// gateFaults are about what waits: what is told of it, with what it goes on, and how long it waits.
var gateFaults = slices.Concat(waitingFaults, passingFaults, answerFaults, lateFaults, voteFaults, tokenFaults)

var waitingFaults = []Fault{
	{
		ID:     "gate.waits-as-running",
		Title:  "a run that waits for an approval has the status running",
		Looks:  "the snapshot has an interrupt, and no waiting status",
		Breaks: []string{openwop.OWPINT6},
		Reply: mutate.Succeeded(mutate.JSON(func(run map[string]any) {
			if run["status"] == string(openwopv1.RunStatusWaitingApproval) {
				run["status"] = openwopv1.RunStatusRunning
			}
		})),
	},
	{
		ID:     "gate.waits-nowhere",
		Title:  "a run that waits for an approval does not say at which node",
		Looks:  "the snapshot has no currentNodeId",
		Breaks: []string{openwop.OWPINT7},
		Reply:  waitsForApproval(func(s *openwopv1.RunSnapshot) { s.CurrentNodeID = nil }),
	},
	{
		ID:     "gate.suspension-told-late",
		Title:  "the log tells of an approval when it was answered, and not before",
		Looks:  "the log of a run that waits ends before node.suspended",
		Breaks: []string{openwop.OWPINT8},
		Replace: func(s *rules.Set) {
			reread(s, func(log []event.Event) []event.Event {
				if at := slices.IndexFunc(log, suspendsForApproval); at >= 0 && waits(log) {
					return log[:at]
				}
				return log
			})
		},
	},
	{
		ID:     "gate.resolved-without-value",
		Title:  "the log does not say with what an approval was resolved",
		Looks:  "interrupt.resolved has no resumeValue",
		Breaks: []string{openwop.OWPINT12},
		Replace: func(s *rules.Set) {
			reread(s, func(log []event.Event) []event.Event {
				told := slices.Clone(log)
				for i, e := range told {
					told[i].Payload = withoutAnswer(e)
				}
				return told
			})
		},
	},
	{
		ID:     "gate.key-is-the-node",
		Title:  "the key of an approval is the id of its node",
		Looks:  "a gate that is asked about raises its second interrupt under the key of its first",
		Breaks: []string{openwop.OWPINT9},
		Replace: func(s *rules.Set) {
			s.Gates.Key = keyOfApprovals(s.Gates.Key, func(p rules.Suspension) string { return p.NodeID })
		},
	},
	{
		ID:     "gate.key-holds-the-run",
		Title:  "the key of an approval is made of the id of the run",
		Looks:  "a replay raises its interrupt under another key than its source",
		Breaks: []string{openwop.OWPINT10},
		Replace: func(s *rules.Set) {
			key := s.Gates.Key
			s.Gates.Key = keyOfApprovals(key, func(p rules.Suspension) string { // the id itself in a key is no violation
				return fmt.Sprintf("%x", sha256.Sum256([]byte(p.RunID+":"+key(p))))
			})
		},
	},
	{
		ID:     "gate.expires-early",
		Title:  "an approval is over when half of its timeoutMs is",
		Looks:  "the run ends before its time",
		Breaks: []string{openwop.OWPINT44},
		Twin:   "the one half of the sentence: when it is over, beside what happens then",
		Replace: func(s *rules.Set) {
			s.Gates.Due = func(now time.Time, timeout time.Duration, _ int) time.Time { return now.Add(timeout / 2) }
		},
	},
	{
		ID:     "gate.asked-never-expires",
		Title:  "an approval that was asked about is raised again without its timer",
		Looks:  "the run waits on when the timeoutMs is over that its interrupt shows",
		Breaks: []string{openwop.OWPINT44},
		Replace: func(s *rules.Set) {
			honest := s.Gates.Due
			s.Gates.Due = func(now time.Time, timeout time.Duration, asked int) time.Time {
				if asked > 0 {
					timeout += time.Hour
				}
				return honest(now, timeout, asked)
			}
		},
	},
	{
		ID:      "gate.expires-accepted",
		Title:   "an approval that nobody answers in time counts as accepted",
		Looks:   "the run completes when its timeoutMs is over",
		Breaks:  []string{openwop.OWPINT44},
		Twin:    "the other half of the sentence: what happens then, beside when",
		Replace: func(s *rules.Set) { s.Gates.Lapses = func() json.RawMessage { return accepted } },
	},
	{
		ID:      "gate.cascade-spares-who-waits",
		Title:   "a cancellation does not reach a child that waits for an answer",
		Looks:   "the parent is cancelled, and the child waits on",
		Breaks:  []string{openwop.OWPINT48},
		Replace: sparing(func(d rules.Descendant) bool { return d.Waits }),
	},
}

var (
	accepted = json.RawMessage(`{"action":"accept"}`)
	rejected = json.RawMessage(`{"action":"reject"}`)
)

// waitsForApproval changes the snapshots of runs that wait for an approval.
func waitsForApproval(change func(*openwopv1.RunSnapshot)) mutate.ReplyFunc {
	return mutate.On("GET /v1/runs/{runId}", mutate.Succeeded(mutate.At("", func(s *openwopv1.RunSnapshot) {
		if i := s.Interrupt; i != nil && i.Kind != nil && *i.Kind == string(approval) {
			change(s)
		}
	})))
}

// reread has the log of a run told otherwise, but not what is appended while somebody listens.
func reread(s *rules.Set, other func(log []event.Event) []event.Event) {
	relisted(s, func(r rules.Listing) []event.Event {
		if r.Live {
			return r.Events
		}
		return other(r.Events)
	})
}

// waits tells from its log whether a run waits for an answer.
func waits(log []event.Event) bool {
	for _, e := range slices.Backward(log) {
		switch e.Type {
		case event.NodeSuspended:
			return true
		case event.InterruptResolved, event.RunCompleted, event.RunFailed,
			event.RunCancelled:
			return false
		}
	}
	return false
}

func suspendsForApproval(e event.Event) bool {
	if e.Type != event.NodeSuspended {
		return false
	}
	var p event.NodeSuspendedPayload
	return json.Unmarshal(e.Payload, &p) == nil && p.Kind == approval
}

func resolvesApproval(e event.Event) bool {
	if e.Type != event.InterruptResolved {
		return false
	}
	var p event.InterruptResolvedPayload
	return json.Unmarshal(e.Payload, &p) == nil && p.Kind == approval
}

// withoutAnswer is the payload of an event without what an approval was resolved with.
func withoutAnswer(e event.Event) json.RawMessage {
	var p map[string]any
	if !resolvesApproval(e) || json.Unmarshal(e.Payload, &p) != nil {
		return e.Payload
	}
	delete(p, "resumeValue")
	raw, err := json.Marshal(p)
	if err != nil {
		return e.Payload
	}
	return raw
}

func keyOfApprovals(others, approvals func(rules.Suspension) string) func(rules.Suspension) string {
	return func(p rules.Suspension) string {
		if p.Kind == approval {
			return approvals(p)
		}
		return others(p)
	}
}

var passingFaults = []Fault{
	{
		ID:     "gate.accepted-fails",
		Title:  "an approval that is accepted fails its node",
		Looks:  "the run fails with interrupt_rejected when it was accepted",
		Breaks: []string{openwop.OWPINT16, openwop.OWPINT37, openwop.OWPINT3},
		Replace: func(s *rules.Set) {
			passes := s.Gates.Passes
			s.Gates.Passes = func(action openwopv1.ApprovalAction, questions int, vote bool) bool {
				return passes(action, questions, vote) && (action != openwopv1.ApprovalActionAccept || questions > 0 || vote)
			}
		},
	},
	{
		ID:     "gate.accepted-after-question-fails",
		Title:  "an approval that was asked about cannot be accepted any more",
		Looks:  "the run fails when it is accepted in the second round",
		Breaks: []string{openwop.OWPINT19},
		Twin:   "the question was taken for what it is, and what comes after it is lost",
		Replace: func(s *rules.Set) {
			passes := s.Gates.Passes
			s.Gates.Passes = func(action openwopv1.ApprovalAction, questions int, vote bool) bool {
				return passes(action, questions, vote) && questions == 0
			}
		},
	},
	{
		ID:     "gate.accepted-after-questions-fails",
		Title:  "an approval that was asked about twice cannot be accepted any more",
		Looks:  "the run fails when it is accepted in the third round",
		Breaks: []string{openwop.OWPINT19},
		Twin:   "the second round goes well",
		Replace: func(s *rules.Set) {
			passes := s.Gates.Passes
			s.Gates.Passes = func(action openwopv1.ApprovalAction, questions int, vote bool) bool {
				return passes(action, questions, vote) && questions < 2
			}
		},
	},
	{
		ID:     "gate.resumed-twice",
		Title:  "an answer has the node of an approval go on twice",
		Looks:  "the log has node.resumed twice",
		Breaks: []string{openwop.OWPINT11, openwop.OWPINT3},
		Replace: func(s *rules.Set) {
			reread(s, func(log []event.Event) []event.Event {
				resolved := slices.IndexFunc(log, resolvesApproval)
				for i, e := range log {
					if resolved < 0 || i < resolved || e.Type != event.NodeResumed {
						continue
					}
					e.ID += "-again"
					return renumbered(slices.Insert(slices.Clone(log), i+1, e))
				}
				return log
			})
		},
	},
	{
		ID:     "gate.resumed-first",
		Title:  "an approval goes on before the log says what it was answered",
		Looks:  "node.resumed stands before interrupt.resolved",
		Breaks: []string{openwop.OWPINT11},
		Replace: func(s *rules.Set) {
			reread(s, func(log []event.Event) []event.Event {
				resolved := slices.IndexFunc(log, resolvesApproval)
				resumed := slices.IndexFunc(log, func(e event.Event) bool { return e.Type == event.NodeResumed })
				if resolved < 0 || resumed < resolved {
					return log
				}
				told := slices.Clone(log)
				told[resolved].Type, told[resumed].Type = log[resumed].Type, log[resolved].Type
				told[resolved].Payload, told[resumed].Payload = log[resumed].Payload, log[resolved].Payload
				return told
			})
		},
	},
	{
		ID:     "gate.artifact-lost",
		Title:  "the artifact of an approval that was accepted is gone behind the gate",
		Looks:  "neither the variables nor the outputs of the run have the draft as it was accepted",
		Breaks: []string{openwop.OWPINT18},
		Replace: func(s *rules.Set) {
			handsOn(s, func(r *rules.Resolution) { r.Shown = nil })
		},
	},
	{
		ID:     "gate.edit-lost",
		Title:  "an approval that is accepted with an edit lets the run go on with the draft",
		Looks:  "the artifact of the run is the one that was shown",
		Breaks: []string{openwop.OWPINT18},
		Replace: func(s *rules.Set) {
			handsOn(s, func(r *rules.Resolution) { r.Edited = r.Shown })
		},
	},
	{
		ID:      "gate.answers-lost",
		Title:   "the answers to a clarification do not reach the run",
		Looks:   "the run completes, and nothing behind the gate has the answers",
		Breaks:  []string{openwop.OWPINT21},
		Spots:   []int{27},
		Replace: func(s *rules.Set) { handsOn(s, nothingOf(clarification)) },
	},
	{
		ID:     "gate.empty-answers-lost",
		Title:  "answers to a clarification that are empty, false, zero or null do not reach the run",
		Looks:  "the run completes, and behind the gate it has the other answers",
		Breaks: []string{openwop.OWPINT21},
		Replace: func(s *rules.Set) {
			handsOn(s, func(r *rules.Resolution) {
				var said map[string]map[string]any
				if r.Kind != clarification || json.Unmarshal(r.Answer, &said) != nil {
					return
				}
				maps.DeleteFunc(said["answers"], func(_ string, v any) bool { return v == nil || v == false || v == 0.0 || v == "" })
				if left, err := json.Marshal(said); err == nil {
					r.Answer = left
				}
			})
		},
	},
	{
		ID:      "gate.event-lost",
		Title:   "an event from outside resumes the run and does not reach it",
		Looks:   "the run completes, and nothing behind the gate has the event",
		Breaks:  []string{openwop.OWPINT25},
		Replace: func(s *rules.Set) { handsOn(s, nothingOf(externalEvent)) },
	},
}

// handsOn has something else stand behind gates than what came of them.
func handsOn(s *rules.Set, change func(*rules.Resolution)) {
	honest := s.Gates.HandsOn
	s.Gates.HandsOn = func(r rules.Resolution) (answer, artifact json.RawMessage) {
		change(&r)
		return honest(r)
	}
}

// nothingOf loses answers to this kind of interrupt.
func nothingOf(lost event.Interrupt) func(*rules.Resolution) {
	return func(r *rules.Resolution) {
		if r.Kind == lost {
			r.Answer = json.RawMessage(`{}`)
		}
	}
}
