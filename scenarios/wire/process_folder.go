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

// folder holds the home, the temporary folder and the working folder of a process, all new and empty.
type folder struct{ path, home, temporary, work string }

func newFolder() (*folder, error) {
	path, err := NewFolder("turn-")
	if err != nil {
		return nil, err
	}
	f := &folder{
		path: path, home: filepath.Join(path, "home"), temporary: filepath.Join(path, "tmp"), work: filepath.Join(path, "work"),
	}
	for _, dir := range []string{f.home, f.temporary, f.work} {
		if err := MakeFolder(dir); err != nil {
			f.remove()
			return nil, err
		}
	}
	return f, nil
}

// NewFolder makes a new folder that a target's processes may write to. The caller removes it.
func NewFolder(prefix string) (string, error) { return process.NewFolder("", prefix) }

// MakeFolder makes a folder that a target's processes may write to.
func MakeFolder(path string) error { return process.MakeFolder(path) }

// RemoveFolder removes a folder, even if a target removed the permissions of folders in it.
func RemoveFolder(path string) error { return process.RemoveFolder(path) }

func (f *folder) remove() { _ = RemoveFolder(f.path) }

// mostLitter bounds the list of files that a process left.
const mostLitter = 20

// litter lists the files in the working folder.
func (f *folder) litter() []string {
	var out []string
	_ = filepath.WalkDir(f.work, func(at string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // not readable; the folder itself is listed
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

// environment returns the whole environment of a process. Later maps override earlier ones.
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
