package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
)

// A host that is told to trust its voters counts whom answers name; any other counts keys.
func TestSimhostTrustsItsVoters(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--trust-voters", `"status":"completed"`},
		{"--trust-voters=false", `"status":"waiting-approval"`},
	} {
		p, url, _ := consoleAt(t, "--console=false", c.flag)
		ask := func(method, path, body string) string {
			t.Helper()
			request, err := http.NewRequestWithContext(testenv.Soon(t, 20*time.Second), method, url+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer dev")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			said, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode >= 300 {
				t.Fatalf("%s %s: %d %s %v", method, path, response.StatusCode, said, err)
			}
			return string(said)
		}
		_, id, _ := strings.Cut(ask("POST", "/v1/runs", `{"workflowId":"conformance-interrupt-quorum"}`), `"runId":"`)
		id, _, _ = strings.Cut(id, `"`)
		testenv.Until(t, "the run waits", 20*time.Second, func() bool {
			return strings.Contains(ask("GET", "/v1/runs/"+id, ""), `"status":"waiting-approval"`)
		})
		for voter := range 3 {
			ask("POST", "/v1/runs/"+id+"/interrupts/gate", fmt.Sprintf(`{"resumeValue":{"action":"accept","voter":"v%d"}}`, voter))
		}
		testenv.Until(t, c.flag+": "+c.want, 20*time.Second, func() bool {
			return strings.Contains(ask("GET", "/v1/runs/"+id, ""), c.want)
		})
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		p.ended(t)
	}
}
