package replace_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/openassay/assay/internal/replace"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "it")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, failed := io.WriteString(w, text)
			return errors.Join(failed, err)
		}
	}
	broken := errors.New("half")
	for _, c := range []struct {
		text string
		err  error
		want string
	}{{"one", nil, "one"}, {"tw", broken, "one"}, {"three", nil, "three"}} {
		if err := replace.File(path, 0o600, write(c.text, c.err)); !errors.Is(err, c.err) {
			t.Errorf("%q: %v, want %v", c.text, err, c.err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != c.want {
			t.Errorf("%q: the file holds %q: %v", c.text, got, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files are left: %v", len(left), err)
	}
	if err := replace.File(filepath.Join(dir, "none", "it"), 0o600, write("", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the folder: %v", err)
	}
}
