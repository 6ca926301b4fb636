package golang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ../harbor holds the Go of testdata/harbor.json, which has what people write in contracts: its own tests call the client
// against the server. -update writes it again.
func TestHarborIsFresh(t *testing.T) {
	raw, err := os.ReadFile("testdata/harbor.json")
	if err != nil {
		t.Fatal(err)
	}
	made, err := Generate(t.Context(), decodeDocument(raw), Config{Package: "harbor", Client: true, Server: true,
		Doc: "// Package harbor is generated from ../golang/testdata/harbor.json for its tests.\n"})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(made.Files, made.Owners); err != nil {
		t.Fatal(err)
	}
	for name, want := range made.Files {
		path := filepath.Join("../harbor", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale, run go test ./tools/specgen/internal/golang -run Harbor -update (-want +got):\n%s", path, diff)
		}
	}
}
