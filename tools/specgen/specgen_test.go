package specgen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files and the generated packages")

// The binary of these tests also serves as a generator, so that one test can run it elsewhere with an empty environment.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "digest-of" {
		sum, err := digest(context.Background(), os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(sum)
		return
	}
	os.Exit(m.Run())
}

func digest(ctx context.Context, spec string) (string, error) {
	out, err := Generate(ctx, Options{Spec: spec, Into: "unused", Package: "parcel"})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range sortedKeys(out.Files) {
		_, err := io.WriteString(h, name+"\n"+string(out.Files[name]))
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func parcel(t *testing.T, into string) *Output {
	t.Helper()
	out, err := Generate(t.Context(), Options{Spec: "testdata/parcel", Into: into, Package: "parcel", House: true})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// internal/parcel is the golden output; its own tests use it.
func TestGoldenPackage(t *testing.T) {
	out := parcel(t, "internal/parcel")
	if *update {
		if err := out.Write(); err != nil {
			t.Fatal(err)
		}
	}
	stale, err := out.Stale()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stale {
		t.Errorf("%s (go test ./tools/specgen -update writes it)", s)
	}
}

func TestSameBytesEverywhere(t *testing.T) {
	first, err := digest(t.Context(), "testdata/parcel")
	if err != nil {
		t.Fatal(err)
	}
	again, err := digest(t.Context(), "testdata/parcel")
	if err != nil || again != first {
		t.Errorf("second run: %s, %v; want %s", again, err, first)
	}
	spec, err := filepath.Abs("testdata/parcel")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := exec.CommandContext(t.Context(), self, "digest-of", spec)
	elsewhere.Dir, elsewhere.Env = t.TempDir(), []string{}
	elsewhere.Stderr = os.Stderr
	got, err := elsewhere.Output()
	if err != nil || string(got) != first {
		t.Errorf("in another folder, without environment: %s, %v; want %s", got, err, first)
	}
}

func TestHousePackagesAreFresh(t *testing.T) {
	for _, o := range Targets("../..") {
		out, err := Generate(t.Context(), o)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if *update { // the command cannot be built while the packages are broken
			if err := out.Write(); err != nil {
				t.Fatal(err)
			}
		}
		stale, err := out.Stale()
		if err != nil {
			t.Error(err)
		}
		for _, s := range stale {
			t.Errorf("%s: run assay generate", s)
		}
	}
}

// Published schemas that were not written with this generator in mind must come through, and compile.
func TestUpstreamSchemas(t *testing.T) {
	const upstream = "../../../shared/upstream/openwop-v1/schemas"
	if _, err := os.Stat(upstream); err != nil {
		t.Logf("passed over: %v", err)
		return
	}
	out, err := Generate(t.Context(), Options{Spec: upstream, Into: t.TempDir(), Package: "upstream"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out.Files["schemas.gen.go"]), `": "/$defs/`) + strings.Count(string(out.Files["schemas.gen.go"]),
		`"/$defs/`); n < 75 {
		t.Errorf("%d components, want at least one a schema", n)
	}
	models := string(out.Files["models.gen.go"])
	for line := range strings.Lines(models) {
		if name, ok := strings.CutPrefix(line, "type "); ok && strings.Contains(strings.Fields(name)[0], "_") {
			t.Errorf("a type was named by its path: %s", line)
		}
	}
	for _, want := range []string{"type OrchestratorDecision interface", "type NextWorkerDecision struct",
		"type RunStartedPayload struct", "type RunEventType string"} {
		if !strings.Contains(models, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if n := strings.Count(string(out.Files["events.gen.go"]), "New:") + strings.Count(string(out.Files["events.gen.go"]),
		"func() any { return new("); n != 107 {
		t.Errorf("%d event types, want 107", n)
	}
	compile(t, out)
}

// A folder of schemas alone, without ids or dialect, in YAML.
func TestSchemaOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "some.thing.schema.yml"),
		"type: object\nproperties: {self: {$ref: '#'}, other: {$ref: two.schema.json}}\n")
	writeFile(t, filepath.Join(dir, "two.schema.json"), `{"type":"array","items":{"enum":["a"]}}`)
	out, err := Generate(t.Context(), Options{Spec: dir, Into: t.TempDir(), Package: "bare"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"models.gen.go", "schemas.bundled.json", "schemas.gen.go", "support.gen.go"}
	if got := sortedKeys(out.Files); !slices.Equal(got, want) {
		t.Errorf("files: got %v, want %v", got, want)
	}
	if !strings.Contains(string(out.Files["schemas.bundled.json"]), `"$ref": "#/$defs/Two"`) {
		t.Errorf("bundle:\n%s", out.Files["schemas.bundled.json"])
	}
	compile(t, out)
}

// A folder of schemas alone has events, fixtures and requirements like one with an API, and nothing of a server or a client.
func TestSchemaOnlyFolderWithEverything(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"schemas/turn.schema.json": `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/turn.schema.json", "type": "object", "required": ["step"],
			"properties": {"step": {"type": "integer"}, "kind": {"$ref": "event-type.schema.json"}}}`,
		"schemas/payloads.schema.json": `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/payloads.schema.json", "$defs": {
			"_typeIndex": {"properties": {"turn.done": {"$ref": "#/$defs/done"}}, "patternProperties": {"^turn\\.asks\\.": {"$ref": "#/$defs/asks"}}},
			"done": {"type": "object"}, "asks": {"type": "object", "properties": {"tool": {"type": "string"}}}}}`,
		"schemas/event-type.schema.json": `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/event-type.schema.json", "type": "string", "minLength": 1}`,
		"requirements/turns.yaml": "sources:\n  RFC-1: {file: rfc1.txt, title: One}\nrequirements:\n  - {id: R1-A1, " +
			"level: MUST, source: RFC-1, section: A, line: 3, hash: 0123456789ab, text: Turns end., reason: planned, why: Later., issue: 6}\n",
		"fixtures/turn.json": `{"step": 1}`,
	} {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	out, err := Generate(t.Context(), Options{Spec: dir, Into: t.TempDir(), Package: "turns", House: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"events.gen.go", "fixtures.gen.go", "fixtures/turn.json", "models.gen.go", "requirements.gen.go",
		"schemas.bundled.json", "schemas.gen.go", "support.gen.go"}
	if got := sortedKeys(out.Files); !slices.Equal(got, want) {
		t.Errorf("files: got %v, want %v", got, want)
	}
	for file, part := range map[string]string{
		"events.gen.go":       "var Events = map[EventType]EventSpec{",
		"models.gen.go":       "type EventType = string",
		"requirements.gen.go": `R1A1 = "R1-A1"`,
	} {
		if !strings.Contains(string(out.Files[file]), part) {
			t.Errorf("%s has no %q:\n%s", file, part, out.Files[file])
		}
	}
	if strings.Contains(string(out.Files["events.gen.go"]), "type EventType") {
		t.Error("the registry declares the type of events, though the folder has one")
	}
	compile(t, out)
}

// compile builds a package as if it lay in this module, without putting it there.
func compile(t *testing.T, out *Output) {
	t.Helper()
	if err := out.Write(); err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var replaced []string
	for _, name := range sortedKeys(out.Files) {
		place := filepath.Join(module, "gen", "compiletest", filepath.FromSlash(name))
		replaced = append(replaced, fmt.Sprintf("%q: %q", place, filepath.Join(out.Into, filepath.FromSlash(name))))
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	writeFile(t, overlay, `{"Replace": {`+strings.Join(replaced, ",\n")+`}}`)
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-overlay", overlay, "./gen/compiletest")
	build.Dir = module
	if said, err := build.CombinedOutput(); err != nil {
		t.Errorf("the package does not compile: %v\n%s", err, said)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "x.schema.json"), `{}`)
	for name, o := range map[string]Options{
		"no package": {Spec: dir, Into: dir},
		"keyword":    {Spec: dir, Into: dir, Package: "func"},
		"upper case": {Spec: dir, Into: dir, Package: "Gen"},
		"not a word": {Spec: dir, Into: dir, Package: "a-b"},
		"a command":  {Spec: dir, Into: dir, Package: "main"},
		"no folder":  {Spec: dir, Package: "gen"},
		"no spec":    {Spec: filepath.Join(dir, "nothing"), Into: dir, Package: "gen"},
	} {
		if out, err := Generate(t.Context(), o); err == nil {
			t.Errorf("%s: no error, %d files", name, len(out.Files))
		}
	}
}

func TestCancelledGeneration(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Generate(ctx, Options{Spec: "testdata/parcel", Into: t.TempDir(), Package: "parcel"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatalf("not JSON: %s", b)
	}
	return b
}

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: found nothing (%v)", pattern, err)
	}
	return found
}
