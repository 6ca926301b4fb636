package prove_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// started starts a specimen for as long as the test runs.
func started(t *testing.T, s protocols.Specimen) wire.Target {
	t.Helper()
	target, stop, err := s.Start(t.Context(), lab.Target(s.Protocol()), protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop(context.WithoutCancel(t.Context())) })
	return target
}

// A host that keeps the rules only for its examiner is certified. What it did for others tells on it.
func TestTwoFaced(t *testing.T) {
	many(t)
	t.Parallel()
	row := protocols.Named("openwop")
	broken, err := row.Fault("loop.last-turn-uncounted")
	if err != nil {
		t.Fatal(err)
	}
	honest := started(t, row.Honest()[0].Specimen)
	towards := func(address string) *httputil.ReverseProxy {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(u)
		proxy.FlushInterval = -1
		return proxy
	}
	examined, others := towards(honest.URL), towards(started(t, broken.Specimen).URL)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() == ordinaryAgent {
			others.ServeHTTP(w, r)
		} else {
			examined.ServeHTTP(w, r)
		}
	}))
	defer host.Close()

	dir := taped(t, host.URL, honest.Key, 1, 22)
	honest.URL = host.URL
	target := row.Targets[0]
	c, err := scenarios.Certify(t.Context(), honest, scenarios.Options{Seed: 1, Depth: scenarios.Quick}, target.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	report := c.Finish(t.Context())
	if code := report.ExitCode(); code != scenarios.ExitProved {
		t.Fatalf("certify is not content: exit %d, %d breaches", code, len(report.Breaches))
	}
	all, err := observed.Read(os.DirFS(dir), row.Protocol)
	if err != nil {
		t.Fatal(err)
	}
	report.Observed(observed.Judge{Protocol: row.Protocol, Suites: target.Suites(), Discovery: c.Discovery}.Judge(all[0]).Unprompted())
	if code := report.ExitCode(); code != scenarios.ExitViolated {
		t.Errorf("with the recording it ends with %d", code)
	}
	i := slices.IndexFunc(report.Requirements, func(s scenarios.RequirementStatus) bool { return s.ID == "OWP-0061-B2" })
	if s := report.Requirements[i]; s.Verdict != scenarios.Failed || !s.Contradicted {
		t.Errorf("what it does otherwise when it is asked is %+v", s)
	}
	for _, p := range report.Profiles {
		if strings.HasPrefix(p.ID, "loop-v5") && p.Status == "certified" {
			t.Errorf("profile %s is certified: %+v", p.ID, p)
		}
	}
}
