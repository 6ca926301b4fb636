package handoff

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// The controls are the other steps of the handoffs, whose causes are local.
var causesNameOtherHost = scenarios.Scenario{
	ID: "openwop/ancestry/causes-name-other-host",
	Title: "where a worker ran on another host, the step that says how it ended names the event there which ended it, and " +
		"that host; no other step does",
	Proves: scenarios.IDs{openwop.OWPCAU10},
	Claim:  claims.RemoteDispatch,
	Ask: scenarios.Ask(hostsChain, func(o HostsObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkEnds(j)
		local := o.Root.OfType(dialect.HandedOver).Where(func(e wire.Value) bool { return !isEnd(e) })
		j.Check(openwop.OWPCAU10, local.Each("/payload/causationHostId")).To(check.Absent(), "causationHostId of the steps whose cause is here")
	}),
}

var parentOnOtherHost = scenarios.Scenario{
	ID: "openwop/ancestry/parent-on-other-host",
	Title: "the ancestry of a worker on another host names the loop, the host of the loop, the address of that host's " +
		"discovery document, and a cause",
	Proves: scenarios.IDs{openwop.OWPCAU12},
	Claim:  claims.RemoteDispatch,
	Ask: scenarios.Ask(hostsChain, func(o HostsObservation, j *scenarios.Judge) {
		o.given(j)
		for _, kid := range o.Kids {
			const id = openwop.OWPCAU12
			if !j.Check(id, kid.Of.Status).To(check.Status(2), "%s", kid.Of.Asked) {
				continue
			}
			parent := kid.Of.parent()
			j.Check(id, parent.Key("runId")).To(check.Equal(o.Root.RunID), "parent.runId in %s", kid.Of.Asked)
			j.Check(id, parent.Key("hostId")).To(check.Equal(o.First), "parent.hostId in %s", kid.Of.Asked)
			j.Check(id, parent.Key("wellKnownUrl")).To(isDiscoveryAddress(), "parent.wellKnownUrl in %s", kid.Of.Asked)
			j.Check(id, parent.Key("cause")).To(check.OneOf(causeDispatch, causeSubWorkflow, causeToolCall, causeMessage),
				"parent.cause in %s", kid.Of.Asked)
			findUnknownMembers(j, parent, "the parent in "+kid.Of.Asked, "runId", "hostId", "cause", "wellKnownUrl")
		}
	}),
}

const (
	causeToolCall = string(dialect.RunParentCauseMCPToolCall)
	causeMessage  = string(dialect.RunParentCauseA2AMessage)
)

// The trace is random, so no canned answer can contain it.
var traceGoesAlong = scenarios.Scenario{
	ID:     "openwop/ancestry/trace-goes-along",
	Title:  "the trace in which a loop was asked for goes along to each worker on another host, with another parent in it",
	Proves: scenarios.IDs{openwop.OWPCAU11},
	Claim:  claims.RemoteDispatch,
	Ask: scenarios.Ask(hostsChain, func(o HostsObservation, j *scenarios.Judge) {
		o.given(j)
		for _, kid := range o.Kids {
			started := kid.Log.OfType(dialect.RunStarted)
			j.Check(openwop.OWPCAU11, started.Each("/payload/metadata/traceparent")).To(inTrace(o.Trace, o.Span),
				"metadata.traceparent of run.started of %s", kid.Log.RunID)
		}
	}),
}

var cancelCrossesHosts = scenarios.Scenario{
	ID:     "openwop/ancestry/cancel-crosses-hosts",
	Title:  "who cancels a loop cancels its worker on another host, and the loop says so by the event there",
	Proves: scenarios.IDs{openwop.OWPDSP21, openwop.OWPCAU10},
	Claim:  claims.RemoteDispatch,
	Ask: scenarios.Ask(hostsCancel, func(o HostsObservation, j *scenarios.Judge) {
		j.Reach(o.Waited, "tell of a child run when it is made, and make the host of --second-host known to the target by the name "+
			wire.SecondName)
		if !host.Succeeded(o.Cancel) {
			j.Block("setup failed: the loop cannot be cancelled: HTTP "+o.Cancel.JSON(), "serve {cancel run}")
		}
		o.named(j)
		j.Check(openwop.OWPDSP21, o.Root.Status()).To(check.Equal("cancelled"), "status of the loop")
		ended := true
		for _, kid := range o.Kids {
			ended = ended && kid.Log.Ended.Reached
			j.Check(openwop.OWPDSP21, kid.Log.Ended).To(check.Reached(), "end of the worker on the other host")
			j.Check(openwop.OWPDSP21, kid.Log.Status()).To(check.Equal("cancelled"), "status of the worker on the other host")
		}
		if ended {
			o.checkEnds(j)
		}
	}),
}

// given blocks the judge unless every worker ended on the other host.
func (o HostsObservation) given(j *scenarios.Judge) {
	o.named(j)
	for _, kid := range o.Kids {
		if !kid.Log.Ended.Reached {
			j.Block("setup failed: the run "+kid.Log.RunID+" that the loop names does not end on the second host", giveSecond)
		}
	}
}

// named blocks the judge unless the loop names runs that the other host serves.
func (o HostsObservation) named(j *scenarios.Judge) {
	o.Root.Over(j) // it rests on the second host, too
	if o.host() == "" || o.First == "" || o.host() == o.First {
		j.Block("setup failed: the hosts do not advertise different ids: "+o.First+" and "+o.host(),
			"give each host its own crossHostCausation.hostId")
	}
	if len(o.Kids) == 0 {
		j.Block("setup failed: the loop names no run on the second host", "make the host of --second-host known to the target by the name "+
			wire.SecondName)
	}
	for _, kid := range o.Kids {
		if !host.Succeeded(kid.Log.Created) {
			j.Block("setup failed: the second host does not serve the run "+kid.Log.RunID+" that the loop names: HTTP "+
				kid.Log.Created.JSON(), giveSecond)
		}
	}
}

// host returns the id that the second host advertises.
func (o HostsObservation) host() string {
	d := scenarios.Discovery{Document: o.Second.Body, Status: o.Second.Status}
	return claims.Model(d).At("/crossHostCausation/hostId").String()
}

// isEnd reports whether a step tells how a child ended.
func isEnd(e wire.Value) bool {
	return slices.Contains([]string{
		string(dialect.ChainPhaseChildCompleted), string(dialect.ChainPhaseChildFailed), string(dialect.ChainPhaseChildCancelled),
	}, e.At("/payload/phase").String())
}

// checkEnds checks that each child has one step that tells how it ended, caused by the event that ended it.
func (o HostsObservation) checkEnds(j *scenarios.Judge) {
	const id = openwop.OWPCAU10
	for _, kid := range o.Kids {
		end := o.Root.OfType(dialect.HandedOver).Where(func(e wire.Value) bool {
			return isEnd(e) && e.At("/payload/childRunId").String() == kid.Log.RunID
		})
		if !j.Check(id, end).To(check.Len(1), "steps that say how %s ended", kid.Log.RunID) {
			continue
		}
		j.Check(id, end.Values[0].At("/payload/causationHostId")).To(check.Equal(o.host()), "causationHostId of the end of %s", kid.Log.RunID)
		j.Check(id, end.Values[0].Key("causationId")).To(check.OneOf(plainIDs(kid.Log.Terminals())...), "causationId of the end of %s",
			kid.Log.RunID)
	}
}

// plainIDs returns the ids of events as a matcher takes them.
func plainIDs(events wire.Found) []any {
	var out []any
	for _, e := range events.Values {
		if id := e.Key("eventId").String(); id != "" {
			out = append(out, id)
		}
	}
	return out
}

var (
	discoveryAddress = lazyregexp.New(`^https?://[^/]+(/.*)?/\.well-known/openwop$`)
	traceParent      = lazyregexp.New(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}`)
)

func isDiscoveryAddress() check.Matcher {
	return check.That("the address of a discovery document", func(v any) bool {
		s, _ := v.(string)
		return discoveryAddress.MatchString(s)
	})
}

// inTrace matches one traceparent of this trace with another parent than span.
func inTrace(trace, span string) check.Matcher {
	return check.Seeing("one traceparent of the trace "+trace+", and not from "+span, func(s wire.Seen) (bool, string) {
		found, _ := s.(wire.Found)
		if len(found.Values) != 1 {
			return false, "none, or several"
		}
		parts := traceParent.FindStringSubmatch(found.Values[0].String())
		return parts != nil && parts[1] == trace && parts[2] != span, found.Values[0].JSON()
	})
}
