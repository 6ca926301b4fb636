package spec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/agenticloopv2"
)

// examples are documents that a schema must accept or refuse, by what they show.
type examples struct {
	Valid   map[string]json.RawMessage `json:"valid"`
	Invalid map[string]json.RawMessage `json:"invalid"`
}

// allExamples maps the URI of a schema to its examples; testdata names schemas by their file, with a fragment.
func allExamples(t *testing.T) map[string]examples {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	out := map[string]examples{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var of map[string]examples
		if err := json.Unmarshal(raw, &of); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, e := range of {
			id := base + name
			if strings.HasPrefix(name, "target-profile.") {
				id = profileBase + name
			}
			if _, twice := out[id]; twice {
				t.Errorf("%s: %s has examples elsewhere too", path, name)
			}
			out[id] = e
		}
	}
	return out
}

func TestExamples(t *testing.T) {
	c, all := read(t), allExamples(t)
	for _, id := range sorted(all) {
		schema, e := c.compile(t, id), all[id]
		if len(e.Valid) == 0 || len(e.Invalid) == 0 {
			t.Errorf("%s: a schema needs examples of both kinds", id)
		}
		for _, name := range sorted(e.Valid) {
			if err := schema.Validate(decoded(t, e.Valid[name])); err != nil {
				t.Errorf("%s: %q is refused: %#v", id, name, err)
			}
		}
		for _, name := range sorted(e.Invalid) {
			if schema.Validate(decoded(t, e.Invalid[name])) == nil {
				t.Errorf("%s: %q is accepted", id, name)
			}
		}
	}
}

func decoded(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEverySchemaHasExamples(t *testing.T) {
	have := allExamples(t)
	for _, id := range read(t).schemas() {
		if _, ok := have[id]; !ok {
			t.Errorf("%s has no examples in testdata", id)
		}
	}
}

// The generated types read what the schemas accept. Where nothing is said in several ways, only what Go takes for it is read.
func TestGeneratedTypesReadTheExamples(t *testing.T) {
	all := allExamples(t)
	for id, into := range map[string]func() any{
		base + "request.schema.json":               func() any { return new(agenticloopv2.Request) },
		base + "response.schema.json":              func() any { return new(agenticloopv2.Response) },
		base + "event.schema.json":                 func() any { return new(agenticloopv2.Event) },
		base + "manifest.schema.json":              func() any { return new(agenticloopv2.Manifest) },
		profileBase + "target-profile.schema.json": func() any { return new(agenticloopv2.TargetProfile) },
	} {
		for _, name := range sorted(all[id].Valid) {
			if err := json.Unmarshal(all[id].Valid[name], into()); err != nil {
				t.Errorf("%s: %q: %v", id, name, err)
			}
		}
	}
	for _, typ := range agenticloopv2.EventTypes() {
		spec := agenticloopv2.Events[typ]
		e, ok := all[spec.SchemaRef]
		if !ok {
			t.Errorf("%s: no examples at %s", typ, spec.SchemaRef)
		}
		for _, name := range sorted(e.Valid) {
			if _, known, err := agenticloopv2.DecodePayload(typ, e.Valid[name]); err != nil || !known {
				t.Errorf("%s: %q: %v, %v", typ, name, known, err)
			}
		}
	}
}

// A request type that names its tool has the payload of requests, and one whose tool is no name has none.
func TestRequestTypes(t *testing.T) {
	payload, known, err := agenticloopv2.DecodePayload("agentic.tool_request.jina-reader",
		json.RawMessage(`{"run_id":"R1","step":1,"tool":"fetch"}`))
	if diff := cmp.Diff(&agenticloopv2.ToolRequestPayload{RunID: "R1", Step: 1, Tool: "fetch"}, payload); diff != "" || !known || err != nil {
		t.Errorf("%v, %v\n%s", known, err, diff)
	}
	for _, typ := range []string{"agentic.tool_request", "agentic.tool_request.", "agentic.tool_request.a/b",
		"agentic.tool_request.a b", "agentic.tool_request.a\n",
		"agentic.tool_request." + strings.Repeat("a", 257)} {
		if _, known := agenticloopv2.EventOf(agenticloopv2.EventType(typ)); known {
			t.Errorf("%q passes for the type of a request", typ)
		}
	}
}

// What the generated types write, the schemas accept.
func TestGeneratedTypesWriteWhatTheSchemasAccept(t *testing.T) {
	at := time.Date(2026, 2, 16, 12, 0, 0, 0, time.UTC)
	c := read(t)
	for id, v := range map[string]any{
		base + "request.schema.json#/$defs/Request202606": agenticloopv2.Request{
			Protocol: 2, JobID: "j-1", Command: "handle", Config: json.RawMessage(`{}`), State: json.RawMessage(`{}`), DeadlineAt: at,
			Event: &agenticloopv2.Event{Type: "agentic.start", Payload: json.RawMessage(`{"goal":"g"}`)},
		},
		base + "response.schema.json": agenticloopv2.Response{Status: agenticloopv2.ResponseStatusOk},
		base + "run-state.schema.json": agenticloopv2.RunState{Runs: map[string]agenticloopv2.Run{
			"R1": {Status: agenticloopv2.RunStatusRunning, Step: 1, PendingStep: 1, PendingTool: "fetch", CreatedAt: at, UpdatedAt: at},
			"R2": {Status: agenticloopv2.RunStatusDone},
		}, LastRunID: "R2"},
		base + "event-payloads.schema.json#/$defs/toolRequest": agenticloopv2.ToolRequestPayload{RunID: "R1", Step: 1, Tool: "fetch"},
		base + "event-payloads.schema.json#/$defs/toolResult": agenticloopv2.ToolResultPayload{RunID: "R1", Step: 1, Tool: "fetch",
			Status: agenticloopv2.ToolStatusOk},
		base + "event-payloads.schema.json#/$defs/completed": agenticloopv2.CompletedPayload{RunID: "R1", Goal: "g"},
		base + "event-payloads.schema.json#/$defs/escalated": agenticloopv2.EscalatedPayload{RunID: "R1", Reason: "tool_error"},
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.compile(t, id).Validate(decoded(t, raw)); err != nil {
			t.Errorf("%s refuses %s: %#v", id, raw, err)
		}
	}
}
