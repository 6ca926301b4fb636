package refusals_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// The operator's own headers may hold a credential, so a caller with them is no stranger.
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

// A refusal cancels the simultaneous calls, which may already have made a run.
func TestKeyedRunsThatWereCancelledAreReported(t *testing.T) {
	const inARow = 6
	var asked atomic.Int32
	another := make(chan struct{})
	url := hosttest.Serve(t, hosttest.DiscoveryWith(hosttest.EveryFixture...), hosttest.Routes{
		"POST /v1/runs": func(r *http.Request, _ map[string]any) (int, any) {
			switch n := asked.Add(1); n {
			case inARow + 1:
				close(another)
			case inARow + 2:
				<-another
				return hosttest.Refused(http.StatusUnauthorized, "unauthenticated")
			default:
				if n <= inARow {
					return hosttest.Refused(http.StatusNotFound, "not_found")
				}
			}
			<-r.Context().Done()
			return http.StatusCreated, nil
		},
	})
	o := scenarios.Options{Patience: time.Second, Select: scenarios.Selection{Scenarios: []string{"openwop/errors/keyed-at-once"}}}
	run, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: "dev-key"}, o, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	r := run.Finish(context.Background())
	lost := func(what string) bool { return strings.HasPrefix(what, "perhaps a run of a keyed request: ") }
	if !slices.ContainsFunc(r.Leftovers, lost) {
		t.Errorf("%s (%s), leftovers %q", r.Outcomes[0].Verdict, r.Outcomes[0].Reason, r.Leftovers)
	}
}
