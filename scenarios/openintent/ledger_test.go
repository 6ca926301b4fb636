package openintent

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/ledgertest"
)

func TestLedger(t *testing.T) {
	ledgertest.Ledger{
		Protocol: Protocol, Suites: Suites(), IDs: regexp.MustCompile(`OIP-[0-9A-Z]+-[A-Z0-9]+`), Strict: true,
		Sources: "../../../shared/sources", Asks: asks,
	}.Test(t)
}

// No row is left for later.
func TestNoRowIsPlanned(t *testing.T) {
	for _, r := range Protocol.Ledger.Rows {
		if r.Reason == "planned" {
			t.Errorf("%s is planned", r.ID)
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
