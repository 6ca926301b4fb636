package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Nobody is the user and the group of untrusted programs if we are root.
const Nobody = 65534

func isRoot() bool { return os.Geteuid() == 0 }

// ReachError means that user Nobody may not use a file or a folder.
type ReachError struct {
	Path  string
	Verb  string // enter, read or execute
	Needs string // the mode for chmod
}

func (e *ReachError) Error() string {
	return fmt.Sprintf("as root, Assay starts plugins as user %d, who may not %s %s: chmod %s it, or run Assay as another user",
		Nobody, e.Verb, e.Path, e.Needs)
}

// Is makes the error match [fs.ErrPermission].
func (e *ReachError) Is(target error) bool { return target == fs.ErrPermission }

// Reach returns an error if we are root and user Nobody may not use a program or a folder. It follows links.
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

// rights returns the permissions of user Nobody: 4 read, 2 write, 1 execute or enter.
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
