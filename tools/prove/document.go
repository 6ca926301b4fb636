package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// JSONName and MarkdownName are the names of the two forms of a kill matrix at a depth: that of quick has none in it.
func JSONName(depth scenarios.Depth) string     { return fileName(depth, "json") }
func MarkdownName(depth scenarios.Depth) string { return fileName(depth, "md") }

func fileName(depth scenarios.Depth, ext string) string {
	if word := depthWord(depth); word != "" {
		return "kill-matrix-" + word + "." + ext
	}
	return "kill-matrix." + ext
}

// ErrStale means that a kill matrix on disk is outdated.
var ErrStale = errors.New("the kill matrix is stale")

// forms returns the files of a matrix, by name.
func forms(m results.KillMatrix) (map[string][]byte, error) {
	var doc bytes.Buffer
	e := json.NewEncoder(&doc)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("encode the kill matrix: %w", err)
	}
	depth, err := depthOf(string(m.Depth))
	if err != nil {
		return nil, fmt.Errorf("encode the kill matrix: %w", err)
	}
	return map[string][]byte{JSONName(depth): doc.Bytes(), MarkdownName(depth): []byte(Markdown(m))}, nil
}

// Write writes the matrix into dir, as kill-matrix.json and kill-matrix.md or by the names of its depth, which it creates if necessary.
func Write(dir string, m results.KillMatrix) error {
	files, err := forms(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the kill matrix: %w", err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write the kill matrix: %w", err)
		}
	}
	return nil
}

// Check compares a matrix with the files that [Write] left in dir. It returns [ErrStale] with the first difference, or
// a read error.
func Check(dir string, m results.KillMatrix) error {
	files, err := forms(m)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // JSON first
		path := filepath.Join(dir, name)
		was, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: there is no %s", ErrStale, path)
		}
		if err != nil {
			return fmt.Errorf("compare the kill matrix: %w", err)
		}
		if line, old, now := firstDifference(was, files[name]); line > 0 {
			return fmt.Errorf("%w: %s:%d says %s and must say %s", ErrStale, path, line, old, now)
		}
	}
	return nil
}

// firstDifference returns the number of the first line in which two texts differ, counted from 1, with both versions of
// it; 0 for equal texts.
func firstDifference(a, b []byte) (line int, inA, inB string) {
	linesA, linesB := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range max(len(linesA), len(linesB)) {
		var x, y []byte
		if i < len(linesA) {
			x = linesA[i]
		}
		if i < len(linesB) {
			y = linesB[i]
		}
		if i >= len(linesA) || i >= len(linesB) || !bytes.Equal(x, y) {
			return i + 1, string(bytes.TrimSpace(x)), string(bytes.TrimSpace(y))
		}
	}
	return 0, "", ""
}
