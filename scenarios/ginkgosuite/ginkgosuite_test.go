package ginkgosuite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/scenarios/wire"
)

var (
	always   = scenarios.Claim{ID: "always", Look: func(d scenarios.Discovery) (wire.Value, bool) { return d.Document, true }}
	protocol = &scenarios.Protocol{ID: "toy/v1", DiscoveryPath: "/", Claims: []scenarios.Claim{always},
		Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "TOY-1", Level: scenarios.Must, Source: "TOY", Claim: "always"}})}
)

func toyScenario(name string, ask scenarios.Question) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("toy/s/" + name), Title: "it " + name, Proves: scenarios.IDs{"TOY-1"}, Claim: always, Ask: ask,
	}
}

func toySuite() scenarios.Suite {
	return scenarios.Suite{ID: "s", Protocol: protocol, Scenarios: []scenarios.Scenario{
		toyScenario("holds", scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
			j.Check("TOY-1", d.Document.Key("n")).To(check.Equal(1))
		})),
		toyScenario("breaks", scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
			j.Check("TOY-1", d.Document.Key("n")).To(check.Equal(2))
		})),
		toyScenario("blocks", scenarios.Advertised(func(_ scenarios.Discovery, j *scenarios.Judge) {
			j.Block("no way to look", "open a window")
		})),
	}}
}

// drivenSuite has a scenario a path, each with a drive that asks for it.
func drivenSuite(paths ...string) scenarios.Suite {
	type seen struct{ N wire.Value }
	suite := scenarios.Suite{ID: "s", Protocol: protocol}
	for _, path := range paths {
		drive := &scenarios.Drive[seen]{ID: path, Run: func(ctx context.Context, c *scenarios.Conn, o *seen) {
			o.N = c.Do(ctx, wire.Call{Method: http.MethodGet, Path: "/" + path}).Value("/n")
		}}
		suite.Scenarios = append(suite.Scenarios, toyScenario(path, scenarios.Ask(drive, func(o seen, j *scenarios.Judge) {
			j.Check("TOY-1", o.N).To(check.Equal(1))
		})))
	}
	return suite
}

// asked notes the paths that a host is asked for.
type asked struct {
	mu    sync.Mutex
	paths []string
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.paths = append(a.paths, r.URL.Path)
	fmt.Fprint(w, `{"n":1}`)
}

// driven are the paths beside that of the discovery document, sorted.
func (a *asked) driven() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(slices.Values(a.paths)), func(p string) bool { return p == "/" })
}

func toyHost(t *testing.T) wire.Target {
	t.Helper()
	return hostOf(t, &asked{})
}

func hostOf(t *testing.T, handler http.Handler) wire.Target {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return wire.Target{URL: server.URL}
}

func TestShow(t *testing.T) {
	for round := range 2 { // Ginkgo's tree is package-wide: a second certification must not meet the first
		c, err := scenarios.Certify(t.Context(), toyHost(t), scenarios.Options{}, toySuite())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		report := ginkgosuite.Show(c, &out)
		c.Finish(context.Background())
		specs := report.SpecReports.WithLeafNodeType(types.NodeTypeIt)
		if len(specs) != 3 {
			t.Fatalf("round %d: %d specs", round, len(specs))
		}
		for i, want := range []struct {
			state types.SpecState
			says  string
		}{{types.SpecStatePassed, ""}, {types.SpecStateFailed, "TOY-1: expected 2, got 1"}, {types.SpecStateSkipped, "blocked: no way to look"}} {
			s := specs[i]
			if s.State != want.state || !strings.Contains(s.FailureMessage(), want.says) {
				t.Errorf("%s: %s %q, want %s %q", s.LeafNodeText, s.State, s.FailureMessage(), want.state, want.says)
			}
			name := []string{"holds", "breaks", "blocks"}[i]
			if want := "toy/s/" + name + ": it " + name; s.LeafNodeText != want {
				t.Errorf("it is called %q, want %q", s.LeafNodeText, want)
			}
			labels := []string{"suite:s", "claim:always", "level:MUST", "source:TOY",
				"protocol:toy.v1", "scenario:toy.s." + name, "requirement:TOY-1"}
			if !slices.Equal(s.Labels(), labels) {
				t.Errorf("labels: %v, want %v", s.Labels(), labels)
			}
		}
		if !strings.Contains(out.String(), "failed observed TOY-1\n") ||
			!strings.Contains(out.String(), "FAIL TOY-1 expected 2, got 1 at #1 /n") {
			t.Errorf("Ginkgo printed no check:\n%s", out.String())
		}
	}
}

// What an It was about can be read from its entries, in a report of Ginkgo's as well.
func TestEntries(t *testing.T) {
	suite := drivenSuite("one")
	suite.Scenarios = append(suite.Scenarios, toySuite().Scenarios[1:]...)
	c, err := scenarios.Certify(t.Context(), toyHost(t), scenarios.Options{}, suite)
	if err != nil {
		t.Fatal(err)
	}
	specs := ginkgosuite.Show(c, nil).SpecReports.WithLeafNodeType(types.NodeTypeIt)
	c.Finish(context.Background())
	for i, want := range []string{
		`verdict {"protocol":"toy/v1","suite":"s","scenario":"toy/s/one","requirements":["TOY-1"],"claim":"always","level":"MUST",` +
			`"verdict":"passed","evidence":"observed","drive":"one"}
checks [{"requirement":"TOY-1","expected":"1","actual":"1","ok":true,"where":{"exchange":1,"pointer":"/n"}}]
exchanges exchange 1: GET /one, answered {"n":1}
`,
		`verdict {"protocol":"toy/v1","suite":"s","scenario":"toy/s/breaks","requirements":["TOY-1"],"claim":"always","level":"MUST",` +
			`"verdict":"failed","evidence":"observed","reason":"TOY-1: expected 2, got 1","drive":"discovery"}
checks [{"requirement":"TOY-1","expected":"2","actual":"1","ok":false,"where":{"exchange":1,"pointer":"/n"}}]
exchanges exchange 1: GET /, answered {"n":1}
`,
		`verdict {"protocol":"toy/v1","suite":"s","scenario":"toy/s/blocks","requirements":["TOY-1"],"claim":"always","level":"MUST",` +
			`"verdict":"blocked","evidence":"","reason":"no way to look","unblock":"open a window","drive":"discovery"}
checks null
`,
	} {
		if got := entriesOf(t, specs[i]); got != want {
			t.Errorf("%s:\n%swant\n%s", specs[i].LeafNodeText, got, want)
		}
	}
}

// entriesOf are the report entries of a spec as a reader of its JSON report sees them, exchanges without times.
func entriesOf(t *testing.T, spec types.SpecReport) string {
	t.Helper()
	written, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var read types.SpecReport
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range read.ReportEntries {
		value := e.Value.AsJSON
		if e.Name == ginkgosuite.EntryExchanges {
			var exchanges ginkgosuite.Exchanges
			if err := json.Unmarshal([]byte(value), &exchanges); err != nil {
				t.Fatal(err)
			}
			value = ""
			for _, x := range exchanges {
				sent, err := url.Parse(x.Request.URL)
				if err != nil {
					t.Fatal(err)
				}
				value += fmt.Sprintf("exchange %d: %s %s, answered %s", x.Number, x.Request.Method, sent.Path, x.Response.Body)
			}
		}
		fmt.Fprintln(&b, e.Name, value)
	}
	return b.String()
}

// Only what is selected is put into the caller's tree.
func TestDescribeSelects(t *testing.T) {
	globals.Reset()
	defer globals.Reset()
	ginkgosuite.Describe(toyHost(t), scenarios.Options{Select: scenarios.Selection{Scenarios: []string{"s/holds"}}}, toySuite())
	var ran []string
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { ran = append(ran, r.LeafNodeText+" "+r.State.String()) })
	if !run() || !slices.Equal(ran, []string{"toy/s/holds: it holds passed"}) {
		t.Errorf("ran %v", ran)
	}
}

// A selection that cannot be fails the tree and says why.
func TestDescribeTellsAWrongSelection(t *testing.T) {
	globals.Reset()
	defer globals.Reset()
	ginkgosuite.Describe(toyHost(t), scenarios.Options{Select: scenarios.Selection{Suites: []string{"t"}}}, toySuite())
	var said string
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { said += r.FailureMessage() })
	if run() || !strings.Contains(said, `unknown suite "t"`) {
		t.Errorf("said %q", said)
	}
}

func run(labels ...string) bool { return runWith(func(*types.SuiteConfig) {}, labels...) }

// runWith runs the tree that was built, with the flags that configure sets and with labels of the caller's RunSpecs.
func runWith(configure func(*types.SuiteConfig), labels ...string) bool {
	suiteConfig, reporterConfig := ginkgo.GinkgoConfiguration()
	suiteConfig.LabelFilter, suiteConfig.FocusStrings, suiteConfig.SkipStrings = "", nil, nil // those of the run before
	suiteConfig.RandomSeed = 1
	configure(&suiteConfig)
	reporterConfig.NoColor, reporterConfig.Succinct = true, true
	return ginkgo.RunSpecs(fail(func() {}), "a host's own suite", suiteConfig, reporterConfig, ginkgo.Label(labels...))
}

// A target is driven for what Ginkgo runs, and for nothing else.
func TestDescribeDrivesWhatRuns(t *testing.T) {
	for _, c := range []struct {
		name      string
		configure func(*types.SuiteConfig)
		driven    []string // all of them, and so what ran
	}{
		{"no filter", func(*types.SuiteConfig) {}, []string{"/a", "/b", "/c"}},
		{"a label of a scenario", func(c *types.SuiteConfig) { c.LabelFilter = "scenario:toy.s.b" }, []string{"/b"}},
		{"a label of the tree around it", func(c *types.SuiteConfig) { c.LabelFilter = "nightly && /scenario:toy.s.[ac]/" },
			[]string{"/a", "/c"}},
		{"a requirement, and another protocol", func(c *types.SuiteConfig) {
			c.LabelFilter = "requirement:TOY-1 && !(protocol: containsAny {other.v1}) && !scenario:toy.s.a"
		}, []string{"/b", "/c"}},
		{"focus", func(c *types.SuiteConfig) { c.FocusStrings = []string{"toy/s/a", "toy/s/c"} }, []string{"/a", "/c"}},
		{"skip", func(c *types.SuiteConfig) { c.SkipStrings = []string{"my host OpenAssay s toy/s/a"} }, []string{"/b", "/c"}},
		{"a label of the caller's RunSpecs", func(c *types.SuiteConfig) { c.LabelFilter = "everywhere && scenario:toy.s.b" },
			[]string{"/a", "/b", "/c"}},
		{"that, for some", func(c *types.SuiteConfig) { c.LabelFilter = "scenario:toy.s.a || everywhere && scenario:toy.s.c" },
			[]string{"/a", "/b", "/c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			globals.Reset()
			defer globals.Reset()
			host := &asked{}
			target := hostOf(t, host)
			ginkgo.Describe("my host", ginkgo.Label("nightly"), func() {
				ginkgosuite.Describe(target, scenarios.Options{}, drivenSuite("a", "b", "c"))
			})
			var states []string
			ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { states = append(states, r.State.String()+" "+r.FailureMessage()) })
			if !runWith(c.configure, "everywhere") {
				t.Errorf("it failed: %v", states)
			}
			if driven := host.driven(); !slices.Equal(driven, c.driven) {
				t.Errorf("driven: %v, want %v", driven, c.driven)
			}
		})
	}
}

// A caller's own tree, as a host's maintainer would write it. What is left unproved fails, unless the caller says why not.
func TestDescribe(t *testing.T) {
	for allow, want := range map[string][]string{"": {"passed", "failed", "failed"}, "no seam yet": {"passed", "failed", "skipped"}} {
		globals.Reset()
		ginkgosuite.Describe(toyHost(t), scenarios.Options{AllowUnproved: allow}, toySuite())
		var states []string
		ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) { states = append(states, r.State.String()) })
		if run() {
			t.Error("a violated scenario did not fail the caller's suite")
		}
		if !slices.Equal(states, want) {
			t.Errorf("allowed %q: states %v", allow, states)
		}
	}
	globals.Reset()
}

type fail func()

func (f fail) Fail() { f() }

func TestParseFilter(t *testing.T) {
	match, err := ginkgosuite.ParseFilter("suite:version5-shape && !level:SHOULD")
	if err != nil || !match([]string{"suite:version5-shape", "level:MUST"}) || match([]string{"suite:version5-shape", "level:SHOULD"}) {
		t.Error(err)
	}
	if _, err := ginkgosuite.ParseFilter("suite:("); err == nil || !strings.Contains(err.Error(), "label expressions") {
		t.Errorf("got %v", err)
	}
}
