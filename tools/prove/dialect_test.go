package prove_test

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/dialect/dialecttest"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// A host that speaks another dialect is judged as it is in that of v1: the suites check the same, as often, with the same
// verdicts.
func TestAnotherDialectIsJudgedTheSame(t *testing.T) {
	many(t)
	t.Parallel()
	hosts := prove.Honest(protocols.Named("openwop"))[:1]
	was, err := readChecks(filepath.Join("testdata", "checks", "openwop.txt"), hosts)
	if err != nil {
		t.Fatal(err)
	}
	served := serve(t, hosts[0].Specimen.(protocols.OpenWOP).Options, dialecttest.Speaks)
	target := lab.Target(suites.Protocol)
	target.URL = served.URL
	if target.SecondURL != "" {
		target.SecondURL = speaking(t, target.SecondURL)
	}
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	o := scenarios.Options{Seed: 1, Patience: testenv.Patience(10 * time.Second)}
	c, err := scenarios.Certify(t.Context(), target, o, suites.SuitesOf(suites.Speaking(dialecttest.Other))...)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(t.Context())
	for i := range r.Outcomes { // a path that is named in a check is the only word of the dialect that the tables keep
		for k := range r.Outcomes[i].Checks {
			words := &r.Outcomes[i].Checks[k].Expected
			*words = strings.ReplaceAll(*words, dialecttest.Other.Path(dialect.UseSeam, dialecttest.Other.Seams[0], ""),
				dialect.V1.Path(dialect.UseSeam, dialect.V1.Seams[0], ""))
		}
	}
	for _, odd := range oddities(was[hosts[0].Name], checksOf(r), racyOf(was)) {
		t.Error(odd)
	}
	for _, o := range r.Outcomes {
		if t.Failed() && o.Verdict != scenarios.Passed {
			t.Logf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	speaksNoV1(t, r.Drives)
	for _, left := range r.Leftovers {
		t.Errorf("left behind: %s", left)
	}
}

// speaksNoV1 fails the test where something of v1 went over the wire.
func speaksNoV1(t *testing.T, drives []scenarios.DriveRecord) {
	t.Helper()
	seen := 0
	for _, d := range drives {
		for n := 1; n <= d.Transcript.Len(); n++ {
			e := d.Transcript.Entry(n)
			if e.Request == nil || e.Response == nil {
				continue
			}
			seen++
			if at, err := url.Parse(e.Request.URL); err != nil || strings.HasPrefix(at.Path, dialect.V1.Root+"/") {
				t.Errorf("%s sends %s %s", d.ID, e.Request.Method, e.Request.URL)
			}
			for _, word := range []dialect.Event{dialect.RunStarted, dialect.NodeCompleted, dialect.Decided} {
				if strings.Contains(e.Response.Body, `"type":"`+string(word)) {
					t.Errorf("%s is answered %q by %s %s", d.ID, word, e.Request.Method, e.Request.URL)
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d requests were answered", seen)
	}
}

// speaking has the host at an address speak the other dialect.
func speaking(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	before := httputil.NewSingleHostReverseProxy(to)
	before.FlushInterval = -1
	s := httptest.NewServer(dialecttest.Speaks(before))
	t.Cleanup(s.Close)
	return s.URL
}

// A fault shows in another dialect, too: words of this dialect are judged, not only let through.
func TestFaultsShowInAnotherDialect(t *testing.T) {
	t.Parallel()
	for fault, scenario := range map[string]string{
		"loop.last-turn-uncounted": "openwop/iteration-monotonic/one-per-turn",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			served := serve(t, surface.Options{Version: surface.HighestVersion}, dialecttest.Speaks, fault)
			o := scenarios.Options{Select: scenarios.Selection{Scenarios: []string{scenario}}, Patience: testenv.Patience(10 * time.Second)}
			target := lab.Target(suites.Protocol)
			target.URL = served.URL
			c, err := scenarios.Certify(t.Context(), target, o, suites.SuitesOf(suites.Speaking(dialecttest.Other))...)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range c.Finish(t.Context()).Outcomes {
				if o.Verdict != scenarios.Failed {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
			}
		})
	}
}
