package fault

import (
	"net/http"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// ancestries changes what is told of where runs come from. source is the run that a run is a fork of, "" for none, as
// the reply to the fork has told.
func ancestries(change func(told *openwopv1.RunAncestryResponse, source string)) func() mutate.Changes {
	return func() mutate.Changes {
		var sources sync.Map // by the id of the fork
		return replies(
			mutate.On(forking, mutate.Succeeded(mutate.At("", func(f *openwopv1.ForkRunResponse) {
				sources.Store(f.RunID, f.SourceRunID)
			}))),
			ancestry(func(told *openwopv1.RunAncestryResponse) {
				source, _ := sources.Load(told.RunID)
				of, _ := source.(string)
				change(told, of)
			}),
		)
	}
}

// ancestry changes what is told of where a run comes from.
func ancestry(change func(told *openwopv1.RunAncestryResponse)) mutate.ReplyFunc {
	return mutate.On("GET /v1/runs/{runId}/ancestry", mutate.Succeeded(mutate.At("", change)))
}

// ofChild changes that for runs that were dispatched on this host. A parent on another one comes with its address.
func ofChild(change func(told *openwopv1.RunAncestryResponse)) mutate.ReplyFunc {
	return ancestry(func(told *openwopv1.RunAncestryResponse) {
		if told.Parent != nil && told.Parent.WellKnownURL == "" {
			change(told)
		}
	})
}

// stepped changes what the log says of this step of a handoff.
func stepped(phase event.Phase, change func(*event.HandoffPayload)) mutate.EventFunc {
	tell := func(p *event.HandoffPayload) {
		if p.Phase == phase {
			change(p)
		}
	}
	return mutate.OfType(string(event.Handoff), mutate.Payload(tell))
}

// introducing changes what another host is told of a loop.
func introducing(change func(*rules.Introduction)) func(*rules.Set) {
	return func(s *rules.Set) {
		introduces := s.Ancestry.Introduces
		s.Ancestry.Introduces = func(i rules.Introduction) rules.Introduction {
			i = introduces(i)
			change(&i)
			return i
		}
	}
}

// ancestryFaults are about where runs come from.
var ancestryFaults = []Fault{
	{
		ID:     "ancestry.root-on-a-node",
		Title:  "the ancestry of a run that nobody dispatched names the machine that it is on, not the host",
		Looks:  "hostId is not the one that is advertised",
		Breaks: []string{openwop.OWPCAU1},
		Remembers: ancestries(func(told *openwopv1.RunAncestryResponse, source string) {
			if told.Parent == nil && source == "" {
				told.HostID = "node-1"
			}
		}),
	},
	{
		ID:     "ancestry.child-on-a-node",
		Title:  "the ancestry of a child names the machine that it is on, not the host",
		Looks:  "hostId is not the one that is advertised, for children only",
		Breaks: []string{openwop.OWPCAU1},
		Reply:  ofChild(func(told *openwopv1.RunAncestryResponse) { told.HostID = "node-1" }),
	},
	{
		ID:     "ancestry.fork-on-no-host",
		Title:  "the ancestry of a fork names no host",
		Looks:  "hostId is empty, for forks only",
		Breaks: []string{openwop.OWPCAU1},
		Remembers: ancestries(func(told *openwopv1.RunAncestryResponse, source string) {
			if source != "" {
				told.HostID = ""
			}
		}),
	},
	{
		ID:     "ancestry.root-begets-itself",
		Title:  "a run that nobody dispatched names itself as its parent",
		Looks:  "parent.runId is the run that was asked for",
		Breaks: []string{openwop.OWPCAU2},
		Remembers: ancestries(func(told *openwopv1.RunAncestryResponse, source string) {
			if told.Parent == nil && source == "" {
				told.Parent = &openwopv1.RunParent{RunID: told.RunID, HostID: told.HostID, Cause: openwopv1.RunParentCauseCoreDispatch}
			}
		}),
	},
	{
		ID:     "ancestry.always-none",
		Title:  "no run has a parent",
		Looks:  "parent is null for runs that a loop dispatched",
		Breaks: []string{openwop.OWPCAU3, openwop.OWPCAU4},
		Spots:  []int{34},
		Reply:  ofChild(func(told *openwopv1.RunAncestryResponse) { told.Parent = nil }),
	},
	{
		ID:     "ancestry.child-begets-itself",
		Title:  "a child names itself as its parent",
		Looks:  "parent.runId is the run that was asked for",
		Breaks: []string{openwop.OWPCAU3},
		Reply:  ofChild(func(told *openwopv1.RunAncestryResponse) { told.Parent.RunID = told.RunID }),
	},
	{
		ID:     "ancestry.uppermost-is-parent",
		Title:  "a run names the run at the top as its parent, however far above it that is",
		Looks:  "parent.runId of a grandchild is the parent of its parent",
		Breaks: []string{openwop.OWPCAU3},
		Twin:   "there a run is confused with itself, here its parent with the one above that",
		Remembers: func() mutate.Changes {
			var above sync.Map // the uppermost run by the id of a run below it
			return replies(ofChild(func(told *openwopv1.RunAncestryResponse) {
				if top, known := above.Load(told.Parent.RunID); known {
					told.Parent.RunID, _ = top.(string)
				}
				above.Store(told.RunID, told.Parent.RunID)
			}))
		},
	},
	{
		ID:     "ancestry.by-tool-call",
		Title:  "the cause of a child is said to be the call of a tool",
		Looks:  "parent.cause of a dispatched run is mcp-tool-call",
		Breaks: []string{openwop.OWPCAU4},
		Reply:  ofChild(func(told *openwopv1.RunAncestryResponse) { told.Parent.Cause = openwopv1.RunParentCauseMCPToolCall }),
	},
	{
		ID:     "ancestry.address-at-home",
		Title:  "a parent on the same host comes with the address of the discovery document",
		Looks:  "parent.wellKnownUrl is there for a child of this host",
		Breaks: []string{openwop.OWPCAU5},
		Reply: ofChild(func(told *openwopv1.RunAncestryResponse) {
			told.Parent.WellKnownURL = "http://127.0.0.1/.well-known/openwop"
		}),
	},
	{
		ID:     "ancestry.source-is-parent",
		Title:  "a fork names its source as its parent",
		Looks:  "parent of a fork is not null",
		Breaks: []string{openwop.OWPCAU6},
		Remembers: ancestries(func(told *openwopv1.RunAncestryResponse, source string) {
			if source != "" {
				told.Parent = &openwopv1.RunParent{RunID: source, HostID: told.HostID, Cause: openwopv1.RunParentCauseCoreSubWorkflow}
			}
		}),
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
					mutate.Put(refusal, []string{"details", "correlationId"}, "req-0")
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
		Replace: unclaimed(rules.ServesAncestries),
	},
	{
		ID:     "ancestry.cause-moved-out",
		Title:  "the end of a child on this host is said to have its cause on another",
		Looks:  "child.completed of a local worker has a causationHostId that is nobody's",
		Breaks: []string{openwop.OWPCAU9},
		Event: stepped(event.ChildCompleted, func(p *event.HandoffPayload) {
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
		Event: stepped(event.DispatchSucceeded, func(p *event.HandoffPayload) {
			if host, _, abroad := strings.Cut(p.WorkerID, "/"); abroad {
				p.CausationHostID = host
			}
		}),
	},
	{
		ID:     "ancestry.cancelled-nowhere",
		Title:  "the end of a worker that was cancelled on another host does not say on which",
		Looks:  "child.cancelled names an event of the other host and no causationHostId",
		Breaks: []string{openwop.OWPCAU10, openwop.OWP0037B3},
		Event:  stepped(event.ChildCancelled, func(p *event.HandoffPayload) { p.CausationHostID = "" }),
	},
	{
		ID:     "ancestry.another-trace",
		Title:  "each worker on another host begins a trace of its own",
		Looks:  "the traceparent that the worker was asked for with is of another trace than that of the loop",
		Breaks: []string{openwop.OWPCAU11},
		Replace: introducing(func(i *rules.Introduction) {
			if trace := strings.Split(i.TraceParent, "-"); len(trace) == 4 {
				trace[1] = strings.Repeat("a", len(trace[1]))
				i.TraceParent = strings.Join(trace, "-")
			}
		}),
	},
	{
		ID:      "ancestry.address-withheld",
		Title:   "another host is not told the address of the discovery document",
		Looks:   "the ancestry of a worker on another host has no parent.wellKnownUrl",
		Breaks:  []string{openwop.OWPCAU12},
		Replace: introducing(func(i *rules.Introduction) { i.WellKnownURL = "" }),
	},
	{
		ID:      "ancestry.cancel-stays-home",
		Title:   "who cancels a loop does not cancel its worker on another host",
		Looks:   "the loop is cancelled and says that its worker is, and the worker goes on",
		Breaks:  []string{openwop.OWPDSP21},
		Replace: sparing(func(d rules.Descendant) bool { return d.Abroad }),
	},
}
