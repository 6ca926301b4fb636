// Package replace replaces files, so that a reader finds the old content or the new one and never a part.
package replace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File writes a temporary file beside path and renames it to path. If it returns an error, path is as it was.
func File(path string, mode fs.FileMode, write func(io.Writer) error) error {
	staged, err := os.CreateTemp(filepath.Dir(path), ".assay-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(staged.Name()) }() // fails harmlessly after the rename
	err = write(staged)
	if err := errors.Join(err, staged.Chmod(mode), staged.Sync(), staged.Close()); err != nil {
		return err
	}
	return os.Rename(staged.Name(), path)
}
