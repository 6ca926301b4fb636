package main

import (
	"bytes"
	"os"
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
