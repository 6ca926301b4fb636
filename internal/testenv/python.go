package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// PythonVariable is the environment variable that names the Python in which packages are looked for that tests try: ASSAY_PYTHON.
const PythonVariable = "ASSAY_PYTHON"

// Python returns a Python that has a package of this version. Where there is none the test is skipped; it fails if
// [PythonVariable] names one that does not have it.
func Python(t testing.TB, distribution, version string) (path string) {
	t.Helper()
	named := os.Getenv(PythonVariable)
	path, err := python(named, distribution, version)
	switch {
	case err == nil:
		return path
	case named != "":
		t.Fatalf("%s=%s: %v", PythonVariable, named, err)
	default:
		t.Skipf("%v: install it (pip install %s==%s), and name the Python that has it with %s", err, distribution, version, PythonVariable)
	}
	return ""
}

// python finds the Python of this name, python3 for none, and asks it for the version of a package.
func python(name, distribution, version string) (path string, err error) {
	if name == "" {
		name = "python3"
	}
	if path, err = exec.LookPath(name); err != nil {
		return "", fmt.Errorf("there is no Python: %w", err)
	}
	// An older Python cannot read a time that ends in Z.
	const ask = "import importlib.metadata, sys; assert sys.version_info >= (3, 11); print(importlib.metadata.version(sys.argv[1]))"
	said, err := exec.Command(path, "-I", "-c", ask, distribution).Output()
	if err != nil {
		return "", fmt.Errorf("%s is older than 3.11, or does not have %s", path, distribution)
	}
	if has := strings.TrimSpace(string(said)); has != version {
		return "", fmt.Errorf("%s has %s %s, not %s", path, distribution, has, version)
	}
	return path, nil
}
