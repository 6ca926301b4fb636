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

func TestNoRowIsPlanned(t *testing.T) {
	for _, r := range Protocol.Ledger.Rows {
		if r.Reason == "planned" {
			t.Errorf("%s is planned", r.ID)
		}
	}
}

// binding matches sections of RFC-0026 that state rules in lists and tables, without a normative word.
var binding = regexp.MustCompile(`^(2|3|4|5|6|11|12)\. `)

var (
	item  = regexp.MustCompile(`^\s*(•|\d+\.) `)
	table = regexp.MustCompile(`^(isolate|block_dependents|escalate|max_attempts|interval_seconds|strategy|` +
		`escalation_ladder|final_fallback_policy|intent\.suspension_\w+) `)
	result   = regexp.MustCompile(`^(All|Any|Otherwise) .*(completed|failed|in_progress)$`)
	timeline = regexp.MustCompile(`^T\+\d+ `)
	// aside matches sentences that introduce, repeat or comment a rule.
	aside = regexp.MustCompile(`:$|^UpstreamIntentSuspendedError is|^\d+$|No response$|agent calls request_input|^Workflow done$`)
	code  = regexp.MustCompile(`^\s*\w+=.*,$`) // an argument of a call in a sample
)

// asks reports whether a sentence of RFC-0026 states a rule.
func asks(s ledgertest.Sentence) bool {
	switch {
	case strings.HasSuffix(s.Line, "#"), code.MatchString(s.Line),
		aside.MatchString(strings.TrimPrefix(s.Text, "• ")) && !ledgertest.Normative(s):
		return false
	case ledgertest.Normative(s):
		return true
	}
	bound := binding.MatchString(s.Section) && (item.MatchString(s.Line) || table.MatchString(s.Line) || result.MatchString(s.Line))
	return bound || timeline.MatchString(s.Line)
}
