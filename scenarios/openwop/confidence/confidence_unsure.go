package confidence

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// RFC 0006 C, CP-1. This is not the floor: the agent has not decided yet.
var unsureHeld = scenarios.Scenario{
	ID:     "openwop/confidence/unsure-held",
	Title:  "an agent below its threshold, given or 0.7, decides nothing before somebody has answered",
	Proves: scenarios.IDs{openwop.OWPCNF14, openwop.OWPCNF15, openwop.OWPCNF18},
	Claim:  claims.Orchestrator,
	Ask: scenarios.Ask(unsureAgents, func(o UnsureObservation, j *scenarios.Judge) {
		for _, way := range []struct {
			id scenarios.RequirementID
			UnsureRun
		}{{openwop.OWPCNF14, o.Accepted}, {openwop.OWPCNF18, o.Defaulted}, {openwop.OWPCNF14, o.Highest}} {
			l := way.Held.Log
			l.Exists(j, openwop.OWPCAP19)
			l.Readable(j)
			isUnsure(j, l)
			if !j.Check(way.id, l.Decided()).To(check.Len(0), "decisions of an agent that is %v sure, under a threshold of %v", unsure,
				way.Threshold) {
				return
			}
			way.Held.Given(j)
			status := way.Held.Suspended.Last.Key("status")
			j.Check(way.id, status).To(host.Waiting(), "status of the run")
			if status.String() != "waiting-approval" {
				j.Find("", "the run is %s; with an agent below its threshold it should be waiting-approval", status.JSON())
			}
			way.checkReason(j)
		}
		o.Branched.checkOverlaid(j)
		o.Accepted.Lull.CheckWaiting(j, openwop.OWPCNF14, o.Accepted.Held.Log, "while it was suspended")
	}),
}

// checkOverlaid expects no decision in a branch that shows a threshold which was laid over that of its source.
func (o UnsureRun) checkOverlaid(j *scenarios.Judge) {
	l := o.Held.Log
	shown := dialect.OptionOf(o.Held.Suspended.Last, dialect.EscalationThreshold)
	if is, err := host.About(o.Threshold).Match(check.Plain(shown.Actual())); l.RunID == "" || err != nil || !is {
		return
	}
	l.Readable(j)
	j.Check(openwop.OWPCNF14, l.Decided()).To(check.Len(0), "decisions of an agent that is %v sure, in a branch under a threshold of %v",
		unsure, o.Threshold)
}

// isUnsure blocks the judge if other agents decided than that of the fixture: an engine that does not take the agent from there
// does not know how sure it is.
func isUnsure(j *scenarios.Judge, l host.RunLog) {
	agents := l.Decided().Each("/payload/agentId").Where(wire.Value.Present)
	if len(agents.Values) > 0 && !slices.ContainsFunc(agents.Values, func(v wire.Value) bool { return v.String() == unsureAgent }) {
		j.Block("setup failed: the agent "+agents.Values[0].JSON()+" decided, not the unsure one of "+fixture.Unsure,
			"take agent, mockConfidence and mockPendingDecision of core.orchestrator.supervisor from the workflow, or do not list it")
	}
}

// checkReason expects the suspension to state its reason (OWP-R17).
func (o UnsureRun) checkReason(j *scenarios.Judge) {
	suspended := o.Held.Log.OfType(dialect.NodeSuspended)
	reasons := interruptKinds(o.Held)
	reasons.Values = append(reasons.Values, suspended.Each("/payload/reason").Values...)
	j.Check(openwop.OWPCNF15, reasons).To(check.That("low-confidence among them", func(v any) bool {
		list, _ := v.([]any)
		return slices.Contains(list, any("low-confidence"))
	}), "reasons and kinds of the suspension")
	for _, said := range []struct {
		name string
		want check.Matcher
	}{{"threshold", host.About(o.Threshold)}, {"observed", host.About(unsure)}, {"agentId", check.Text()}} {
		there := suspended.Each("/payload/" + said.name).Where(wire.Value.Present)
		if len(there.Values) > 0 {
			j.Check(openwop.OWPCNF15, there).To(check.Each(said.want), "%s of the suspension", said.name)
		}
	}
}

// The held decision appears exactly once. The protocol leaves open whether the agent's next turns
// are held as well.
var unsureDecidesOnce = scenarios.Scenario{
	ID:     "openwop/confidence/unsure-decides-once",
	Title:  "an agent that was not sure decides what it meant to, once, when somebody has accepted",
	Proves: scenarios.IDs{openwop.OWPCNF16},
	Claim:  claims.Orchestrator,
	Ask: scenarios.Ask(unsureAgents, func(o UnsureObservation, j *scenarios.Judge) {
		a := o.Accepted
		a.Held.Given(j)
		a.Held.CheckAnswered(j)
		if !j.Check(openwop.OWPCNF16, a.Decided).To(check.Reached(), "after it was accepted") {
			return
		}
		j.Reach(a.After.Sentinel, endByThemselves)
		a.After.Later.Readable(j)
		l := a.After.Later
		j.Check(openwop.OWPCNF16, l.Decided().Each("/payload/decision").Where(isHeldBack)).To(check.Len(1), "decisions that hand over to %s",
			fixture.Noop)
		j.Check(openwop.OWPCNF16, l.OfType(dialect.NodeDispatched)).To(host.NoMoreThan(1), "nodes dispatched")
		j.Check(openwop.OWPCNF16, l.Phase(dialect.ChainPhaseDispatchBegan)).To(host.NoMoreThan(1), "handoffs")
	}),
}

// isHeldBack reports whether this is the decision that the fixture's agent held back.
func isHeldBack(decision wire.Value) bool {
	workers := decision.Key("nextWorkerIds").Items()
	return decision.Key("kind").String() == string(dialect.NextWorkerDecisionKindNextWorker) && len(workers) == 1 &&
		workers[0].String() == fixture.Noop
}

// The control is unsure-decides-once, on the same drive.
var unsureRejected = scenarios.Scenario{
	ID:     "openwop/confidence/unsure-rejected",
	Title:  "what an agent was not sure of and somebody rejected is never carried out",
	Proves: scenarios.IDs{openwop.OWPCNF19},
	Claim:  claims.Orchestrator,
	Ask: scenarios.Ask(unsureAgents, func(o UnsureObservation, j *scenarios.Judge) {
		yes, no := o.Accepted, o.Rejected
		yes.Held.Given(j)
		yes.Held.CheckAnswered(j)
		no.Held.Given(j)
		no.Held.CheckAnswered(j)
		j.Reach(no.After.Sentinel, endByThemselves)
		no.After.Later.Readable(j)
		if len(carriedOut(yes.After.Later).Values) == 0 {
			j.Block("setup failed: the accepted decision was not carried out either", "dispatch a decision that somebody has accepted")
		}
		j.Check(openwop.OWPCNF19, carriedOut(no.After.Later)).To(check.Len(0), "work that was handed over after the rejection")
	}),
}

// carriedOut returns the events that report dispatched work.
func carriedOut(l host.RunLog) wire.Found {
	return l.All().Where(func(e wire.Value) bool {
		return dialect.EventOf(e) == dialect.NodeDispatched || e.At("/payload/phase").String() == string(dialect.ChainPhaseDispatchBegan)
	})
}

var sureEnoughDecides = scenarios.Scenario{
	ID:     "openwop/confidence/sure-enough-decides",
	Title:  "an agent at its threshold, or above it, decides and nobody is asked",
	Proves: scenarios.IDs{openwop.OWPCNF17},
	Claim:  claims.Orchestrator,
	Ask: scenarios.Ask(unsureAgents, func(o UnsureObservation, j *scenarios.Judge) {
		for _, way := range []UnsureRun{o.At, o.Under, o.Lowest} {
			l := way.Held.Log
			l.Exists(j, openwop.OWPCAP19)
			l.Readable(j)
			if !way.Held.Suspended.Reached && !host.IsTerminal(way.Held.Suspended.Last.Key("status").String()) {
				j.Reach(way.Held.Suspended, "have an agent that is sure enough decide, and its run end")
				return
			}
			j.Check(openwop.OWPCNF17, l.OfType(dialect.NodeSuspended)).To(check.Len(0),
				"suspensions of an agent that is %v sure, under a threshold of %v", unsure, way.Threshold)
			j.Check(openwop.OWPCNF17, l.Decided()).NotTo(check.Len(0), "its decisions")
		}
	}),
}
