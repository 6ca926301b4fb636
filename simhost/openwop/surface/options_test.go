package surface

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestBadOptionsAreRefusedWithTheMend(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Version: 7}, "from 1 to 6"},
		{Options{Version: -1}, "from 1 to 6"},
		{Options{MaxLoopIterations: -1}, "loop iterations -1: give at least 1"},
		{Options{MaxNodeExecutions: -1}, "node executions -1"},
		{Options{MaxRunDuration: time.Millisecond}, "run duration 1ms: give at least 1s"},
		{Options{KeepAlive: -time.Second}, "keepalive"},
		{Options{ConfidenceFloor: 0.4}, "from 0.5 to 1"},
		{Options{ConfidenceFloor: 1.1}, "from 0.5 to 1"},
		{Options{EscalationInterrupt: "approve"}, "give clarification or approval"},
		{Options{MaxFileBytes: -1}, "bytes of a file -1: give one from 1 to 131072"},
		{Options{MaxFileBytes: 131073}, "bytes of a file 131073"},
		{Options{MaxFiles: -1}, "files -1: give one from 1 to 1000"},
		{Options{MaxFiles: 1001}, "files 1001"},
		{Options{MaxVersions: -1}, "versions of a file -1: give one from 1 to 100"},
		{Options{MaxVersions: 101}, "versions of a file 101"},
		{Options{MemoryHistory: -1}, "entries of a memory's history (--memory-history) -1"},
		{Options{LogMax: -1}, "log bound"},
		{Options{CORS: "localhost"}, "give * or one origin"},
		{Options{CORS: "http://localhost:3000/"}, "without a path"},
		{Options{CORS: "ftp://localhost"}, "give * or one origin"},
		{Options{Key: " dev"}, "leave the white space out"},
		{Options{Key: "a\r\nb"}, "leave the white space out"},
		{Options{ExperimentalUntil: "soon"}, "give a day YYYY-MM-DD"},
		{Options{ExperimentalUntil: "2020-01-01"}, "give a day YYYY-MM-DD"},
		{Options{Without: []string{"replays"}}, `did you mean "replay"`},
		{Options{Workflows: filepath.Join(t.TempDir(), "none")}, "load workflows from"},
	} {
		h, err := New(t.Context(), c.o)
		if err == nil {
			_ = h.Close(t.Context())
			t.Errorf("%+v was accepted, want an error with %q", c.o, c.want)
		} else if mistake := (*OptionError)(nil); !errors.As(err, &mistake) {
			t.Errorf("%+v: %v is no mistake in the options", c.o, err)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.o, err, c.want)
		}
	}
}

const minimalWorkflow = `{"id":"own","name":"Own","version":"1.0","nodes":[{"id":"n","typeId":"core.noop","name":"N","position":{"x":0,"y":0},"config":{},"inputs":{}}],
	"edges":[],"triggers":[],"variables":[],"metadata":{},"settings":{}}`

func TestWorkflowsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "own.json", minimalWorkflow)
	write(t, dir, "notes.txt", "not a workflow")
	c := serve(t, Options{Workflows: dir})
	if got := decoded[map[string]any](c.do("GET", "/v1/workflows/own", nil).want(200)); got["name"] != "Own" {
		t.Errorf("the definition is served as %v", got)
	}
	fixtures, _ := decoded[map[string]any](c.do("GET", "/.well-known/openwop", nil))["fixtures"].([]any)
	if !strings.Contains(strings.Join(texts(fixtures), " "), "own") {
		t.Errorf("own is not advertised: %v", fixtures)
	}
	c.until(c.create("own", nil), "completed")
}

func TestConfigurableSchemaOfAWorkflow(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "strict.json", strings.Replace(minimalWorkflow, `"id":"own"`,
		`"id":"strict","configurableSchema":{"type":"object","required":["level"],"properties":{"level":{"$ref":"#/$defs/level"}},"$defs":{"level":{"type":"integer","maximum":3}}}`, 1))
	c := serve(t, Options{Workflows: dir})
	for body, field := range map[string]string{
		`{"workflowId":"strict"}`:                                "configurable",
		`{"workflowId":"strict","configurable":{"level":4}}`:     "configurable.level",
		`{"workflowId":"strict","configurable":{"level":"one"}}`: "configurable.level",
	} {
		if envelope := c.do("POST", "/v1/runs", body).wantError(400, "validation_error"); envelope.Details["field"] != field {
			t.Errorf("%s: field %v, want %s", body, envelope.Details["field"], field)
		}
	}
	c.until(c.create("strict", map[string]any{"configurable": map[string]any{"level": 3}}), "completed")
}

func TestBadWorkflowsAreNamedWithFileAndPointer(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.json", strings.Replace(minimalWorkflow, `"typeId":"core.noop",`, "", 1))
	write(t, dir, "b.json", `{"id":`)
	write(t, dir, "c.json", strings.Replace(minimalWorkflow, `"own"`, `"conformance-noop"`, 1))
	write(t, dir, "d.json", strings.Replace(minimalWorkflow, `"id":"own"`, `"id":"d","configurableSchema":{"type":"nothing"}`, 1))
	_, err := New(t.Context(), Options{Workflows: dir})
	if err == nil {
		t.Fatal("four bad files were accepted")
	}
	for _, want := range []string{
		filepath.Join(dir, "a.json") + "#/nodes/0: missing property typeId",
		filepath.Join(dir, "b.json") + "#: not JSON",
		filepath.Join(dir, "d.json") + "#/configurableSchema: ",
		filepath.Join(dir, "c.json") + `#/id: there is a workflow "conformance-noop" already`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant it to say %q", err, want)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func texts(list []any) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i], _ = v.(string)
	}
	return out
}
