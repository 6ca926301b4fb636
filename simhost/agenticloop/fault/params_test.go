package fault

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// A fault that waits for a step leaves the turns before it to the honest agent.
func TestFaultsWaitForTheirStep(t *testing.T) {
	echo := func(by *rules.Set) Program {
		return func(_ context.Context, in io.Reader, out, _ io.Writer) int {
			_, _ = io.Copy(io.Discard, in)
			fmt.Fprintln(out, `{"state":{}}`)
			return 0
		}
	}
	for from := 1; from <= Step.Most; from++ {
		run, err := Agent(echo, fmt.Sprintf("agent.answers-twice:from=%d", from))
		if err != nil {
			t.Fatal(err)
		}
		for step := range Step.Most {
			var out bytes.Buffer
			request := fmt.Sprintf(`{"command":"handle","state":{"runs":{"a":{"step":%d},"b":{"step":0}}}}`, step)
			if code := run(t.Context(), strings.NewReader(request), &out, io.Discard); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			if shows := strings.Count(out.String(), "state") > 1; shows != (step+1 >= from) {
				t.Errorf("from=%d, step %d is next: shows %v", from, step+1, shows)
			}
		}
	}
	if _, err := Agent(echo, "agent.answers-twice:from=0"); err == nil {
		t.Error("from=0 passes")
	}
}
