package testenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPython(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\n[ \"$4\" = has ] && echo 1.2.3\n" // of -I -c SCRIPT PACKAGE
	if err := os.WriteFile(fake, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, distribution, version, wrong string }{
		{fake, "has", "1.2.3", ""},
		{fake, "has", "1.2.4", "has 1.2.3, not 1.2.4"},
		{fake, "lacks", "1.2.3", "does not have lacks"},
		{fake + "-that-is-not-there", "has", "1.2.3", "there is no Python"},
	} {
		path, err := python(c.name, c.distribution, c.version)
		if c.wrong == "" && (err != nil || path != fake) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s %s: %q, %v; want %q", c.distribution, c.version, path, err, c.wrong)
		}
	}
}
