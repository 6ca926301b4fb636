package prove_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		os.Exit(agentProcess(os.Args[2:]))
	}
	if setting := os.Getenv(doomed); setting != "" {
		if err := dieAfterAppends(setting); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Most tests wait for hosts that wait for timers, so many run at once, and the lab bounds how many hosts do. The command line
	// goes first.
	testenv.Draws(12)
	for name, value := range map[string]string{"rapid.steps": "25", "test.parallel": "32"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	testenv.Disinherit()
	debug.SetGCPercent(300) // as assay prove has it
	goleak.VerifyTestMain(inLab{m})
}

// lab is where all tests start their hosts.
var lab *prove.Lab

// inLab runs the tests, and closes the lab before anybody looks for leaks.
type inLab struct{ *testing.M }

func (m inLab) Run() int {
	var err error
	if lab, err = prove.NewLab(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.M.Run()
	if err := lab.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "closing the lab:", err)
		return 1
	}
	return code
}

// many passes over a test that certifies many hosts, where -short asks for few.
func many(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: few hosts")
	}
}

// serve starts a simulated host on a real socket; wrap may stand in front of it.
func serve(t *testing.T, o surface.Options, wrap func(http.Handler) http.Handler, faults ...string) *protocols.Served {
	t.Helper()
	s, err := protocols.OpenWOP{Options: o, Faults: faults}.Serve(t.Context(), lab.Target(suites.Protocol), protocols.Place{}, wrap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("closing the host: %v", err)
		}
	})
	return s
}

func certify(t *testing.T, url string, o scenarios.Options) *scenarios.Report {
	t.Helper()
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	target := lab.Target(suites.Protocol)
	target.URL = url
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
	err    error
}

// certified is the report of an honest or faulty host with these options and nothing in front of it, without its
// transcripts. Each host is certified once, for all tests that ask for it: they must not change the report.
func certified(t *testing.T, o surface.Options) *scenarios.Report {
	t.Helper()
	h := prove.Host{Name: t.Name(), Specimen: protocols.OpenWOP{Options: o}}
	r, err := certifiedOnce(context.WithoutCancel(t.Context()), h, scenarios.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recordedRun is the run id under which the tables of checks are made and compared: the words of some checks hold drawn names,
// which differ with it.
const recordedRun = "recorded"

func certifiedOnce(ctx context.Context, h prove.Host, o scenarios.Options) (*scenarios.Report, error) {
	made, _ := shared.LoadOrStore(fmt.Sprintf("%T %+v", h.Specimen, h.Specimen), &sharedReport{})
	s := made.(*sharedReport)
	o.RunID = recordedRun
	if h.Fault == nil {
		o.Patience = testenv.Patience(10 * time.Second)
	}
	s.once.Do(func() { s.report, s.err = lab.Certify(ctx, h, o) })
	return s.report, s.err
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
