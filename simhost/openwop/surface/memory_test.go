package surface

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// memoryRun asks for a run of one turn that reads the tag t, and writes what is given.
func memoryRun(contents ...string) map[string]any {
	writes := []any{}
	for _, c := range contents {
		writes = append(writes, map[string]any{"memory": map[string]any{"content": c, "tags": []any{"t"}}})
	}
	return map[string]any{"inputs": map[string]any{
		"plan": []any{map[string]any{"kind": "terminate"}}, "reads": map[string]any{"memory": []any{"t"}}, "writes": []any{writes},
	}}
}

// recalled are the contents that the turns of a run read when they began.
func (c *client) recalled(id string) string {
	c.t.Helper()
	raw, err := json.Marshal(c.until(id, openwopv1.RunStatusCompleted).Variables["seen"])
	if err != nil {
		c.t.Fatal(err)
	}
	var notes []struct {
		At     string
		Memory []struct{ Content string }
	}
	if err := json.Unmarshal(raw, &notes); err != nil {
		c.t.Fatal(err)
	}
	var read []string
	for _, n := range notes {
		if n.At == "begin" {
			for _, e := range n.Memory {
				read = append(read, e.Content)
			}
		}
	}
	return strings.Join(read, ",")
}

func (c *client) wantRecalled(want string) {
	c.t.Helper()
	if got := c.recalled(c.create("assay-loop-memory", memoryRun())); got != want {
		c.t.Errorf("a run reads %q, want %q", got, want)
	}
}

func TestMemoryIsKeptAndApart(t *testing.T) {
	o := Options{DataDir: t.TempDir(), Key: "key-of-the-first", Tenants: map[string]string{"other": "key-of-the-other"}}
	c := serve(t, o)
	c.until(c.create("assay-loop-memory", memoryRun("mine", "a key-of-the-other")), openwopv1.RunStatusCompleted)
	other := *c
	other.key = "key-of-the-other"
	other.wantRecalled("")
	other.until(other.create("assay-loop-memory", memoryRun("theirs")), openwopv1.RunStatusCompleted)
	other.wantRecalled("theirs")
	c.wantRecalled("mine,a [REDACTED:2]")
	c.stop()
	serve(t, o).wantRecalled("mine,a [REDACTED:2]")
}

// A worker that wrote and waits when the host ends still has what it wrote, and brings it when it is done.
func TestAWorkersMemoryOutlivesItsHost(t *testing.T) {
	o := Options{DataDir: t.TempDir()}
	c := serve(t, o)
	asks := []any{map[string]any{"kind": "ask-user", "prompt": "go on?"}}
	id := c.create("assay-loop-memory", map[string]any{"inputs": map[string]any{
		"plan": []any{map[string]any{"kind": "next-worker", "nextWorkerIds": []any{"assay-memory-worker"}},
			map[string]any{"kind": "terminate"}},
		"reads":      map[string]any{"memory": []any{"t"}},
		"workerPlan": asks, "workerWrites": []any{[]any{map[string]any{"memory": map[string]any{"content": "drafted", "tags": []any{"t"}}}}},
	}})
	var child struct {
		RunID string `json:"runId"`
	}
	for after, deadline := int64(-1), time.Now().Add(patience); child.RunID == ""; {
		if time.Now().After(deadline) {
			t.Fatal("there is no worker")
		}
		page := c.poll(id, fmt.Sprintf("since=%d&timeout=1", after))
		if n := len(page.Events); n > 0 {
			after = page.Events[n-1].Sequence
		}
		if children := c.run(id).ChildRuns; len(children) > 0 {
			if err := json.Unmarshal(children[0], &child); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.until(child.RunID, openwopv1.RunStatusWaitingInput)
	c.wantRecalled("")
	c.stop()
	c = serve(t, o)
	c.wantRecalled("")
	c.do("POST", "/v1/runs/"+child.RunID+"/interrupts/supervisor",
		map[string]any{"resumeValue": map[string]any{"answers": map[string]any{"q1": "yes"}}}).want(http.StatusOK)
	if got := c.recalled(id); got != "drafted" {
		t.Errorf("its parent reads %q", got)
	}
	c.wantRecalled("drafted")
}

func TestAForkWithoutItsMemory(t *testing.T) {
	c := serve(t, Options{MemoryHistory: 1})
	id := c.create("assay-loop-memory", memoryRun("one"))
	c.until(id, openwopv1.RunStatusCompleted)
	fork := func(from int) reply {
		return c.do("POST", "/v1/runs/"+id+":fork", map[string]any{"mode": "replay", "fromSeq": from})
	}
	fork(0).want(http.StatusCreated)
	c.until(c.create("assay-loop-memory", memoryRun("two")), openwopv1.RunStatusCompleted)
	refused := fork(0).wantError(http.StatusUnprocessableEntity, "replay_memory_snapshot_unavailable")
	for member, want := range map[string]any{"fromSeq": 0.0, "sourceRunId": id, "reason": "retention_expired"} {
		if refused.Details[member] != want {
			t.Errorf("details.%s is %v, want %v", member, refused.Details[member], want)
		}
	}
	kept, ok := refused.Details["oldestAvailableIdx"].(float64)
	if !ok {
		t.Fatalf("the details are %v", refused.Details)
	}
	fork(int(kept)).want(http.StatusCreated)
	fork(int(kept)-1).wantError(http.StatusUnprocessableEntity, "replay_memory_snapshot_unavailable")
	fork(1000).wantError(http.StatusUnprocessableEntity, "invalid_from_seq")
}
