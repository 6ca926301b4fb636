package state_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/internal/definitiontest"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/statetest"
	"github.com/openassay/assay/simhost/refusal"
)

func TestFoldRefusesWhatDoesNotBelong(t *testing.T) {
	definition := definitiontest.Define(t, definitiontest.NoopNode, "", `{"name":"a","type":"number"}`)
	empty, err := statetest.New("run-aaaaaaaaaaaaaaaaaaaaaaaaaa", definition)
	if err != nil {
		t.Fatal(err)
	}
	at := func(sequence int64, kind event.Type, payload string) event.Event {
		return event.Event{RunID: "r", ID: "e", Sequence: sequence, Type: kind, Payload: json.RawMessage(payload),
			Timestamp: time.Unix(0, 0)}
	}
	started := at(0, event.RunStarted, `{"workflowId":"w","inputs":{"a":1}}`)
	for says, record := range map[string]state.Record{
		"event 1 stands where 0 belongs": {Events: []event.Event{at(1, event.RunStarted, `{}`)}},
		"event 0 stands where 1 belongs": {Events: []event.Event{started, started}},
		"decode payload of run.started":  {Events: []event.Event{at(0, event.RunStarted, `[]`)}},
	} {
		if _, err := statetest.Fold(empty, record); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error is %v, want %s", err, says)
		}
	}
	// Types and nodes that this version does not know are passed over.
	s, err := statetest.Fold(empty, state.Record{Events: []event.Event{
		started,
		at(1, "acme.thing.happened", `"x"`),
		at(2, event.NodeStarted, `{"nodeId":"gone","typeId":"core.noop"}`),
		at(3, event.NodeCompleted, `{"nodeId":"gone"}`),
	}, Facts: []state.Fact{{At: 2, Timer: &state.Timer{NodeID: "gone"}}, {At: 4, Child: &state.Child{Phase: state.ChildRunning}}}})
	if err != nil || s.Snapshot().Variables["a"] != 1.0 || s.Ended() {
		t.Errorf("%+v, %v", s.Snapshot(), err)
	}
	if empty.Snapshot().Status != openwopv1.RunStatusPending {
		t.Error("folding changed the state it began with")
	}
	_, err = statetest.New("r", openwopv1.WorkflowDefinition{ID: "w"})
	if refusal.In(err) == nil || refusal.In(err).Code != codes.Validation {
		t.Errorf("a definition without nodes: %v", err)
	}
}

// A state is the fold of its log: folded in any two parts it is what it is folded at once.
func TestFoldInParts(t *testing.T) {
	empty, err := statetest.New("r", definitiontest.Define(t, definitiontest.NoopNode+","+definitiontest.SecondNode, "", `{"name":"a","type":"number"}`))
	if err != nil {
		t.Fatal(err)
	}
	var log []event.Event
	add := func(kind event.Type, node, payload string) {
		log = append(log, event.Event{
			RunID: "r", ID: "e", NodeID: node, Sequence: int64(len(log)), Type: kind, Payload: json.RawMessage(payload),
			Timestamp: time.Unix(9, 0),
		})
	}
	add(event.RunStarted, "", `{"workflowId":"w","inputs":{"a":1}}`)
	add(event.NodeStarted, "a", `{"nodeId":"a","typeId":"core.noop"}`)
	add(event.NodeCompleted, "a", `{"nodeId":"a","outputs":{"o":1}}`)
	add(event.VariableChanged, "a", `{"name":"a","value":2}`)
	add(event.NodeStarted, "b", `{"nodeId":"b","typeId":"core.noop"}`)
	add(event.NodeFailed, "b", `{"nodeId":"b","error":{"code":"x","message":"y"}}`)
	add(event.RunFailed, "", `{"error":{"code":"x","message":"y"}}`)
	whole, err := statetest.Fold(empty, state.Record{Events: log})
	if err != nil || !whole.Ended() || whole.Snapshot().Status != openwopv1.RunStatusFailed {
		t.Fatalf("%+v, %v", whole.Snapshot(), err)
	}
	for cut := range log {
		first, err := statetest.Fold(empty, state.Record{Events: log[:cut]})
		if err != nil {
			t.Fatal(err)
		}
		both, err := statetest.Fold(first, state.Record{Events: log[cut:]})
		if diff := cmp.Diff(whole.Snapshot(), both.Snapshot()); err != nil || diff != "" {
			t.Errorf("cut before event %d: %v\n%s", cut, err, diff)
		}
		if first.Ended() {
			t.Errorf("it has ended before event %d", cut)
		}
	}
}
