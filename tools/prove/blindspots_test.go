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

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop"
)

// Every violation of docs/blind-spots.md is committed here, and the scenarios that the page names are seen to find it. The
// same scenarios pass against the host that does not commit it.
func TestBlindSpotsAreSeen(t *testing.T) {
	many(t)
	t.Parallel()
	page := readBlindSpots(t)
	controls := &controls{certified: map[string]func() *scenarios.Report{}}
	covered := map[int]map[string]string{}
	for _, spot := range blindSpots() {
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
		if diff := cmp.Diff(said, shown); diff != "" {
			t.Errorf("row %d of docs/blind-spots.md (-named there +seen here):\n%s", row, diff)
		}
	}
}

// isFound certifies the host that commits the violation.
func (s blindSpot) isFound(t *testing.T) {
	r := certify(t, serve(t, s.host, s.wrap).URL, s.options())
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

func (s blindSpot) options() scenarios.Options {
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

func (c *controls) passes(t *testing.T, spot blindSpot) {
	t.Helper()
	r := c.of(t, spot.honest)
	for name := range spot.finds {
		if o := of(t, r, name); o.Verdict != scenarios.Passed {
			t.Errorf("control: %s is %s against an honest host: %s", name, o.Verdict, o.Reason)
		}
	}
}

// of is the certification of an honest host in all that is asked of hosts with these options.
func (c *controls) of(t *testing.T, o openwop.Options) *scenarios.Report {
	host := fmt.Sprintf("%+v", o)
	c.mu.Lock()
	certified := c.certified[host]
	if certified == nil {
		asked := map[string]bool{}
		for _, spot := range blindSpots() {
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
	withoutCause = regexp.MustCompile("(OWP-[0-9A-Z-]+): ([a-z-]+)")
)

// readBlindSpots reads the table of the page: of each row the scenarios that it names, each with what it finds.
func readBlindSpots(t *testing.T) map[int][]string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/blind-spots.md")
	if err != nil {
		t.Fatal(err)
	}
	page := map[int][]string{}
	for _, m := range rowOfPage.FindAllStringSubmatch(string(raw), -1) {
		row, err := strconv.Atoi(m[1])
		if _, twice := page[row]; err != nil || twice {
			t.Fatalf("row %s of the page is there twice, or is none", m[1])
		}
		page[row] = nil
		for _, s := range seenBy.FindAllStringSubmatch(m[3], -1) {
			page[row] = append(page[row], s[1]+" "+s[2])
		}
		slices.Sort(page[row])
		if len(page[row]) == 0 && !untested(t, m[3]) {
			t.Errorf("row %d names no scenario, and no row of the ledger with its reason", row)
		}
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
