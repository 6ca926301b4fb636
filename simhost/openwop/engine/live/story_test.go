package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// story tells a log in one line an event: what happened, where, and what caused it (by sequence). Runs other than the
// log's own are child1, child2
// and so on.
func story(events []event.Event) []string {
	places := map[string]int64{}
	children := map[string]string{}
	var lines []string
	for _, e := range events {
		places[e.ID] = e.Sequence
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
func tell(e event.Event) string {
	payload, err := e.Decode()
	if err != nil || payload == nil {
		return fmt.Sprintf("UNREADABLE %v", err)
	}
	switch p := payload.(type) {
	case *event.DecidedPayload:
		d, err := state.ReadDecision(p.Decision)
		said := d.Kind + " " + strings.Join(d.Workers, ",")
		if err != nil {
			said = err.Error()
		}
		if p.Iteration != nil {
			said = fmt.Sprintf("#%d %s", *p.Iteration, said)
		}
		return strings.TrimSpace(said)
	case *event.HandoffPayload:
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
	case *event.EscalatedPayload:
		return fmt.Sprintf("%v<%v %s %s", p.Confidence, p.Floor, p.EscalationKind, p.WorkerID)
	case *event.NodeDispatchedPayload:
		return p.ChildRunID + " " + *p.ChildStatus
	case *event.BreachedPayload:
		return fmt.Sprintf("%s %v<%v", p.Kind, p.Limit, p.Observed)
	case *event.RunFailedPayload:
		return p.Error.Code
	case *event.NodeFailedPayload:
		return p.Error.Code
	case *event.RunCancelledPayload:
		if p.Reason != nil {
			return *p.Reason
		}
	case *event.VariableChangedPayload:
		return p.Name + "=" + string(p.Next)
	case *event.NodeSuspendedPayload:
		return string(p.Kind)
	case *event.ApprovalGrantedPayload:
		return fmt.Sprintf("%s %d/%d", p.Principal, *p.QuorumProgress.Granted, *p.QuorumProgress.Required)
	case *event.ApprovalRejectedPayload:
		if p.Reason != nil {
			return p.Principal + " " + *p.Reason
		}
		return p.Principal
	case *event.InterruptResolvedPayload:
		return string(p.ResumeValue)
	case *event.WorkspaceUpdatedPayload, *event.MemoryWrittenPayload:
		return string(e.Payload)
	}
	return ""
}

func expectStory(t testing.TB, events []event.Event, want ...string) {
	t.Helper()
	got := story(events)
	if !slices.Equal(got, want) {
		t.Errorf("the log is\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
