package live

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// What handoffs, dispatch nodes and doubtful supervisors do is asked of the rules: another answer shows on the log, and not
// without it.
func TestLoopsGoByTheRules(t *testing.T) {
	const (
		fails    = `[{"kind":"next-worker","nextWorkerIds":["conformance-dispatch-deterministic-fail-child"]}]`
		two      = `[{"kind":"next-worker","nextWorkerIds":["conformance-noop","conformance-identity"]}]`
		ends     = `[{"kind":"terminate"},{"kind":"next-worker","nextWorkerIds":["conformance-noop"]}]`
		asks     = `[{"kind":"ask-user","prompt":"Which?"}]`
		doubts   = `[{"kind":"next-worker","nextWorkerIds":["conformance-noop"],"confidence":0.1}]`
		accept   = `{"answers":{"q1":"yes"}}`
		reject   = `{"action":"reject"}`
		approves = `{"action":"accept"}`
		unsure   = "conformance-orchestrator-low-confidence"
		alone    = "assay-dispatch-alone"
	)
	loop := func(decisions string) Create { return Create{Definition: harvesting(t), Inputs: plan(t, decisions)} }
	for _, c := range []struct {
		rule    string
		create  Create
		answer  string // where the run is to be held
		replace func(*rules.Set)
		changed string // on the log with the change only
	}{
		{"Handoff.CountsAs", loop(fails), "", func(s *rules.Set) {
			s.Handoff.CountsAs = func(openwopv1.RunStatus, bool) openwopv1.RunStatus { return openwopv1.RunStatusCancelled }
		}, "child.cancelled"},
		{"Handoff.GoesOn", loop(fails), "", func(s *rules.Set) { s.Handoff.GoesOn = func(event.Phase) bool { return false } },
			"run.failed"},
		{"Handoff.Harvested", loop(fails), "", func(s *rules.Set) {
			s.Handoff.Harvested = func(rules.Harvest) map[string]any { return map[string]any{"result": "else"} }
		}, `result="else"`},
		{"Dispatch.Takes", loop(two), "", func(s *rules.Set) {
			s.Dispatch.Takes = func(rules.Order) bool { return false }
		}, codes.FanOut},
		{"Dispatch.Ends", loop(ends), "", func(s *rules.Set) { s.Dispatch.Ends = func(left int) bool { return left == 0 } },
			"dispatch.began conformance-noop"},
		{"Dispatch.Takes without a decision", Create{WorkflowID: alone}, "",
			func(s *rules.Set) { s.Dispatch.Takes = func(rules.Order) bool { return true } }, "run.completed"},
		{"Dispatch.DecidesFirst", loop(asks), accept,
			func(s *rules.Set) { s.Dispatch.DecidesFirst = func(rules.Doubt) bool { return false } }, "2 node.suspended"},
		{"Confidence.Raises", loop(doubts), accept, func(s *rules.Set) {
			s.Confidence.Raises = func(event.Interrupt) event.Interrupt { return event.Clarification }
		}, "node.suspended @supervisor clarification"},
		{"Confidence.After", loop(doubts), reject,
			func(s *rules.Set) { s.Confidence.After = func(bool, bool) rules.Course { return rules.CarriedOut } },
			"dispatch.began conformance-noop"},
		{"Confidence.Workers", loop(doubts), approves, func(s *rules.Set) {
			s.Confidence.Workers = func([]string, bool) []string { return []string{"conformance-identity"} }
		}, "dispatch.began conformance-identity"},
		{"Confidence.After of an unsure agent", Create{WorkflowID: unsure}, reject, func(s *rules.Set) {
			s.Confidence.After = func(bool, bool) rules.Course { return rules.CarriedOut }
		}, "dispatch.began conformance-noop"},
		{"Confidence.Holds of an agent", Create{WorkflowID: unsure}, "",
			func(s *rules.Set) { s.Confidence.Holds = func(rules.Doubt) bool { return false } }, "dispatch.began conformance-noop"},
	} {
		for _, faulty := range []bool{false, true} {
			set := rules.Honest()
			if faulty {
				c.replace(&set)
			}
			h := newHost(t, func(o *Options) { o.Rules, o.EscalationKind = set, event.Approval })
			s := h.create(c.create)
			if answer := c.answer; answer != "" {
				if !faulty && answer == accept && c.rule == "Confidence.Raises" {
					answer = approves
				}
				s = h.resolve(s.RunID, answer)
			}
			if log := strings.Join(story(h.events(s.RunID)), "\n"); strings.Contains(log, c.changed) != faulty {
				t.Errorf("%s, faulty %v: is %q in\n%s", c.rule, faulty, c.changed, log)
			}
		}
	}
}
