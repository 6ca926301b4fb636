package wire

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// unprivileged is the user and the group that a target's processes belong to where we are root: nobody.
const unprivileged = 65534

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
func NewFolder(prefix string) (string, error) {
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", fmt.Errorf("make a folder for the target: %w", err)
	}
	if err := hand(path); err != nil {
		_ = os.RemoveAll(path)
		return "", err
	}
	return path, nil
}

// MakeFolder makes a folder that a target's processes may write into.
func MakeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return fmt.Errorf("make a folder for the target: %w", err)
	}
	return hand(path)
}

// hand gives a file or folder to the user that a target's processes belong to.
func hand(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	if err := os.Chown(path, unprivileged, unprivileged); err != nil {
		return fmt.Errorf("give a folder to the target: %w", err)
	}
	return nil
}

func (f *folder) remove() { _ = RemoveFolder(f.path) }

// RemoveFolder removes a folder, also where a target took the rights to its own folders away.
func RemoveFolder(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(at, 0o700) // what cannot be removed is told below
		}
		return nil
	})
	return os.RemoveAll(path)
}

// mostLitter is how many files that a process left are told.
const mostLitter = 20

// litter lists what stands in the folder in which the process started.
func (f *folder) litter() []string {
	var out []string
	_ = filepath.WalkDir(f.work, func(at string, d fs.DirEntry, err error) error {
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

// passed are the variables of our own environment that a process is given.
var passed = []string{"PATH", "TZ", "LANG", "LANGUAGE"}

// environment is a process's whole environment, later ones over earlier ones.
func (f *folder) environment(over ...map[string]string) []string {
	all := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin"}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") {
			all[name] = value
		}
	}
	all["HOME"], all["TMPDIR"] = f.home, f.temporary
	for _, more := range over {
		for name, value := range more {
			all[name] = value
		}
	}
	out := make([]string, 0, len(all))
	for name, value := range all {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// pipe is a pipe of which the process has one end.
type pipe struct{ read, write *os.File }

func newPipe() (p pipe, err error) {
	p.read, p.write, err = os.Pipe()
	return p, err
}

func (p pipe) close() {
	for _, end := range []*os.File{p.read, p.write} {
		if end != nil {
			_ = end.Close() // it may be closed already
		}
	}
}

// pipes are what a process reads from and writes to.
type pipes struct{ in, out, err pipe }

func newPipes() (*pipes, error) {
	p := &pipes{}
	for _, one := range []*pipe{&p.in, &p.out, &p.err} {
		var err error
		if *one, err = newPipe(); err != nil {
			p.close()
			return nil, fmt.Errorf("open a pipe: %w", err)
		}
	}
	return p, nil
}

// started closes the ends that are the process's.
func (p *pipes) started() {
	_ = p.in.read.Close()
	_ = p.out.write.Close()
	_ = p.err.write.Close()
}

// expire gives the readers and the writer no more than d.
func (p *pipes) expire(d time.Duration) {
	end := time.Now().Add(d)
	for _, f := range []*os.File{p.in.write, p.out.read, p.err.read} {
		_ = f.SetDeadline(end) // one that is closed needs none
	}
}

func (p *pipes) close() {
	p.in.close()
	p.out.close()
	p.err.close()
}
