package specgen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Stale compares the package on disk with this output and names each file that differs, is missing, or is obsolete. It
// writes nothing; an empty list means that the package is up to date.
func (o *Output) Stale() ([]string, error) {
	there, err := o.owned()
	if err != nil {
		return nil, fmt.Errorf("compare %s with its spec: %w", o.Into, err)
	}
	var stale []string
	name := func(file, what string) { stale = append(stale, path.Join(filepath.ToSlash(o.Into), file)+": "+what) }
	for _, file := range sortedKeys(o.Files) {
		data, ok := there[file]
		switch {
		case !ok:
			name(file, "missing")
		case !bytes.Equal(data, o.Files[file]):
			name(file, "differs from what the spec gives")
		}
	}
	for _, file := range sortedKeys(there) {
		if _, made := o.Files[file]; !made {
			name(file, "not made by the spec")
		}
	}
	slices.Sort(stale)
	return stale, nil
}

// owned reads the files in Into that belong to the generator, by their names: *.gen.go, *.bundled.json and all of
// fixtures/.
func (o *Output) owned() (map[string][]byte, error) {
	files := map[string][]byte{}
	root := os.DirFS(o.Into)
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == ".":
			return fs.SkipAll // nothing generated yet
		case err != nil:
			return err
		case d.IsDir():
			if file != "." && file != "fixtures" && !strings.HasPrefix(file, "fixtures/") {
				return fs.SkipDir
			}
			return nil
		case !isOwned(file):
			return nil
		}
		data, err := fs.ReadFile(root, file)
		files[file] = data
		return err
	})
	return files, err
}

func isOwned(file string) bool {
	if strings.HasPrefix(file, "fixtures/") {
		return true
	}
	return !strings.Contains(file, "/") && (strings.HasSuffix(file, ".gen.go") || strings.HasSuffix(file, ".bundled.json"))
}
