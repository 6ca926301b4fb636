package specgen

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Whatever somebody's document holds, it becomes a package or is refused with the place and the mend. It never fetches
// anything, and never reads a file that it does not name.
func FuzzDocument(f *testing.F) {
	for _, pattern := range []string{"testdata/layouts/*.txtar", "testdata/bad/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(archive.Files[0].Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		spec := filepath.Join(dir, "openapi.yaml")
		if err := os.WriteFile(spec, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Generate(t.Context(), Options{Spec: spec, Into: filepath.Join(dir, "into"), Package: "made"})
		if err == nil {
			return
		}
		for _, one := range flatten(err) {
			var mistake *SpecError
			if !errors.As(one, &mistake) || mistake.File == "" || mistake.Problem == "" || mistake.Mend == "" {
				t.Errorf("not a SpecError with file, problem and mend: %v", one)
			}
		}
	})
}
