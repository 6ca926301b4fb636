package testenv

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// PythonVariable names the interpreter of tests that work with a published Python package, such as that of a virtual
// environment where it is installed. Without it that is python3 of the PATH.
const PythonVariable = "ASSAY_PYTHON"

// pythonStarts is how long an interpreter may take to import a package.
const pythonStarts = 30 * time.Second

// Python returns an interpreter that has a package (by the name that it is imported by), and skips the test where that one
// has not, or is older than 3.11: older ones cannot read a time that ends in Z.
func Python(t testing.TB, pkg string) string {
	t.Helper()
	named := os.Getenv(PythonVariable)
	path, err := exec.LookPath(cmp.Or(named, "python3"))
	if err != nil {
		if named != "" {
			t.Fatalf("%s names no program: %v", PythonVariable, err)
		}
		t.Skip("there is no python3 on the PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), Patience(pythonStarts))
	defer cancel()
	see := "import sys; assert sys.version_info >= (3, 11), sys.version; import " + pkg
	out, err := exec.CommandContext(ctx, path, "-c", see).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skipf("%s cannot import %s (%s): name an interpreter that can in %s", path, pkg, lines[len(lines)-1], PythonVariable)
	}
	return path
}
