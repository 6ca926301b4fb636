package fault

import (
	"fmt"
	"slices"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
)

const (
	active    = "active"
	suspended = "suspended_awaiting_input"
	completed = "completed"
	abandoned = "abandoned"
)

func absorbing(kind, status string) func(*rules.Set) {
	return func(s *rules.Set) {
		s.Containers.Absorbs = func(k string) string {
			if k == kind {
				return status
			}
			return ""
		}
	}
}

func allowing(from, to string) func(*rules.Set) {
	return func(s *rules.Set) {
		before := s.Lifecycle.Allows
		s.Lifecycle.Allows = func(f, t string) bool { return before(f, t) || f == from && t == to }
	}
}

// counting counts one status as another one in every aggregate; "" leaves it out.
func counting(from, to string) mutate.ReplyFunc {
	return documents(func(a *openintentv1.AggregateStatus) {
		n := a.ByStatus[from]
		a.ByStatus[from] = 0
		if to != "" {
			a.ByStatus[to] += n
		}
		if a.CompletionPercentage != nil && a.Total > 0 {
			a.CompletionPercentage = new(100 * float64(a.ByStatus[completed]) / float64(a.Total))
		}
	}, "by_status", "total")
}

var lifecycleFaults = []Fault{
	{
		ID: "openintent.open-state-machine", Title: "an intent goes from any status to any other, as release 0.17.0 does",
		Looks: "a draft is suspended with 200", Breaks: []string{oi.OIP0025L1, oi.OIP0025L2},
		Replace: func(s *rules.Set) { s.Lifecycle.Allows = func(string, string) bool { return true } },
	},
	{
		ID: "openintent.draft-suspended", Title: "a draft can be suspended",
		Looks: "a draft is suspended with 200", Breaks: []string{oi.OIP0025L1},
		Replace: allowing("draft", suspended),
	},
	{
		ID: "openintent.operator-bypassed", Title: "a suspended intent can be completed without an answer",
		Looks: "suspended to completed is 200", Breaks: []string{oi.OIP0025L2},
		Replace: allowing(suspended, completed),
	},
	{
		ID: "openintent.lease-not-renewed", Title: "a lease cannot be renewed while its intent is suspended",
		Looks: "the renewal of a lease is 404 during a suspension", Breaks: []string{oi.OIP0025L3},
		Replace: func(s *rules.Set) { s.Leases.Renews = func() bool { return false } },
	},
	{
		ID: "openintent.lease-reaped", Title: "the lease of a suspended intent runs out, and another agent gets it",
		Looks: "a second lease on the scope is 200 during a suspension", Breaks: []string{oi.OIP0025L4},
		Replace: func(s *rules.Set) {
			before := s.Leases.Holds
			s.Leases.Holds = func(expires, now timeOf, _ bool) bool { return before(expires, now, false) }
		},
	},
	{
		ID: "openintent.match-optional", Title: "a write without If-Match is taken",
		Looks: "a status is set without If-Match", Breaks: []string{oi.OIP00011},
		Replace: func(s *rules.Set) { s.Requests.NeedsMatch = func(string) bool { return false } },
	},
	{
		ID: "openintent.stale-write-taken", Title: "a write that means an old version is taken",
		Looks: "an old If-Match is 200", Breaks: []string{oi.OIP00012, oi.OIP0001200},
		Replace: func(s *rules.Set) { s.Requests.Stale = func(string, int64, int64) bool { return false } },
	},
	{
		ID: "openintent.versions-compared-as-text", Title: "versions are compared as texts: 9 is no older than 10",
		Looks: "If-Match 9 is 200 at version 10", Breaks: []string{oi.OIP00012, oi.OIP0001200},
		Twin: "only versions of another number of digits are taken, there all later ones",
		Replace: func(s *rules.Set) {
			s.Requests.Stale = func(_ string, meant, version int64) bool { return fmt.Sprint(meant) < fmt.Sprint(version) }
		},
	},
	{
		ID: "openintent.later-version-taken", Title: "a write that means a version that is yet to come is taken",
		Looks: "If-Match 4 is 200 at version 3", Breaks: []string{oi.OIP00012, oi.OIP0001200},
		Replace: func(s *rules.Set) {
			s.Requests.Stale = func(_ string, meant, version int64) bool { return meant < version }
		},
	},
	{
		ID: "openintent.no-etag", Title: "the version is not in a header, as release 0.17.0 has it",
		Looks: "ETag is missing", Breaks: []string{oi.OIP00013},
		Reply: func(r *mutate.Reply) { r.Header.Del("ETag") },
	},
	{
		ID: "openintent.title-cut", Title: "the end of a long title is lost",
		Looks: "an intent that was made has another title", Breaks: []string{oi.OIP00014},
		Request: making(func(intent map[string]any) {
			if title, ok := intent["title"].(string); ok {
				intent["title"] = title[:min(len(title), 4)]
			}
		}),
	},
	{
		ID: "openintent.policy-dropped-from-record", Title: "the record of a suspension loses its retry policy when it begins",
		Looks: "retry_policy is missing in the record", Breaks: []string{oi.OIP0026X3},
		Reply: records(func(in *openintentv1.Intent, record map[string]any) {
			if begun(in, record) {
				delete(record, "retry_policy")
			}
		}),
	},
}

// making changes what is asked for with an intent to be.
func making(change func(intent map[string]any)) mutate.RequestFunc {
	root := mutate.Asked("POST /api/v1/intents", mutate.Body(change))
	child := mutate.Asked("POST /api/v1/intents/{intentId}/children", mutate.Body(change))
	return func(r *mutate.Request) {
		root(r)
		child(r)
	}
}

var graphFaults = []Fault{
	{
		ID: "openintent.parent-absorbs", Title: "the parent of a suspended intent turns suspended",
		Looks: "the status of the parent is suspended_awaiting_input", Breaks: []string{oi.OIP0026R1, oi.OIP0026P3},
		Replace: absorbing("parent", suspended),
	},
	{
		ID: "openintent.siblings-blocked", Title: "a suspension blocks the siblings of the intent, whatever they depend on",
		Looks: "a sibling without dependencies is blocked", Breaks: []string{oi.OIP0026R1, oi.OIP00024},
		Replace: func(s *rules.Set) {
			absorbing("sibling", "blocked")(s)
			before := s.Graph.Unblocks
			s.Graph.Unblocks = func(dependencies []string) bool { return len(dependencies) > 0 && before(dependencies) } // or it would not stay so
		},
	},
	{
		ID: "openintent.plan-absorbs", Title: "a plan turns suspended with an intent of it",
		Looks: "the state of the plan is suspended_awaiting_input", Breaks: []string{oi.OIP0026R1B},
		Reply: plans(func(p *openintentv1.Plan) {
			if len(p.Progress.SuspendedTasks) > 0 {
				p.State = suspended
			}
		}),
	},
	{
		ID: "openintent.portfolio-absorbs", Title: "a portfolio turns suspended with a member of it",
		Looks: "the status of the portfolio is suspended_awaiting_input", Breaks: []string{oi.OIP0026R1C, oi.OIP0026L5},
		Reply: portfolios(func(p *openintentv1.Portfolio) {
			if *p.HasSuspendedMembers {
				p.Status = suspended
			}
		}),
	},
	{
		ID: "openintent.dependents-run-on", Title: "what depends on a suspended intent stays active, as in release 0.17.0",
		Looks: "a dependent is active during a suspension", Breaks: []string{oi.OIP0026R2, oi.OIP0026T3},
		Replace: func(s *rules.Set) { s.Graph.Blocks = func(string) bool { return false } },
	},
	{
		ID: "openintent.answer-unblocks", Title: "the answer alone lets the dependents go on",
		Looks: "a dependent is active while what it depends on is, too", Breaks: []string{oi.OIP0026R2C, oi.OIP00022},
		Replace: func(s *rules.Set) {
			s.Graph.Wakes = func(from, to string) bool { return to == completed || from == suspended && to == active }
			s.Graph.Unblocks = func(deps []string) bool {
				return !slices.ContainsFunc(deps, func(d string) bool { return d != completed && d != active })
			}
		},
	},
	{
		ID: "openintent.never-unblocks", Title: "a dependent of a single intent stays blocked for ever",
		Looks:  "a dependent is blocked behind the completion of what it depends on",
		Breaks: []string{oi.OIP0026R2D, oi.OIPREAD2, oi.OIP0026T12, oi.OIP0002201},
		Replace: func(s *rules.Set) {
			s.Graph.Unblocks = func(deps []string) bool { return len(deps) > 1 && rules.AllCompleted(deps) }
		},
	},
	{
		ID: "openintent.unblocks-on-first", Title: "a dependent goes on when the first of its dependencies is completed",
		Looks: "a dependent of two is active while one of them is suspended", Breaks: []string{oi.OIP00022, oi.OIP0026R2},
		Replace: func(s *rules.Set) {
			s.Graph.Unblocks = func(deps []string) bool { return slices.Contains(deps, completed) }
		},
	},
	{
		ID:    "openintent.gate-open-over-dependency",
		Title: "an intent can be completed while what it depends on is suspended, as in release 0.17.0",
		Looks: "a dependent is completed during a suspension", Breaks: []string{oi.OIP0026R2B},
		Replace: func(s *rules.Set) {
			s.Graph.Completes = func(_, children []string) bool { return rules.AllCompleted(children) }
			s.Lifecycle.Allows = alsoAllowing(s.Lifecycle.Allows, "blocked", completed)
		},
	},
	{
		ID: "openintent.gate-open-over-child", Title: "a parent can be completed over its children, as in release 0.17.0",
		Looks: "a parent is completed while a child is suspended", Breaks: []string{oi.OIP00021},
		Replace: func(s *rules.Set) {
			s.Graph.Completes = func(deps, _ []string) bool { return rules.AllCompleted(deps) }
		},
	},
	{
		ID: "openintent.suspended-uncounted", Title: "the aggregate of a parent does not count suspended children",
		Looks: "by_status has no suspended_awaiting_input", Breaks: []string{oi.OIP0026R4},
		Twin:  "a count that is missing, where its twin counts them as something else",
		Reply: counting(suspended, ""),
	},
	{
		ID: "openintent.suspended-counted-as-active", Title: "the aggregate of a parent counts suspended children as active ones",
		Looks: "by_status.active has the suspended ones", Breaks: []string{oi.OIP0026R4},
		Reply: counting(suspended, active),
	},
	{
		ID: "openintent.suspended-counted-as-done", Title: "the aggregate of a parent counts suspended children as completed ones",
		Looks: "by_status.completed has the suspended ones", Breaks: []string{oi.OIP0026R4, oi.OIP00023},
		Reply: counting(suspended, completed),
	},
	{
		ID: "openintent.third-dependency-forgotten", Title: "of what an intent depends on, the first two are looked at",
		Looks: "a dependent of three goes on while the third is open", Breaks: []string{oi.OIP00022},
		Replace: func(s *rules.Set) {
			s.Graph.Unblocks = func(deps []string) bool { return rules.AllCompleted(deps[:min(2, len(deps))]) }
		},
	},
	{
		ID: "openintent.join-of-three-lost", Title: "what depends on more than two stays blocked for ever",
		Looks: "a dependent of three is blocked when all of them are completed", Breaks: []string{oi.OIP0026R2D},
		Replace: func(s *rules.Set) {
			s.Graph.Unblocks = func(deps []string) bool { return len(deps) < 3 && rules.AllCompleted(deps) }
		},
	},
	{
		ID: "openintent.gate-looks-at-last-dependency", Title: "an intent can be completed when the last of its dependencies is",
		Looks: "a dependent of three is completed while the first is suspended", Breaks: []string{oi.OIP0026R2B},
		Replace: func(s *rules.Set) {
			s.Graph.Completes = func(deps, children []string) bool {
				return rules.AllCompleted(deps[max(0, len(deps)-1):]) && rules.AllCompleted(children)
			}
			s.Lifecycle.Allows = alsoAllowing(s.Lifecycle.Allows, "blocked", completed)
		},
	},
	{
		ID: "openintent.fourth-child-forgotten", Title: "a parent can be completed when its first three children are",
		Looks: "a parent is completed over its fourth child", Breaks: []string{oi.OIP00021},
		Replace: func(s *rules.Set) {
			s.Graph.Completes = func(deps, children []string) bool {
				return rules.AllCompleted(deps) && rules.AllCompleted(children[:min(3, len(children))])
			}
		},
	},
	{
		ID: "openintent.suspended-counted-to-one", Title: "the aggregate of a parent counts one suspended child at most",
		Looks: "by_status.suspended_awaiting_input is 1 of three", Breaks: []string{oi.OIP0026R4},
		Reply: documents(func(a *openintentv1.AggregateStatus) {
			a.ByStatus[suspended] = min(a.ByStatus[suspended], 1)
		}, "by_status", "total"),
	},
}

func alsoAllowing(before func(from, to string) bool, from, to string) func(from, to string) bool {
	return func(f, t string) bool { return before(f, t) || f == from && t == to }
}
