package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The toy protocol: a host counts, and may claim to count, to be loud or to be slow.
var (
	counts = scenarios.Claim{ID: "counts", Title: "it counts", Pointer: "/counts == true", Look: flag("counts")}
	loud   = scenarios.Claim{ID: "loud", Title: "it is loud", Pointer: "/loud == true", Look: flag("loud")}

	protocol = &scenarios.Protocol{
		ID: "toy/v1", Title: "a toy", DiscoveryPath: "/hello",
		Claims: []scenarios.Claim{counts, loud},
		Ledger: scenarios.NewLedger([]scenarios.Requirement{
			{ID: "TOY-1", Level: scenarios.Must, Claim: "counts", Aliases: []string{"TOY-OLD"}},
			{ID: "TOY-2", Level: scenarios.Must, Claim: "counts", Stimulus: scenarios.SeamStimulus},
			{ID: "TOY-3", Level: scenarios.Should, Claim: "counts"},
			{ID: "TOY-4", Level: scenarios.May, Claim: "counts"},
			{ID: "TOY-5", Level: scenarios.Must, Claim: "loud"},
		}),
		Profiles: []scenarios.Profile{{ID: "toy-basic", Claims: []string{"counts"}, Digest: "d1", Requires: []scenarios.Required{
			{ID: "TOY-1", Evidence: scenarios.Observed, Scenarios: []scenarios.ScenarioID{"toy/counting/a", "toy/counting/b"}},
			{ID: "TOY-2", Evidence: scenarios.Observed, Scenarios: []scenarios.ScenarioID{"toy/counting/c"}},
		}}},
	}
)

func flag(name string) func(scenarios.Discovery) (wire.Value, bool) {
	return func(d scenarios.Discovery) (wire.Value, bool) {
		v := d.Document.Key(name)
		on, _ := v.Bool()
		return v, on
	}
}

type counted struct {
	N wire.Value `json:"n"`
}

type attested struct{ counted }

func (attested) SeenAs() scenarios.Evidence { return scenarios.Attested }

func countDrive(id string) *scenarios.Drive[counted] {
	return &scenarios.Drive[counted]{ID: id, Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		r := c.Do(ctx, wire.Call{Method: "GET", Path: "/count"})
		*o = counted{r.Value("/n")}
	}}
}

func stopDrive(id string, err error) *scenarios.Drive[counted] {
	return &scenarios.Drive[counted]{ID: id, Run: func(context.Context, *scenarios.Conn, *counted) { scenarios.End(err) }}
}

func is(n int, ids ...scenarios.RequirementID) func(counted, *scenarios.Judge) {
	return func(o counted, j *scenarios.Judge) {
		for _, id := range ids {
			j.Check(id, o.N).To(check.Equal(n))
		}
	}
}

func suite(s ...scenarios.Scenario) scenarios.Suite {
	return scenarios.Suite{ID: "counting", Title: "counting", Protocol: protocol, Scenarios: s}
}

func one(name string, claim scenarios.Claim, ask scenarios.Question, proves ...scenarios.RequirementID) scenarios.Scenario {
	return scenarios.Scenario{ID: scenarios.ScenarioID("toy/counting/" + name), Title: name, Claim: claim, Proves: proves, Ask: ask}
}

func toyHost(t *testing.T, discovery string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, discovery) })
	mux.HandleFunc("/count", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"n":3}`) })
	mux.HandleFunc("/forbidden", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"n":3}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func certify(t *testing.T, o scenarios.Options, s ...scenarios.Scenario) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true,"loud":false}`)}, o, suite(s...))
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// Each verdict, and the exit code of a certification with that verdict alone.
func TestVerdicts(t *testing.T) {
	type attestedDrive = scenarios.Drive[attested]
	for _, c := range []struct {
		name    string
		ask     scenarios.Question
		claim   scenarios.Claim
		expect  string // a claim that the operator expects
		proves  []scenarios.RequirementID
		want    scenarios.Verdict
		reason  string
		unblock string
		exit    int
	}{
		{name: "all checks hold", ask: scenarios.Ask(countDrive("d"), is(3, "TOY-1")), want: scenarios.Passed, exit: 0},
		{name: "a violation", ask: scenarios.Ask(countDrive("d"), is(4, "TOY-1")), want: scenarios.Failed,
			reason: "TOY-1: expected 4, got 3", exit: 1},
		{name: "not claimed", claim: loud, ask: scenarios.Ask(countDrive("d"), is(3, "TOY-5")),
			proves: []scenarios.RequirementID{"TOY-5"}, want: scenarios.Inapplicable,
			reason: "not claimed: /loud == true is false", exit: 4},
		{name: "no fixture", ask: scenarios.Ask(stopDrive("d", scenarios.Block("no fixture", "load it")), is(3, "TOY-1")),
			want: scenarios.Blocked, reason: "no fixture", unblock: "load it", exit: 5},
		{name: "not offered",
			ask:  scenarios.Ask(stopDrive("d", scenarios.NotOffered("POST /louder answered HTTP 404")), is(3, "TOY-1")),
			want: scenarios.Inapplicable, reason: "not offered: POST /louder answered HTTP 404", exit: 4},
		{name: "not offered, and expected", expect: "counts",
			ask:  scenarios.Ask(stopDrive("d", scenarios.NotOffered("POST /louder answered HTTP 404")), is(3, "TOY-1")),
			want: scenarios.Blocked, reason: "not offered", unblock: "do not expect the claim counts", exit: 5},
		{name: "a setup step failed",
			ask:  scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) { j.Violates("TOY-2", o.N, "it would not start") }),
			want: scenarios.Blocked, reason: "it would not start", unblock: "TOY-2", exit: 1},
		{name: "a finding about a MUST", ask: scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
			j.Check("TOY-1", o.N).To(check.Equal(3))
			j.Find("TOY-2", "it is odd")
		}), want: scenarios.Broken, reason: "a finding about TOY-2, which is a MUST", exit: 6},
		{name: "a judge that ends with less than it names",
			ask: scenarios.Ask(countDrive("d"), func(_ counted, j *scenarios.Judge) { j.End() }), want: scenarios.Broken,
			reason: "without a check", exit: 6},
		{name: "a judge that requires what does not hold", ask: scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
			j.Require(j.Check("TOY-1", o.N).To(check.Equal(4)))
			panic("it goes on")
		}), want: scenarios.Failed, reason: "TOY-1", exit: 1},
		{name: "a judge that cannot look any further, and has seen something broken",
			ask: scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
				j.Check("TOY-1", o.N).To(check.Equal(4))
				j.Block("nothing there", "put it there")
			}), want: scenarios.Failed, reason: "TOY-1", exit: 1},
		{name: "a part that cannot look does not keep the others from it",
			ask: scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
				j.Part(func() { j.Block("nothing there", "put it there") })
				j.Part(func() { j.Block("nor there", "put that there") })
				j.Part(func() { j.Check("TOY-1", o.N).To(check.Equal(3)) })
			}), want: scenarios.Blocked, reason: "nothing there", exit: 5},
		{name: "a part that is broken counts more than one that cannot look",
			ask: scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
				j.Part(func() { j.Block("nothing there", "put it there") })
				j.Part(func() { j.Check("TOY-1", o.N).To(check.Equal(4)) })
			}), want: scenarios.Failed, reason: "TOY-1", exit: 1},
		{name: "a part that panics", ask: scenarios.Ask(countDrive("d"), func(_ counted, j *scenarios.Judge) {
			j.Part(func() { panic("ah") })
		}), want: scenarios.Broken, reason: "ah", exit: 6},
		{name: "the judge cannot look",
			ask:  scenarios.Ask(countDrive("d"), func(_ counted, j *scenarios.Judge) { j.Block("nothing there", "put it there") }),
			want: scenarios.Blocked, reason: "nothing there", exit: 5},
		{name: "no answer", ask: scenarios.Ask(stopDrive("d", fmt.Errorf("asking: %w", wire.ErrNoAnswer)), is(3, "TOY-1")),
			want: scenarios.Inconclusive, reason: "did not answer", exit: 5},
		{name: "a drive of ours fails", ask: scenarios.Ask(stopDrive("d", errors.New("oh")), is(3, "TOY-1")),
			want: scenarios.Broken, reason: "oh", exit: 6},
		{name: "a judge of ours panics",
			ask: scenarios.Ask(countDrive("d"), func(counted, *scenarios.Judge) { panic("uh") }), want: scenarios.Broken,
			reason: "uh", exit: 6},
		{name: "no check at all", ask: scenarios.Ask(countDrive("d"), func(counted, *scenarios.Judge) {}),
			want: scenarios.Broken, reason: "without a check of TOY-1", exit: 6},
		{name: "nothing to prove", ask: scenarios.Ask(countDrive("d"), func(counted, *scenarios.Judge) {}),
			proves: []scenarios.RequirementID{}, want: scenarios.Broken, reason: "without a check", exit: 6},
		{name: "busy", ask: scenarios.Ask(stopDrive("d", fmt.Errorf("asking: %w", wire.ErrBusy)), is(3, "TOY-1")),
			want: scenarios.Inconclusive, reason: "busy", unblock: "--rate", exit: 5},
		{name: "a check of something else", ask: scenarios.Ask(countDrive("d"), is(3, "TOY-1", "TOY-2")),
			want: scenarios.Broken, reason: "TOY-2", exit: 6},
		{name: "a SHOULD not met", ask: scenarios.Ask(countDrive("d"), is(4, "TOY-3")),
			proves: []scenarios.RequirementID{"TOY-3"}, want: scenarios.Passed, exit: 0},
		{name: "a MAY not taken", ask: scenarios.Ask(countDrive("d"), is(4, "TOY-4")),
			proves: []scenarios.RequirementID{"TOY-4"}, want: scenarios.Passed, exit: 0},
		{name: "a drive of ours panics",
			ask: scenarios.Ask(&scenarios.Drive[counted]{
				ID: "d", Run: func(context.Context, *scenarios.Conn, *counted) { panic("ah") },
			}, is(3, "TOY-1")), want: scenarios.Broken, reason: "ah", exit: 6},
		{name: "attested only", ask: scenarios.Ask(&attestedDrive{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *attested) {
			countDrive("").Run(ctx, c, &o.counted)
		}}, func(o attested, j *scenarios.Judge) { j.Check("TOY-1", o.N).To(check.Equal(3)) }), want: scenarios.Passed, exit: 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.claim.ID == "" {
				c.claim = counts
			}
			if c.proves == nil {
				c.proves = []scenarios.RequirementID{"TOY-1"}
			}
			var o scenarios.Options
			if c.expect != "" {
				o.Select.ExpectClaims = []string{c.expect}
			}
			r := certify(t, o, one("it", c.claim, c.ask, c.proves...))
			got := r.Outcomes[0]
			if got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) || !strings.Contains(got.Unblock, c.unblock) {
				t.Errorf("%s (%s; %s), want %s (%s; %s)", got.Verdict, got.Reason, got.Unblock, c.want, c.reason, c.unblock)
			}
			if code := r.ExitCode(); code != c.exit {
				t.Errorf("exit code %d, want %d", code, c.exit)
			}
		})
	}
}

// A scenario cannot pass with stronger evidence than it says it reaches.
func TestNoScenarioReachesMoreThanItSays(t *testing.T) {
	s := one("it", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1")
	for reaches, want := range map[scenarios.Evidence]scenarios.Verdict{
		scenarios.Unseen: scenarios.Passed, scenarios.Attested: scenarios.Broken, scenarios.Observed: scenarios.Passed,
		scenarios.Survived: scenarios.Passed,
	} {
		s.Reaches = reaches
		if o := certify(t, scenarios.Options{}, s).Outcomes[0]; o.Verdict != want {
			t.Errorf("a scenario that reaches %q is %s when it is observed: %s", reaches, o.Verdict, o.Reason)
		}
	}
}

func TestAShouldBecomesAFinding(t *testing.T) {
	r := certify(t, scenarios.Options{}, one("it", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-3")), "TOY-3"))
	want := []scenarios.Finding{{Requirement: "TOY-3", Text: "expected 4, got 3"}}
	if diff := cmp.Diff(want, r.Outcomes[0].Findings); diff != "" {
		t.Error(diff)
	}
}

// A SHOULD that is not met is so in its row, whatever passes or fails beside it, and costs no exit code.
func TestAShouldThatIsNotMet(t *testing.T) {
	for name, c := range map[string]struct {
		beside scenarios.Scenario
		exit   int
	}{
		"it passes beside": {one("beside", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-3")), "TOY-3"), 0},
		"a MUST fails in the same scenario": {one("beside", counts, scenarios.Ask(countDrive("d"), func(o counted, j *scenarios.Judge) {
			j.Check("TOY-1", o.N).To(check.Equal(5))
			j.Check("TOY-3", o.N).To(check.Equal(4))
		}), "TOY-1", "TOY-3"), 1},
	} {
		r := certify(t, scenarios.Options{}, one("it", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-3")), "TOY-3"), c.beside)
		i := slices.IndexFunc(r.Requirements, func(s scenarios.RequirementStatus) bool { return s.ID == "TOY-3" })
		if i < 0 || r.Requirements[i].Verdict != scenarios.NotMet || r.ExitCode() != c.exit {
			t.Errorf("%s: %+v, exit code %d", name, r.Requirements, r.ExitCode())
		}
	}
}

func TestADriveRunsOnceAndIsJudgedByMany(t *testing.T) {
	var runs atomic.Int32
	d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		runs.Add(1)
		countDrive("").Run(ctx, c, o)
	}}
	r := certify(t, scenarios.Options{}, one("a", counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1"),
		one("b", counts, scenarios.Ask(d, is(4, "TOY-2")), "TOY-2"))
	if runs.Load() != 1 {
		t.Errorf("driven %d times", runs.Load())
	}
	if r.Outcomes[0].Verdict != scenarios.Passed || r.Outcomes[1].Verdict != scenarios.Failed {
		t.Errorf("verdicts %s, %s", r.Outcomes[0].Verdict, r.Outcomes[1].Verdict)
	}
	if len(r.Drives) != 2 || r.Drives[1].Transcript.Len() != 1 {
		t.Errorf("drives kept: %d", len(r.Drives))
	}
}

// A drive runs beside none that uses what it excludes, and beside all others.
func TestDrivesRunApartAsTheyAsk(t *testing.T) {
	const cups = "cups"
	var mu sync.Mutex
	running, met := map[string]bool{}, map[string]bool{}
	drive := func(id string, uses []string, excludes string) *scenarios.Drive[counted] {
		return &scenarios.Drive[counted]{ID: id, Uses: uses, Excludes: excludes, Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
			mu.Lock()
			for other := range running {
				met[id[:1]+other[:1]], met[other[:1]+id[:1]] = true, true
			}
			running[id] = true
			mu.Unlock()
			countDrive("").Run(ctx, c, o)
			mu.Lock()
			delete(running, id)
			mu.Unlock()
		}}
	}
	var all []scenarios.Scenario
	for i := range 40 {
		n := fmt.Sprint(i)
		for _, d := range []*scenarios.Drive[counted]{drive("user-"+n, []string{cups}, ""), drive("free-"+n, nil, ""),
			drive("further-"+n, nil, ""), // there are some left when nothing uses cups any more
			drive("cups-"+n, nil, cups), drive("alone-"+n, nil, scenarios.Everything)} {
			all = append(all, one(d.ID, counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1"))
		}
	}
	certify(t, scenarios.Options{Workers: 4}, all...)
	for pair := range met {
		if strings.Contains(pair, "a") || pair == "cc" || pair == "cu" {
			t.Errorf("two drives ran beside each other that exclude it: %s", pair)
		}
	}
	for _, pair := range []string{"uu", "uf", "ff", "fc"} {
		if !met[pair] {
			t.Errorf("no two drives ran beside each other that may: %s", pair)
		}
	}
}

// A blocked scenario does not weaken a requirement that passed elsewhere, and leaves the profile without it.
func TestRequirementsAreSummedUp(t *testing.T) {
	r := certify(t, scenarios.Options{},
		one("a", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"),
		one("b", counts, scenarios.Ask(stopDrive("e", scenarios.Block("x", "y")), is(3, "TOY-1")), "TOY-1"),
		one("c", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-2")), "TOY-2"),
	)
	once := scenarios.Reach{Asked: 1}
	want := []scenarios.RequirementStatus{{ID: "TOY-1", Verdict: scenarios.Passed, Evidence: scenarios.Observed, Reach: once},
		{ID: "TOY-2", Verdict: scenarios.Failed, Evidence: scenarios.Observed, Reach: once}}
	if diff := cmp.Diff(want, r.Requirements); diff != "" {
		t.Error(diff)
	}
	if r.Claims[0].Status != "violated" || r.Profiles[0].Status != "violated" || r.Profiles[0].Proved != 0 || r.Profiles[0].ThroughSeam != 1 {
		t.Errorf("claim %s, profile %+v", r.Claims[0].Status, r.Profiles[0])
	}
}

func TestTargetsThatCannotBeAsked(t *testing.T) {
	s := suite(one("it", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"))
	gone := httptest.NewServer(nil)
	gone.Close()
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	for url, want := range map[string]error{gone.URL: scenarios.ErrUnreachable, page.URL: scenarios.ErrNoDiscovery,
		toyHost(t, "[]"): scenarios.ErrNoDiscovery, toyHost(t, "<html>"): scenarios.ErrNoDiscovery} {
		if _, err := scenarios.Certify(t.Context(), wire.Target{URL: url}, scenarios.Options{}, s); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", url, err, want)
		}
	}
}

// A drive that is interrupted or exceeds its deadline is inconclusive, and is cleaned up.
func TestInterruptAndDeadline(t *testing.T) {
	for name, o := range map[string]scenarios.Options{"deadline of the drive": {DriveTimeout: 10 * time.Millisecond},
		"deadline of all": {Timeout: 100 * time.Millisecond}, "interrupt": {}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var undone atomic.Bool
			d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
				c.Leave("a thing", func(context.Context, *wire.Client) error { undone.Store(true); return nil })
				c.Leave("another", func(context.Context, *wire.Client) error { return errors.New("it stays") })
				if name == "interrupt" {
					cancel()
				}
				<-ctx.Done()
				scenarios.End(ctx.Err())
			}}
			defer cancel()
			c, err := scenarios.Certify(ctx, wire.Target{URL: toyHost(t, `{"counts":true}`)}, o,
				suite(one("it", counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1")))
			if err != nil {
				t.Fatal(err)
			}
			r := c.Finish(context.Background())
			if r.Outcomes[0].Verdict != scenarios.Inconclusive {
				t.Errorf("%s: %s", r.Outcomes[0].Verdict, r.Outcomes[0].Reason)
			}
			if !undone.Load() {
				t.Error("what was made was not undone")
			}
			if diff := cmp.Diff([]string{"another: it stays"}, r.Leftovers); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// With the same seed a drive sends the same values, whatever else runs, and other names.
func TestSeed(t *testing.T) {
	var name string
	names := func(seed uint64, extra bool) string {
		var got string
		d := &scenarios.Drive[counted]{ID: "d", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
			got = fmt.Sprint(c.Rand.IntN(1e9))
			name = c.Name("file")
			countDrive("").Run(ctx, c, o)
		}}
		all := []scenarios.Scenario{one("it", counts, scenarios.Ask(d, is(3, "TOY-1")), "TOY-1")}
		if extra {
			all = append([]scenarios.Scenario{one("other", counts, scenarios.Ask(countDrive("e"), is(3, "TOY-1")), "TOY-1")}, all...)
		}
		certify(t, scenarios.Options{Seed: seed}, all...)
		return got
	}
	if a, b := names(7, false), names(7, true); a != b {
		t.Errorf("seed 7 gave %s and %s", a, b)
	}
	first := name
	if names(7, false); name == first {
		t.Errorf("two certifications both used the name %s", name)
	}
	if a, b := names(7, false), names(8, false); a == b {
		t.Errorf("seeds 7 and 8 both gave %s", a)
	}
}

// Every verdict can be derived from the files, and an edited file gives another one.
func TestRejudge(t *testing.T) {
	s := suite(
		one("holds", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"),
		one("violated", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-2")), "TOY-2"),
		one("blocked", counts, scenarios.Ask(stopDrive("e", scenarios.Block("x", "y")), is(3, "TOY-1")), "TOY-1"),
		one("advertised", counts, scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
			j.Check("TOY-1", d.Document.Key("counts")).To(check.Equal(true))
		}), "TOY-1"),
		one("unclaimed", loud, scenarios.Ask(countDrive("d"), is(3, "TOY-5")), "TOY-5"),
		one("not-offered", counts, scenarios.Ask(stopDrive("f", scenarios.NotOffered("x")), is(3, "TOY-1")), "TOY-1"),
	)
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true}`)}, scenarios.Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	dir := t.TempDir()
	for _, d := range r.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(d.ID)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again, err := scenarios.Rejudge(os.DirFS(dir), scenarios.Quick, scenarios.Selection{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(essence(r.Outcomes), essence(again)); diff != "" {
		t.Errorf("judged again (+):\n%s", diff)
	}
	path := filepath.Join(dir, "d.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(raw), `{\"n\":3}`, `{\"n\":4}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	tampered, err := scenarios.Rejudge(os.DirFS(dir), scenarios.Quick, scenarios.Selection{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if tampered[0].Verdict != scenarios.Failed || tampered[1].Verdict != scenarios.Passed {
		t.Errorf("a changed reply still gives %s and %s", tampered[0].Verdict, tampered[1].Verdict)
	}
}

func essence(outcomes []scenarios.Outcome) []string {
	var out []string
	for _, o := range outcomes {
		checks, err := json.Marshal(o.Checks)
		if err != nil {
			panic(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s %q %q %s", o.Scenario.ID, o.Verdict, o.Evidence, o.Reason, o.Unblock, checks))
	}
	return out
}

func TestRunIsAGoTest(t *testing.T) {
	r := scenarios.Run(t, wire.Target{URL: toyHost(t, `{"counts":true}`)},
		suite(one("it", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1")))
	if r.ExitCode() != 0 {
		t.Errorf("exit code %d", r.ExitCode())
	}
}
