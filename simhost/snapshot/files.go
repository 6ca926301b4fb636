package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openassay/assay/simhost/eventlog"
)

// SaveFile puts what write gives into a file that does not exist yet, once it was read back as a whole snapshot.
func SaveFile(file string, write func(io.Writer) error) (h Header, err error) {
	if _, err := os.Lstat(file); err == nil {
		return h, fmt.Errorf("%s: %w: choose another name", file, fs.ErrExist)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return h, fmt.Errorf("%w: choose a place that can be written", err)
	}
	defer func() { err = errors.Join(err, gone(os.Remove(f.Name()))) }()
	defer func() { err = errors.Join(err, gone(f.Close())) }()
	if err := write(f); err != nil {
		return h, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return h, err
	}
	if h, err = Check(f); err != nil {
		return h, err
	}
	if err := f.Close(); err != nil {
		return h, err
	}
	return h, os.Link(f.Name(), file) // unlike Rename it never replaces a file that came meanwhile
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// LoadFile makes a data folder of a snapshot. The folder must not exist yet, or be empty. It is there in whole or not at all.
func LoadFile(ctx context.Context, file, dir string) (h Header, err error) {
	f, err := os.Open(file)
	if err != nil {
		return h, err
	}
	defer f.Close()
	if _, err := Check(f); err != nil {
		return h, fmt.Errorf("%s: %w", file, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return h, err
	}
	dir = filepath.Clean(dir)
	if err := mustBeEmpty(dir); err != nil {
		return h, err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return h, fmt.Errorf("%w: choose a place that can be written", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	store, err := eventlog.Open(ctx, eventlog.Options{Dir: made, Checked: true})
	if err != nil {
		return h, err
	}
	h, err = Load(ctx, f, store)
	if err = errors.Join(err, store.Close()); err != nil {
		return h, fmt.Errorf("load %s: %w", file, err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, fmt.Errorf("%w: choose a folder that does not exist, or is empty", err)
	}
	return h, os.Rename(made, dir)
}

func mustBeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w: choose a folder that does not exist, or is empty", err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: choose a folder that does not exist, or is empty: a snapshot never replaces anything", dir)
	}
	return nil
}
