package wire

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/process"
)

// folder is where one process lives: an empty home, an empty folder for what is temporary, and an empty one to start in.
type folder struct{ path, home, temporary, work string }

func newFolder() (*folder, error) {
	path, err := NewFolder("assay-turn-")
	if err != nil {
		return nil, err
	}
	f := &folder{path: path, home: filepath.Join(path, "home"), temporary: filepath.Join(path, "tmp"), work: filepath.Join(path, "work")}
	for _, dir := range []string{f.home, f.temporary, f.work} {
		if err := MakeFolder(dir); err != nil {
			f.remove()
			return nil, err
		}
	}
	return f, nil
}

// NewFolder makes a new, empty folder that a target's processes may write into. The caller removes it.
func NewFolder(prefix string) (string, error) { return process.NewFolder("", prefix) }

// MakeFolder makes a folder that a target's processes may write into.
func MakeFolder(path string) error { return process.MakeFolder(path) }

// RemoveFolder removes a folder, also where a target took the rights to its own folders away.
func RemoveFolder(path string) error { return process.RemoveFolder(path) }

func (f *folder) remove() { _ = RemoveFolder(f.path) }

// mostLitter is how many files that a process left are told.
const mostLitter = 20

// litter lists what stands in the folder in which the process started.
func (f *folder) litter() []string {
	var out []string
	_ = filepath.WalkDir(f.work, func(at string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it took the right to look away; the folder itself is told
		case len(out) == mostLitter:
			return filepath.SkipAll
		case at != f.work:
			name, _ := filepath.Rel(f.work, at)
			out = append(out, filepath.ToSlash(name))
		}
		return nil
	})
	return out
}

// environment is a process's whole environment, later ones over earlier ones.
func (f *folder) environment(over ...map[string]string) []string {
	all := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin"}
	for _, pair := range process.MinimalEnvironment(os.Environ()) {
		name, value, _ := strings.Cut(pair, "=")
		all[name] = value
	}
	all["HOME"], all["TMPDIR"] = f.home, f.temporary
	for _, more := range over {
		maps.Copy(all, more)
	}
	out := make([]string, 0, len(all))
	for name, value := range all {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
