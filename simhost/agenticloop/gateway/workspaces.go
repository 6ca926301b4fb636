package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openassay/assay/internal/process"
)

// workspaces are the folders of jobs.
type workspaces struct {
	mode WorkspaceMode
	root string // absolute
}

func newWorkspaces(mode WorkspaceMode, root string) (workspaces, error) {
	if mode == NoWorkspace {
		return workspaces{mode: mode}, nil
	}
	abs, err := filepath.Abs(root)
	return workspaces{mode, abs}, err
}

// sharedName is the folder of all jobs.
const sharedName = "shared"

// WorkspaceOf is the folder of a job's workspace, "" where there are none.
func (o *Options) WorkspaceOf(job string) string {
	switch o.Workspace {
	case NoWorkspace:
		return ""
	case SharedWorkspace:
		return filepath.Join(o.Workspaces, sharedName)
	}
	return filepath.Join(o.Workspaces, job)
}

// ensure opens the workspace of a job that is about to run, and makes it where it is not there yet: with the parent's
// files, if there are any. "" means that there are no workspaces.
func (w workspaces) ensure(j Job) (string, error) {
	switch w.mode {
	case NoWorkspace:
		return "", nil
	case SharedWorkspace:
		dir := filepath.Join(w.root, sharedName)
		return dir, errors.Join(os.MkdirAll(dir, 0o755), process.Hand(dir))
	}
	return w.clone(j)
}

// clone makes the workspace of a job as a hard-link clone of its parent's, unless it is there.
func (w workspaces) clone(j Job) (string, error) {
	dir := filepath.Join(w.root, j.ID)
	if w.mode != CloneWorkspace {
		return dir, nil
	}
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := os.MkdirAll(w.root, 0o755); err != nil {
		return "", err
	}
	// It gets its name when it is whole: a gateway that crashes meanwhile must not take half of it for all.
	half, err := process.NewFolder(w.root, ".half-")
	if err != nil {
		return "", err
	}
	defer func() { _ = process.RemoveFolder(half) }() // it is gone, unless something went wrong before
	if err := os.Chmod(half, 0o755); err != nil {     //nolint:gosec // plugins may run as another user
		return "", err
	}
	if j.Parent != "" {
		if err := linkTree(filepath.Join(w.root, j.Parent), half); err != nil {
			return "", fmt.Errorf("clone the workspace of job %s: %w", j.Parent, err)
		}
	}
	return dir, os.Rename(half, dir)
}

// linkTree makes hard links of the files below one folder in another one. Symbolic links are made anew, and not followed;
// what is neither file, folder nor link is left out. A folder that is not there has no files.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == from {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil || below == "." {
			return err
		}
		target := filepath.Join(to, below)
		switch {
		case d.IsDir():
			return errors.Join(os.Mkdir(target, 0o755), process.Hand(target))
		case d.Type().IsRegular():
			return os.Link(path, target) //nolint:gosec // whose folder it is has ended
		case d.Type()&fs.ModeSymlink != 0:
			leads, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(leads, target) //nolint:gosec // likewise
		}
		return nil
	})
}
