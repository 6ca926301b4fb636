package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/workspace"
)

func TestLoopSeamSaysWhatTurnsSee(t *testing.T) {
	c := serve(t, Options{MaxLoopIterations: 20})
	visible := func(next *bool) *openwopv1.WorkspaceVisibility {
		return &openwopv1.WorkspaceVisibility{AtWriteTurn: new(false), AtNextTurn: next}
	}
	var notReached *openwopv1.WorkspaceVisibility
	var none *bool // there was no next turn
	for _, row := range []struct {
		ask   string
		kinds string
		want  *openwopv1.WorkspaceVisibility
	}{
		{`{"turns":3,"workspaceWriteAtTurn":1}`, "ww.", visible(new(true))},
		{`{"turns":3,"workspaceWriteAtTurn":2}`, "ww.", visible(new(true))},
		{`{"turns":3,"workspaceWriteAtTurn":3}`, "ww.", visible(none)},
		{`{"turns":1,"workspaceWriteAtTurn":1}`, ".", visible(none)},
		{`{"turns":5,"workspaceWriteAtTurn":2,"suspendAtTurn":2,"resume":true}`, "w?ww.", visible(new(true))},
		{`{"turns":5,"workspaceWriteAtTurn":1,"suspendAtTurn":2,"resume":true}`, "w?ww.", visible(new(true))},
		{`{"turns":5,"workspaceWriteAtTurn":1,"suspendAtTurn":2}`, "w?", visible(new(true))},
		{`{"turns":5,"workspaceWriteAtTurn":2,"suspendAtTurn":2}`, "w?", notReached},
		{`{"turns":5,"workspaceWriteAtTurn":3,"suspendAtTurn":2}`, "w?", notReached},
		{`{"turns":5,"workspaceWriteAtTurn":3,"suspendAtTurn":2,"resume":true}`, "w?ww.", visible(new(true))},
		{`{"turns":5,"workspaceWriteAtTurn":2,"maxLoopIterations":2}`, "ww", visible(none)},
		{`{"turns":5,"workspaceWriteAtTurn":3,"maxLoopIterations":2}`, "ww", notReached},
		{`{"turns":200,"workspaceWriteAtTurn":20}`, "wwwwwwwwwwwwwwwwwwww", visible(none)},
	} {
		got := c.loop(row.ask)
		k, turns := kinds(t, got)
		if k != row.kinds || !cmp.Equal(turns, count(int64(len(row.kinds)))) {
			t.Errorf("%s: decisions %s in turns %v, want %s", row.ask, k, turns, row.kinds)
		}
		if diff := cmp.Diff(row.want, got.WorkspaceVisible); diff != "" {
			t.Errorf("%s: what is visible (-want +got)\n%s", row.ask, diff)
		}
	}
	c.wantNoFiles()
}

// wantNoFiles fails the test where the seam left a file behind.
func (c *client) wantNoFiles() {
	c.t.Helper()
	files, err := c.host.files.List(c.t.Context(), workspace.Owner{Tenant: DefaultTenant}, "")
	if err != nil || len(files) > 0 {
		c.t.Errorf("the workspace has %v, %v, want no file", files, err)
	}
}

// The run behind the reply says the same to everybody, turn by turn: the file is not there before its turn and in it, and
// there at version 1 in each turn after it.
func TestLoopSeamAgreesWithTheNotesOfItsRun(t *testing.T) {
	c := serve(t, Options{})
	for range 4 {
		turns := 2 + rand.Int64N(9)
		write := 1 + rand.Int64N(turns)
		got := c.loop(fmt.Sprintf(`{"turns":%d,"workspaceWriteAtTurn":%d}`, turns, write))
		raw := must(json.Marshal(c.run(got.RunID).Variables["seen"]))
		var notes []struct {
			Iteration int64  `json:"iteration"`
			At        string `json:"at"`
			Workspace []struct {
				Path    string
				Version int64
			} `json:"workspace"`
		}
		if err := json.Unmarshal(raw, &notes); err != nil || int64(len(notes)) != 2*turns {
			t.Fatalf("%d turns have noted %s (%v)", turns, raw, err)
		}
		for i, n := range notes {
			version := int64(0)
			if n.Iteration > write {
				version = 1
			}
			if n.Iteration != int64(i/2)+1 || n.At != []string{"begin", "end"}[i%2] || len(n.Workspace) != 1 || n.Workspace[0].Version != version {
				t.Errorf("written in turn %d of %d, note %d is %+v", write, turns, i, n)
			}
		}
		next := got.WorkspaceVisible.AtNextTurn
		if *got.WorkspaceVisible.AtWriteTurn || (next != nil) != (write < turns) || next != nil && !*next {
			t.Errorf("written in turn %d of %d, the reply says %s", write, turns, must(json.Marshal(got.WorkspaceVisible)))
		}
	}
}

func TestLoopSeamInTheSmallestWorkspace(t *testing.T) {
	c := serve(t, Options{MaxFiles: 1, MaxFileBytes: 1})
	for range 3 { // each call takes its file away again
		got := c.loop(`{"turns":2,"workspaceWriteAtTurn":1}`)
		if v := got.WorkspaceVisible; v == nil || v.AtNextTurn == nil || !*v.AtNextTurn {
			t.Errorf("the reply says %s", must(json.Marshal(v)))
		}
	}
	put := workspace.Put{Path: "a.md", Content: "1"}
	if _, err := c.host.files.Put(t.Context(), workspace.Owner{Tenant: DefaultTenant}, put); err != nil {
		t.Fatal(err)
	}
	c.do("POST", loopSeam, `{"turns":2,"workspaceWriteAtTurn":1}`).wantError(http.StatusRequestEntityTooLarge, "workspace_too_large")
	c.loop(`{"turns":2}`)
}

func TestLoopsThatWriteAtTheSameTime(t *testing.T) {
	c := serve(t, Options{})
	var replies []<-chan reply
	for range 8 {
		replies = append(replies, later(func() reply { return c.do("POST", loopSeam, `{"turns":4,"workspaceWriteAtTurn":2}`) }))
	}
	for _, r := range replies {
		got := decoded[openwopv1.AgentloopReply]((<-r).want(http.StatusOK))
		if v := got.WorkspaceVisible; *v.AtWriteTurn || !*v.AtNextTurn {
			t.Errorf("the reply says %s", must(json.Marshal(v)))
		}
	}
	c.wantNoFiles()
}

// Nobody hears what such a loop saw, but its file is taken away all the same, after it was written.
func TestALoopWhoseCallerLeft(t *testing.T) {
	c := serve(t, Options{})
	gone, leave := context.WithCancel(t.Context())
	leave()
	body := &openwopv1.AgentloopRequest{Turns: 40, WorkspaceWriteAtTurn: new(int64(30))}
	if _, err := c.host.RunAgentLoop(gone, openwopv1.RunAgentLoopRequestObject{Body: body}); err != nil {
		t.Errorf("the loop was left to itself: %v", err)
	}
	c.wantNoFiles()
}
