package goapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openassay/assay/tools/specdiff/goapi"
)

// Each pair of packages in testdata has what became of its names in the file want. What stands in the file renamed is
// known: OLD NEW, a line each. ASSAY_UPDATE=1 writes want.
func TestPairs(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 3 {
		t.Fatalf("%d pairs: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			before, after := map[string][]byte{}, map[string][]byte{}
			var renamed []goapi.Renamed
			var want *txtar.File
			for i, f := range a.Files {
				switch side, rest, _ := strings.Cut(f.Name, "/"); side {
				case "before":
					before[rest] = f.Data
				case "after":
					after[rest] = f.Data
				case "renamed":
					for line := range strings.Lines(string(f.Data)) {
						was, now, _ := strings.Cut(strings.TrimSpace(line), " ")
						renamed = append(renamed, goapi.Renamed{Old: was, New: now})
					}
				case "want":
					want = &a.Files[i]
				}
			}
			found, err := goapi.Compare(before, after, renamed)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, c := range found {
				fmt.Fprintf(&b, "%s %s breaks=%t\n  %s\n  do: %s\n", c.Kind, c.Change, c.Breaks, c.Text, c.Do)
			}
			got := strings.ReplaceAll(b.String(), "do: \n", "do:\n")
			if os.Getenv("ASSAY_UPDATE") != "" {
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(want.Data), got); d != "" {
				t.Errorf("want - got +\n%s", d)
			}
			same, err := goapi.Compare(before, before, nil)
			if err != nil || len(same) > 0 {
				t.Errorf("one package twice: %v %v", same, err)
			}
		})
	}
}

func TestNoGo(t *testing.T) {
	_, err := goapi.Compare(map[string][]byte{"a.go": []byte("package a")}, map[string][]byte{"a.go": []byte("packet a")}, nil)
	if err == nil || !strings.Contains(err.Error(), "read the generated a.go: ") {
		t.Errorf("got %v", err)
	}
}
