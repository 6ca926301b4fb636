package ginkgosuite_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/scenarios/openwop"
)

// The tree that docs/ginkgo.md shows is the one that is tested, its filters select something, and its labels exist.
func TestDocsPage(t *testing.T) {
	content, err := os.ReadFile("../../docs/ginkgo.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	tree, err := os.ReadFile("testdata/vendor/host_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(tree), "var target = ")
	if !found || !strings.Contains(page, "```go\nvar target = "+code+"```\n") {
		t.Error("the page shows another tree than testdata/vendor/host_test.go")
	}

	filters := regexp.MustCompile(`label-filter '([^']+)'`).FindAllStringSubmatch(page, -1)
	if len(filters) < 5 {
		t.Errorf("%d filters were found", len(filters))
	}
	for _, f := range filters {
		match, err := ginkgosuite.ParseFilter(f[1])
		if err != nil {
			t.Error(err)
			continue
		}
		inTree := func(labels []string) bool { return match(append(labels, "conformance")) }
		if _, err := (scenarios.Selection{Match: inTree}).Pick(openwop.Suites()...); err != nil {
			t.Errorf("%s: %v", f[1], err)
		}
	}

	all, err := scenarios.Selection{}.Pick(openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)`.*\\| `(\\w+:[^`]+)` \\|$").FindAllStringSubmatch(page, -1)
	kinds := map[string]bool{}
	for _, row := range rows {
		kinds[row[1]] = true
		if !slices.ContainsFunc(all, func(s scenarios.Selected) bool { return slices.Contains(s.FilterLabels(), row[2]) }) {
			t.Errorf("no scenario has the label %s", row[2])
		}
	}
	for _, s := range all {
		for _, l := range s.FilterLabels() {
			if kind, _, _ := strings.Cut(l, ":"); !kinds[kind] {
				t.Fatalf("the page does not tell of the label %s", l)
			}
		}
	}
}
