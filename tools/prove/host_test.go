package prove_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
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
	// One check is a whole life of a host, and some more; what fails is told, not left in files. The command line goes first.
	for name, value := range map[string]string{"rapid.checks": "12", "rapid.steps": "25", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(besides{m})
}

const key, otherKey, lowScopeKey = "prove-key", "prove-other-key", "prove-low-scope-key"

// voters are further principals of the tenant, and their keys.
var voters = map[string]string{"voter-1": "prove-voter-key-1", "voter-2": "prove-voter-key-2", "voter-3": "prove-voter-key-3"}

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
	o.Key, o.Tenants, o.Voters, o.LowScopeKey = key, map[string]string{"other": otherKey}, voters, lowScopeKey
	if o.Version == 0 || o.Version >= 3 { // below there are no causes across hosts
		o.Peers = map[string]openwop.Peer{openwop.SecondHost: {URL: second(t), Key: secondKey}}
	}
	server := httptest.NewUnstartedServer(nil)
	o.URL = "http://" + server.Listener.Addr().String()
	h, err := openwop.New(t.Context(), o)
	if err != nil {
		server.Listener.Close()
		t.Fatal(err)
	}
	handler := h.Handler()
	if wrap != nil {
		handler = wrap(handler)
	}
	server.Config.Handler = handler
	server.Start()
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
	target := wire.Target{URL: url, Key: key, OtherKey: otherKey, VoterKeys: slices.Sorted(maps.Values(voters)), LowScopeKey: lowScopeKey,
		SecondURL: second(t), SecondKey: secondKey}
	c, err := scenarios.Certify(t.Context(), target, o, suites.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// shared are the reports of hosts that more than one test looks at, by their options.
var shared sync.Map // of *sharedReport

type sharedReport struct {
	once   sync.Once
	report *scenarios.Report
}

// certified is the report of an honest or faulty host with these options and nothing in front of it, without its
// transcripts: those of all hosts together take gigabytes. Each host is certified once, for all tests that ask for it:
// they must not change the report.
func certified(t *testing.T, o openwop.Options) *scenarios.Report {
	t.Helper()
	made, _ := shared.LoadOrStore(fmt.Sprintf("%+v", o), &sharedReport{})
	s := made.(*sharedReport)
	s.once.Do(func() {
		r := certify(t, serve(t, o, nil).URL, scenarios.Options{})
		r.Drives = nil
		s.report = r
	})
	if s.report == nil {
		t.Fatal("this host could not be certified when another test asked for it")
	}
	return s.report
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
