package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCoveragePageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../docs/coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := known().Coverage(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(page)); diff != "" {
		t.Errorf("docs/coverage.md is not what the ledger and the suites give: run make generate (-ledger +page):\n%s", diff)
	}
}

func TestReadingsPageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../docs/readings.md")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := known().ReadingsPage(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(page)); diff != "" {
		t.Errorf("docs/readings.md is not what the readings give: run make generate (-readings +page):\n%s", diff)
	}
}

func TestPagesAreUpToDate(t *testing.T) {
	for name, c := range map[string]struct {
		want   map[string]string
		fewest int
	}{
		"suites": {known().SuitePages(), 40},
		"models": {known().ModelPages(), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if len(c.want) < c.fewest {
				t.Fatalf("there are only %d pages", len(c.want))
			}
			dir := "../../docs/" + name
			got := map[string]string{}
			err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				content, err := os.ReadFile(path)
				name, _ := filepath.Rel(dir, path)
				got[filepath.ToSlash(name)] = string(content)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("docs/%s is not of today: run make generate (-suites or models +pages):\n%s", name, diff)
			}
		})
	}
}

// Pages of suites that are gone go; what somebody wrote beside them stays.
func TestPagesThatAreGone(t *testing.T) {
	dir := t.TempDir()
	if err := writePages(dir, map[string]string{"a/one.md": madePage, "two.md": madePage}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "own.md"), []byte("by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writePages(dir, map[string]string{"two.md": madePage + ", again"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a/one.md": "", "two.md": madePage + ", again", "own.md": "by hand"} {
		got, _ := os.ReadFile(filepath.Join(dir, name)) // what is gone is empty
		if string(got) != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}
