package pages

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/internal/consoletest"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/surface"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a host with its console.
type rig struct {
	*consoletest.Rig
	t    *testing.T
	host *faulty.Switchable
}

// open starts a host. It is stopped, and must stop cleanly, when the test ends.
func open(t *testing.T, o surface.Options, faults ...string) *rig {
	t.Helper()
	host, err := faulty.OpenSwitchable(t.Context(), faulty.Options{Options: o, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		bounded, cancel := context.WithTimeout(context.Background(), consoletest.Patience)
		defer cancel()
		if err := host.Close(bounded); err != nil {
			t.Errorf("closing ended with %v", err)
		}
	})
	moved, _ := o.Clock.(clock.Moved)
	options := console.Options{Parts: []console.Part{Part(host)}, Store: host.Store(), Clock: moved}
	return &rig{consoletest.Open(t, options, host.Handler()), t, host}
}

// create starts a run over the API and returns its id.
func (r *rig) create(key, workflow string, inputs map[string]any) string {
	r.t.Helper()
	var made openwopv1.CreateRunResponse
	if inputs == nil {
		inputs = map[string]any{}
	}
	if err := json.Unmarshal(r.api(http.MethodPost, "/v1/runs", key, map[string]any{"workflowId": workflow, "inputs": inputs}),
		&made); err != nil {
		r.t.Fatal(err)
	}
	return made.RunID
}

// api makes a request of a client.
func (r *rig) api(method, path, key string, body any) []byte {
	r.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.Base+path, strings.NewReader(string(raw)))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	reply, err := r.HTTP.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reply.Body.Close()
	got, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode >= http.StatusBadRequest {
		r.t.Fatalf("%s %s: %d %v %s", method, path, reply.StatusCode, err, got)
	}
	return got
}

// goal sets up a goal that has been judged once, and goes on by a schedule.
func (r *rig) goal() string {
	r.t.Helper()
	var g openwopv1.Goal
	raw := r.api(http.MethodPost, "/v1/host/sample/goals", "dev", map[string]any{
		"objective": "Keep the changelog in step with what was released", "completion": map[string]any{"check": "host"},
		"continuation": map[string]any{"mode": "schedule", "armRef": "every:10m"},
		"bounds":       map[string]any{"maxLoopIterations": 5, "maxCostUsd": 2.5, "runTimeoutMs": 7200000},
	})
	if err := json.Unmarshal(raw, &g); err != nil {
		r.t.Fatal(err)
	}
	r.api(http.MethodPost, "/v1/host/sample/goals/"+g.ID+"/tick", "dev", map[string]any{"verdict": map[string]any{"satisfied": false,
		"confidence": 0.4}, "costUsd": 0.25})
	return g.ID
}
