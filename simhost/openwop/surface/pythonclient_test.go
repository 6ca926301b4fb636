package surface

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// The protocol's Python client makes each of its calls to the host, and finds in the replies what it looks for.
func TestThePythonClient(t *testing.T) {
	python := testenv.Python(t, "openwop-client", "1.8.0")
	c := serve(t, Options{Version: HighestVersion, TrustVoters: true})
	ctx := testenv.Soon(t, 30*time.Second)
	said, err := exec.CommandContext(ctx, python, "-I", "testdata/client.py", c.base, c.key).CombinedOutput()
	if err != nil {
		t.Fatalf("the client: %v\n%s", err, said)
	}
	if told := "55 calls of openwop-client 1.8.0 "; !strings.HasPrefix(string(said), told) { // as docs/simhost.md has it
		t.Errorf("the client says %q, want %q", said, told)
	}
}
