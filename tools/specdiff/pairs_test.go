package specdiff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openassay/assay/tools/specdiff"
	"github.com/openassay/assay/tools/specdiff/goapi"
)

// Each pair of folders in testdata has the list of its changes in the file want.
// ASSAY_UPDATE=1 writes it.
func TestPairs(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d pairs: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			before, after, a := unpack(t, name)
			last := len(a.Files) - 1
			want, got := string(a.Files[last].Data), told(t, before, after)
			if os.Getenv("ASSAY_UPDATE") != "" {
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("want - got +\n%s", d)
			}
		})
	}
}

// unpack reads the two folders of a pair. Its last file is want.
func unpack(t *testing.T, name string) (before, after *specdiff.Folder, a *txtar.Archive) {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) == 0 || a.Files[len(a.Files)-1].Name != "want" {
		t.Fatalf("%s does not end with the file want", name)
	}
	dir := t.TempDir()
	for _, f := range a.Files[:len(a.Files)-1] {
		if rest, both := strings.CutPrefix(f.Name, "both/"); both {
			write(t, filepath.Join(dir, "before", rest), f.Data)
			write(t, filepath.Join(dir, "after", rest), f.Data)
			continue
		}
		write(t, filepath.Join(dir, f.Name), f.Data)
	}
	return open(t, filepath.Join(dir, "before")), open(t, filepath.Join(dir, "after")), a
}

func open(t *testing.T, dir string) *specdiff.Folder {
	t.Helper()
	f, err := specdiff.Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// told is what is found of two folders, in a few lines for each change.
func told(t *testing.T, before, after *specdiff.Folder) string {
	t.Helper()
	r, err := before.Compare(after, specdiff.Options{})
	if err != nil || r.Unjudged != nil {
		t.Fatal(err, r.Unjudged)
	}
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %v %s %s%s\n    %s\n", c.Severity, c.Breaks, c.Subject, c.Side, c.Property, c.Text)
		fmt.Fprintf(&b, "    old %s\n    new %s\n", c.Before, c.After)
		for _, p := range c.Places[min(1, len(c.Places)):] {
			fmt.Fprintf(&b, "    also %s %s%s\n", p.Subject, p.Side, p.Property)
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// What a Go programmer is told rests on what the generator makes of the pairs.
func TestGo(t *testing.T) {
	for pair, want := range map[string][]struct{ text, cause string }{
		"fields": {
			{"field Run.State is now called Run.Status", "/components/schemas/Run/properties/status"},
			{".MaxTurns: *int64 -> *float64: widened", "/components/schemas/Run/properties/bounds/properties/maxTurns/type"},
			{"field NewRun.Tenant is new", "/components/schemas/NewRun/properties/tenant"},
		},
		"components": {{"type Thing is now called Item", "/components/schemas/Item"}},
		"keywords":   {{"constant ThingCThree is gone", "/components/schemas/Thing/properties/c/enum/2"}},
	} {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			before, after, _ := unpack(t, "testdata/"+pair+".txtar")
			r, err := before.Compare(after, specdiff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			golang := specdiff.Go(t.Context(), before, after, r.Changes)
			if golang.Unknown != "" {
				t.Fatal(golang.Unknown)
			}
			for _, w := range want {
				if !slices.ContainsFunc(golang.Consequences, func(c goapi.Consequence) bool {
					return strings.Contains(c.Text, w.text) && slices.Contains(c.Causes, w.cause)
				}) {
					t.Errorf("no %q because of %s among\n%+v", w.text, w.cause, golang.Consequences)
				}
			}
		})
	}
}

// One version that gives no package leaves the list of changes as it is.
func TestGoUnknown(t *testing.T) {
	whole, broken := t.TempDir(), t.TempDir()
	write(t, filepath.Join(whole, "a.schema.json"), []byte(`{"type": "object"}`))
	write(t, filepath.Join(broken, "a.schema.json"), []byte(`{"type": "object"}`))
	before, after := open(t, whole), open(t, broken)
	write(t, filepath.Join(broken, "a.schema.json"), []byte(`{"type": "obje`))
	if got := specdiff.Go(t.Context(), before, after, nil); !strings.Contains(got.Unknown, "the new version gives no Go package: ") {
		t.Errorf("got %+v", got)
	}
}
