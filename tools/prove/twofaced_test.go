package prove_test

import (
	"context"
	"math/rand/v2"
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
	"github.com/openassay/assay/tools/record"
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
	faults := row.Faults()
	broken := faults[slices.IndexFunc(faults, func(f protocols.Fault) bool { return f.ID == "loop.last-turn-uncounted" })]
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

	dir := t.TempDir()
	tape, err := record.New(record.Options{Target: host.URL, Dir: dir, Most: 1 << 26})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(tape)
	u := user{base: front.URL, key: honest.Key, rnd: rand.New(rand.NewPCG(1, 0))}
	u.runs(t.Context(), 22)
	front.Close()
	if _, err := tape.Close(); err != nil {
		t.Fatal(err)
	}

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
	var unprompted []scenarios.Unprompted
	for _, r := range (observed.Judge{Protocol: row.Protocol, Suites: target.Suites(), Discovery: c.Discovery}).Judge(all[0]).Rows {
		b := r.First.Breach
		b.By = scenarios.ByRecording
		unprompted = append(unprompted, scenarios.Unprompted{Requirement: r.Requirement, Times: r.Times, Of: r.Of, Violations: r.Violations,
			Breach: b})
	}
	report.Observed(unprompted)
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
