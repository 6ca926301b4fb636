package specgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/openassay/assay/tools/specgen/internal/golang"
)

// Write writes the package to disk, completely or not at all: after a failure it restores the files already replaced.
// It leaves unchanged files alone and removes stale generated files. It refuses a folder with files of these names from
// another origin.
func (o *Output) Write() error {
	there, err := o.owned()
	if err != nil {
		return fmt.Errorf("write %s: %w", o.Into, err)
	}
	if stranger := foreign(there); stranger != "" {
		return fmt.Errorf("write %s: %s there was not made by assay generate: choose an empty folder", o.Into, stranger)
	}
	w := &writer{into: o.Into, before: there}
	if err := w.write(o.Files); err != nil {
		return fmt.Errorf("write %s: %w", o.Into, errors.Join(err, w.undo()))
	}
	return nil
}

// foreign names a file that Write would overwrite or remove in a folder where no file has our header.
func foreign(there map[string][]byte) string {
	for _, data := range there {
		if bytes.HasPrefix(data, []byte(golang.Header)) {
			return ""
		}
	}
	for _, file := range sortedKeys(there) {
		return file
	}
	return ""
}

// writer replaces the files of one folder and can restore them.
type writer struct {
	into    string
	before  map[string][]byte
	folders []string // created by us, outermost first
	staged  []string // temporary files not yet in place
	changed []string // files that were replaced, added or removed
}

func (w *writer) path(file string) string { return filepath.Join(w.into, filepath.FromSlash(file)) }

// write stages every file next to its place first, so that a full disk or a missing permission shows before anything
// changes.
func (w *writer) write(files map[string][]byte) error {
	type move struct{ from, file string }
	var moves []move
	for _, file := range sortedKeys(files) {
		if old, ok := w.before[file]; ok && bytes.Equal(old, files[file]) {
			continue
		}
		if err := w.makeFolder(filepath.Dir(w.path(file))); err != nil {
			return err
		}
		temporary, err := w.stage(w.path(file), files[file])
		if err != nil {
			return err
		}
		moves = append(moves, move{temporary, file})
	}
	for _, m := range moves {
		if err := os.Rename(m.from, w.path(m.file)); err != nil {
			return err
		}
		w.changed = append(w.changed, m.file)
		w.staged = slices.DeleteFunc(w.staged, func(s string) bool { return s == m.from })
	}
	for _, file := range sortedKeys(w.before) {
		if _, made := files[file]; made {
			continue
		}
		if err := os.Remove(w.path(file)); err != nil {
			return err
		}
		w.changed = append(w.changed, file)
	}
	return nil
}

func (w *writer) stage(target string, data []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(target), ".assay-generate-*")
	if err != nil {
		return "", err
	}
	w.staged = append(w.staged, f.Name())
	_, err = f.Write(data)
	return f.Name(), errors.Join(err, f.Chmod(0o644), f.Close())
}

// makeFolder is like os.MkdirAll, but records the folders it creates.
func (w *writer) makeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := w.makeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	w.folders = append(w.folders, dir)
	return nil
}

// undo restores the folder to its state before write.
func (w *writer) undo() error {
	var failed []error
	for _, temporary := range w.staged {
		failed = append(failed, os.Remove(temporary))
	}
	for _, file := range w.changed {
		if old, was := w.before[file]; was {
			failed = append(failed, os.WriteFile(w.path(file), old, 0o644))
		} else {
			failed = append(failed, os.Remove(w.path(file)))
		}
	}
	for _, dir := range slices.Backward(w.folders) {
		failed = append(failed, os.Remove(dir))
	}
	return errors.Join(failed...)
}
