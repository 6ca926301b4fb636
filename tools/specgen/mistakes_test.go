package specgen

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const errorsSection = "errors"

// Each archive in testdata/bad is a spec folder with mistakes. Its last file, errors, is what Generate says to it.
// A comment that starts with "# house" holds the folder to the rules of our own specs.
func TestMistakes(t *testing.T) {
	for _, file := range mustGlob(t, "testdata/bad/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			spec, want := unpack(t, archive)
			house := strings.HasPrefix(string(archive.Comment), "# house")
			_, err = Generate(t.Context(), Options{Spec: spec, Into: t.TempDir(), Package: "bad", House: house})
			if err == nil {
				t.Fatal("no error")
			}
			for _, one := range flatten(err) {
				var mistake *SpecError
				if !errors.As(one, &mistake) || mistake.File == "" || mistake.Problem == "" || mistake.Mend == "" {
					t.Errorf("not a SpecError with file, problem and mend: %v", one)
				}
			}
			got := strings.ReplaceAll(err.Error(), filepath.ToSlash(spec), "SPEC") + "\n"
			if *update {
				rewriteArchive(t, file, archive, got)
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func unpack(t *testing.T, a *txtar.Archive) (dir, want string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range a.Files {
		if f.Name == errorsSection {
			want = string(f.Data)
			continue
		}
		writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
	}
	return dir, want
}

func rewriteArchive(t *testing.T, file string, a *txtar.Archive, got string) {
	t.Helper()
	var kept []txtar.File
	for _, f := range a.Files {
		if f.Name != errorsSection {
			kept = append(kept, f)
		}
	}
	kept = append(kept, txtar.File{Name: errorsSection, Data: []byte(got)})
	a.Files = kept
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
