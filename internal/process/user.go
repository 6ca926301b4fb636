package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Nobody is the user and the group that programs which are not trusted belong to where we are root.
const Nobody = 65534

func isRoot() bool { return os.Geteuid() == 0 }

// ReachError is a file or a folder that user Nobody has no right to use.
type ReachError struct {
	Path  string
	Verb  string // enter, read or execute
	Needs string // what chmod would have to add
}

func (e *ReachError) Error() string {
	return fmt.Sprintf("as root, Assay starts plugins as user %d, who may not %s %s: chmod %s it, or run Assay as another user", Nobody, e.Verb, e.Path, e.Needs)
}

// Is says that it is a matter of permission.
func (e *ReachError) Is(target error) bool { return target == fs.ErrPermission }

// Reach says what keeps user Nobody from a program or a folder, if we are root and something does. Links are followed.
func Reach(path string) error {
	if !isRoot() {
		return nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	way := []string{path}
	for at := path; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		way = append(way, at)
	}
	for _, at := range slices.Backward(way) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		may := rights(info)
		switch {
		case info.IsDir() && may&1 == 0:
			return &ReachError{at, "enter", "o+x"}
		case info.IsDir():
		case may&1 == 0:
			return &ReachError{at, "execute", "o+rx"}
		case may&4 == 0 && interpreter(at) != "":
			return &ReachError{at, "read", "o+rx"}
		}
	}
	return nil
}

// rights are what user Nobody may do: 4 read, 2 write, 1 execute or enter.
func rights(info fs.FileInfo) fs.FileMode {
	mode := info.Mode().Perm()
	if owner, is := info.Sys().(*syscall.Stat_t); is {
		switch uint32(Nobody) {
		case owner.Uid:
			return mode >> 6
		case owner.Gid:
			return mode >> 3
		}
	}
	return mode
}
