package specdiff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openassay/assay/tools/specdiff"
)

// Each pair of folders in testdata has the list of its changes, and what they do to Go programs, in the file want.
// ASSAY_UPDATE=1 writes it.
func TestPairs(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d pairs: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			want := ""
			for i, f := range a.Files {
				switch side, rest, _ := strings.Cut(f.Name, "/"); side {
				case "want":
					want = string(f.Data)
					a.Files = append(a.Files[:i:i], a.Files[i+1:]...)
				case "both":
					write(t, filepath.Join(dir, "before", rest), f.Data)
					write(t, filepath.Join(dir, "after", rest), f.Data)
				default:
					write(t, filepath.Join(dir, f.Name), f.Data)
				}
			}
			got := told(t, filepath.Join(dir, "before"), filepath.Join(dir, "after"))
			if os.Getenv("ASSAY_UPDATE") != "" {
				a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
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
func told(t *testing.T, before, after string) string {
	t.Helper()
	var folders [2]*specdiff.Folder
	for i, dir := range []string{before, after} {
		f, err := specdiff.Open(t.Context(), dir, "")
		if err != nil {
			t.Fatal(err)
		}
		folders[i] = f
	}
	r, err := folders[0].Compare(folders[1], specdiff.Options{})
	if err != nil || r.Unjudged != nil {
		t.Fatal(err, r.Unjudged)
	}
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %v %s %s%s\n    %s\n    old %s\n    new %s\n", c.Severity, c.Breaks, c.Subject, c.Side, c.Property, c.Text, c.Before, c.After)
		for _, p := range c.Places[min(1, len(c.Places)):] {
			fmt.Fprintf(&b, "    also %s %s%s\n", p.Subject, p.Side, p.Property)
		}
	}
	golang := specdiff.Go(t.Context(), folders[0], folders[1], r.Changes)
	if golang.Unknown != "" {
		t.Fatal(golang.Unknown)
	}
	for _, c := range golang.Consequences {
		fmt.Fprintf(&b, "go: %s\n    do: %s\n    from %s\n", c.Text, c.Do, strings.Join(c.Causes, ", "))
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}
