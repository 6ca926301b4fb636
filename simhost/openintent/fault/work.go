package fault

import (
	"slices"
	"time"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
)

type timeOf = time.Time

var taskFaults = []Fault{
	{
		ID: "openintent.task-runs-on", Title: "the task of a suspended intent goes on running, as in release 0.17.0",
		Looks: "a task is running during the suspension of its intent", Breaks: []string{oi.OIP0026R3, oi.OIP0026R4G, oi.OIP0026T2},
		Replace: func(s *rules.Set) { s.Tasks.Mirrors = func(string) bool { return false } },
	},
	{
		ID: "openintent.task-blocked-silently", Title: "a task that is blocked by a suspension does not say why",
		Looks: "blocked_reason is missing", Breaks: []string{oi.OIP0026R3B, oi.OIP0026T2},
		Reply: tasks(func(t *openintentv1.Task) {
			if t.SuspendedIntentID != nil {
				t.BlockedReason = nil
			}
		}),
		Replace: worded("task.blocked", func(p map[string]any) { p["reason"] = "" }),
	},
	{
		ID: "openintent.plan-shows-less", Title: "a plan with a suspended task no longer says what happens when it is through",
		Looks: "on_complete of a plan is missing while suspended_tasks has an entry", Breaks: []string{oi.OIP0026L6},
		Reply: plans(func(p *openintentv1.Plan) {
			if len(p.Progress.SuspendedTasks) > 0 {
				p.OnComplete = nil
			}
		}),
	},
	{
		ID: "openintent.task-without-intent", Title: "a task that is blocked by a suspension does not say whose",
		Looks: "suspended_intent_id is missing", Breaks: []string{oi.OIP0026R3C, oi.OIP0026R4G},
		Reply: both(
			tasks(func(t *openintentv1.Task) { t.SuspendedIntentID = nil }),
			plans(listingNone), // a plan finds them by that
		),
	},
	{
		ID: "openintent.task-stays-blocked", Title: "the task stays blocked when its intent resumes",
		Looks: "a task is blocked behind the answer", Breaks: []string{oi.OIP0026R3D, oi.OIPREAD2, oi.OIP0026T11},
		Replace: func(s *rules.Set) { s.Tasks.Returns = func(string) bool { return false } },
	},
	{
		ID: "openintent.task-keeps-reason", Title: "the task runs again and still says that its intent is suspended",
		Looks: "blocked_reason is intent_suspended behind the answer", Breaks: []string{oi.OIP0026R3D},
		Replace: func(s *rules.Set) { s.Tasks.Returned = func() (string, bool) { return "running", false } },
	},
	{
		ID: "openintent.task-restarts", Title: "the task is ready behind the answer, and not running",
		Looks: "a task is ready behind the answer", Breaks: []string{oi.OIP0026R3D, oi.OIPREAD2, oi.OIP0026T11},
		Replace: func(s *rules.Set) { s.Tasks.Returned = func() (string, bool) { return "ready", true } },
	},
	{
		ID: "openintent.other-blocks-lifted", Title: "an answer lets also those tasks run that were blocked for another reason",
		Looks: "a task that waits for an escalation runs behind the answer", Breaks: []string{oi.OIP00121},
		Replace: func(s *rules.Set) { s.Tasks.Returns = func(string) bool { return true } },
	},
	{
		ID: "openintent.all-tasks-blocked", Title: "a suspension blocks also those tasks that were not running",
		Looks: "a task that was ready is blocked during the suspension", Breaks: []string{oi.OIP00122},
		Replace: func(s *rules.Set) {
			s.Tasks.Mirrors = func(status string) bool { return status == "running" || status == "ready" || status == "pending" }
		},
	},
	{
		ID: "openintent.plan-blind", Title: "the progress of a plan lists no suspended tasks",
		Looks: "suspended_tasks is empty during a suspension", Breaks: []string{oi.OIP0026R4G},
		Reply: plans(listingNone),
	},
	{
		ID: "openintent.plan-sticky", Title: "the progress of a plan lists every task as suspended",
		Looks: "suspended_tasks has tasks behind the answer", Breaks: []string{oi.OIP0026R4G},
		Twin: "a list that is never empty, where its twin has one that always is",
		Reply: plans(func(p *openintentv1.Plan) {
			for _, id := range p.Tasks {
				entry := openintentv1.SuspendedTask{TaskID: id, IntentID: p.IntentID, SuspendedSince: p.CreatedAt}
				if !slices.ContainsFunc(p.Progress.SuspendedTasks, func(t openintentv1.SuspendedTask) bool { return t.TaskID == id }) {
					p.Progress.SuspendedTasks = append(p.Progress.SuspendedTasks, entry)
				}
			}
		}),
	},
	{
		ID: "openintent.plan-without-expiry", Title: "a suspended task in the progress of a plan does not say until when",
		Looks: "expires_at is missing in suspended_tasks", Breaks: []string{oi.OIP0026R4H},
		Reply: plans(func(p *openintentv1.Plan) {
			for i := range p.Progress.SuspendedTasks {
				p.Progress.SuspendedTasks[i].ExpiresAt = nil
			}
		}),
	},
}

// listingNone empties the suspended tasks of a plan.
func listingNone(p *openintentv1.Plan) { p.Progress.SuspendedTasks = []openintentv1.SuspendedTask{} }

var claimFaults = []Fault{
	{
		ID: "openintent.claimed-over-suspended", Title: "work is claimed whose inputs come from a suspended intent",
		Looks: "the lease is 200 during the suspension of its upstream", Breaks: []string{oi.OIP0026V1, oi.OIP0026T15},
		Replace: func(s *rules.Set) {
			before := s.Claims.Refuses
			s.Claims.Refuses = func(upstream string, there bool) rules.ClaimRefusal {
				if upstream == suspended {
					return rules.Claimable
				}
				return before(upstream, there)
			}
		},
	},
	{
		ID:    "openintent.suspended-as-unresolvable",
		Title: "a claim over a suspended intent is refused as one whose inputs cannot be resolved, as release 0.17.0 does",
		Looks: "the refusal says UnresolvableInputError", Breaks: []string{oi.OIP0026V2, oi.OIP0026V3},
		Replace: func(s *rules.Set) {
			before := s.Claims.Refuses
			s.Claims.Refuses = func(upstream string, there bool) rules.ClaimRefusal {
				if upstream == suspended {
					return rules.Unresolvable
				}
				return before(upstream, there)
			}
		},
	},
	{
		ID: "openintent.claim-refused-anonymously", Title: "the refusal of a claim does not say which intent is suspended",
		Looks: "the suspended intent is missing in the refusal", Breaks: []string{oi.OIP0026V3},
		Reply: refusals(func(_ *mutate.Reply, refusal map[string]any) { delete(refusal, "suspended_intent_id") }),
	},
	{
		ID:    "openintent.claim-resumes-long-ago",
		Title: "the refusal of a claim over what waits without end says the zero of times for when to come again",
		Looks: "expected_resume_at is in the year 1", Breaks: []string{oi.OIPREAD15},
		Reply: refusals(func(_ *mutate.Reply, refusal map[string]any) {
			if at, says := refusal["expected_resume_at"]; says && at == nil {
				refusal["expected_resume_at"] = "0001-01-01T00:00:00Z"
			}
		}),
	},
	{
		ID: "openintent.inputs-never-there", Title: "inputs are never found, also where their phase is completed",
		Looks: "the lease is 422 behind the completion", Breaks: []string{oi.OIP0026V5, oi.OIP00241, oi.OIP0026T13},
		Replace: func(s *rules.Set) {
			before := s.Claims.Refuses
			s.Claims.Refuses = func(upstream string, _ bool) rules.ClaimRefusal { return before(upstream, false) }
		},
	},
}
