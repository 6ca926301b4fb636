package fault

import (
	"encoding/json"
	"slices"
	"time"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// address is that of a person.
var address = lazyregexp.New(`[^\s@]+@[^\s@,?]+`)

// drawnFaults show in routes beside the usual ones, and in policies that say little.
var drawnFaults = []Fault{
	{
		ID: "openintent.blocked-suspended", Title: "an intent that is blocked can be suspended",
		Looks: "blocked to suspended_awaiting_input is 200", Breaks: []string{oi.OIP0025L1},
		Replace: allowing("blocked", suspended),
	},
	{
		ID: "openintent.blocked-pushed", Title: "a caller has a blocked intent go on once nothing that it depends on is suspended any more",
		Looks: "blocked to active is 200 while a dependency is active", Breaks: []string{oi.OIP00022},
		Replace: func(s *rules.Set) {
			s.Graph.Goes = func(dependencies []string) bool { return !slices.Contains(dependencies, suspended) }
		},
	},
	{
		ID: "openintent.circle-of-three", Title: "the look for circles of dependencies goes two steps and no further",
		Looks: "a dependency that closes a circle of three is 200", Breaks: []string{oi.OIP0002200},
		Replace: func(s *rules.Set) { s.Graph.Follows = func(steps int) bool { return steps < 1 } },
	},
	{
		ID: "openintent.freed-of-waiting-stays", Title: "to take away a dependency that is suspended leaves the dependent blocked",
		Looks: "a dependent is blocked, and all that it depends on is completed", Breaks: []string{oi.OIP0002201},
		Replace: func(s *rules.Set) { s.Graph.Frees = func(status string) bool { return status != suspended } },
	},
	{
		ID: "openintent.expired-id-taken-again", Title: "the id of a suspension that expired answers the next one until that has a record",
		Looks: "an answer with the id of before is 200", Breaks: []string{oi.OIP0025A5},
		Replace: func(s *rules.Set) {
			before := s.Answers.Takes
			s.Answers.Takes = func(st rules.Standing) rules.Verdict {
				if st.Suspended && st.RecordID == st.SentID && st.Resolution == suspension.Expired {
					return rules.Take
				}
				return before(st)
			}
		},
	},
	{
		ID: "openintent.deadline-passes-over-unrecorded", Title: "the deadline of a portfolio passes over a member without a record",
		Looks: "a member without a record is suspended behind the deadline", Breaks: []string{oi.OIP0026R5},
		Replace: func(s *rules.Set) {
			before := s.Deadline.Ends
			s.Deadline.Ends = func(status string, recorded bool) string {
				if !recorded {
					return ""
				}
				return before(status, recorded)
			}
		},
	},
	{
		ID: "openintent.choices-written-back", Title: "an answer writes the choices back as the server reads them, without style and metadata",
		Looks: "choices of the record have no metadata behind the answer", Breaks: []string{oi.OIP0025A13},
		Twin: "there numbers lose their last digits, here choices what the server does not know",
		Replace: func(s *rules.Set) {
			before := s.Answers.Keeps
			s.Answers.Keeps = func(record map[string]any, a rules.Answer) map[string]any {
				out := before(record, a)
				all, _ := out["choices"].([]any)
				known := make([]any, len(all))
				for i, c := range all {
					choice, _ := c.(map[string]any)
					known[i] = map[string]any{"value": choice["value"], "label": choice["label"], "description": choice["description"]}
				}
				if len(known) > 0 {
					out["choices"] = known
				}
				return out
			}
		},
	},
	{
		ID: "openintent.answer-through-a-double", Title: "the numbers of an answer go through a double on the way into the record",
		Looks: "a whole number beyond 2^53 is another one in the record", Breaks: []string{oi.OIP0025A13},
		Replace: func(s *rules.Set) {
			before := s.Answers.Keeps
			s.Answers.Keeps = func(record map[string]any, a rules.Answer) map[string]any {
				var rounded any
				if raw, err := json.Marshal(a.Value); err == nil && json.Unmarshal(raw, &rounded) == nil {
					a.Value = rounded
				}
				return before(record, a)
			}
		},
	},
	{
		ID: "openintent.noted-answers-race", Title: "an answer with metadata is judged before others are kept out, and written after that",
		Looks: "of answers with metadata at once more than one is 200", Breaks: []string{oi.OIPREAD1, oi.OIP0025A14},
		ByChance: []string{oi.OIP0025A13}, // the record has one of the answers that were taken
		Twin:     "answers without metadata are taken one by one",
		Replace: func(s *rules.Set) {
			s.Answers.Between = func(metadata bool) time.Duration {
				if metadata {
					return 200 * time.Millisecond // on a busy machine concurrent answers come far apart
				}
				return 0
			}
		},
	},
	{
		ID: "openintent.escalated-once", Title: "a coordinator escalates the first suspension of a phase, and no later one",
		Looks: "the second suspension of a phase leaves no coordinator.escalation_required", Breaks: []string{oi.OIP0026P5},
		Replace: func(s *rules.Set) {
			before := s.Watchers.Escalates
			s.Watchers.Escalates = func(policy string, times int) bool { return times == 0 && before(policy, times) }
		},
	},
	{
		ID: "openintent.humans-escalate", Title: "a coordinator of type human that names no policy escalates",
		Looks: "the lease of a human coordinator shows escalate", Breaks: []string{oi.OIP0026P2},
		Twin: "there the default of every coordinator is wrong, here that of people",
		Request: mutate.Asked("POST /api/v1/coordinators", mutate.Body(func(lease map[string]any) {
			if _, named := lease["suspension_policy"]; !named && lease["coordinator_type"] == "human" {
				lease["suspension_policy"] = "escalate"
			}
		})),
	},
	{
		ID: "openintent.stale-plan-taken", Title: "a change of a plan that means an old version is taken",
		Looks: "PATCH of a plan with an old If-Match is 200", Breaks: []string{oi.OIP0001200},
		Replace: func(s *rules.Set) {
			before := s.Requests.Stale
			s.Requests.Stale = func(operation string, meant, version int64) bool {
				return operation != "updatePlan" && before(operation, meant, version)
			}
		},
	},
	{
		ID: "openintent.unpaced-policy-alone", Title: "a policy that names no interval_seconds has a single attempt",
		Looks: "a suspension of three attempts expires when its first window is over", Breaks: []string{oi.OIP0026N6},
		Replace: courses(func(c *suspension.Course, r suspension.Record) {
			if r.RetryPolicy != nil && r.RetryPolicy.IntervalSeconds == nil && c.Attempts > 1 {
				c.Attempts = 1
				ends(c, c.Interval)
			}
		}),
	},
	{
		ID: "openintent.told-behind-the-fallback", Title: "the end of a suspension is told when its intent has gone on with the fallback value",
		Looks: "intent.suspension_expired is later than the change to active", Breaks: []string{oi.OIP0026E5},
		Replace: func(s *rules.Set) {
			s.Expiry.Precedes = func(fallback string) bool { return !suspension.Continues(fallback) }
		},
	},
	{
		ID: "openintent.one-address-hidden", Title: "a reminder to the outside hides the first address in the question, and sends the others",
		Looks: "the body of a webhook has a question with one of three addresses hidden", Breaks: []string{oi.OIP0026K1},
		Twin: "there nothing is hidden, here only the first of what has to be",
		Replace: func(s *rules.Set) {
			s.Reminders.Notice = func(notice, record map[string]any) map[string]any {
				asked, _ := record["question"].(string)
				first := true
				notice["question"] = address.ReplaceAllStringFunc(asked, func(found string) string {
					if first {
						found, first = "[hidden]", false
					}
					return found
				})
				return notice
			}
		},
	},
	{
		ID: "openintent.total-without-waiting", Title: "the graph of a parent counts waiting intents, and its total leaves them out",
		Looks: "total is less than all that by_status counts", Breaks: []string{oi.OIP0026R4},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/graph", mutate.Succeeded(documents(func(a *openintentv1.AggregateStatus) {
			a.Total -= a.ByStatus[suspended]
		}, "by_status", "total"))),
	},
	{
		ID: "openintent.phase-ends-with-an-attempt", Title: "a suspended phase has the end of its first attempt for its end",
		Looks: "expires_at of a phase is before that of its record", Breaks: []string{oi.OIP0026R4J},
		Reply: phases(func(p *openintentv1.SuspendedPhase) {
			since, err := suspension.ReadTime(p.SuspendedSince)
			if p.ExpiresAt == nil || err != nil {
				return
			}
			if ends, err := suspension.ReadTime(*p.ExpiresAt); err == nil && ends.Sub(since) > 24*time.Hour {
				p.ExpiresAt = new(since.Add(ends.Sub(since) / 3).Format(time.RFC3339Nano))
			}
		}),
	},
	{
		ID: "openintent.graph-shows-waiting-active", Title: "the nodes of a graph show an intent that waits as active",
		Looks: "a node of GET intents/{id}/graph is active, and the intent is suspended", Breaks: []string{oi.OIPREAD16, oi.OIP0026R4},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/graph", mutate.Succeeded(mutate.JSON(func(graph map[string]any) {
			nodes, _ := graph["nodes"].([]any)
			for _, n := range nodes {
				if node, is := n.(map[string]any); is && node["status"] == suspended {
					node["status"] = active
				}
			}
		}))),
	},
	{
		ID: "openintent.ready-over-waiting", Title: "a child that waits for one that waits for a person is listed as ready, and not as blocked",
		Looks: "GET intents/{id}/blocked has no child that depends on a suspended intent", Breaks: []string{oi.OIPREAD17},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/blocked", mutate.Succeeded(mutate.JSON(func(list map[string]any) {
			list["blocked"] = []any{}
		}))),
	},
	{
		ID: "openintent.member-portfolios-blind", Title: "the portfolios of an intent have no suspended members where they are listed",
		Looks: "GET intents/{id}/portfolios says 0 where GET portfolios/{id} says 1", Breaks: []string{oi.OIP0026R4B, oi.OIP0026R4C},
		Reply: mutate.On("GET /api/v1/intents/{intentId}/portfolios", mutate.Succeeded(mutate.Objects(func(o map[string]any) {
			if _, portfolio := o["has_suspended_members"]; portfolio {
				o["has_suspended_members"], o["suspended_member_count"] = false, 0
			}
		}))),
	},
	{
		ID: "openintent.unlimited-policy-reminds", Title: "a policy that names no max_attempts has three attempts, as in the SDK",
		Looks: "a reminder comes of a policy without max_attempts", Breaks: []string{oi.OIP0026H1, oi.OIP0026N7, oi.OIP0026N6},
		Replace: courses(func(c *suspension.Course, r suspension.Record) {
			if r.RetryPolicy != nil && r.RetryPolicy.MaxAttempts == nil && c.Interval > 0 {
				c.Attempts = 3
				ends(c, 3*c.Interval)
			}
		}),
	},
}
