package fault

import (
	"net/http"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// parented has another parent told of.
func parented(s *rules.Set, other func(k rules.Kin, honest *openwopv1.RunParent) *openwopv1.RunParent) {
	honest := s.Ancestry.Of
	s.Ancestry.Of = func(k rules.Kin) openwopv1.RunAncestryResponse {
		told := honest(k)
		told.Parent = other(k, told.Parent)
		return told
	}
}

// ofChild is parented for runs that were dispatched on this host.
func ofChild(s *rules.Set, change func(k rules.Kin, p *openwopv1.RunParent)) {
	parented(s, func(k rules.Kin, p *openwopv1.RunParent) *openwopv1.RunParent {
		if k.ParentRunID == "" {
			return p
		}
		changed := *p
		change(k, &changed)
		return &changed
	})
}

// elsewhere has another host told of for some runs.
func elsewhere(s *rules.Set, which func(rules.Kin) bool, host string) {
	honest := s.Ancestry.Of
	s.Ancestry.Of = func(k rules.Kin) openwopv1.RunAncestryResponse {
		told := honest(k)
		if which(k) {
			told.HostID = host
		}
		return told
	}
}

// stepped changes what the log says of this step of a handoff.
func stepped(phase openwopv1.ChainPhase, change func(*openwopv1.CoreWorkflowChainEventPayload)) mutate.EventFunc {
	tell := func(p *openwopv1.CoreWorkflowChainEventPayload) {
		if p.Phase == phase {
			change(p)
		}
	}
	return mutate.OfType(string(openwopv1.RunEventTypeCoreWorkflowChainEvent), mutate.Payload(tell))
}

// ancestryFaults are about where runs come from.
var ancestryFaults = []Fault{
	{
		ID:     "ancestry.root-on-a-node",
		Title:  "the ancestry of a run that nobody dispatched names the machine that it is on, not the host",
		Looks:  "hostId is not the one that is advertised",
		Breaks: []string{openwop.OWPCAU1},
		Replace: func(s *rules.Set) {
			elsewhere(s, func(k rules.Kin) bool { return k.ParentRunID == "" && k.SourceRunID == "" && k.Abroad == nil }, "node-1")
		},
	},
	{
		ID:      "ancestry.child-on-a-node",
		Title:   "the ancestry of a child names the machine that it is on, not the host",
		Looks:   "hostId is not the one that is advertised, for children only",
		Breaks:  []string{openwop.OWPCAU1},
		Replace: func(s *rules.Set) { elsewhere(s, func(k rules.Kin) bool { return k.ParentRunID != "" }, "node-1") },
	},
	{
		ID:      "ancestry.fork-on-no-host",
		Title:   "the ancestry of a fork names no host",
		Looks:   "hostId is empty, for forks only",
		Breaks:  []string{openwop.OWPCAU1},
		Replace: func(s *rules.Set) { elsewhere(s, func(k rules.Kin) bool { return k.SourceRunID != "" }, "") },
	},
	{
		ID:     "ancestry.root-begets-itself",
		Title:  "a run that nobody dispatched names itself as its parent",
		Looks:  "parent.runId is the run that was asked for",
		Breaks: []string{openwop.OWPCAU2},
		Replace: func(s *rules.Set) {
			parented(s, func(k rules.Kin, p *openwopv1.RunParent) *openwopv1.RunParent {
				if p == nil && k.SourceRunID == "" {
					return &openwopv1.RunParent{RunID: k.RunID, HostID: k.HostID, Cause: openwopv1.RunParentCauseCoreDispatch}
				}
				return p
			})
		},
	},
	{
		ID:     "ancestry.always-none",
		Title:  "no run has a parent",
		Looks:  "parent is null for runs that a loop dispatched",
		Breaks: []string{openwop.OWPCAU3, openwop.OWPCAU4},
		Spots:  []int{34},
		Replace: func(s *rules.Set) {
			parented(s, func(k rules.Kin, _ *openwopv1.RunParent) *openwopv1.RunParent { return k.Abroad })
		},
	},
	{
		ID:      "ancestry.child-begets-itself",
		Title:   "a child names itself as its parent",
		Looks:   "parent.runId is the run that was asked for",
		Breaks:  []string{openwop.OWPCAU3},
		Replace: func(s *rules.Set) { ofChild(s, func(k rules.Kin, p *openwopv1.RunParent) { p.RunID = k.RunID }) },
	},
	{
		ID:     "ancestry.by-tool-call",
		Title:  "the cause of a child is said to be the call of a tool",
		Looks:  "parent.cause of a dispatched run is mcp-tool-call",
		Breaks: []string{openwop.OWPCAU4},
		Replace: func(s *rules.Set) {
			ofChild(s, func(_ rules.Kin, p *openwopv1.RunParent) { p.Cause = openwopv1.RunParentCauseMCPToolCall })
		},
	},
	{
		ID:     "ancestry.address-at-home",
		Title:  "a parent on the same host comes with the address of the discovery document",
		Looks:  "parent.wellKnownUrl is there for a child of this host",
		Breaks: []string{openwop.OWPCAU5},
		Replace: func(s *rules.Set) {
			ofChild(s, func(_ rules.Kin, p *openwopv1.RunParent) { p.WellKnownURL = "http://127.0.0.1/.well-known/openwop" })
		},
	},
	{
		ID:     "ancestry.source-is-parent",
		Title:  "a fork names its source as its parent",
		Looks:  "parent of a fork is not null",
		Breaks: []string{openwop.OWPCAU6},
		Replace: func(s *rules.Set) {
			parented(s, func(k rules.Kin, p *openwopv1.RunParent) *openwopv1.RunParent {
				if k.SourceRunID == "" {
					return p
				}
				return &openwopv1.RunParent{RunID: k.SourceRunID, HostID: k.HostID, Cause: openwopv1.RunParentCauseCoreSubWorkflow}
			})
		},
	},
	{
		ID:     "ancestry.missing-is-unserved",
		Title:  "of a run that is not there the host says that it serves no ancestries",
		Looks:  "the ancestry of a run that never was is answered with 501",
		Breaks: []string{openwop.OWPCAU7},
		Reply: mutate.On("GET /v1/runs/{runId}/ancestry", func(r *mutate.Reply) {
			if r.Status == http.StatusNotFound {
				r.Status = http.StatusNotImplemented
				mutate.JSON(func(refusal map[string]any) {
					refusal["error"] = "capability_not_provided"
					put(refusal, []string{"details", "correlationId"}, "req-0")
				})(r)
			}
		}),
	},
	{
		ID:      "ancestry.unadvertised",
		Title:   "ancestries are served although discovery says that they are not",
		Looks:   "without ancestryEndpointSupported the ancestry of a run is answered with 200",
		Breaks:  []string{openwop.OWPCAU8},
		Under:   Under{Without: []string{"ancestry"}},
		Replace: func(s *rules.Set) { s.Ancestry.Serves = func(bool) bool { return true } },
	},
	{
		ID:     "ancestry.cause-moved-out",
		Title:  "the end of a child on this host is said to have its cause on another",
		Looks:  "child.completed of a local worker has a causationHostId that is nobody's",
		Breaks: []string{openwop.OWPCAU9},
		Event: stepped(openwopv1.ChainPhaseChildCompleted, func(p *openwopv1.CoreWorkflowChainEventPayload) {
			if p.CausationHostID == "" {
				p.CausationHostID = "worker-pool"
			}
		}),
	},
	{
		ID:     "ancestry.every-step-abroad",
		Title:  "the creation of a worker on another host is said to be caused there",
		Looks:  "dispatch.succeeded of such a worker has a causationHostId",
		Breaks: []string{openwop.OWPCAU10},
		Event: stepped(openwopv1.ChainPhaseDispatchSucceeded, func(p *openwopv1.CoreWorkflowChainEventPayload) {
			if host, _, abroad := strings.Cut(p.WorkerID, "/"); abroad {
				p.CausationHostID = host
			}
		}),
	},
	{
		ID:     "ancestry.cancelled-nowhere",
		Title:  "the end of a worker that was cancelled on another host does not say on which",
		Looks:  "child.cancelled names an event of the other host and no causationHostId",
		Breaks: []string{openwop.OWPCAU10},
		Event:  stepped(openwopv1.ChainPhaseChildCancelled, func(p *openwopv1.CoreWorkflowChainEventPayload) { p.CausationHostID = "" }),
	},
	{
		ID:     "ancestry.another-trace",
		Title:  "each worker on another host begins a trace of its own",
		Looks:  "the traceparent that the worker was asked for with is of another trace than that of the loop",
		Breaks: []string{openwop.OWPCAU11},
		Replace: func(s *rules.Set) {
			s.Ancestry.Trace = func(trace, _ string) string { return strings.Repeat("a", len(trace)) }
		},
	},
	{
		ID:      "ancestry.address-withheld",
		Title:   "another host is not told the address of the discovery document",
		Looks:   "the ancestry of a worker on another host has no parent.wellKnownUrl",
		Breaks:  []string{openwop.OWPCAU12},
		Replace: func(s *rules.Set) { s.Ancestry.WellKnown = func(string) string { return "" } },
	},
	{
		ID:      "ancestry.cancel-stays-home",
		Title:   "who cancels a loop does not cancel its worker on another host",
		Looks:   "the loop is cancelled and says that its worker is, and the worker goes on",
		Breaks:  []string{openwop.OWPDSP21},
		Replace: func(s *rules.Set) { s.Ancestry.Stops = func() bool { return false } },
	},
}
