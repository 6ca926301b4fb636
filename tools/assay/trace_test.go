package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/sent"
	"github.com/openassay/assay/tools/trace"
)

const (
	tracesFile = "../trace/traces.json"
	sentFile   = "../trace/sent.json"
)

// The traces that assay explain and assay diff go by are those of the scenarios and hosts of today. The values in an example
// differ from run to run, so what is compared is where it comes from. ASSAY_UPDATE=1 writes the file anew.
func TestTracesAreOfToday(t *testing.T) {
	if testing.Short() {
		t.Skip("certifies a dozen hosts")
	}
	t.Parallel()
	// What histories ask is another thing with each seed.
	asked := slices.DeleteFunc(known().IDs("scenarios"), func(id string) bool { return strings.Contains(id, "/"+explore.SuiteID+"/") })
	r := recording{T: t, missing: asked, traces: []trace.Trace{}, named: map[string]bool{}, sent: trace.Sums{}, firm: trace.Sums{}}
	r.all()
	r.sentToday()
	slices.SortFunc(r.traces, func(a, b trace.Trace) int { return strings.Compare(a.Scenario, b.Scenario) })
	r.checkNames()
	if len(r.missing) > 0 {
		t.Errorf("no host here has these scenarios pass: add one on which they apply: %s", strings.Join(r.missing, ", "))
	}
	if os.Getenv("ASSAY_UPDATE") != "" {
		encoded, err := trace.Encode(r.traces)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tracesFile, encoded, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := trace.All()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(lasting(kept), lasting(r.traces)); d != "" {
		t.Errorf("tools/trace/traces.json is not what scenarios do today: write it anew with make traces (- the file, + today)\n%s", d)
	}
}

// byChance are scenarios that do not read the same each time: one makes requests at once, and the host takes any of them first; the
// other asks no slow host, as on a busy machine, for a loop of hundreds of workers.
var byChance = []string{"openwop/interrupts/cancel-or-answer", "openwop/event-log/poll-while-live"}

// lasting is what two recordings have in common.
func lasting(traces []trace.Trace) []trace.Trace {
	out := slices.Clone(traces)
	for i, t := range out {
		if slices.Contains(byChance, t.Scenario) {
			out[i].Reads = nil
		}
		if t.Example != nil {
			out[i].Example = &trace.Example{Request: strings.Fields(t.Example.Request)[0], Status: t.Example.Status}
		}
	}
	return out
}

// recording takes each scenario from the first certification in which it passes.
type recording struct {
	*testing.T
	missing []string
	traces  []trace.Trace
	named   map[string]bool // drives that ran, and whether one of them sent a name
	sent    trace.Sums      // what all drives sent
	firm    trace.Sums      // what drives sent at depth quick, at which the time that they take does not matter
}

// sentToday compares what drives send with the file, or writes it. How often a drive is driven at depth standard depends on the machine,
// and what follows what where requests are made at once on chance: most of it is the same each time. What drives send at depth quick
// is all there.
func (r *recording) sentToday() {
	if os.Getenv("ASSAY_UPDATE") != "" {
		encoded, err := r.sent.Encode()
		if err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(sentFile, encoded, 0o644); err != nil {
			r.Fatal(err)
		}
		return
	}
	const anew = "tools/trace/sent.json is not what drives send today: write it anew with make traces"
	for id, sum := range r.sent {
		kept, err := trace.Sent(id)
		if err != nil {
			r.Fatal(err)
		}
		if firm := r.firm[id]; firm != nil {
			for _, i := range firm.Items.Sorted() {
				if _, known := kept[i]; !known && i.Kind != sent.Then && i.Kind != sent.Unknown {
					r.Errorf("%s: %s has no %s %s", anew, i.Operation, i.Kind, i.What)
				}
			}
		}
		for _, part := range []struct {
			name  string
			most  int // percent that may differ
			holds func(sent.Kind) bool
		}{
			{"operations", 0, func(k sent.Kind) bool { return k == sent.Called }},
			{"arguments", 5, func(k sent.Kind) bool { return k != sent.Called && k != sent.Then && k != sent.Unknown }},
			{"pairs", 15, func(k sent.Kind) bool { return k == sent.Then }},
		} {
			count := func(items, others sent.Items) (n int, missing []sent.Item) {
				for _, i := range items.Sorted() {
					if !part.holds(i.Kind) {
						continue
					}
					n++
					if _, there := others[i]; !there {
						missing = append(missing, i)
					}
				}
				return n, missing
			}
			for _, c := range []struct {
				is            string
				items, others sent.Items
			}{{"sent and not in the file", sum.Items, kept}, {"in the file and not sent", kept, sum.Items}} {
				n, missing := count(c.items, c.others)
				r.Logf("%s: %d of %d %s are %s", id, len(missing), n, part.name, c.is)
				if n == 0 || 100*len(missing) > part.most*n {
					r.Errorf("%s: %s: %d of %d %s are %s: %v", anew, id, len(missing), n, part.name, c.is, missing[:min(10, len(missing))])
				}
			}
		}
	}
}

// quick certifies the simulated host of a protocol at depth quick.
func (r *recording) quick(protocol string) {
	r.Helper()
	dir := r.TempDir()
	args := []string{"certify", "simhost", "--protocol", protocol, "--seed", "7", "--depth", "quick", "--no-challenge", "--out", dir}
	if code := execute(context.Background(), args, io.Discard, io.Discard); code != scenarios.ExitProved {
		r.Fatalf("assay %s: exit code %d", strings.Join(args, " "), code)
	}
	for _, sums := range []trace.Sums{r.sent, r.firm} {
		if err := sums.Add(dir); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *recording) all() {
	r.quick("openwop")
	r.quick("openintent")
	r.command("simhost")
	r.command("simhost", "--protocol", "openintent")
	for _, revision := range agent.Revisions {
		r.agent(agent.Profile{Revision: revision})
	}
	assay, err := exec.LookPath("assay") // testscript.Main put it there
	if err != nil {
		r.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(assay), filepath.Dir(filepath.Dir(assay))} {
		if err := os.Chmod(dir, 0o755); err != nil {
			r.Fatal(err)
		}
	}
	r.command("--resolver", assay+" resolve-policy")
	// What the host of assay certify simhost leaves nothing to ask for.
	for _, o := range []surface.Options{
		{Version: 1}, {Without: []string{"executionModel"}}, {Without: []string{"orchestrator"}}, {Without: []string{"dispatch"}},
		{Without: []string{"workspace"}}, {Without: []string{"goals"}}, {Without: []string{"verifierGating"}},
		{EscalationInterrupt: "approval"}, {ExperimentalUntil: time.Now().AddDate(0, 1, 0).Format(time.DateOnly)},
	} {
		r.host(o)
	}
}

// command runs assay certify, and takes what it wrote. No trace holds what a challenge shows, so there is none.
func (r *recording) command(args ...string) {
	r.Helper()
	dir := r.TempDir()
	args = append([]string{"certify", "--seed", "7", "--no-challenge", "--out", dir}, args...)
	code := execute(context.Background(), args, io.Discard, io.Discard)
	if code != scenarios.ExitProved {
		r.Fatalf("assay %s: exit code %d", strings.Join(args, " "), code)
	}
	r.take(dir)
}

func (r *recording) take(dir string) {
	r.Helper()
	r.takeNames(dir)
	if err := r.sent.Add(dir); err != nil {
		r.Fatal(err)
	}
	recorded, err := trace.Record(dir)
	if err != nil {
		r.Fatal(err)
	}
	for _, t := range recorded {
		if i := slices.Index(r.missing, t.Scenario); i >= 0 {
			r.missing = slices.Delete(r.missing, i, i+1)
			r.traces = append(r.traces, t)
		}
	}
}

// host certifies a host for the scenarios of OpenWOP that are missing still.
func (r *recording) host(o surface.Options) {
	r.Helper()
	if o.Version == 0 {
		o.Version = surface.HighestVersion
	}
	host, err := protocols.Serve(r.Context(), nil, func(url string) (protocols.Host, error) {
		o.URL = url
		return surface.New(r.Context(), o)
	})
	if err != nil {
		r.Fatal(err)
	}
	defer func() {
		if err := host.Close(context.WithoutCancel(r.Context())); err != nil {
			r.Error(err)
		}
	}()
	args := []string{host.URL, "--key", surface.DefaultKey}
	for _, id := range r.missingOf("openwop/") {
		args = append(args, "--scenario", id)
	}
	r.command(args...)
}

func (r *recording) missingOf(protocol string) []string {
	return slices.DeleteFunc(slices.Clone(r.missing), func(id string) bool { return !strings.HasPrefix(id, protocol) })
}

// agent certifies the reference agent, whose turns run in this process: that is faster by far.
func (r *recording) agent(profile agent.Profile) {
	r.Helper()
	dir, err := wire.NewFolder("assay-trace-")
	if err != nil {
		r.Fatal(err)
	}
	defer func() {
		if err := wire.RemoveFolder(dir); err != nil {
			r.Error(err)
		}
	}()
	if err := agent.Export(dir, profile, "assay", "agent"); err != nil {
		r.Fatal(err)
	}
	target, err := agenticloop.Folder(dir)
	if err != nil {
		r.Fatal(err)
	}
	target.Process.Here = agent.New(agent.Options{}).Run
	o := scenarios.Options{Seed: 7, Select: scenarios.Selection{Scenarios: r.missingOf("agenticloop/")}}
	c, err := scenarios.Certify(r.Context(), target, o, agenticloop.Suites()...)
	if err != nil {
		r.Fatal(err)
	}
	report, out := c.Finish(r.Context()), r.TempDir()
	if err := reports.Write(out, report, reports.Results(report, reports.Stamp{Version: version(), ExitCode: report.ExitCode()})); err != nil {
		r.Fatal(err)
	}
	r.take(out)
}
