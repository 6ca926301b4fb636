package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// madePage is in every page that is generated; a page without it is nobody's to remove.
const madePage = "`make generate` writes this page"

// writePages puts pages into a folder, by their paths below it, and removes those that were generated there before and have no
// successor.
func writePages(dir string, pages map[string]string) error {
	for name, content := range pages {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("assay list: %w: give another folder with --out", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil { //nolint:gosec // a page is for others to read
			return fmt.Errorf("assay list: %w: give another folder with --out", err)
		}
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if _, stays := pages[filepath.ToSlash(name)]; stays {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(content), madePage) {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
}
