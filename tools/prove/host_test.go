package prove_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop"
)

func TestMain(m *testing.M) {
	if setting := os.Getenv(doomed); setting != "" {
		if err := dieAfterAppends(setting); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const key, otherKey = "prove-key", "prove-other-key"

// many passes over a test that certifies many hosts, where -short asks for few.
func many(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: few hosts")
	}
}

// serve starts a simulated host on a real socket; wrap may stand in front of it.
func serve(t *testing.T, o openwop.Options, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	o.Key, o.Tenants = key, map[string]string{"other": otherKey}
	h, err := openwop.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	handler := h.Handler()
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Errorf("closing the host: %v", err)
		}
		server.Close()
	})
	return server
}

func certify(t *testing.T, url string, o scenarios.Options) *scenarios.Report {
	t.Helper()
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: key, OtherKey: otherKey}, o, suites.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// byVerdict groups scenario names by verdict.
func byVerdict(r *scenarios.Report) map[scenarios.Verdict][]string {
	out := map[scenarios.Verdict][]string{}
	for _, o := range r.Outcomes {
		out[o.Verdict] = append(out[o.Verdict], o.Scenario.Name())
	}
	return out
}

// nothingWrong fails the test for every outcome that accuses an honest host, or Assay.
func nothingWrong(t *testing.T, r *scenarios.Report) {
	t.Helper()
	for _, o := range r.Outcomes {
		switch o.Verdict {
		case scenarios.Passed, scenarios.Inapplicable:
		default:
			t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	for _, f := range r.DiscoveryFindings {
		t.Errorf("discovery: %s", f.Text)
	}
	for _, l := range r.Leftovers {
		t.Errorf("left behind: %s", l)
	}
}

func outcome(t *testing.T, r *scenarios.Report, name string) scenarios.Outcome {
	t.Helper()
	for _, o := range r.Outcomes {
		if o.Scenario.Name() == name {
			return o
		}
	}
	t.Fatalf("no scenario %s", name)
	return scenarios.Outcome{}
}
