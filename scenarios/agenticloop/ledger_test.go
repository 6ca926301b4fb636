package agenticloop

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/ledgertest"
)

func TestLedger(t *testing.T) {
	ledgertest.Ledger{
		Protocol: Protocol, Suites: Suites(), IDs: regexp.MustCompile(`RFC103-[A-Z0-9]+(-[0-9]+)?`),
		Sources: "../../../shared/sources", Asks: asks,
	}.Test(t)
}

// binding are the sections of RFC-103 in which every item of a list asks for something, with or without a normative
// word.
var binding = []string{
	"Non-Goals", "Core Invariants", "Runtime Model (Single Turn)", "Agent Plugin State Schema", "Workspace Contract",
	"Protocol Behavior (No Ambiguity)",
	"Resume Validation Logic", "Idempotency and Dedupe", "Error Handling", "Security and Scope",
	"Test Cases (Must Pass)", "Success Criteria",
}

var item = regexp.MustCompile(`^\s*(- |\d+\. )`)

// asks says whether a sentence of RFC-103 asks for something. Titles do not, nor do items that only lead in a list, and
// the condition that a check names is cited with what follows from it.
func asks(s ledgertest.Sentence) bool {
	if strings.HasPrefix(s.Line, "#") {
		return false
	}
	if ledgertest.Normative(s) {
		return true
	}
	number := regexp.MustCompile(`^\d+$`).MatchString(s.Text)
	leads := strings.HasSuffix(s.Text, ":")
	condition := s.Section == "Resume Validation Logic" && strings.Contains(s.Line, ". If ") &&
		!strings.HasPrefix(s.Text, "If ")
	return slices.Contains(binding, s.Section) && item.MatchString(s.Line) && !number && !leads && !condition
}
