package live

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

func TestFoldRefusesWhatDoesNotBelong(t *testing.T) {
	definition := fixtures(t)["conformance-noop"]
	empty, err := state.NewState("run-aaaaaaaaaaaaaaaaaaaaaaaaaa", definition)
	if err != nil {
		t.Fatal(err)
	}
	event := func(sequence int64, kind openwopv1.RunEventType, payload string) openwopv1.RunEvent {
		return openwopv1.RunEvent{RunID: "r", EventID: "e", Sequence: sequence, Type: kind, Payload: json.RawMessage(payload), Timestamp: epoch}
	}
	started := event(0, openwopv1.RunEventTypeRunStarted, `{"workflowId":"conformance-noop","inputs":{"a":1}}`)
	for says, record := range map[string]state.Record{
		"event 1 stands where 0 belongs": {Events: []openwopv1.RunEvent{event(1, openwopv1.RunEventTypeRunStarted, `{}`)}},
		"event 0 stands where 1 belongs": {Events: []openwopv1.RunEvent{started, started}},
		"decode payload of run.started":  {Events: []openwopv1.RunEvent{event(0, openwopv1.RunEventTypeRunStarted, `[]`)}},
	} {
		if _, err := state.Fold(empty, record); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error is %v, want %s", err, says)
		}
	}
	// Types and nodes that this version does not know are passed over.
	s, err := state.Fold(empty, state.Record{Events: []openwopv1.RunEvent{
		started,
		event(1, "acme.thing.happened", `"x"`),
		event(2, openwopv1.RunEventTypeNodeStarted, `{"nodeId":"gone","typeId":"core.noop"}`),
		event(3, openwopv1.RunEventTypeNodeCompleted, `{"nodeId":"gone"}`),
	}, Facts: []state.Fact{{At: 2, Timer: &state.Timer{NodeID: "gone"}}, {At: 4, Child: &state.Child{Phase: state.ChildRunning}}}})
	if err != nil || s.Snapshot().Variables["a"] != 1.0 || s.Ended() {
		t.Errorf("%+v, %v", s.Snapshot(), err)
	}
	if empty.Snapshot().Status != openwopv1.RunStatusPending {
		t.Error("folding changed the state it began with")
	}
	if _, err := state.NewState("r", openwopv1.WorkflowDefinition{ID: "w"}); code(err) != codes.Validation {
		t.Errorf("a definition without nodes: %v", err)
	}
}

func TestLogsThatCannotBeRead(t *testing.T) {
	h := newHost(t)
	write := func(record string) string {
		id := workflow.Letters.Run(h.o.IDs.Next())
		if _, err := h.log.Append(soon(t), id, 0, []byte(record)); err != nil {
			t.Fatal(err)
		}
		return id
	}
	for record, says := range map[string]string{
		`{`:  "decode a record",
		`{}`: "does not begin with what it was created from",
		`{"facts":[{"at":0,"created":{"definition":"abc","version":5,"floor":0.5,"escalation":"clarification","agentThreshold":0.7}}]}`: "no workflow definition abc",
	} {
		_, err := h.Snapshot(soon(t), write(record))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", record, err)
		}
	}
}
