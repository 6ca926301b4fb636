package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// folders holds the folders to remove.
var folders = &folderSet{paths: map[string]bool{}}

type folderSet struct {
	mu     sync.Mutex
	paths  map[string]bool
	closed bool // by Abandon
}

func (s *folderSet) make(below, prefix string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", ErrAbandoned
	}
	path, err := os.MkdirTemp(below, prefix)
	if err != nil {
		return "", fmt.Errorf("make a folder for the target: %w", err)
	}
	s.paths[path] = true
	return path, nil
}

func (s *folderSet) take(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.paths, path)
}

func (s *folderSet) removeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for path := range s.paths {
		// A program that is still running may write there.
		for end := time.Now().Add(dying); remove(path) != nil && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
}

// NewFolder makes a new folder below another one ("" is that for temporary files) that programs run as Nobody may write
// to. The caller removes it with RemoveFolder; [Abandon] removes it too.
func NewFolder(below, prefix string) (string, error) {
	path, err := folders.make(below, prefix)
	if err != nil {
		return "", err
	}
	if err := Hand(path); err != nil {
		_ = RemoveFolder(path)
		return "", err
	}
	return path, nil
}

// MakeFolder makes a folder that programs run as Nobody may write to.
func MakeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return fmt.Errorf("make a folder for the target: %w", err)
	}
	return Hand(path)
}

// Hand makes a file or folder belong to user Nobody, if we are root.
func Hand(path string) error {
	if !isRoot() {
		return nil
	}
	if err := os.Lchown(path, Nobody, Nobody); err != nil {
		return fmt.Errorf("give a folder to the target: %w", err)
	}
	return nil
}

// RemoveFolder removes a folder, even if a program removed the permissions of folders in it.
func RemoveFolder(path string) error {
	err := remove(path)
	folders.take(path) // not before, for Abandon
	return err
}

func remove(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(at, 0o700) //nolint:gosec // a folder; RemoveAll below returns the error
		}
		return nil
	})
	return os.RemoveAll(path)
}
