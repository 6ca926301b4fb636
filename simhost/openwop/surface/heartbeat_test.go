package surface

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
)

const heartbeatSeam = "/v1/host/sample/heartbeat/tick"

func (c *client) tick(heartbeat, state string) openwopv1.HeartbeatTickReply {
	c.t.Helper()
	ask := map[string]any{"heartbeatId": heartbeat, "observedState": json.RawMessage(state)}
	got := decoded[openwopv1.HeartbeatTickReply](c.do("POST", heartbeatSeam, ask).want(http.StatusOK))
	if got.HeartbeatID != heartbeat || got.Status != "ok" || got.Changed != (got.RunID != "") {
		c.t.Fatalf("a tick of %q answers %+v", heartbeat, got)
	}
	return got
}

func TestHeartbeatFiresWhenTheStateChanges(t *testing.T) {
	c := serve(t, Options{})
	fired := map[string]bool{}
	for _, row := range []struct {
		heartbeat, state string
		changed          bool
	}{
		{"a", `{"n":1,"m":[1,2]}`, true},
		{"a", `{"m":[1,2],"n":1}`, false},
		{"a", ` { "m" : [1.0, 2e0], "n":1 }`, false},
		{"b", `{"n":1,"m":[1,2]}`, true}, // another heartbeat has another memory
		{"a", `{"n":1,"m":[2,1]}`, true},
		{"a", `{"n":"1","m":[2,1]}`, true},
		{"b", `{"n":1,"m":[1,2]}`, false},
		{"a", `{"n":1,"m":[1,2]}`, true}, // what it saw two states ago is new again
		{"a", `null`, true},
		{"a", `null`, false},
		{"a", `"null"`, true},
		{"a", `9007199254740993`, true},
		{"a", `9007199254740992`, true},
		{"a", `0`, true},
		{"a", `-0.0`, false},
		{"a", `1e300`, true},
		{"a", `1e301`, true},
		{strings.Repeat("ä", 128), `[]`, true},
		{strings.Repeat("ä", 128), `[]`, false},
	} {
		got := c.tick(row.heartbeat, row.state)
		if got.Changed != row.changed {
			t.Fatalf("heartbeat %.8s, state %s: changed %v", row.heartbeat, row.state, got.Changed)
		}
		if !got.Changed {
			continue
		}
		if fired[got.RunID] {
			t.Errorf("heartbeat %.8s, state %s: run %s was fired before", row.heartbeat, row.state, got.RunID)
		}
		fired[got.RunID] = true
		if s := c.until(got.RunID, openwopv1.RunStatusCompleted); s.WorkflowID != heartbeatWorkflow {
			t.Errorf("a run of %s was fired", s.WorkflowID)
		}
	}
}

func TestHeartbeatRemembersAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	c := serve(t, Options{DataDir: dir})
	first := c.tick("a", `"up"`)
	c.stop()
	c = serve(t, Options{DataDir: dir})
	if c.tick("a", `"up"`).Changed {
		t.Error("the restarted host forgot what the heartbeat saw")
	}
	if second := c.tick("a", `"down"`); !second.Changed || second.RunID == first.RunID {
		t.Errorf("a change after the restart answers %+v", second)
	}
}

// Of ticks that come together one sees the change.
func TestConcurrentTicksFireOneRun(t *testing.T) {
	c := serve(t, Options{})
	var replies []<-chan reply
	for range 8 {
		replies = append(replies, later(func() reply { return c.do("POST", heartbeatSeam, `{"heartbeatId":"a","observedState":7}`) }))
	}
	changes := 0
	for _, r := range replies {
		if decoded[openwopv1.HeartbeatTickReply](<-r).Changed {
			changes++
		}
	}
	if changes != 1 {
		t.Errorf("%d of 8 ticks saw the one change", changes)
	}
}

// A tick that was cut off after its run was made, and before the state was written down, is repeated: it finds that run.
func TestATickThatWasCutOffFindsItsRun(t *testing.T) {
	c := serve(t, Options{})
	c.tick("a", `1`)
	log := heartbeatLog(DefaultTenant, "a")
	last := must(c.host.store.Last(t.Context(), log))
	id := idOf(token(log, must(stateDigest(json.RawMessage(`2`))), last.Revision))
	made := must(c.host.engine.Create(t.Context(), live.Create{ID: id, WorkflowID: heartbeatWorkflow}))
	if got := c.tick("a", `2`); !got.Changed || got.RunID != made.RunID {
		t.Errorf("the repeated tick answers %+v, the one before had made run %s", got, made.RunID)
	}
	if c.tick("a", `2`).Changed {
		t.Error("the repeated tick was not written down")
	}
}

func TestHeartbeatLeavesASuspendedRunAlone(t *testing.T) {
	c := serve(t, Options{})
	id := c.create("assay-loop-ask-user", nil)
	waiting, events := c.until(id, openwopv1.RunStatusWaitingInput), c.poll(id, "")
	c.until(c.tick("a", `1`).RunID, openwopv1.RunStatusCompleted)
	c.tick("a", `1`)
	if diff := cmp.Diff(waiting, c.run(id)); diff != "" {
		t.Errorf("the suspended run changed (-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(events, c.poll(id, "")); diff != "" {
		t.Errorf("the suspended run moved (-before +after)\n%s", diff)
	}
}

func TestHeartbeatRefuses(t *testing.T) {
	c := serve(t, Options{})
	for _, ask := range []string{`{}`, `{"heartbeatId":"a"}`, `{"observedState":1}`, `{"heartbeatId":"","observedState":1}`,
		`{"heartbeatId":1,"observedState":1}`} {
		c.do("POST", heartbeatSeam, ask).wantError(http.StatusBadRequest, "validation_error")
	}
	c.do("POST", heartbeatSeam, map[string]any{"heartbeatId": strings.Repeat("x", 129),
		"observedState": 1}).wantError(http.StatusBadRequest, "validation_error")
	off := serve(t, Options{Without: []string{"heartbeat"}})
	off.do("POST", heartbeatSeam, `{"heartbeatId":"a","observedState":1}`).wantError(http.StatusNotFound, "not_found")
}
