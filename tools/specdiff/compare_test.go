package specdiff_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/tools/specdiff"
	"github.com/openassay/assay/tools/specgen"
)

// edit copies a folder of spec/, changes one of its files, and reads both.
func edit(t *testing.T, spec, file string, change func(text string) string) (before, after *specgen.Contract) {
	t.Helper()
	from := filepath.Join("../../spec", spec)
	into := t.TempDir()
	if err := os.CopyFS(into, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(into, file)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := change(string(raw))
	if text == string(raw) {
		t.Fatalf("the change of %s changes nothing", file)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return read(t, from), read(t, into)
}

func read(t *testing.T, dir string) *specgen.Contract {
	t.Helper()
	c, err := specgen.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inJSON changes a JSON document by the value that a path of keys leads to.
func inJSON(t *testing.T, change func(o map[string]any), path ...string) func(string) string {
	return func(text string) string {
		var doc map[string]any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		at := doc
		for _, key := range path {
			next, ok := at[key].(map[string]any)
			if !ok {
				t.Fatalf("there is no %s", strings.Join(path, "/"))
			}
			at = next
		}
		change(at)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
}

func without(list any, word string) []any {
	return slices.DeleteFunc(slices.Clone(list.([]any)), func(v any) bool { return v == word })
}

func compare(t *testing.T, before, after *specgen.Contract, o specdiff.Options) []specdiff.Change {
	t.Helper()
	r, err := specdiff.Compare(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Unjudged != nil {
		t.Error(r.Unjudged)
	}
	return r.Changes
}

func TestIdenticalSpecsHaveNoChange(t *testing.T) {
	for _, spec := range []string{"openwop/v1", "openintent/v1", "agenticloop/v2", "assay"} {
		c := read(t, filepath.Join("../../spec", spec))
		for _, strict := range []bool{false, true} {
			if changes := compare(t, c, read(t, filepath.Join("../../spec", spec)), specdiff.Options{StrictReaders: strict}); len(changes) > 0 {
				t.Errorf("%s: %v", spec, changes)
			}
		}
	}
}

func TestChanges(t *testing.T) {
	const payloads, snapshot = "schemas/run-event-payloads.schema.json", "schemas/run-snapshot.schema.json"
	type is struct {
		severity specdiff.Severity
		subject  string
		property string
		text     string
	}
	replace := func(old, said string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, said, 1) }
	}
	for _, c := range []struct {
		name, spec, file string
		change           func(string) string
		strict           bool
		want             is
		alone            bool // it is the only change
	}{
		{name: "a property of a payload has another type", spec: "openwop/v1", file: payloads,
			change: inJSON(t, func(o map[string]any) { o["iteration"] = map[string]any{"type": "string"} }, "$defs",
				"runOrchestratorDecided", "properties"),
			want: is{specdiff.Breaking, "event runOrchestrator.decided", "/iteration", "changed from `integer` to `string`"}},
		{name: "a payload need not have a property any more", spec: "openwop/v1", file: payloads,
			change: inJSON(t, func(o map[string]any) { o["required"] = without(o["required"], "agentId") }, "$defs", "runOrchestratorDecided"),
			want:   is{specdiff.Breaking, "event runOrchestrator.decided", "/agentId", "became optional"}},
		{name: "an event is gone", spec: "openwop/v1", file: payloads,
			change: inJSON(t, func(o map[string]any) { delete(o, "run.paused") }, "$defs", "_typeIndex", "properties"),
			want:   is{specdiff.Breaking, "event run.paused", "", "the event is gone"}},
		{name: "an event is new", spec: "openwop/v1", file: payloads, alone: true,
			change: inJSON(t, func(o map[string]any) { o["run.moved"] = map[string]any{"$ref": "#/$defs/runPaused"} }, "$defs",
				"_typeIndex", "properties"),
			want: is{specdiff.Additive, "event run.moved", "", "the event is new"}},
		{name: "a payload may have one property more", spec: "openwop/v1", file: payloads, alone: true,
			change: inJSON(t, func(o map[string]any) { o["why"] = map[string]any{"type": "string"} }, "$defs", "goalClosed", "properties"),
			want:   is{specdiff.Additive, "event goal.closed", "/why", "added the optional property"}},
		{name: "readers let a further value through", spec: "openwop/v1", file: snapshot,
			change: replace(`"completed",`, `"completed", "teleported",`),
			want:   is{specdiff.Additive, "GET /v1/runs/{runId}", "/status", "`teleported`"}},
		{name: "readers that do not let it through", spec: "openwop/v1", file: snapshot, strict: true,
			change: replace(`"completed",`, `"completed", "teleported",`),
			want:   is{specdiff.Breaking, "GET /v1/runs/{runId}", "/status", "`teleported`"}},
		{name: "a path has another name", spec: "openwop/v1", file: "openapi.yaml",
			change: replace("/v1/runs/{runId}/ancestry:", "/v1/runs/{runId}/forebears:"),
			want:   is{specdiff.Breaking, "GET /v1/runs/{runId}/ancestry", "", "the path is gone"}},
		{name: "a schema that no operation refers to is sent and received: more is asked for", spec: "agenticloop/v2",
			file: "schemas/request.schema.json",
			change: inJSON(t, func(o map[string]any) {
				o["required"] = append(o["required"].([]any), "zebra")
				o["properties"].(map[string]any)["zebra"] = map[string]any{"type": "string"}
			}),
			want: is{specdiff.Breaking, "schema Request", "/zebra", "added the required property `zebra`"}},
		{name: "a text says something else", spec: "agenticloop/v2", file: "schemas/request.schema.json",
			change: inJSON(t, func(o map[string]any) { o["description"] = "Another text." }), alone: true,
			want: is{specdiff.Text, "schema Request", "", "`description` changed"}},
		{name: "something that oasdiff has no rule for", spec: "agenticloop/v2", file: "schemas/run-state.schema.json", alone: true,
			change: inJSON(t, func(o map[string]any) { o["x-own"] = true }),
			want:   is{specdiff.Unjudged, "schema RunState", "", "no rule"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := edit(t, c.spec, c.file, c.change)
			changes := compare(t, before, after, specdiff.Options{StrictReaders: c.strict})
			if c.alone && len(changes) != 1 {
				t.Errorf("%d changes: %v", len(changes), changes)
			}
			for _, got := range changes {
				if got.Severity == c.want.severity && got.Subject.String() == c.want.subject && got.Property == c.want.property &&
					strings.Contains(got.Text, c.want.text) {
					return
				}
			}
			t.Errorf("found no %v among %v", c.want, changes)
		})
	}
}

// What is one thing more for the one is one thing less for the other: nothing that breaks forwards is additive both ways.
func TestBackwardsIsAChangeToo(t *testing.T) {
	before, after := edit(t, "openintent/v1", "schemas/lease.schema.json", inJSON(t, func(o map[string]any) { delete(o, "required") }))
	forwards, backwards := compare(t, before, after, specdiff.Options{}), compare(t, after, before, specdiff.Options{})
	if len(forwards) == 0 || len(backwards) == 0 || forwards[0].Severity != specdiff.Breaking {
		t.Errorf("forwards %v\nbackwards %v", forwards, backwards)
	}
}

func TestWhatAChangeTouches(t *testing.T) {
	suites := slices.Concat(openwop.Suites(), openintent.Suites(), agenticloop.Suites())
	iteration := inJSON(t, func(o map[string]any) { o["iteration"] = map[string]any{"type": "string"} }, "$defs",
		"runOrchestratorDecided", "properties")
	before, after := edit(t, "openwop/v1", "schemas/run-event-payloads.schema.json", iteration)
	var got specdiff.Change
	for _, c := range compare(t, before, after, specdiff.Options{Suites: suites}) {
		if c.Subject.Kind == specdiff.Event && strings.Contains(c.Text, "changed from") {
			got = c
		}
	}
	for list, want := range map[*[]string]string{
		&got.Touches.Requirements: "OWP-0061-B2", &got.Touches.Scenarios: "openwop/iteration-monotonic/one-per-turn",
	} {
		if !slices.Contains(*list, want) {
			t.Errorf("it does not touch %s: %v", want, *list)
		}
	}
	if other := "openwop/workspace-files/write-read"; slices.Contains(got.Touches.Scenarios, other) {
		t.Errorf("it touches %s, which looks at no iteration", other)
	}

	version := func(text string) string { return strings.Replace(text, `"statefulResume"`, `"statefulRecall"`, 1) }
	before, after = edit(t, "openwop/v1", "schemas/capabilities.schema.json", version)
	changes := compare(t, before, after, specdiff.Options{Suites: suites})
	if i := slices.IndexFunc(changes, func(c specdiff.Change) bool { return slices.Contains(c.Touches.Claims, "stateful-resume") }); i < 0 {
		t.Errorf("no change touches the claim stateful-resume: %v", changes)
	}

	for _, c := range compare(t, before, after, specdiff.Options{}) {
		if len(c.Touches.Requirements)+len(c.Touches.Scenarios) > 0 {
			t.Errorf("it touches scenarios of nobody: %v", c)
		}
	}
}

// A spec of somebody else has nothing to do with our scenarios, even where an operation is called alike.
func TestAnotherSpecTouchesNothing(t *testing.T) {
	folder := func(kind string) *specgen.Contract {
		dir := t.TempDir()
		doc := `{openapi: 3.1.0, info: {title: Other, version: "1"}, paths: {/v1/runs: {post: {operationId: create, responses: {"201": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Made"}}}}}}}},
components: {schemas: {Made: {type: object, properties: {runId: {type: ` + kind + `}}}}}}`
		if err := os.WriteFile(filepath.Join(dir, "openapi.yaml"), []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
		return read(t, dir)
	}
	changes := compare(t, folder("string"), folder("integer"), specdiff.Options{Suites: openwop.Suites()})
	if len(changes) == 0 || changes[0].Severity != specdiff.Breaking {
		t.Fatalf("%v", changes)
	}
	for _, c := range changes {
		if len(c.Touches.Scenarios)+len(c.Touches.Asking) > 0 {
			t.Errorf("%v", c)
		}
	}
}

func TestWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := specdiff.Open(t.Context(), "HEAD", "spec")
	if err == nil || !strings.Contains(err.Error(), "there is no git on the PATH: install it, or name two folders") {
		t.Errorf("got %v", err)
	}
}
