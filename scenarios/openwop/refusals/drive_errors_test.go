package refusals_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// The operator's own headers may be a credential: who has them is no stranger.
func TestWithTheOperatorsHeadersNobodyIsAStranger(t *testing.T) {
	url := hosttest.Serve(t, hosttest.DiscoveryWith())
	for name, c := range map[string]struct {
		header map[string]string
		want   scenarios.Verdict
	}{
		"a key alone":        {nil, scenarios.Passed},
		"a header of theirs": {map[string]string{"X-Api-Key": "s3cret"}, scenarios.Blocked},
		"the credential":     {map[string]string{"Authorization": "Basic s3cret"}, scenarios.Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			o := scenarios.Options{Patience: time.Second, Select: scenarios.Selection{Scenarios: []string{"discovery/served-to-anybody"}}}
			run, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: "dev-key", Header: c.header}, o, openwop.Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			out := run.Finish(context.Background()).Outcomes[0]
			if out.Verdict != c.want || c.want == scenarios.Blocked && !strings.Contains(out.Unblock, "--key") {
				t.Errorf("%s: %s (%s)", out.Verdict, out.Reason, out.Unblock)
			}
		})
	}
}
