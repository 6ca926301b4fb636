package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
)

// found is a finding about a requirement that stands in the code by its constant.
var found = regexp.MustCompile(`\.Find\((?:openwop|openintent|agenticloop)\.([A-Z0-9a-z]+),`)

// A finding about a MUST would be a bug of its judge, seen only on a host that deviates.
func TestNoFindingIsAboutAMust(t *testing.T) {
	musts := map[string]bool{}
	add := func(id, level string) { musts[strings.ReplaceAll(id, "-", "")] = level == scenarios.Must }
	for _, r := range openwop.RequirementsV1 {
		add(r.ID, r.Level)
	}
	for _, r := range openintent.RequirementsV1 {
		add(r.ID, r.Level)
	}
	for _, r := range agenticloop.RequirementsV2 {
		add(r.ID, r.Level)
	}
	seen := 0
	err := filepath.WalkDir("../../scenarios", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range found.FindAllSubmatch(code, -1) {
			must, known := musts[string(m[1])]
			seen++
			if must || !known {
				t.Errorf("%s: a finding about %s, which is a MUST or unknown", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 5 {
		t.Errorf("only %d findings were looked at", seen)
	}
}
