package fault

import (
	"maps"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// from6 is a host of the version from which results are verified; ungated is one on which verdicts are told, and no more.
var (
	from6   = Under{Version: 6}
	ungated = Under{Version: 6, Without: []string{"verifierGating"}}
)

var verifierFaults = []Fault{
	{
		ID:     "verifier.end-unverified",
		Title:  "only what workers bring back is verified, and never the end of a run",
		Looks:  "run.completed follows a decision to terminate without a verdict between them",
		Breaks: []string{openwop.OWPVER1},
		Under:  from6,
		Replace: func(s *rules.Set) {
			asked := s.Verifier.Asked
			s.Verifier.Asked = func(end bool, left int) bool { return !end && asked(end, left) }
		},
	},
	{
		ID:     "verifier.criteria-lost",
		Title:  "a verdict is recorded without the criteria that it looked at",
		Looks:  "agent.verified has no criteria where the verifier named some",
		Breaks: []string{openwop.OWPVER2},
		Under:  from6,
		Event:  verdicts(func(e *mutate.Event) { delete(e.Payload, "criteria") }),
	},
	{
		ID:     "verifier.result-told",
		Title:  "a verdict is recorded together with what was judged",
		Looks:  "agent.verified holds the values that the worker brought back",
		Breaks: []string{openwop.OWPVER3},
		Under:  from6,
		Remembers: func() mutate.Changes {
			var results sync.Map // variables, by the id of the run
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.RunStarted), func(e *mutate.Event) {
					inputs, _ := e.Payload["inputs"].(map[string]any)
					results.Store(e.RunID, inputs)
				}),
				mutate.OfType(string(event.VariableChanged), func(e *mutate.Event) {
					known, _ := results.Load(e.RunID)
					before, _ := known.(map[string]any)
					now := map[string]any{}
					maps.Copy(now, before)
					now[wireText(e.Payload["name"])] = e.Payload["next"]
					results.Store(e.RunID, now)
				}),
				verdicts(func(e *mutate.Event) {
					if result, known := results.Load(e.Payload["target"]); known {
						e.Payload["result"] = result
					}
				}),
			}}
		},
	},
	{
		ID:     "verifier.judges-itself",
		Title:  "the supervisor's own agent judges what it has decided",
		Looks:  "agent.verified carries the agentId of runOrchestrator.decided",
		Breaks: []string{openwop.OWPVER4},
		Under:  from6,
		Remembers: func() mutate.Changes {
			var deciders sync.Map // by the id of the run
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.Decided), func(e *mutate.Event) {
					deciders.Store(e.RunID, e.Payload["agentId"])
				}),
				verdicts(func(e *mutate.Event) {
					if decider, known := deciders.Load(e.RunID); known {
						e.Payload["agentId"] = decider
					}
				}),
			}}
		},
	},
	{
		ID:     "verifier.failed-result-merged",
		Title:  "what failed is merged as if it had passed, if the verdict lists criteria",
		Looks:  "output.harvested follows a verdict of fail, and the parent's variable has changed",
		Breaks: []string{openwop.OWPVER5},
		Under:  from6,
		Replace: heeding(func(end bool, v event.VerifiedPayload) bool {
			return !end && v.Verdict == event.Fails && len(v.Criteria) > 0
		}, event.Passes),
	},
	{
		ID:     "verifier.failed-end-completes",
		Title:  "a run whose end failed is completed all the same",
		Looks:  "run.completed follows a verdict of fail on the end",
		Breaks: []string{openwop.OWPVER6},
		Under:  from6,
		Replace: heeding(func(end bool, v event.VerifiedPayload) bool {
			return end && v.Verdict == event.Fails
		}, event.Passes),
	},
	{
		ID:     "verifier.revised-result-merged",
		Title:  "what is to be revised is merged before it was",
		Looks:  "output.harvested follows a verdict of revise",
		Breaks: []string{openwop.OWPVER7},
		Under:  from6,
		Replace: heeding(func(end bool, v event.VerifiedPayload) bool {
			return !end && v.Verdict == event.Revises
		}, event.Passes),
	},
	{
		ID:     "verifier.third-revision-merged",
		Title:  "from the third verdict of a run on, what is to be revised is merged before it was",
		Looks:  "output.harvested follows a verdict of revise late in the run",
		Breaks: []string{openwop.OWPVER7},
		Twin:   "there every result is merged, here late ones",
		Under:  from6,
		Replace: func(s *rules.Set) {
			heeded := s.Verifier.Heeded
			s.Verifier.Heeded = func(end bool, v event.VerifiedPayload, n int, gates bool) event.Verdict {
				if !end && n >= 3 && v.Verdict == event.Revises {
					return event.Passes
				}
				return heeded(end, v, n, gates)
			}
		},
	},
	{
		ID:     "verifier.revises-for-ever",
		Title:  "turns that follow from a verdict of revise do not count against the bound on turns",
		Looks:  "a loop whose end is to be revised takes more turns than maxLoopIterations",
		Breaks: []string{openwop.OWPVER8},
		Under:  from6,
		Replace: func(s *rules.Set) {
			uses(s, turns, func(u *rules.Use, _ rules.Bound) {
				if u.Revises {
					u.N = 0
				}
			})
		},
	},
	{
		ID:     "verifier.passed-result-withheld",
		Title:  "what passed is withheld, if the verdict lists criteria",
		Looks:  "no output.harvested follows a verdict of pass, and the parent's variable is as it was",
		Breaks: []string{openwop.OWPVER9},
		Under:  from6,
		Replace: heeding(func(end bool, v event.VerifiedPayload) bool {
			return !end && v.Verdict == event.Passes && len(v.Criteria) > 0
		}, event.Fails),
	},
	{
		ID:     "verifier.told-result-withheld",
		Title:  "a verdict that is only told withholds what it is about",
		Looks:  "without gating, no output.harvested follows a verdict of fail",
		Breaks: []string{openwop.OWPVER10},
		Under:  ungated,
		Replace: heeding(func(end bool, v event.VerifiedPayload) bool {
			return !end && v.Verdict == event.Fails
		}, event.Fails),
	},
	{
		ID:      "verifier.success-criteria-lost",
		Title:   "a decision to terminate is recorded without its criteria of success",
		Looks:   "the decided event of a loop that gave up has no successCriteria",
		Breaks:  []string{openwop.OWPVER11},
		Under:   from6,
		Replace: func(s *rules.Set) { s.Verifier.KeepsCriteria = func(int) bool { return false } },
	},
	{
		ID:      "verifier.unclaimed",
		Title:   "results are verified by a host that offers no verifier",
		Looks:   "agent.verified stands on the log below version 6",
		Breaks:  []string{openwop.OWPVER13},
		Under:   Under{Version: 5},
		Replace: unclaimed(rules.ServesVerdicts),
	},
	{
		ID:      "verifier.success-criteria-below-6",
		Title:   "a decision to terminate keeps criteria of success at a version that knows none",
		Looks:   "the decided event of a host at version 5 has successCriteria",
		Breaks:  []string{openwop.OWPVER14},
		Under:   Under{Version: 5},
		Replace: func(s *rules.Set) { s.Verifier.KeepsCriteria = func(int) bool { return true } },
	},
	{
		ID:     "verifier.seam-always-commits",
		Title:  "the seam says of every result that it was merged",
		Looks:  "verify-run answers committed to a verdict of fail",
		Breaks: []string{openwop.OWPVER5},
		Under:  from6,
		Reply:  verifySeam(func(r *openwopv1.VerifyRunReply) { r.Committed, r.Outcome = true, "committed" }),
	},
	{
		ID:     "verifier.seam-never-commits",
		Title:  "the seam says of every result that it was withheld",
		Looks:  "verify-run answers not committed to a verdict of pass",
		Breaks: []string{openwop.OWPVER9},
		Under:  from6,
		Reply:  verifySeam(func(r *openwopv1.VerifyRunReply) { r.Committed, r.Outcome = false, "withheld" }),
	},
}

// verifySeam changes what the seam says of a result.
func verifySeam(change func(*openwopv1.VerifyRunReply)) mutate.ReplyFunc {
	return mutate.On("POST /v1/host/sample/agents/verify-run", mutate.Succeeded(mutate.At("", change)))
}

// verdicts changes what the log says of verdicts.
func verdicts(change mutate.EventFunc) mutate.EventFunc {
	return mutate.OfType(string(event.Verified), change)
}

// heeding has the host go by another verdict where one is meant.
func heeding(meant func(end bool, v event.VerifiedPayload) bool, instead event.Verdict) func(*rules.Set) {
	return func(s *rules.Set) {
		heeded := s.Verifier.Heeded
		s.Verifier.Heeded = func(end bool, v event.VerifiedPayload, n int, gates bool) event.Verdict {
			if meant(end, v) {
				return instead
			}
			return heeded(end, v, n, gates)
		}
	}
}
