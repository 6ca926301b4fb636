package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
)

// cause is what several scenarios share that ended without a pass or a failure.
type cause struct {
	key       string
	reasons   []string
	remedies  []string // what would unblock them
	scenarios []string
}

// causes groups outcomes by a key, in the order of their first.
func causes(outcomes []scenarios.Outcome, key func(scenarios.Outcome) string) []*cause {
	var out []*cause
	for _, o := range outcomes {
		k := key(o)
		i := slices.IndexFunc(out, func(c *cause) bool { return c.key == k })
		if i < 0 {
			i = len(out)
			out = append(out, &cause{key: k})
		}
		c := out[i]
		c.scenarios = append(c.scenarios, string(o.Scenario.ID))
		if !slices.Contains(c.reasons, o.Reason) {
			c.reasons = append(c.reasons, o.Reason)
		}
		if o.Unblock != "" && !slices.Contains(c.remedies, o.Unblock) {
			c.remedies = append(c.remedies, o.Unblock)
		}
	}
	return out
}

// blocked groups by what would unblock: one remedy may serve many scenarios.
func (t *text) blocked() {
	blocked := t.with(scenarios.Blocked)
	if len(blocked) == 0 {
		return
	}
	groups := causes(blocked, remedy)
	t.heading(yellow, "BLOCKED", fmt.Sprintf("%s by %s", plural(len(blocked), "scenario"), plural(len(groups), "cause")))
	for _, c := range groups {
		t.cause(c)
	}
}

// remedy is what unblocks a scenario, or else what blocks it.
func remedy(o scenarios.Outcome) string {
	if o.Unblock != "" {
		return o.Unblock
	}
	return o.Reason
}

func (t *text) inconclusive() {
	open := t.with(scenarios.Inconclusive)
	if len(open) == 0 {
		return
	}
	t.heading(yellow, "INCONCLUSIVE", plural(len(open), "scenario")+" without an answer")
	for _, c := range causes(open, reason) {
		t.cause(c)
	}
}

// attested lists the requirements that were kept, but seen more weakly than they demand: they leave a claim unproved.
func (t *text) attested() {
	ledger := t.report.Protocol.Ledger
	var weak []string
	for _, s := range t.report.Requirements {
		r, _ := ledger.Find(s.ID)
		if s.Verdict == scenarios.Passed && s.Evidence < r.Demands() && r.Level == scenarios.Must {
			weak = append(weak, fmt.Sprintf("%s was %s, %s is demanded", r.ID, s.Evidence, r.Demands()))
		}
	}
	if len(weak) == 0 {
		return
	}
	t.heading(yellow, "ATTESTED", plural(len(weak), "requirement")+" kept as far as a test seam tells")
	for _, w := range weak {
		t.line("  %s", w)
	}
}

func (t *text) inapplicable() {
	skipped := t.with(scenarios.Inapplicable)
	if len(skipped) == 0 {
		return
	}
	about := " about what the target does not claim"
	if slices.ContainsFunc(skipped, func(o scenarios.Outcome) bool { return strings.HasPrefix(o.Reason, "not there: ") }) {
		about += ", or does not have"
	}
	t.heading(dim, "INAPPLICABLE", plural(len(skipped), "scenario")+about)
	for _, c := range causes(skipped, reason) {
		t.cause(c)
	}
}

func reason(o scenarios.Outcome) string { return o.Reason }

func (t *text) cause(c *cause) {
	for _, r := range c.reasons {
		t.line("  %s", textsafe.Clip(r, mostReason))
	}
	line := "   "
	for i, id := range c.scenarios {
		if i < len(c.scenarios)-1 {
			id += ","
		}
		if len(line)+1+len(id) > width && strings.TrimSpace(line) != "" {
			t.line("%s", t.paint(dim, line))
			line = "   "
		}
		line += " " + id
	}
	t.line("%s", t.paint(dim, line))
	for _, r := range c.remedies {
		t.line("    to unblock: %s", textsafe.Clip(r, mostReason))
	}
}
