package openintent

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/ledgertest"
	"github.com/openassay/assay/scenarios"
)

// A requirement is proved by a scenario or says why not, and never both; and hangs on a claim that can be made.
func TestEveryRowHasAScenarioOrAReason(t *testing.T) {
	proved := map[scenarios.RequirementID][]scenarios.Scenario{}
	for _, suite := range Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				proved[id] = append(proved[id], s)
			}
		}
	}
	for _, r := range Protocol.Ledger.Rows {
		by := proved[scenarios.RequirementID(r.ID)]
		switch {
		case r.Reason == "planned":
			t.Errorf("%s is planned", r.ID)
		case len(by) == 0 && r.Reason == "":
			t.Errorf("%s has neither a scenario nor a reason", r.ID)
		case len(by) > 0 && r.Reason != "":
			t.Errorf("%s says it is %s, but %s proves it", r.ID, r.Reason, by[0].ID)
		}
		if _, ok := Protocol.Claim(r.Claim); r.Reason == "" && !ok {
			t.Errorf("%s hangs on the claim %q, which nobody can make", r.ID, r.Claim)
		}
		if len(by) > 0 && !slices.ContainsFunc(by, func(s scenarios.Scenario) bool { return s.Claim.ID == r.Claim }) {
			t.Errorf("%s hangs on the claim %s, and %s, which proves it, on %s", r.ID, r.Claim, by[0].ID, by[0].Claim.ID)
		}
		if !strings.HasPrefix(r.ID, "OIP-") {
			t.Errorf("%s is not called after the protocol", r.ID)
		}
		delete(proved, scenarios.RequirementID(r.ID))
	}
	for id, by := range proved {
		t.Errorf("%s proves %s, which is in no ledger", by[0].ID, id)
	}
}

// A row that says it leaves something to another row names one that exists.
func TestRowsThatAreNamedExist(t *testing.T) {
	named := regexp.MustCompile(`OIP-[0-9A-Z]+-[A-Z0-9]+`)
	for _, r := range openintentv1.Requirements {
		for _, id := range named.FindAllString(r.Text+" "+r.Why+" "+r.Accepts, -1) {
			if !slices.ContainsFunc(openintentv1.Requirements, func(o openintentv1.Requirement) bool { return o.ID == id }) {
				t.Errorf("%s names %s, which is in no ledger", r.ID, id)
			}
		}
	}
}

// The texts contradict each other or leave something open in 35 places (C1 to C35). What is accepted because of it stands in a row, with its number.
func TestEveryContradictionIsCited(t *testing.T) {
	var all strings.Builder
	for _, r := range openintentv1.Requirements {
		all.WriteString(r.Accepts + "\n" + r.Why + "\n")
	}
	for n := range 35 {
		if cited := regexp.MustCompile(fmt.Sprintf(`(^|[^-\w])C%d\b`, n+1)); !cited.MatchString(all.String()) {
			t.Errorf("no row cites contradiction C%d", n+1)
		}
	}
}

// binding are the sections of RFC-0026 that state rules without a normative word, in items of lists and in lines of tables.
var binding = regexp.MustCompile(`^(2|3|4|5|6|11|12)\. `)

var (
	item     = regexp.MustCompile(`^\s*(•|\d+\.) `)
	table    = regexp.MustCompile(`^(isolate|block_dependents|escalate|max_attempts|interval_seconds|strategy|escalation_ladder|final_fallback_policy|intent\.suspension_\w+) `)
	result   = regexp.MustCompile(`^(All|Any|Otherwise) .*(completed|failed|in_progress)$`)
	timeline = regexp.MustCompile(`^T\+\d+ `)
	// aside are sentences that lead in, repeat or comment what is cited.
	aside = regexp.MustCompile(`:$|^UpstreamIntentSuspendedError is|^\d+$|No response$|agent calls request_input|^Workflow done$`)
	code  = regexp.MustCompile(`^\s*\w+=.*,$`) // an argument of a call in a sample
)

// asks says whether a sentence of RFC-0026 asks for something.
func asks(s ledgertest.Sentence) bool {
	switch {
	case strings.HasSuffix(s.Line, "#"), code.MatchString(s.Line), aside.MatchString(strings.TrimPrefix(s.Text, "• ")) && !ledgertest.Normative(s):
		return false
	case ledgertest.Normative(s):
		return true
	}
	bound := binding.MatchString(s.Section) && (item.MatchString(s.Line) || table.MatchString(s.Line) || result.MatchString(s.Line))
	return bound || timeline.MatchString(s.Line)
}

func TestTheLedgerCoversItsSource(t *testing.T) {
	const sources = "../../../shared/sources"
	if _, err := os.Stat(sources); err != nil {
		t.Log("the source texts are not here: passed over")
		return
	}
	var rows []ledgertest.Row
	for _, r := range openintentv1.Requirements {
		rows = append(rows, ledgertest.Row{ID: r.ID, File: r.File, Line: r.Line, Hash: r.Hash})
	}
	problems, err := ledgertest.Compare(sources, rows, asks)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
