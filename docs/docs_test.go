// Package docs_test holds the pages to what they describe. What docs/seams.md says of schemas and fixtures is compared
// with them where they are, in spec/openwop/v1.
package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/openwop"
)

// A maintainer finds what each suite needs from the host.
func TestSeamsPageHasEverySuite(t *testing.T) {
	page, err := os.ReadFile("seams.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, suite := range openwop.Suites() {
		if !strings.Contains(string(page), "\n| `"+suite.ID+"` |") {
			t.Errorf("seams.md has no row for the suite %s", suite.ID)
		}
	}
}
