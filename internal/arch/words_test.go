package arch

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// A version of OpenWOP is a table: what its hosts have on the wire stands in the dialect, and nowhere in a suite.
func TestSuitesNameWhatTheDialectSpells(t *testing.T) {
	const suites = "scenarios/openwop"
	spelled := map[string]bool{}
	for _, e := range dialect.Events {
		spelled[string(e)] = true
	}
	for _, c := range dialect.Codes {
		spelled[string(c)] = strings.Contains(string(c), "_") // forbidden is a word of every day
	}
	read := 0
	err := filepath.WalkDir("../../"+suites, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"dialect", "hosttest", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for line, words := range literals(text) {
			switch {
			case strings.Contains(words, "gen/openwopv"):
				t.Errorf("%s:%d imports a version: the dialect has what suites need of it", path, line)
			case strings.Contains(words, "/v1/"), spelled[words]:
				t.Errorf("%s:%d spells %q: name it as the dialect does", path, line, words)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 150 {
		t.Errorf("only %d files were read", read)
	}
}

// literals are the strings of a source file, by line.
func literals(text []byte) map[int]string {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	out := map[int]string{}
	for {
		at, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return out
		case token.STRING:
			words, err := strconv.Unquote(literal)
			if line := file.Line(at); err == nil && (out[line] == "" || strings.Contains(words, "/v1/")) {
				out[line] = words
			}
		}
	}
}

// A line fits beside another on a screen. Data in raw strings is as long as it is.
func TestLinesAreShort(t *testing.T) {
	const most = 140
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == "../../gen" || strings.HasPrefix(d.Name(), ".") && path != "../.."):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, ".gen.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		raw := false
		for i, line := range bytes.Split(text, []byte("\n")) {
			quotes := bytes.Count(line, []byte("`"))
			if n := utf8.RuneCount(line); n > most && !raw && quotes == 0 {
				t.Errorf("%s:%d has %d characters: %d are the most", path, i+1, n, most)
			}
			raw = raw != (quotes%2 == 1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
