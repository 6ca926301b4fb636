package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// folders are those that are to be removed.
var folders = &folderSet{paths: map[string]bool{}}

type folderSet struct {
	mu     sync.Mutex
	paths  map[string]bool
	closed bool // no folder is wanted any more
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
		// Who has not heard yet that all is over may still write there.
		for end := time.Now().Add(dying); remove(path) != nil && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
}

// NewFolder makes a new, empty folder below another one, or with "" where temporary files are, that programs may write into
// that are started as nobody. The caller removes it with RemoveFolder; [Abandon] removes it too.
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

// MakeFolder makes a folder that programs may write into that are started as nobody.
func MakeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return fmt.Errorf("make a folder for the target: %w", err)
	}
	return Hand(path)
}

// Hand gives a file or folder to the user that programs are started as.
func Hand(path string) error {
	if !isRoot() {
		return nil
	}
	if err := os.Lchown(path, Nobody, Nobody); err != nil {
		return fmt.Errorf("give a folder to the target: %w", err)
	}
	return nil
}

// RemoveFolder removes a folder, also where a program took the rights to its own folders away.
func RemoveFolder(path string) error {
	err := remove(path)
	folders.take(path) // not before: whoever abandons all meanwhile must know of it
	return err
}

func remove(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(at, 0o700) //nolint:gosec // a folder; what cannot be removed is told below
		}
		return nil
	})
	return os.RemoveAll(path)
}
