package arch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openwop"
)

var (
	reading = regexp.MustCompile(`\b[A-Z][A-Z0-9]*-R[0-9]+\b`)
	// private matches citations of notes outside the repository.
	private = regexp.MustCompile(`\bfacts (?:[0-9]|C[0-9])[^)\n]*|\bAL-[0-9]+\b`)
)

// Comments, pages and rows cite only readings that exist, and no notes outside the repository.
func TestCitationsLeadSomewhere(t *testing.T) {
	known := map[string]bool{}
	for _, r := range openwop.ReadingsV1 {
		known[r.ID] = true
	}
	for _, r := range openintent.ReadingsV1 {
		known[r.ID] = true
	}
	for _, r := range agenticloop.ReadingsV2 {
		known[r.ID] = true
	}
	for _, r := range openwop.RequirementsV1 {
		known[r.ID] = true
	}
	for _, r := range openintent.RequirementsV1 {
		known[r.ID] = true
	}
	for _, r := range agenticloop.RequirementsV2 {
		known[r.ID] = true
	}
	if len(known) < 100 {
		t.Fatalf("only %d readings and requirements are known", len(known))
	}
	cited := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "../..") {
			return fs.SkipDir
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".yaml":
		default:
			return nil
		}
		if d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		at := func(i int) int { return bytes.Count(text[:i], []byte("\n")) + 1 }
		for _, m := range reading.FindAllIndex(text, -1) {
			id := string(text[m[0]:m[1]])
			prefix, _, _ := strings.Cut(id, "-")
			if prefix != "OWP" && prefix != "OIP" && prefix != "RFC103" && prefix != "AL" {
				continue
			}
			if cited++; !known[id] {
				t.Errorf("%s:%d: %s does not exist", path, at(m[0]), id)
			}
		}
		for _, m := range private.FindAllIndex(text, -1) {
			t.Errorf("%s:%d: nobody can open %q: cite a reading", path, at(m[0]), text[m[0]:m[1]])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited == 0 {
		t.Error("nothing cites a reading")
	}
}
