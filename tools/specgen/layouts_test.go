package specgen

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each archive in testdata/layouts is a spec of somebody's. Its last two files are what Generate finds in it besides, and
// the components of the bundle as JSON, one a line; its first comment ends with the file or folder that is named.
func TestLayouts(t *testing.T) {
	for _, file := range mustGlob(t, "testdata/layouts/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range archive.Files {
				writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
			}
			_, named, _ := strings.Cut(strings.TrimSpace(string(archive.Comment)), "spec: ")
			findings, components := layout(t, dir, filepath.Join(dir, filepath.FromSlash(named)))
			got := map[string]string{"findings": findings, "components": components}
			for i, f := range archive.Files {
				text, checked := got[f.Name]
				switch {
				case !checked:
				case *update:
					archive.Files[i].Data = []byte(text)
				case string(f.Data) != text:
					t.Errorf("%s:\n%s\nwant:\n%s", f.Name, text, f.Data)
				}
			}
			if *update {
				writeFile(t, file, string(txtar.Format(archive)))
			}
		})
	}
}

// layout generates from a spec and returns the findings and the components of the bundle.
func layout(t *testing.T, dir, spec string) (findings, components string) {
	t.Helper()
	o := Options{Spec: spec, Into: filepath.Join(dir, "into"), Package: "layout"}
	out, err := Generate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var found, made strings.Builder
	for _, f := range out.Findings {
		found.WriteString(f.Error() + "\n")
	}
	for _, rel := range out.Unused {
		found.WriteString("not used: " + rel + "\n")
	}
	f, err := load(spec, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	schemas := asObject(asObject(c.doc["components"])["schemas"])
	for _, name := range sortedKeys(schemas) {
		made.WriteString(name + ": " + strings.Join(strings.Fields(string(mustEncode(t, schemas[name]))), " ") + "\n")
	}
	made.WriteString("paths: " + strings.Join(strings.Fields(string(mustEncode(t, c.doc["paths"]))), " ") + "\n")
	return strings.ReplaceAll(found.String(), filepath.ToSlash(dir), "SPEC"), made.String()
}
