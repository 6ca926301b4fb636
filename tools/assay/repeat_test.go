package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// alike DIR DIR fails unless two certifications of one seed came to the same: the same verdicts, seen as strongly, of the same
// checks, which compare the same.
//
// What cannot be the same is taken out of what is compared: what a host makes up (ids, times), how long something took, and where
// in a transcript it stood, which depends on how often was looked. The names that Assay makes up are the same where both were given
// one run id.
func alike(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: alike DIR DIR")
	}
	first, err := reports.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	second, err := reports.Load(ts.MkAbs(args[1]))
	ts.Check(err)
	same := func(what string, a, b any) {
		if diff := cmp.Diff(a, b); diff != "" {
			ts.Fatalf("%s (-first +second)\n%s", what, diff)
		}
	}
	same("the seed", first.Seed, second.Seed)
	same("the run id", first.Run, second.Run)
	same("suites", first.Assay, second.Assay)
	same("what became of the requirements", asked(first.Requirements), asked(second.Requirements))
	same("what became of the claims", statuses(first), statuses(second))
	same("what became of the profiles", first.Profiles, second.Profiles)
	same("totals", first.Totals, second.Totals)
	same("exit code", first.ExitCode, second.ExitCode)
	if len(first.Scenarios) != len(second.Scenarios) || len(first.Scenarios) == 0 {
		ts.Fatalf("%d and %d scenarios", len(first.Scenarios), len(second.Scenarios))
	}
	var differ []string
	for i, s := range first.Scenarios {
		loose := isLoose(s.ID)
		if diff := cmp.Diff(repeated(s, loose), repeated(second.Scenarios[i], loose)); diff != "" {
			differ = append(differ, s.ID+"\n"+diff)
		}
	}
	if len(differ) > 0 {
		ts.Fatalf("%d scenarios differ (-first +second)\n%s", len(differ), strings.Join(differ, "\n"))
	}
}

// What is loosely alike is named by the beginning of its id.
func TestLooselyAlikeAreScenarios(t *testing.T) {
	for begin := range looselyAlike {
		if !slices.ContainsFunc(known().Suites, func(s scenarios.Suite) bool {
			return slices.ContainsFunc(s.Scenarios, func(s scenarios.Scenario) bool { return strings.HasPrefix(string(s.ID), begin) })
		}) {
			t.Errorf("there is no scenario %s", begin)
		}
	}
}

// looselyAlike are scenarios of which it cannot be said beforehand what their checks see, by the beginning of their ids, and why: of
// them only the verdict, the requirements and whether all checks of each hold are compared.
var looselyAlike = map[string]string{
	"openwop/stateful-resume/concurrent-resolvers": "who is first differs",
	"openwop/interrupts/cancel-or-answer":          "who is first differs",
	"openwop/interrupts/rivals":                    "who is first differs",
	"openwop/workspace-files/one-writer-wins":      "who is first differs",
	"openintent/respond/race":                      "who is first differs",
	"openwop/goal-bounds/deadline": "a machine that stands still for a moment looks like a clock of full " +
		"seconds, which is a finding",
	"openwop/goal-completion/":                    "how often a schedule fires depends on the time that the rest took",
	"openintent/retry/real-time-":                 "how many reminders there are depends on the time that the rest took",
	"agenticloop/correlation/histories":           "how many histories there is time for differs",
	"agenticloop/redelivery/killed-and-run-again": "how far a turn came before it was killed differs",
	"agenticloop/correlation/turns-of-histories":  "likewise",
	"agenticloop/workspace/trace-grows":           "it tells bytes of what holds times, which are written with as many digits as they need",
	"openwop/execution-bounds/time-b":             "it tells how long it took",
	"openwop/run-control/cancelled-never":         "where a cancel comes too late, another run is cancelled, under another name",
	"openwop/run-control/paused-cancel":           "likewise",
}

func isLoose(id string) bool {
	for begin := range looselyAlike {
		if strings.HasPrefix(id, begin) {
			return true
		}
	}
	return false
}

// asked is what became of requirements, without how often they were checked: where something is waited for, that depends on how
// often was looked.
func asked(requirements []results.RequirementResult) []results.RequirementResult {
	out := slices.Clone(requirements)
	for i, r := range out {
		if r.Reach != nil {
			out[i].Reach = &results.Reach{Drawn: r.Reach.Drawn}
		}
	}
	return out
}

func statuses(d results.Results) map[string]results.ClaimStatus {
	out := map[string]results.ClaimStatus{}
	for _, c := range d.Claims {
		out[c.ID] = c.Status
	}
	return out
}

// repeated is what of a scenario comes out the same whenever it is asked with one seed.
func repeated(s results.ScenarioResult, loose bool) []string {
	out := []string{s.ID, string(s.Verdict), string(s.Evidence), string(s.Level), strings.Join(s.Drives, " "), made(s.Reason), made(s.Unblock)}
	if loose {
		return append(out, requirementsOf(s)...)
	}
	for _, c := range s.Checks {
		words := c.Requirement + " " + c.Part
		if c.Part != "bytes" {
			words += " " + made(c.Expected) + " | " + made(c.Actual)
		}
		if !c.Ok {
			words += " does not hold"
		}
		out = append(out, words)
	}
	for _, f := range s.Findings {
		out = append(out, "finding "+f.Requirement+" "+made(f.Text))
	}
	return out
}

// requirementsOf are the requirements that a scenario checked, each with whether all of its checks hold.
func requirementsOf(s results.ScenarioResult) []string {
	holds := map[string]bool{}
	for _, c := range s.Checks {
		before, seen := holds[c.Requirement]
		holds[c.Requirement] = c.Ok && (before || !seen)
	}
	var out []string
	for id, ok := range holds {
		out = append(out, fmt.Sprintf("%s %t", id, ok))
	}
	slices.Sort(out)
	return out
}

// made takes out of a text what a host makes up, and times. One that was cut short ends in the midst of that, and not always at the
// same place: only its beginning is left. So it is of one that is nearly as long: times are written with as many digits as they
// need, so that the same text is cut short once and once is not.
func made(text string) string {
	const nearly = 200 // characters; a value is cut short at 300
	whole, _, cut := strings.Cut(text, "…")
	if !cut {
		whole = text
		cut = len([]rune(text)) > nearly
	}
	for _, m := range madeUp {
		whole = m.what.ReplaceAllString(whole, m.by)
	}
	if cut {
		const beginning = 60
		whole = whole[:strings.LastIndexAny(whole, ",[{ ")+1] // without what stands there in part
		return whole[:min(len(whole), beginning)] + "…"
	}
	return whole
}

var madeUp = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d(T[0-9:.]+(Z|[+-]\d\d:\d\d)?)?`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ns|µs|ms|s|m)\b`), "TIME"},
	{regexp.MustCompile(`\bT\+\d+(\.\d+)?\b`), "T+TIME"}, // of a story in real time, whose intervals are longer on a busy machine
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "ID"},
	{regexp.MustCompile(`\bmem-[0-9a-f]{32}-\d+`), "ID"}, // numbered by who wrote first
	{regexp.MustCompile(`\b00-([0-9a-f]{32})-[0-9a-f]{16}-01\b`), "00-$1-ID-01"},
	{regexp.MustCompile(`\b[a-z]+-([0-9a-z]{26}|[0-9a-f]{32})\b`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{32}\b`), "ID"},
	{regexp.MustCompile(`\b\d+ bytes\b`), "SIZE"}, // of what holds times, which are written with as many digits as they need
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
}
