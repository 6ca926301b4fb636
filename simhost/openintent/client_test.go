package openintent

import (
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// The protocol's own Python client works through testdata/client.py against a server on a real socket: intents, leases, the
// graph, portfolios, tasks and plans, assignments, streams, a worker, and an agent whose loop asks a person and reminds them.
func TestThePythonClientBelievesTheServer(t *testing.T) {
	python := testenv.Python(t, "openintent", "0.17.0")
	c := serve(t, Options{})
	ctx := testenv.Soon(t, 90*time.Second)
	out, err := exec.CommandContext(ctx, python, "testdata/client.py", c.base, DefaultKey).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source, err := exec.CommandContext(ctx, python, "-c", "import importlib.metadata as m; print(m.version('openintent'))").Output()
	if err != nil {
		t.Fatal(err)
	}
	if through := regexp.MustCompile(`(?m)^through: `).FindAll(out, -1); len(through) != 9 {
		t.Errorf("%d parts of 9 are through:\n%s", len(through), out)
	}
	t.Logf("with release %s", source)
}
