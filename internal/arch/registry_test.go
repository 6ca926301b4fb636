package arch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// protocolNames are the folders of specs but for our own, and the word that the agentic loop is known by in its events and on
// command lines.
func protocolNames(t *testing.T) (folders []string, words *regexp.Regexp) {
	t.Helper()
	entries, err := os.ReadDir("../../spec")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "assay" {
			folders = append(folders, e.Name())
		}
	}
	if len(folders) < 3 {
		t.Fatalf("the specs are %v", folders)
	}
	return folders, regexp.MustCompile("(?i)agentic|" + strings.Join(folders, "|"))
}

// Shared code asks the table of protocols, or a protocol's own value. So a protocol is added by a row and its rooms, which say
// its name. Tests and their data, which the go command leaves out of programs as well, are about particular protocols.
func TestSharedCodeNamesNoProtocol(t *testing.T) {
	folders, protocolName := protocolNames(t)
	named := []string{"tools/internal/protocols"}
	for _, name := range folders {
		named = append(named, "scenarios/"+name)
	}
	read := 0
	met := map[string]bool{}
	for _, root := range []string{"tools", "reports", "scenarios"} {
		err := filepath.WalkDir("../../"+root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			switch {
			case d.IsDir() && slices.Contains(named, name):
				met[name] = true
				return fs.SkipDir
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			read++
			if word := protocolName.FindString(name); word != "" {
				t.Errorf("%s: the name of a shared file says %q", name, word)
			}
			for i, line := range bytes.Split(text, []byte("\n")) {
				if word := protocolName.Find(line); word != nil {
					t.Errorf("%s:%d: shared code says %q: ask tools/internal/protocols, or the protocol's value in scenarios", name, i+1, word)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
	for _, name := range named {
		if !met[name] {
			t.Errorf("%s is no folder any more: which one names protocols now?", name)
		}
	}
}
