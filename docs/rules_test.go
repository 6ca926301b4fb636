package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each rule names tests, or why there is none, for each protocol; and those tests exist.
func TestEachRuleIsHeldByTests(t *testing.T) {
	page, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	known := testNames(t)
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	rules := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		number, _, ok := strings.Cut(strings.TrimSpace(cells[0]), ". ")
		if !ok || len(cells) != 5 {
			continue
		}
		rules++
		if number != strconv.Itoa(rules) {
			t.Errorf("rule %s stands where %d should", number, rules)
		}
		for _, cell := range cells[2:] {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("rule %s says nothing about a protocol", number)
			}
			for _, m := range named.FindAllStringSubmatch(cell, -1) {
				if !known[m[1]] {
					t.Errorf("rule %s names %s, which is not there", number, m[1])
				}
			}
		}
	}
	if rules != 10 {
		t.Errorf("%d rules, want 10", rules)
	}
}

// testNames returns the names of all tests of the project.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(t \*testing\.T\)`)
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "gen" || e.Name() != ".." && strings.HasPrefix(e.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
