package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// madePage marks generated pages. Pages without it are never removed.
const madePage = "`make generate` writes this page"

// writePages writes pages, keyed by path below dir, and removes stale generated pages.
func writePages(dir string, pages map[string]string) error {
	for name, content := range pages {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("assay list: %w: give another folder with --out", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return fmt.Errorf("assay list: %w: give another folder with --out", err)
		}
	}
	return removeStale(dir, pages)
}

// removeStale removes the generated pages below dir that are not in pages.
func removeStale(dir string, pages map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("assay list: %w: give another folder with --out", err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		if _, stays := pages[name]; stays {
			return nil
		}
		content, err := root.ReadFile(name)
		if err != nil || !strings.Contains(string(content), madePage) {
			return err
		}
		return root.Remove(name)
	})
}
