package prove_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// Every row of docs/blind-spots.md names the faults that stand for it, and no others; the kill matrix says what kills them.
// What no fault of a host with an engine can be is an impostor, or the ledger says why it is not looked for.
func TestEveryBlindSpotIsStoodFor(t *testing.T) {
	want := map[int][]string{}
	for _, f := range fault.All() {
		for _, row := range f.Spots {
			want[row] = append(want[row], f.ID)
		}
	}
	replaced := map[int]bool{}
	for _, i := range impostors() {
		replaced[i.row] = true
	}
	for row, said := range readBlindSpots(t) {
		if diff := cmp.Diff(want[row], said.faults, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("row %d (-faults that stand for it +named there):\n%s", row, diff)
		}
		if len(said.faults) == 0 && !replaced[row] && !said.untested {
			t.Errorf("row %d names no fault and no scenario that finds an impostor, and no row of the ledger with its reason", row)
		}
	}
}

// Every impostor of docs/blind-spots.md is there, and the scenarios that the page names find it out. The same scenarios
// pass against the host in whose place it answers.
func TestImpostorsAreFoundOut(t *testing.T) {
	many(t)
	t.Parallel()
	page := readBlindSpots(t)
	controls := &controls{certified: map[string]func() *scenarios.Report{}}
	covered := map[int]map[string]string{}
	for _, spot := range impostors() {
		if covered[spot.row] == nil {
			covered[spot.row] = map[string]string{}
		}
		if spot.seen != "" {
			covered[spot.row]["not claimed, but seen "+spot.seen] = spot.what
		}
		for name, id := range spot.finds {
			covered[spot.row][name+" "+id] = spot.what
		}
		t.Run(fmt.Sprintf("row %d: %s", spot.row, spot.what), func(t *testing.T) {
			t.Parallel()
			controls.passes(t, spot)
			spot.isFound(t)
		})
	}
	for row := range covered {
		if _, ok := page[row]; !ok {
			t.Errorf("docs/blind-spots.md has no row %d", row)
		}
	}
	for row, said := range page {
		shown := slices.Sorted(maps.Keys(covered[row]))
		if diff := cmp.Diff(said.scenarios, shown, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("row %d of docs/blind-spots.md (-named there +seen here):\n%s", row, diff)
		}
	}
}

// isFound certifies the host that commits the violation.
func (s impostor) isFound(t *testing.T) {
	r := certify(t, serve(t, surface.Options{}, s.wrap).URL, s.options())
	if shows := slices.ContainsFunc(r.Seen, func(seen scenarios.Sighting) bool { return seen.Claim.ID == s.seen }); shows != (s.seen != "") {
		t.Errorf("the report shows %v as not claimed, but seen", r.Seen)
	}
	for name, id := range s.finds {
		o := of(t, r, name)
		switch {
		case id == string(scenarios.Blocked):
			if o.Verdict != scenarios.Blocked {
				t.Errorf("%s is %s: %s", name, o.Verdict, o.Reason)
			}
		case o.Verdict != scenarios.Failed:
			t.Errorf("%s is %s, not failed for %s: %s %s", name, o.Verdict, id, o.Reason, o.Unblock)
		default:
			var violated []string
			for _, c := range o.Violations() {
				violated = append(violated, c.Requirement)
			}
			if !slices.Contains(violated, id) {
				t.Errorf("%s failed for %v, not for %s: %s", name, violated, id, o.Reason)
			}
		}
	}
}

func (s impostor) options() scenarios.Options {
	return scenarios.Options{Select: scenarios.Selection{Scenarios: slices.Sorted(maps.Keys(s.finds))}, Patience: 1200 * time.Millisecond}
}

// of is what came of a scenario, by suite and name.
func of(t *testing.T, r *scenarios.Report, name string) scenarios.Outcome {
	t.Helper()
	i := slices.IndexFunc(r.Outcomes, func(o scenarios.Outcome) bool { return o.Scenario.ID == scenarios.ScenarioID("openwop/"+name) })
	if i < 0 {
		t.Fatalf("%s was not asked", name)
	}
	return r.Outcomes[i]
}

// controls are the certifications of the hosts that keep what is broken, each made once.
type controls struct {
	mu        sync.Mutex
	certified map[string]func() *scenarios.Report
}

func (c *controls) passes(t *testing.T, spot impostor) {
	t.Helper()
	r := c.of(t, spot.honest)
	for name := range spot.finds {
		if o := of(t, r, name); o.Verdict != scenarios.Passed {
			t.Errorf("control: %s is %s against an honest host: %s", name, o.Verdict, o.Reason)
		}
	}
}

// of is the certification of an honest host in all that is asked of hosts with these options.
func (c *controls) of(t *testing.T, o surface.Options) *scenarios.Report {
	host := fmt.Sprintf("%+v", o)
	c.mu.Lock()
	certified := c.certified[host]
	if certified == nil {
		asked := map[string]bool{}
		for _, spot := range impostors() {
			if fmt.Sprintf("%+v", spot.honest) == host {
				for name := range spot.finds {
					asked[name] = true
				}
			}
		}
		certified = sync.OnceValue(func() *scenarios.Report {
			return certify(t, serve(t, o, nil).URL, scenarios.Options{Select: scenarios.Selection{Scenarios: slices.Sorted(maps.Keys(asked))}})
		})
		c.certified[host] = certified
	}
	c.mu.Unlock()
	return certified()
}

var (
	rowOfPage    = regexp.MustCompile(`(?m)^\| *(\d+) *\|([^|]+)\|([^|]+)\|$`)
	seenBy       = regexp.MustCompile("`([a-z0-9-]+/[a-z0-9-]+|not claimed, but seen)` (OWP-[0-9A-Z-]+|[a-z-]+)")
	faultNamed   = regexp.MustCompile("`([a-z]+\\.[a-z0-9-]+)`")
	withoutCause = regexp.MustCompile("(OWP-[0-9A-Z-]+): ([a-z-]+)")
)

// spotSaid is a row of the page.
type spotSaid struct {
	faults    []string
	scenarios []string // that find an impostor, each with what it finds
	untested  bool
}

// readBlindSpots reads the table of the page.
func readBlindSpots(t *testing.T) map[int]spotSaid {
	t.Helper()
	raw, err := os.ReadFile("../../docs/blind-spots.md")
	if err != nil {
		t.Fatal(err)
	}
	page := map[int]spotSaid{}
	for _, m := range rowOfPage.FindAllStringSubmatch(string(raw), -1) {
		row, err := strconv.Atoi(m[1])
		if _, twice := page[row]; err != nil || twice {
			t.Fatalf("row %s of the page is there twice, or is none", m[1])
		}
		said := spotSaid{untested: untested(t, m[3])}
		for _, s := range seenBy.FindAllStringSubmatch(m[3], -1) {
			said.scenarios = append(said.scenarios, s[1]+" "+s[2])
		}
		for _, f := range faultNamed.FindAllStringSubmatch(m[3], -1) {
			said.faults = append(said.faults, f[1])
		}
		slices.Sort(said.scenarios)
		page[row] = said
	}
	if len(page) != 40 {
		t.Errorf("the page has %d rows", len(page))
	}
	return page
}

// untested tells whether a row says why there is no scenario, as the ledger has it.
func untested(t *testing.T, said string) bool {
	t.Helper()
	reasons := withoutCause.FindAllStringSubmatch(said, -1)
	for _, m := range reasons {
		if r, ok := suites.Protocol.Ledger.Find(scenarios.RequirementID(m[1])); !ok || r.Reason != m[2] {
			t.Errorf("the ledger says of %s that it is not tested for the reason %q, the page %q", m[1], r.Reason, m[2])
		}
	}
	return len(reasons) > 0
}
