package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// story tells a log in one line an event: what happened, where, and what caused it (by sequence). Runs other than the
// log's own are child1, child2
// and so on.
func story(events []openwopv1.RunEvent) []string {
	places := map[string]int64{}
	children := map[string]string{}
	var lines []string
	for _, e := range events {
		places[e.EventID] = e.Sequence
		line := fmt.Sprintf("%d %s", e.Sequence, e.Type)
		if e.NodeID != "" {
			line += " @" + e.NodeID
		}
		if said := tell(e); said != "" {
			line += " " + said
		}
		if e.CausationID != "" {
			place, ok := places[e.CausationID]
			if !ok {
				line += " <-UNKNOWN"
			} else {
				line += fmt.Sprintf(" <-%d", place)
			}
		}
		for word := range strings.FieldsSeq(line) {
			if workflow.IsRunID(word) && word != e.RunID {
				if children[word] == "" {
					children[word] = fmt.Sprintf("child%d", len(children)+1)
				}
				line = strings.ReplaceAll(line, word, children[word])
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// tell is what matters of a payload.
func tell(e openwopv1.RunEvent) string {
	payload, known, err := openwopv1.DecodePayload(e.Type, e.Payload)
	if err != nil || !known {
		return fmt.Sprintf("UNREADABLE %v", err)
	}
	switch p := payload.(type) {
	case *openwopv1.RunOrchestratorDecidedPayload:
		d, err := state.ReadDecision(p.Decision)
		said := d.Kind + " " + strings.Join(d.Workers, ",")
		if err != nil {
			said = err.Error()
		}
		if p.Iteration != nil {
			said = fmt.Sprintf("#%d %s", *p.Iteration, said)
		}
		return strings.TrimSpace(said)
	case *openwopv1.CoreWorkflowChainEventPayload:
		said := string(p.Phase) + " " + p.WorkerID
		if p.ChildRunID != "" {
			said += " " + p.ChildRunID
		}
		if p.Error != nil {
			said += " " + p.Error.Code
		}
		if len(p.HarvestedKeys) > 0 {
			said += " " + strings.Join(p.HarvestedKeys, ",")
		}
		return said
	case *openwopv1.CoreWorkflowChainConfidenceEscalatedPayload:
		return fmt.Sprintf("%v<%v %s %s", p.Confidence, p.Floor, p.EscalationKind, p.WorkerID)
	case *openwopv1.NodeDispatchedPayload:
		return p.ChildRunID + " " + *p.ChildStatus
	case *openwopv1.CapBreachedPayload:
		return fmt.Sprintf("%s %v<%v", p.Kind, p.Limit, p.Observed)
	case *openwopv1.RunFailedPayload:
		return p.Error.Code
	case *openwopv1.NodeFailedPayload:
		return p.Error.Code
	case *openwopv1.RunCancelledPayload:
		if p.Reason != nil {
			return *p.Reason
		}
	case *openwopv1.VariableChangedPayload:
		return p.Name + "=" + string(p.Next)
	case *openwopv1.NodeSuspendedPayload:
		return string(p.Kind)
	case *openwopv1.ApprovalGrantedPayload:
		return fmt.Sprintf("%s %d/%d", p.Principal, *p.QuorumProgress.Granted, *p.QuorumProgress.Required)
	case *openwopv1.ApprovalRejectedPayload:
		if p.Reason != nil {
			return p.Principal + " " + *p.Reason
		}
		return p.Principal
	case *openwopv1.InterruptResolvedPayload:
		return string(p.ResumeValue)
	case *openwopv1.WorkspaceUpdatedPayload, *openwopv1.MemoryWrittenPayload:
		return string(e.Payload)
	}
	return ""
}

func expectStory(t testing.TB, events []openwopv1.RunEvent, want ...string) {
	t.Helper()
	got := story(events)
	if !slices.Equal(got, want) {
		t.Errorf("the log is\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
